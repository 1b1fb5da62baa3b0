#include "supple/inertia/frames.h"

#include "supple/base/parallel.h"
#include "supple/linalg/svd3.h"

namespace supple {

VertexFrames::VertexFrames(const Elements& elements)
    : elements_(elements), around_(static_cast<size_t>(elements.n_vertices())) {
  std::vector<double> total(around_.size(), 0.0);
  const auto& list = elements.list();
  for (size_t i = 0; i < list.size(); ++i)
    for (int v : list[i].v) {
      around_[v].emplace_back(static_cast<int>(i), list[i].vol);
      total[v] += list[i].vol;
    }
  for (size_t v = 0; v < around_.size(); ++v)
    for (auto& [element, share] : around_[v]) share /= total[v];
}

std::vector<Mat3> VertexFrames::rotations(const VecX& u) const {
  std::vector<Mat3> H(elements_.list().size()), R(around_.size());
  parallel_for(H.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) H[i] = elements_.gradient(elements_.list()[i], u);
  });
  parallel_for(R.size(), 256, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      Mat3 F = Mat3::Identity();
      for (auto [element, share] : around_[v]) F += share * H[element];
      R[v] = polar3(F).R;
    }
  });
  return R;
}

}  // namespace supple
