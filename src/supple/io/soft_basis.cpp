#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "supple/base/parallel.h"
#include "supple/io/soft_parts.h"

namespace supple {

namespace {

using Eigen::Index;

constexpr double kStillShare = 0.25;   // of the tolerance: vertices that never move farther are left out
constexpr double kStillNormal = 1e-3;  // likewise of unit normals
constexpr double kReserve = 0.99;      // of the tolerance, the rest is for rounding in the viewer

// Frames of one attribute of the primitives of a mesh: columns[primitive][frame], null where nothing moves.
using Columns = std::map<int, std::vector<const VecX*>>;

Columns columns_of(const SoftBasis& basis, bool normals) {
  Index n_frames = 0;
  for (const SoftSpan& span : basis.spans) n_frames += span.count;
  Columns columns;
  for (const SoftSpan& span : basis.spans) {
    const auto& frames = normals ? span.motion->normals : span.motion->positions;
    for (size_t e = 0; e < frames.size(); ++e) {
      auto& list = columns[span.motion->primitives[e]];
      list.resize(static_cast<size_t>(n_frames), nullptr);
      for (size_t f = 0; f < frames[e].size(); ++f) list[static_cast<size_t>(span.first) + f] = &frames[e][f];
    }
  }
  return columns;
}

// Points given as vertices of primitives, in the order of `fields`.
MovingPoints moving_fields(const std::vector<SoftField>& fields, const Columns& columns, Index n_frames) {
  struct Place {
    const std::vector<const VecX*>* frames;
    int vertex;
  };
  auto places = std::make_shared<std::vector<Place>>();
  for (const SoftField& field : fields) {
    for (const int v : field.vertices) places->push_back({&columns.at(field.primitive), v});
  }
  return {static_cast<Index>(places->size()), n_frames, [places](Index begin, Index end, Eigen::Ref<MatX> rows) {
            for (Index c = 0; c < rows.cols(); ++c) {
              for (Index p = begin; p < end; ++p) {
                const Place& place = (*places)[static_cast<size_t>(p)];
                const VecX* frame = (*place.frames)[static_cast<size_t>(c)];
                auto to = rows.col(c).segment<3>(3 * (p - begin));
                if (frame) {
                  to = frame->segment<3>(3 * Index{place.vertex});
                } else {
                  to.setZero();
                }
              }
            }
          }};
}

// One field a primitive, with the vertices that ever move by more than `still`.
std::vector<SoftField> fields_that_move(const GlbDocument& doc, int mesh, const Columns& columns, Index n_frames,
                                        double still, bool normals) {
  std::vector<SoftField> moving;
  for (const auto& [primitive, frames] : columns) {
    const GltfPrimitive& p = doc.file().meshes[static_cast<size_t>(mesh)].primitives[static_cast<size_t>(primitive)];
    if (normals && p.attributes.count("NORMAL") == 0) continue;  // such a primitive is shaded flat
    SoftField field;
    field.primitive = primitive;
    field.normals = normals;
    field.n_vertices = base_positions(doc, mesh, primitive).size() / 3;
    std::vector<SoftField> all(1, field);
    for (size_t v = 0; v < field.n_vertices; ++v) all[0].vertices.push_back(static_cast<int>(v));
    const VecX largest = largest_displacements(moving_fields(all, columns, n_frames));
    for (Index v = 0; v < largest.size(); ++v) {
      if (largest[v] > still) field.vertices.push_back(static_cast<int>(v));
    }
    if (!field.vertices.empty()) moving.push_back(std::move(field));
  }
  return moving;
}

void share_out(std::vector<SoftField>& fields, const Eigen::MatrixXf& targets) {
  Index row = 0;
  for (SoftField& field : fields) {
    const Index rows = 3 * static_cast<Index>(field.vertices.size());
    field.targets = targets.middleRows(row, rows);
    row += rows;
  }
}

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

// Whether weights of the targets kept go below 0, so that lift_weights adds one.
bool needs_lift(const SoftBasis& basis) {
  return basis.n_targets > 0 && basis.weights.leftCols(basis.n_targets).minCoeff() < 0;
}

void fit(const GlbDocument& doc, const SoftGlbOptions& options, SoftBasis& basis) {
  Index n_frames = 0;
  for (const SoftSpan& span : basis.spans) n_frames += span.count;
  const double tolerance = options.tolerance * basis.size;
  const Columns columns = columns_of(basis, false);
  basis.fields = fields_that_move(doc, basis.mesh, columns, n_frames, kStillShare * tolerance, false);
  if (basis.fields.empty()) return;
  const MorphBasis found =
      fit_morphs(moving_fields(basis.fields, columns, n_frames), kReserve * tolerance, options.max_targets);
  share_out(basis.fields, found.targets);
  basis.weights = found.weights;
  basis.n_targets = found.n_targets;
  if (found.n_targets == options.max_targets && needs_lift(basis)) --basis.n_targets;
  for (Index k = 0; k < found.n_targets; ++k) {
    basis.importance.push_back(static_cast<double>(found.targets.col(k).norm() * found.weights.col(k).norm()) /
                               basis.size);
  }
  if (!options.normals) return;
  const Columns turns = columns_of(basis, true);
  std::vector<SoftField> turned = fields_that_move(doc, basis.mesh, turns, n_frames, kStillNormal, true);
  if (turned.empty()) return;
  share_out(turned, fit_to_weights(moving_fields(turned, turns, n_frames), found));
  for (SoftField& field : turned) basis.fields.push_back(std::move(field));
  basis.n_normals = basis.n_targets;
}

}  // namespace

bool SoftField::sparse() const {
  // The list of vertices is shared by all targets.
  const size_t index = n_vertices < 65536 ? 2 : 4, n = vertices.size(), k = static_cast<size_t>(targets.cols());
  return n * (12 * k + index) < n_vertices * 12 * k;
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
    fit(doc, options, basis);
    bases.push_back(std::move(basis));
  }
  return bases;
}

void keep_within_budget(std::vector<SoftBasis>& bases, const SoftGlbOptions& options,
                        std::vector<std::string>& warnings) {
  // One accessor and its mention in a primitive, as text.
  constexpr size_t kText = 320;
  auto bytes_of = [&](const SoftField& f) { return 12 * (f.sparse() ? f.vertices.size() : f.n_vertices) + kText; };
  // The budget is meant for a character of 15000 vertices and 10 s: larger ones have more, and longer ones are not
  // charged for their weights.
  constexpr size_t kVertices = 15000;
  constexpr Index kFrames = 600;
  auto weights_of = [&](const SoftBasis& b) { return 4 * static_cast<size_t>(std::min(b.weights.rows(), kFrames)); };
  auto bytes_of_basis = [&](const SoftBasis& basis) {
    const int more = needs_lift(basis) ? 1 : 0;
    size_t bytes = weights_of(basis) * static_cast<size_t>(basis.n_targets + more);
    for (const SoftField& f : basis.fields) {
      const int n = f.normals ? basis.n_normals : basis.n_targets;
      bytes += bytes_of(f) * static_cast<size_t>(n > 0 ? n + more : 0);
      if (f.sparse()) bytes += 4 * f.vertices.size();
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

void lift_weights(SoftBasis& basis) {
  if (!needs_lift(basis)) return;
  const WeightLift by(basis.weights.leftCols(basis.n_targets));
  basis.weights = by.weights(basis.weights.leftCols(basis.n_targets));
  for (SoftField& field : basis.fields) {
    const Index n = field.normals ? basis.n_normals : basis.n_targets;
    if (n > 0) field.targets = by.targets(field.targets.leftCols(n));
  }
  ++basis.n_targets;
  if (basis.n_normals > 0) ++basis.n_normals;
  basis.lifted = true;
}

}  // namespace supple
