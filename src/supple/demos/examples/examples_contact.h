// Those of the embedded examples in which things touch. Each writes its files and returns the text of its scene.
#pragma once
#include <filesystem>
#include <string>

#include "supple/demos/examples/examples.h"

namespace supple::demos {

std::string drop_example(const std::filesystem::path& directory, const ExampleOptions& options);
std::string ball_example(const std::filesystem::path& directory, const ExampleOptions& options);

}  // namespace supple::demos
