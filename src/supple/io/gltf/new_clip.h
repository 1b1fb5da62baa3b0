// A new animation of a glTF file in the making: keys of our own, then the channels of others that it repeats.
// Inside the room only.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "supple/io/gltf/glb_document.h"

namespace supple {

class NewClip {
 public:
  explicit NewClip(GlbDocument& doc);
  ~NewClip();

  // A list of keys' times or values, by its accessor; `bounds` for times. All lists of the clip share one view.
  int add_floats(const std::vector<float>& values, size_t width, bool bounds);
  void add_channel(int node, const char* path, int input, int output, const char* interpolation);
  // Channels of these animations by the same accessors, but for what has keys here already. What is animated twice by
  // the sources themselves is told, of the clip of that name.
  void repeat(const std::vector<int>& sources, const std::string& name, std::vector<std::string>& warnings);
  // Puts it into the file. False when it has nothing to say.
  bool finish(const std::string& name);

 private:
  GlbDocument& doc_;
  std::unique_ptr<OrderedJson> channels_, samplers_;
  std::vector<float> floats_;
  std::vector<int> accessors_;
  std::set<std::pair<int, std::string>> targets_, ours_;  // nodes and what of them is animated
};

// First and last key [s] of these animations; none without keys.
std::optional<std::pair<float, float>> key_range(const GlbDocument& doc, const std::vector<int>& animations);

// A node that has a matrix cannot be animated: the same placement as translation, rotation and scale. True when it had
// one. why: for the error where a matrix has no such parts, as "it should turn".
bool take_matrix_apart(GlbDocument& doc, int node, const std::string& why);

}  // namespace supple
