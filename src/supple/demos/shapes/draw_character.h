// From a character with bones and a clip to a bare surface and its frames, as a cache hands it on.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/anim/limb.h"
#include "supple/demos/shapes/drawn_animation.h"
#include "supple/demos/shapes/rig.h"

namespace supple::demos {

// What a character draws, closed again where one material meets the next: drawn vertices at one place that go with the
// same bones are one.
struct WeldedSkin {
  Drawn drawn;
  std::vector<int> vertex;  // of each drawn vertex: which of the welded ones
  std::vector<int> source;  // of each welded vertex: a drawn one
  std::vector<Tri> triangles;
  int size() const { return static_cast<int>(source.size()); }
};
WeldedSkin weld(const Character& character);

// The surface and the weights that a character of the gallery was made from, found again in it: what correctives for
// another clip are sculpted on. Shapes and clips that it had are dropped. The skin has no normals.
struct Reopened {
  RiggedSkin skin;
  RiggedCharacter character;
};
Reopened reopen(Character character);

// What is painted on it: by place in the neutral pose and material.
using Paint = std::function<double(const Vec3& x, const std::string& material)>;
struct Painting {
  Paint soft;
  std::map<std::string, Paint> parts;  // at least a half: belongs to it
};
DrawnAnimation draw_character(const Character& character, const Clip& clip, int frames, double fps,
                              const Painting& painting);

// A limb of the rig that reaches for a place in the world: turns of its two bones, and of what is at its end so that
// it is turned by `end_turn` in the world. bones: those of the pose so far [Rig::pose].
void place_limb(const Rig& rig, const Limb& limb, const std::vector<Affine>& bones, const std::array<int, 3>& joints,
                const Vec3& target, const Vec3& pole, const Quat& end_turn, std::vector<Quat>& turns);

}  // namespace supple::demos
