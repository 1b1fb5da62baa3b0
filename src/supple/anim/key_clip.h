// Clips made by keys: eased curves, sampled at every frame into a character's tracks.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/anim/character.h"

namespace supple {

// smooth: flows through the key, and rests at it where the values turn round. hit: comes in ever faster and stops
// there at once, as a foot does on the ground.
enum class Ease { smooth, hit };

struct Key {
  double frame = 0;
  Vec3 value = Vec3::Zero();
  Ease ease = Ease::smooth;
};

// Through all keys, without overshoot between two; held before the first and after the last. InputError: no keys, or
// frames that do not ascend.
class KeyCurve {
 public:
  explicit KeyCurve(std::vector<Key> keys);
  Vec3 at(double frame) const;

 private:
  std::vector<Key> keys_;
  Points in_, out_;  // slopes a frame on both sides of each key
};

// A rotation from turns [deg] about x, then y, then z of the parent.
Quat turned(const Vec3& degrees);

// Changes the placements of nodes, which come as at rest.
using PoseFunction = std::function<void(double frame, std::vector<Placement>& nodes)>;

// `frames` poses as linear tracks; nodes that never leave their rest get none.
Clip bake_clip(const Character& character, const std::string& name, int frames, double fps, const PoseFunction& pose);

// A named blend shape of a mesh: offsets for each of its primitives, one a vertex. Returns its number. InputError where
// the sizes differ.
int add_blend_shape(Character& character, int mesh, const std::string& name, const std::vector<Points>& offsets,
                    const std::vector<Points>& normals = {});

// Weights of all blend shapes of a mesh node at every frame, as a track of the clip.
void add_weights(const Character& character, int node, int frames, double fps,
                 const std::function<std::vector<double>(int frame)>& weights, Clip& clip);

}  // namespace supple
