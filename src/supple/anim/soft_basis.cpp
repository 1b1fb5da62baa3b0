#include "supple/anim/soft_basis.h"

#include <algorithm>
#include <map>
#include <memory>

#include "supple/anim/morph_basis.h"

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
std::vector<SoftField> fields_that_move(const std::vector<SoftPrimitive>& primitives, const Columns& columns,
                                        Index n_frames, double still, bool normals) {
  std::vector<SoftField> moving;
  for (const auto& [primitive, frames] : columns) {
    const SoftPrimitive& p = primitives[static_cast<size_t>(primitive)];
    if (normals && !p.normals) continue;
    SoftField field;
    field.primitive = primitive;
    field.normals = normals;
    field.n_vertices = p.n_vertices;
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

}  // namespace

bool SoftBasis::needs_lift() const { return n_targets > 0 && weights.leftCols(n_targets).minCoeff() < 0; }

void fit_soft_basis(SoftBasis& basis, const std::vector<SoftPrimitive>& primitives, double tolerance, int max_targets,
                    bool normals) {
  Index n_frames = 0;
  for (const SoftSpan& span : basis.spans) n_frames += span.count;
  const double length = tolerance * basis.size;
  const Columns columns = columns_of(basis, false);
  basis.fields = fields_that_move(primitives, columns, n_frames, kStillShare * length, false);
  if (basis.fields.empty()) return;
  const MorphBasis found = fit_morphs(moving_fields(basis.fields, columns, n_frames), kReserve * length, max_targets);
  share_out(basis.fields, found.targets);
  basis.weights = found.weights;
  basis.n_targets = found.n_targets;
  if (found.n_targets == max_targets && basis.needs_lift()) --basis.n_targets;
  for (Index k = 0; k < found.n_targets; ++k) {
    basis.importance.push_back(static_cast<double>(found.targets.col(k).norm() * found.weights.col(k).norm()) /
                               basis.size);
  }
  if (!normals) return;
  const Columns turns = columns_of(basis, true);
  std::vector<SoftField> turned = fields_that_move(primitives, turns, n_frames, kStillNormal, true);
  if (turned.empty()) return;
  share_out(turned, fit_to_weights(moving_fields(turned, turns, n_frames), found));
  for (SoftField& field : turned) basis.fields.push_back(std::move(field));
  basis.n_normals = basis.n_targets;
}

void lift_weights(SoftBasis& basis) {
  if (!basis.needs_lift()) return;
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
