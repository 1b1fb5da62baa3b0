// Test vectors of the live step: a JSON file with a pack's block, settings, frames and the weights that must come out.
#pragma once
#include <string>
#include <vector>

#include "reference_step.h"

namespace live_test {

struct VectorFile {
  ReferencePart part;
  ReferenceSettings settings;
  std::vector<Frame> frames;
  std::vector<std::vector<double>> weights;  // after each frame
};

VectorFile load_vectors(const std::string& path);
void save_vectors(const std::string& path, const VectorFile& file);

}  // namespace live_test
