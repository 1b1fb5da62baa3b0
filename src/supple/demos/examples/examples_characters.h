// Those of the embedded examples that are characters. Each writes its file and returns the text of its scene.
#pragma once
#include <filesystem>
#include <string>

#include "supple/demos/examples/examples.h"

namespace supple::demos {

std::string pear_example(const std::filesystem::path& directory);
std::string sumo_example(const std::filesystem::path& directory, const ExampleOptions& options);
std::string jellyphant_example(const std::filesystem::path& directory, const ExampleOptions& options);

}  // namespace supple::demos
