// The points of a character that its flesh is judged by: vertices of the drawn skin. They are the same whatever the
// tets around them are, so what is said of them holds for any; vertices of tets stick out of the skin or lie near the
// bones, more or fewer of them as tets are fine.
#pragma once
#include <vector>

#include "supple/attach/flesh.h"
#include "supple/mesh/vertex_blend.h"

namespace supple {

struct SoftSkin {
  std::vector<int> skin;  // vertices of the skin, those that the flesh moves
  // Of each of them:
  VertexBlend blend;
  std::vector<int> carrier;   // the free tet vertex that carries most of it
  std::vector<int> region;    // of Flesh::regions: the one that has most around the carrier; -1: none
  std::vector<double> reach;  // (reach.h) [m]
};
// blend: of all of the skin.
SoftSkin soft_skin(const TetMesh& mesh, const Flesh& flesh, const VertexBlend& blend);

}  // namespace supple
