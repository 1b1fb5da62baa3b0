#include <algorithm>
#include <cmath>
#include <map>

#include "supple/base/index.h"
#include "supple/io/gltf/soft_parts.h"

namespace supple {

namespace {

using Eigen::Index;

constexpr double kPercentile = 0.99;
constexpr double kSeen = 1e-5;       // of the size: what moves less counts for nothing, and no error need be smaller
constexpr double kFar = 0.04;        // of the size: what departs farther is held as near as this, as near as it looks
constexpr double kMostSlack = 1000;  // times the tolerance: ten times as far as the clip departs
constexpr double kSlackStep = 1.01;  // how finely slack is chosen

double longest_side_of(const GlbDocument& doc, int mesh) {
  Vec3 low = Vec3::Constant(INFINITY), high = Vec3::Constant(-INFINITY);
  const size_t n = doc.file().meshes[at(mesh)].primitives.size();
  for (size_t p = 0; p < n; ++p) {
    const std::vector<float> x = base_positions(doc, mesh, static_cast<int>(p));
    for (size_t i = 0; i < x.size(); ++i) {
      const auto axis = static_cast<Index>(i % 3);
      low[axis] = std::min(low[axis], static_cast<double>(x[i]));
      high[axis] = std::max(high[axis], static_cast<double>(x[i]));
    }
  }
  return std::max((high - low).maxCoeff(), 0.0);
}

// How far vertices that move more than `seen` at any frame are displaced as delivered, at all frames.
void add_lengths(const std::vector<VecX>& frames, const std::vector<Eigen::VectorXf>* stretch, double seen,
                 std::vector<float>& to) {
  const auto length = [&](size_t f, Index v) {
    const double once = frames[f].segment<3>(3 * v).norm();
    return stretch ? once * static_cast<double>((*stretch)[f][v]) : once;
  };
  for (Index v = 0; v < frames[0].size() / 3; ++v) {
    double most = 0;
    for (size_t f = 0; f < frames.size(); ++f) most = std::max(most, length(f, v));
    for (size_t f = 0; most > seen && f < frames.size(); ++f) to.push_back(static_cast<float>(length(f, v)));
  }
}

}  // namespace

std::vector<float> base_positions(const GlbDocument& doc, int mesh, int primitive) {
  const GltfPrimitive& p = doc.file().meshes[at(mesh)].primitives[at(primitive)];
  const auto found = p.attributes.find("POSITION");
  return found == p.attributes.end() ? std::vector<float>() : doc.array(found->second).floats();
}

SoftMeasure measure(const GlbDocument& doc, const SoftClip& clip, double accuracy) {
  SoftMeasure m{.size = clip.size};
  for (const SoftMesh& mesh : clip.meshes)
    if (clip.size <= 0) m.size = std::max(m.size, longest_side_of(doc, doc.file().nodes[at(mesh.node)].mesh));
  std::vector<float> lengths;
  for (const SoftMesh& mesh : clip.meshes)
    for (size_t e = 0; e < mesh.positions.size(); ++e)
      add_lengths(mesh.positions[e], mesh.stretch.empty() ? nullptr : &mesh.stretch[e], kSeen * m.size, lengths);
  if (!lengths.empty()) {
    const auto rank =
        lengths.begin() + static_cast<std::ptrdiff_t>(kPercentile * static_cast<double>(lengths.size() - 1));
    std::nth_element(lengths.begin(), rank, lengths.end());
    m.departure = static_cast<double>(*rank);
  }
  m.tolerance = std::max(accuracy * std::min(m.departure, kFar * m.size), kSeen * m.size);
  if (!(m.tolerance > 0)) m.tolerance = 1;  // nothing there
  return m;
}

std::vector<SoftShapes> fit_soft_meshes(const GlbDocument& doc, const std::vector<SoftClip>& clips,
                                        const std::vector<SoftMeasure>& measures, const SoftGlbOptions& options) {
  std::map<int, SoftBasis> by_mesh;
  for (size_t c = 0; c < clips.size(); ++c) {
    for (const SoftMesh& motion : clips[c].meshes) {
      const int mesh = doc.file().nodes[at(motion.node)].mesh;
      SoftBasis& basis = by_mesh[mesh];
      basis.mesh = mesh;
      SoftSpan span{static_cast<int>(c),  motion.node, &motion, 0, static_cast<Index>(clips[c].times.size()),
                    measures[c].tolerance};
      if (!basis.spans.empty()) span.first = basis.spans.back().first + basis.spans.back().count;
      basis.spans.push_back(span);
      for (const int p : motion.primitives) {
        if (std::find(basis.primitives.begin(), basis.primitives.end(), p) == basis.primitives.end())
          basis.primitives.push_back(p);
      }
    }
  }
  std::vector<SoftShapes> shapes;
  for (auto& [mesh, basis] : by_mesh) {
    const auto& primitives = doc.file().meshes[at(mesh)].primitives;
    basis.n_old = static_cast<int>(primitives[0].targets.size());
    std::vector<SoftPrimitive> kinds;
    for (size_t p = 0; p < primitives.size(); ++p) {
      kinds.push_back(
          {base_positions(doc, mesh, static_cast<int>(p)).size() / 3, primitives[p].attributes.count("NORMAL") > 0});
    }
    shapes.emplace_back(std::move(basis), kinds, options.max_targets, options.normals);
  }
  return shapes;
}

double slack_within(const std::vector<SoftShapes>& shapes, double bytes) {
  const auto fits = [&](double slack) {
    double sum = 0;
    for (const SoftShapes& s : shapes) sum += static_cast<double>(s.bytes(slack));
    return sum <= bytes;
  };
  if (fits(1)) return 1;
  double low = 1, high = kMostSlack;
  while (high > kSlackStep * low) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace supple
