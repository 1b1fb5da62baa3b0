// The page that shows live packs: one file, nothing beside it.
#pragma once
#include <string>
#include <vector>

namespace supple {

struct LivePageModel {
  std::string title;
  std::string file;                // a live .glb
  std::string kind = "character";  // or "tissue": something that an instrument is moved over
};
void write_live_page(const std::string& path, const std::vector<LivePageModel>& models);

}  // namespace supple
