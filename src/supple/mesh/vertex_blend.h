// Points as weighted sums of tet vertices: an embedding that may reach over several tets.
#pragma once
#include <vector>

#include "supple/mesh/embedding.h"

namespace supple {

// Point i = sum of weight[k] * vertex[k] over k = first[i] .. first[i + 1] - 1. Weights sum to 1 and reproduce affine
// maps: a cage moved affinely carries its points affinely.
struct VertexBlend {
  std::vector<int> first = {0};
  std::vector<int> vertex;
  std::vector<double> weight;
  int size() const { return static_cast<int>(first.size()) - 1; }
};

VertexBlend blend_of(const Embedding& e, const std::vector<Tet>& tets);
// Flat in, flat out: any field on the vertices (positions, displacements).
VecX blended(const VertexBlend& blend, const VecX& vertex_values);

}  // namespace supple
