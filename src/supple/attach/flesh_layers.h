// Flesh that is not worth having: without room to move, out of sight, or a crumb. Inside the room only.
#pragma once
#include <vector>

#include "supple/attach/bones.h"
#include "supple/attach/flesh_core.h"
#include "supple/mesh/vertex_blend.h"

namespace supple {

// The largest share of it that lies on skin vertex i, 0..1.
double on_skin(const VertexBlend& blend, const std::vector<double>& softness, size_t i);

// Bones whose soft skin mostly has no room for two layers of free vertices above the core: a single one is far too
// stiff. Left and right are decided together, and neighbours have a say.
struct ThinLayers {
  std::vector<char> follows;       // per bone of the skeleton
  std::vector<int> worth_telling;  // those of them that much skin follows with
  int n_skin = 0;                  // vertices that were to be soft
};
ThinLayers thin_layers(const CageGraph& graph, const VertexBlend& blend, const Skeleton& skeleton,
                       const CoreField& core);

// Flesh that nowhere comes to the skin (all of it around is hard) is not seen, and follows.
void drop_hidden(const CageGraph& graph, const VertexBlend& blend, std::vector<double>& softness);
// Likewise pieces of a handful of vertices.
void drop_crumbs(const CageGraph& graph, std::vector<double>& softness);

}  // namespace supple
