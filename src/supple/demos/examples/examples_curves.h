// Those of the embedded examples in which physics fills in the curves of a rig. Each writes its files and returns the
// text of its scene; variants of it are scenes beside, which its first lines name.
#pragma once
#include <filesystem>
#include <string>

#include "supple/demos/examples/examples.h"

namespace supple::demos {

std::string rig_sphere_example(const std::filesystem::path& directory, const ExampleOptions& options);
std::string rig_bar_example(const std::filesystem::path& directory, const ExampleOptions& options);
std::string rig_flower_example(const std::filesystem::path& directory, const ExampleOptions& options);
std::string rig_elephant_example(const std::filesystem::path& directory, const ExampleOptions& options);
std::string rig_workout_example(const std::filesystem::path& directory, const ExampleOptions& options);

}  // namespace supple::demos
