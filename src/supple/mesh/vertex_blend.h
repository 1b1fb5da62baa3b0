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
// Some of the points, in that order.
VertexBlend only(const VertexBlend& all, const std::vector<int>& points);
// Points that are these vertices themselves.
VertexBlend at_vertices(const std::vector<int>& vertices);
// Points carried more smoothly than by one tet each: in place of the piecewise affine map the one with gradients
// estimated at the tet vertices,
//   x -> sum over the corners c of its tet of b_c (u_c + G_c (x - X_c) / 2),
// b barycentric, X rest positions, u displaced ones, G_c the gradient at the corner from the tets around it. It is
// continuous, exact for affine maps and, away from the boundary, nearly so for quadratic ones: a bent cage shows no
// facets. As gradients belong to vertices, tets that share none have nothing to do with each other. About 30 entries a
// point. tet: the one that holds each point; tets count by volume and by mesh.tet_maps["fill"] where there is one.
// flat: vertices at which the gradient counts as 0, for fields that are 0 there: what only such vertices carry then
// stays; empty: none.
VertexBlend smooth_blend(const TetMesh& mesh, const std::vector<int>& tet, const Points& points,
                         const std::vector<char>& flat = {});

// Flat in, flat out: any field on the vertices (positions, displacements).
VecX blended(const VertexBlend& blend, const VecX& vertex_values);

}  // namespace supple
