// The plant and the head among the examples of enriching. Each writes its files and returns the text of its scene.
#pragma once
#include <filesystem>
#include <string>

#include "supple/demos/examples/examples.h"

namespace supple::demos {

// A withering plant whose fine ripples are to be kept, and its pot. short_shot: withered within 24 frames, coarse tets.
std::string plant_example(const std::filesystem::path& directory, const ExampleOptions& options);
// A speaker of whom only the outer face is known: all else is completed. short_shot: 30 frames, coarse.
std::string head_example(const std::filesystem::path& directory, const ExampleOptions& options);

}  // namespace supple::demos
