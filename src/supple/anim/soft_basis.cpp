#include "supple/anim/soft_basis.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/anim/morph_basis.h"
#include "supple/base/index.h"
#include "supple/base/parallel.h"

namespace supple {

namespace {

using Eigen::Index;

constexpr double kNear = 0.9;          // of the tolerance; the rest is for keys left out and for rounding in the viewer
constexpr double kStillNormal = 1e-3;  // changes of unit normals that are left out
constexpr double kNormal = 0.02;       // and how far off they may be
constexpr float kBeside = 1.25f;       // times what all targets leave of a normal: no more of them then
constexpr size_t kText = 270, kListText = 200, kIndexText = 90;  // bytes that an accessor takes in the JSON

// Frames of one attribute of the primitives of a mesh: columns[primitive][frame], null where nothing moves.
using Columns = std::map<int, std::vector<const VecX*>>;

Index frames_of(const SoftBasis& basis) { return basis.spans.back().first + basis.spans.back().count; }

Columns columns_of(const SoftBasis& basis, bool normals) {
  Columns columns;
  for (const SoftSpan& span : basis.spans) {
    const auto& frames = normals ? span.motion->normals : span.motion->positions;
    for (size_t e = 0; e < frames.size(); ++e) {
      auto& list = columns[span.motion->primitives[e]];
      list.resize(static_cast<size_t>(frames_of(basis)), nullptr);
      for (size_t f = 0; f < frames[e].size(); ++f) list[static_cast<size_t>(span.first) + f] = &frames[e][f];
    }
  }
  return columns;
}

// The most that a displacement of a frame is stretched.
double stretch_of(const SoftMesh& motion, size_t frame) {
  if (motion.stretch.empty()) return 1;
  float most = 0;
  for (size_t e = 0; e < motion.positions.size(); ++e) {
    const VecX& x = motion.positions[e][frame];
    const Eigen::VectorXf& stretch = motion.stretch[e][frame];
    for (Index v = 0; v < stretch.size(); ++v)
      if (stretch[v] > most && !x.segment<3>(3 * v).isZero(0)) most = stretch[v];
  }
  return static_cast<double>(most);
}

// Of each frame: what one unit of displacement counts as, in tolerances. Frames where nothing moves count as others do.
VecX scale_of_frames(const SoftBasis& basis) {
  VecX scale(frames_of(basis));
  for (const SoftSpan& span : basis.spans) {
    for (Index f = 0; f < span.count; ++f) {
      const double stretch = stretch_of(*span.motion, static_cast<size_t>(f));
      scale[span.first + f] = (stretch > 0 ? stretch : 1) / span.tolerance;
    }
  }
  return scale;
}

// Vertices that ever move by more than `still`, by primitive.
template <class Part>
std::vector<Part> parts_that_move(const std::vector<SoftPrimitive>& primitives, const Columns& columns,
                                  const VecX& scale, double still, bool normals) {
  std::vector<Part> parts;
  int n_points = 0;
  for (const auto& entry : columns) {
    const int primitive = entry.first;
    const std::vector<const VecX*>& frames = entry.second;
    const SoftPrimitive& p = primitives[at(primitive)];
    if (normals && !p.normals) continue;
    VecX farthest2 = VecX::Zero(static_cast<Index>(p.n_vertices));
    parallel_for(p.n_vertices, 512, [&](size_t begin, size_t end) {
      const auto first = static_cast<Index>(begin), n = static_cast<Index>(end - begin);
      for (size_t f = 0; f < frames.size(); ++f) {
        if (!frames[f]) continue;
        const double s = scale[static_cast<Index>(f)];
        for (Index v = first; v < first + n; ++v)
          farthest2[v] = std::max(farthest2[v], s * s * frames[f]->segment<3>(3 * v).squaredNorm());
      }
    });
    Part part;
    part.primitive = primitive, part.n_vertices = p.n_vertices, part.first = n_points;
    for (Index v = 0; v < farthest2.size(); ++v)
      if (farthest2[v] > still * still) part.vertices.push_back(static_cast<int>(v));
    n_points += static_cast<int>(part.vertices.size());
    if (!part.vertices.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

template <class Part>
MotionRows rows_of(const std::vector<Part>& parts, const Columns& columns, const VecX& scale) {
  Index n = 0;
  for (const Part& part : parts) n += 3 * static_cast<Index>(part.vertices.size());
  MotionRows rows = MotionRows::Zero(n, scale.size());
  for (const Part& part : parts) {
    const std::vector<const VecX*>& frames = columns.at(part.primitive);
    parallel_for(part.vertices.size(), 64, [&](size_t begin, size_t end) {
      for (size_t f = 0; f < frames.size(); ++f) {
        if (!frames[f]) continue;
        const auto column = static_cast<Index>(f);
        for (size_t i = begin; i < end; ++i)
          rows.col(column).segment<3>(3 * (part.first + static_cast<Index>(i))) =
              (scale[column] * frames[f]->segment<3>(3 * Index{part.vertices[i]})).template cast<float>();
      }
    });
  }
  return rows;
}

bool is_sparse(size_t n_vertices, size_t n_listed, size_t n_targets) {
  // The list of vertices is shared by all targets of a field.
  const size_t index = n_vertices < 65536 ? 2 : 4;
  return n_listed * (12 * n_targets + index) < n_vertices * 12 * n_targets;
}
size_t bytes_of(size_t n_vertices, size_t n_listed, size_t n_targets) {
  if (n_listed == 0) return 0;
  if (!is_sparse(n_vertices, n_listed, n_targets)) return n_targets * (12 * n_vertices + kText);
  return n_targets * (12 * n_listed + kText + kListText) + 4 * n_listed + kIndexText;
}

}  // namespace

bool is_sparse(const SoftField& field) {
  return is_sparse(field.n_vertices, field.vertices.size(), static_cast<size_t>(field.targets.cols()));
}

SoftShapes::SoftShapes(SoftBasis basis, const std::vector<SoftPrimitive>& primitives, int max_targets, bool normals)
    : basis_(std::move(basis)), scale_(scale_of_frames(basis_) / kNear) {
  const Columns columns = columns_of(basis_, false);
  moving_ = parts_that_move<Part>(primitives, columns, scale_, 1, false);
  // One is for the low ends of the weights.
  found_ = fit_in_rounds(rows_of(moving_, columns, scale_), max_targets - 1);
  if (!normals || moving_.empty()) return;
  const Columns turns = columns_of(basis_, true);
  turning_ = parts_that_move<Part>(primitives, turns, VecX::Ones(scale_.size()), kStillNormal, true);
  normals_ = follow_rounds(rows_of(turning_, turns, scale_), found_, scale_.cwiseInverse());
}

SoftShapes::Rounds SoftShapes::rounds_of(const RoundedShapes& points, const std::function<float(Index)>& allowed,
                                         int most) {
  Rounds rounds(static_cast<size_t>(points.left.rows()));
  for (Index p = 0; p < points.left.rows(); ++p) {
    const float enough = allowed(p);
    int r = 0;
    while (r < most && points.left(p, r) > enough) ++r;
    rounds[static_cast<size_t>(p)] = r;
  }
  return rounds;
}

SoftShapes::Needed SoftShapes::needed(double slack) const {
  Needed n;
  const auto near = static_cast<float>(slack);
  n.moving = rounds_of(
      found_.points, [&](Index) { return near; }, found_.n_rounds());
  for (const int r : n.moving) n.most = std::max(n.most, r);
  const auto near_normal = static_cast<float>(kNormal * slack * slack);
  n.turning = rounds_of(
      normals_, [&](Index p) { return std::max(near_normal, kBeside * normals_.left(p, n.most)); }, n.most);
  return n;
}

size_t SoftShapes::bytes(double slack) const {
  const Needed n = needed(slack);
  const auto n_shapes = static_cast<size_t>(found_.first[at(n.most)]);
  size_t bytes = 4 * static_cast<size_t>(found_.weights.rows()) * n_shapes;
  const auto add = [&](const std::vector<Part>& parts, const Rounds& rounds) {
    for (const Part& part : parts) {
      std::vector<size_t> listed(at(n.most) + 1, 0);
      for (size_t i = 0; i < part.vertices.size(); ++i)
        for (int r = 0; r < rounds[at(part.first) + i]; ++r) ++listed[at(r)];
      bytes += bytes_of(part.n_vertices, listed[0], 1);
      for (int r = 0; r < n.most; ++r)
        bytes += bytes_of(part.n_vertices, listed[at(r)], at(found_.first[at(r + 1)] - found_.first[at(r)]));
    }
  };
  add(moving_, n.moving);
  add(turning_, n.turning);
  return bytes;
}

void SoftShapes::add_fields(const std::vector<Part>& parts, const RoundedShapes& points, const Rounds& rounds,
                            const WeightLift& by, SoftBasis& to) const {
  const int lift = to.lifted ? 1 : 0;
  for (const Part& part : parts) {
    // Points that are not done after so many rounds, and what `fill` says of each.
    const auto add = [&](int round, int first, int n_targets, const auto& fill) {
      SoftField field{part.primitive, &parts == &turning_, first, part.n_vertices, {}, {}};
      std::vector<Index> own;
      for (size_t i = 0; i < part.vertices.size(); ++i) {
        if (rounds[at(part.first) + i] <= round) continue;
        own.push_back(part.first + static_cast<Index>(i));
        field.vertices.push_back(part.vertices[i]);
      }
      if (own.empty()) return;
      field.targets.resize(3 * static_cast<Index>(own.size()), n_targets);
      for (size_t i = 0; i < own.size(); ++i)
        field.targets.middleRows(3 * static_cast<Index>(i), 3) = fill(own[i]).template cast<float>();
      to.fields.push_back(std::move(field));
    };
    if (to.lifted)
      add(0, 0, 1, [&](Index p) -> MatX {
        const Index n = found_.first[at(rounds[static_cast<size_t>(p)])];
        return points.shapes.block(3 * p, 0, 3, n).cast<double>() * by.low.head(n);
      });
    for (int r = 0; found_.first[at(r)] < by.low.size(); ++r) {
      const Index first = found_.first[at(r)], n = found_.first[at(r + 1)] - first;
      add(r, static_cast<int>(first) + lift, static_cast<int>(n), [&](Index p) -> MatX {
        return points.shapes.block(3 * p, first, 3, n).cast<double>() * by.range.segment(first, n).asDiagonal();
      });
    }
  }
}

SoftBasis SoftShapes::cut(double slack) const {
  SoftBasis out = basis_;
  const Needed n = needed(slack);
  const Index n_shapes = found_.first[at(n.most)];
  if (n_shapes == 0) return out;
  const Eigen::MatrixXf plain = (scale_.cwiseInverse().asDiagonal() * found_.weights.leftCols(n_shapes)).cast<float>();
  const WeightLift by(plain);
  out.lifted = by.needed();
  out.n_targets = static_cast<int>(n_shapes) + (out.lifted ? 1 : 0);
  out.weights = by.weights(plain).rightCols(out.n_targets);
  add_fields(moving_, found_.points, n.moving, by, out);
  out.reach = VecX::Zero(out.n_targets);
  for (const SoftField& field : out.fields)
    for (Index k = 0; k < field.targets.cols(); ++k)
      for (Index i = 0; i < field.targets.rows(); i += 3)
        out.reach[field.first + k] =
            std::max(out.reach[field.first + k], static_cast<double>(field.targets.col(k).segment<3>(i).norm()));
  add_fields(turning_, normals_, n.turning, by, out);
  return out;
}

}  // namespace supple
