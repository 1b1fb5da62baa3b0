// The parts of a body, told by shape alone: trunk, neck, head, legs, arms, tail, ears; and where on its part each bit
// of skin is, in numbers that are the same on a giant and a dwarf, in a T-pose and with arms that hang. No name of a
// bone is read.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/attach/pieces.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

enum class BodyPartKind { trunk, neck, head, leg, foreleg, arm, tail, ear, strand };

struct BodyPart {
  BodyPartKind kind = BodyPartKind::trunk;
  int side = 0;              // 1: left, -1: right, 0: of the middle
  std::string name() const;  // "trunk", "leg.L"
};

struct BodyPoint {
  int part = -1;     // of BodyPlan::parts; -1: of none
  double along = 0;  // 0 where the part begins, 1 where it ends. Trunk: hips to shoulders. Limbs: 0.5 at elbow or knee,
                     // 1 at wrist or ankle, with hand or foot beyond. Head: from below to above
  double around = 0;  // [rad] -pi..pi: 0 at the front (of a trunk and a tail that lie: below), pi/2 to the left, of
                      // limbs and ears away from the body
  double out = 0;     // [m] from the middle of the part there
};

struct BodyPlan {
  Vec3 up = Vec3::UnitY(), front = Vec3::UnitZ(), left = Vec3::UnitX();  // unit
  bool upright = true;                                                   // else the trunk lies, as that of a horse
  std::vector<BodyPart> parts;
  std::vector<BodyPoint> at;              // per skin vertex
  std::vector<std::array<int, 2>> twins;  // bones of Drawn that are each other's mirror image, left first

  int part(BodyPartKind kind, int side = 0) const;  // the first such; -1: none
};

struct BodyPlanInput {
  const Drawn* drawn = nullptr;
  const std::vector<Piece>* pieces = nullptr;
  const TriMesh* skin = nullptr;             // welded soft surface, as bound
  const std::vector<int>* source = nullptr;  // a drawn vertex behind each of its vertices
  Vec3 up = {0, 1, 0};
};
BodyPlan find_body_plan(const BodyPlanInput& input);

}  // namespace supple
