#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/io/gltf/soft_parts.h"

namespace supple {

namespace {

using Eigen::Index;

double longest_side_of(const GlbDocument& doc, int mesh) {
  Vec3 low = Vec3::Constant(INFINITY), high = Vec3::Constant(-INFINITY);
  const size_t n = doc.file().meshes[static_cast<size_t>(mesh)].primitives.size();
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

}  // namespace

bool is_sparse(const SoftField& field) {
  // The list of vertices is shared by all targets.
  const size_t index = field.n_vertices < 65536 ? 2 : 4, n = field.vertices.size();
  const auto k = static_cast<size_t>(field.targets.cols());
  return n * (12 * k + index) < field.n_vertices * 12 * k;
}

std::vector<float> base_positions(const GlbDocument& doc, int mesh, int primitive) {
  const GltfPrimitive& p = doc.file().meshes[static_cast<size_t>(mesh)].primitives[static_cast<size_t>(primitive)];
  const auto found = p.attributes.find("POSITION");
  return found == p.attributes.end() ? std::vector<float>() : doc.array(found->second).floats();
}

std::vector<SoftBasis> fit_soft_meshes(const GlbDocument& doc, const std::vector<SoftClip>& clips,
                                       const SoftGlbOptions& options) {
  std::map<int, SoftBasis> by_mesh;
  for (size_t c = 0; c < clips.size(); ++c) {
    for (const SoftMesh& motion : clips[c].meshes) {
      const int mesh = doc.file().nodes[static_cast<size_t>(motion.node)].mesh;
      SoftBasis& basis = by_mesh[mesh];
      basis.mesh = mesh;
      SoftSpan span{static_cast<int>(c), motion.node, &motion, 0, static_cast<Index>(clips[c].times.size())};
      if (!basis.spans.empty()) span.first = basis.spans.back().first + basis.spans.back().count;
      basis.spans.push_back(span);
      for (const int p : motion.primitives) {
        if (std::find(basis.primitives.begin(), basis.primitives.end(), p) == basis.primitives.end()) {
          basis.primitives.push_back(p);
        }
      }
    }
  }
  std::vector<SoftBasis> bases;
  for (auto& [mesh, basis] : by_mesh) {
    const auto& primitives = doc.file().meshes[static_cast<size_t>(mesh)].primitives;
    basis.n_old = static_cast<int>(primitives[0].targets.size());
    basis.size = longest_side_of(doc, mesh);
    std::vector<SoftPrimitive> shapes;
    for (size_t p = 0; p < primitives.size(); ++p) {
      shapes.push_back(
          {base_positions(doc, mesh, static_cast<int>(p)).size() / 3, primitives[p].attributes.count("NORMAL") > 0});
    }
    fit_soft_basis(basis, shapes, options.tolerance, options.max_targets, options.normals);
    bases.push_back(std::move(basis));
  }
  return bases;
}

void keep_within_budget(std::vector<SoftBasis>& bases, const SoftGlbOptions& options,
                        std::vector<std::string>& warnings) {
  // One accessor and its mention in a primitive, as text.
  constexpr size_t kText = 320;
  auto bytes_of = [&](const SoftField& f) { return 12 * (is_sparse(f) ? f.vertices.size() : f.n_vertices) + kText; };
  // The budget is meant for a character of 15000 vertices and 10 s: larger ones have more, and longer ones are not
  // charged for their weights.
  constexpr size_t kVertices = 15000;
  constexpr Index kFrames = 600;
  auto weights_of = [&](const SoftBasis& b) { return 4 * static_cast<size_t>(std::min(b.weights.rows(), kFrames)); };
  auto bytes_of_basis = [&](const SoftBasis& basis) {
    const int more = basis.needs_lift() ? 1 : 0;
    size_t bytes = weights_of(basis) * static_cast<size_t>(basis.n_targets + more);
    for (const SoftField& f : basis.fields) {
      const int n = f.normals ? basis.n_normals : basis.n_targets;
      bytes += bytes_of(f) * static_cast<size_t>(n > 0 ? n + more : 0);
      if (is_sparse(f)) bytes += 4 * f.vertices.size();
    }
    return bytes;
  };
  size_t total = 0, n_moving = 0;
  for (const SoftBasis& basis : bases) {
    total += bytes_of_basis(basis);
    for (const SoftField& f : basis.fields) n_moving += f.normals ? 0 : f.n_vertices;
  }
  const double scale = std::max(1.0, static_cast<double>(n_moving) / kVertices);
  const double budget = 1e6 * options.budget_mb * scale;
  int dropped = 0;
  auto drop_least = [&](bool normals) {
    SoftBasis* least = nullptr;
    for (SoftBasis& basis : bases) {
      const int last = (normals ? basis.n_normals : basis.n_targets) - 1;
      if (last < (normals ? 0 : 1)) continue;
      const auto of = [&](const SoftBasis& b) {
        return b.importance[static_cast<size_t>((normals ? b.n_normals : b.n_targets) - 1)];
      };
      if (!least || of(basis) < of(*least)) least = &basis;
    }
    if (!least) return false;
    const size_t before = bytes_of_basis(*least);
    --(normals ? least->n_normals : least->n_targets);
    total -= before - bytes_of_basis(*least);
    ++dropped;
    return true;
  };
  while (static_cast<double>(total) > budget && drop_least(true)) {
  }
  while (static_cast<double>(total) > budget && drop_least(false)) {
  }
  if (dropped == 0) return;
  std::string kept;
  for (const SoftBasis& basis : bases) {
    kept += fmt::format("{}mesh {}: {} targets, {} with normals", kept.empty() ? "" : "; ", basis.mesh, basis.n_targets,
                        basis.n_normals);
  }
  warnings.push_back(fmt::format("to stay within {:.3g} MB not all targets were kept ({})", budget / 1e6, kept));
}

}  // namespace supple
