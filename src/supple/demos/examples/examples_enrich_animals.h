// Those of the embedded examples that mix physics into the motion of animals and a wrestler, which come as bare meshes
// and caches. Each writes its files and returns the text of its scene.
#pragma once
#include <filesystem>
#include <string>

#include "supple/demos/examples/examples.h"

namespace supple::demos {

std::string walk_example(const std::filesystem::path& directory, const ExampleOptions& options);
std::string bird_example(const std::filesystem::path& directory, const ExampleOptions& options);
std::string dance_example(const std::filesystem::path& directory, const ExampleOptions& options);

}  // namespace supple::demos
