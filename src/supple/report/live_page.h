// The page that shows live packs: one file, nothing beside it.
#pragma once
#include <string>
#include <vector>

namespace supple {

struct LivePageModel {
  std::string name, title;
  std::string bytes;               // a live .glb
  std::string kind = "character";  // or "tissue": something that an instrument is moved over
  std::string note;
};
std::string live_page(const std::string& title, const std::vector<LivePageModel>& models);

}  // namespace supple
