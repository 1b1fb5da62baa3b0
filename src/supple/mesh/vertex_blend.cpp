#include "supple/mesh/vertex_blend.h"

#include "supple/base/parallel.h"

namespace supple {

VertexBlend blend_of(const Embedding& e, const std::vector<Tet>& tets) {
  VertexBlend blend;
  for (size_t i = 0; i < e.tet.size(); ++i) {
    const Tet& t = tets[static_cast<size_t>(e.tet[i])];
    for (size_t c = 0; c < 4; ++c) {
      blend.vertex.push_back(t[c]);
      blend.weight.push_back(e.weights[i][static_cast<Eigen::Index>(c)]);
    }
    blend.first.push_back(static_cast<int>(blend.vertex.size()));
  }
  return blend;
}

VecX blended(const VertexBlend& blend, const VecX& vertex_values) {
  VecX values(3 * static_cast<Eigen::Index>(blend.size()));
  parallel_for(static_cast<size_t>(blend.size()), 4096, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      for (int k = blend.first[i]; k < blend.first[i + 1]; ++k) {
        const auto entry = k;
        sum += blend.weight[entry] * vertex_values.segment<3>(3 * static_cast<Eigen::Index>(blend.vertex[entry]));
      }
      values.segment<3>(3 * static_cast<Eigen::Index>(i)) = sum;
    }
  });
  return values;
}

}  // namespace supple
