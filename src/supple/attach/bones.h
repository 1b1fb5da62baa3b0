// The bones of a skin as lengths of line, and what kind of part each carries. No name of a bone is trusted.
// Inside the room only.
#pragma once
#include <array>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/attach/mirror.h"
#include "supple/attach/pieces.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

struct BoneShape {
  int bone = -1;                              // of Drawn
  int parent = -1;                            // the nearest ancestor that carries skin too; index of Skeleton::bones
  std::vector<int> children;                  // likewise
  std::vector<std::array<Vec3, 2>> segments;  // from its head to each child's; a leaf: to the far end of its skin
  std::vector<int> led;                       // skin vertices of which it has the largest weight
  int twin = -1;                              // the bone of the other side
  double led_area = 0;                        // [m^2]
};

struct Skeleton {
  std::vector<BoneShape> bones;  // those with weight on the skin, parents before children where the file has them so
  std::vector<int> index;        // of each bone of Drawn: index of bones, -1: no weight
  std::vector<int> leader;       // per skin vertex: index of bones, -1: none
  double area = 0;               // of all skin [m^2]
  bool mirrored = false;         // twins are known by the shape of the body

  // The point of the segments of bone b that is nearest to x; direction: unit, of that segment (zero when it has no
  // length).
  Vec3 nearest(int b, const Vec3& x, Vec3* direction = nullptr) const;
  double distance(int b, const Vec3& x) const { return (x - nearest(b, x)).norm(); }
  bool related(int a, int b) const;      // the same, or parent and child
  bool above(int a, int b) const;        // a is b or an ancestor of it
  int height(int b) const;               // bones on the longest way down from b, itself not counted
  std::vector<int> family(int b) const;  // b and all below it
  std::string name(const Drawn& d, int b) const { return d.bones[bones[b].bone].name; }
};

// source: the drawn vertex behind each vertex of skin. Twins lead skin that is each other's mirror image; where the
// body has no mirror they are as deep in the skeleton, as long and with as much skin.
Skeleton find_skeleton(const Drawn& drawn, const TriMesh& skin, const std::vector<int>& source,
                       const Mirror& mirror = {});

struct BoneKinds {
  std::vector<char> solid;    // heads, hands, feet: ends that read as one solid
  std::vector<char> carries;  // solid things hang on it: eyes, teeth, what a hand holds
};

struct BoneKindInput {
  const Drawn* drawn = nullptr;
  const std::vector<Piece>* pieces = nullptr;
  const std::vector<int>* source = nullptr;
  const TriMesh* skin = nullptr;
  const std::vector<char>* planted = nullptr;           // per skin vertex
  const std::vector<double>* half_thickness = nullptr;  // per bone: mean of what it leads [m]
  double height = 0;                                    // of the body [m]
  Vec3 up = {0, 1, 0};                                  // unit
  double bottom = 0;                                    // the lowest skin along it
};
BoneKinds find_bone_kinds(const Skeleton& skeleton, const BoneKindInput& input);

}  // namespace supple
