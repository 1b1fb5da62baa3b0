// What of a cage is flesh and what follows the bones: softness, skin weights of tet vertices, regions.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/attach/pieces.h"
#include "supple/constraint/constraints.h"
#include "supple/mesh/tet_mesh.h"
#include "supple/mesh/vertex_blend.h"

namespace supple {

struct FleshInput {
  const Drawn* drawn = nullptr;
  const std::vector<Piece>* pieces = nullptr;
  const std::vector<Pose>* poses = nullptr;  // frames of all clips, one after the other
  std::vector<ClipPoses> clips;              // which are whose
  Vec3 up = {0, 1, 0};
  const TetMesh* cage = nullptr;       // around the soft pieces, bound world
  TriMesh skin;                        // welded soft surface
  const VertexBlend* blend = nullptr;  // of skin.vertices
  std::vector<int> skin_source;        // a drawn vertex behind each vertex of skin
  bool morphs_carry = false;           // all motion is in morph targets: moving by them is no reason to be hard
};

// What the scene says; unset means the rule for characters nobody said anything about.
struct FleshOptions {
  std::vector<std::string> joints;  // patterns of bone names: tissue within `radius` of these is hard, the rest soft
  double radius = 0;                // [m]
  std::vector<double> painted;      // per vertex of skin, 0..1: 1 is flesh; NaN: nothing was said there
  std::vector<int> held;            // tet vertices that are hard besides
  std::vector<int> tracked;         // likewise, but moved by something else than bones: no springs around them
  std::vector<int> tied;            // tet vertices that are held by other means: their part needs no core
  bool by_hand = false;             // those are the core, whatever the thickness
  bool trailing = true;             // tails and the like trail: slender chains of bones that are no limbs...
  std::vector<std::string> trail, hold;  // ...these patterns of bone names with all below them, and those not
  std::vector<double> at_least;          // per tet vertex: softness that it has anyhow; empty: none
};

struct FleshRegion {
  std::string name;           // of the bone that leads it
  double half_thickness = 0;  // mean over its free mass [m]
  int n_free = 0;
  bool trailing = false;  // a tail, an ear, a strand of hair: free as a whole from its root on
};

struct Flesh {
  double height = 0;   // of the body, which small and large are measured by [m]
  bool alike = false;  // what is so on one side is so on the other: nobody said where
  // Per tet vertex.
  std::vector<double> softness;        // 0: driven; in between: held by springs that fade; 1: free
  std::vector<double> half_thickness;  // of the body there [m]
  SkinnedPoints points;                // skin weights and morph offsets by Laplace extension: where bones take them
  // Where the scene says more, and empty otherwise.
  Points at_rest;                     // the shape without stress, in place of the bound one
  std::vector<PointTie> held_points;  // that go where the scene says, exactly or by springs
  // Per tet.
  std::vector<int> region;        // index of regions, -1: driven
  std::vector<int> found_region;  // likewise, before somebody named regions; empty: nobody did
  std::vector<FleshRegion> regions;
  std::vector<int> trails;            // per bone of Drawn: number of the trailing part it is of, -1: none
  std::vector<double> skin_softness;  // per vertex of skin: 0 where every tet vertex behind it is driven
  std::vector<char> hard_skin;        // likewise: must follow exactly (planted, morphed, beside rigid pieces)
  std::vector<char> still_skin;       // likewise: is drawn as posed, as that or its mirror image has softness 0
  std::vector<double> skin_way;       // likewise: along the skin from flesh that somebody holds [m]; empty: nobody does
  double border = 0;                  // over which what is drawn rises there [m]
  // Why, for the report: how many skin vertices are hard for each reason.
  int n_planted = 0, n_morphed = 0, n_beside_rigid = 0, n_thin_layer = 0;
  std::vector<std::string> follows_only;  // regions too thin for two free layers
  std::vector<std::string> warnings;
};

// InputError: options that do not fit (no bone of that name, a map of the wrong size, a vertex that is not there).
Flesh find_flesh(const FleshInput& input, const FleshOptions& options = {});

// The same flesh in another cage around the same skin: what is soft and how thick does not depend on the size of tets,
// so a coarse cage shows what a fine one will do. from_cage: that of `from`.
Flesh carry_flesh(const FleshInput& input, const Flesh& from, const TetMesh& from_cage);

// Linear RGB for a picture of it: blue-grey where skin follows exactly, over orange to red where it is free.
Points softness_colors(const std::vector<double>& skin_softness);

}  // namespace supple
