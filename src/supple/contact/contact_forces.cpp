// The energies of ContactTerm and what they add up to.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/contact/barrier.h"
#include "supple/contact/contact_term.h"
#include "supple/contact/pair_distance.h"
#include "supple/contact/pair_energy.h"

namespace supple {

namespace {
constexpr size_t kForcePairs = 64;  // of a chunk

// Friction grows from nothing to its full force over a slip of `width`; the integral of that, and it over the slip.
double friction_energy(double slip, double width) {
  if (slip >= width) return slip;
  return slip * slip / width - slip * slip * slip / (3 * width * width) + width / 3;
}
double friction_over_slip(double slip, double width) {
  if (slip >= width) return 1 / slip;
  return (2 - slip / width) / width;
}
double friction_slope(double slip, double width) { return slip >= width ? 0 : 2 * (1 - slip / width) / width; }

// A spring that never pulls harder than 1, linear up to a stretch of `width`.
double capped_energy(double e, double width) { return e < width ? 0.5 * e * e / width : e - 0.5 * width; }
double capped_force(double e, double width) { return std::min(1.0, e / width); }
}  // namespace

void ContactTerm::find_slides(const Points& x) {
  slides_.clear();
  if (options_.friction <= 0) return;
  auto slide = [&](const Quad& points, const Eigen::Vector4d& weights, const Vec3& normal, double normal_force) {
    if (!(normal_force > 0)) return;
    Slide s{.points = points, .weights = weights, .force = options_.friction * normal_force};
    s.tangent.col(0) = normal.unitOrthogonal();
    s.tangent.col(1) = normal.cross(s.tangent.col(0));
    slides_.push_back(s);
  };
  for (const Pair& p : near_) {
    const PairDistance g = distance(p.pair, x);
    const double m = parallel_mollifier(p.pair, x, surface_->shape().rest).value;
    const double slope = barrier(g.distance, p.thickness).slope;
    slide(p.pair.points, g.weights, g.normal, -stiffness_ * p.area * m * slope);
  }
  for (const PlanePoint& p : near_planes_)
    slide({p.point, -1, -1, -1}, {1, 0, 0, 0}, surface_->planes()[static_cast<size_t>(p.plane)].normal,
          -stiffness_ * surface_->shape().area[static_cast<size_t>(p.point)] *
              barrier(plane_gap(p, x), options_.thickness).slope);
}

void ContactTerm::spread(const Quad& points, const Eigen::Vector4d& weights, const Vec3& gradient, const Mat3& block,
                         const Out& o) const {
  const Evaluation& out = o.sums;
  Vec3 first = gradient;
  if (o.moved) {
    first.setZero();
    for (int i = 0; i < 4; ++i)
      if (const int p = points[static_cast<size_t>(i)]; p >= 0)
        first += weights[i] * (*o.moved)[static_cast<size_t>(p)];
    if (first.isZero(0)) return;
    first = block * first;
  }
  std::array<int, 16> vertex{};
  std::array<double, 16> weight{};
  int n = 0;
  for (int i = 0; i < 4; ++i) {
    const int p = points[static_cast<size_t>(i)];
    if (p < 0 || weights[i] == 0) continue;
    const ContactAnchor& a = surface_->anchors()[static_cast<size_t>(p)];
    for (size_t k = 0; k < static_cast<size_t>(a.n); ++k) {
      const auto end = vertex.begin() + n;
      const auto at = std::find(vertex.begin(), end, a.vertex[k]) - vertex.begin();
      if (at == n) {
        vertex[static_cast<size_t>(n)] = a.vertex[k];
        weight[static_cast<size_t>(n++)] = 0;
      }
      weight[static_cast<size_t>(at)] += weights[i] * a.weight[k];
    }
  }
  for (size_t a = 0; a < static_cast<size_t>(n); ++a) {
    if (out.residual) out.residual->segment<3>(3 * vertex[a]) += weight[a] * first;
    if (!out.matrix) continue;
    for (size_t b = 0; b < static_cast<size_t>(n); ++b) {
      if (vertex[b] > vertex[a]) continue;
      double* to = out.matrix->block(out.matrix->pattern->find(vertex[a], vertex[b]));
      const double w = weight[a] * weight[b];
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) to[3 * r + c] += w * block(r, c);
    }
  }
}

void ContactTerm::add(const Kinematics& x, const Evaluation& out) const {
  add_all(places(x.u, x.progress), {.sums = out});
}

void ContactTerm::add_advance(const Kinematics& x, double advance, VecX& r) const {
  if (!obstacles_move_) return;
  const Points moved = motion(VecX::Zero(x.u.size()), advance);
  add_all(places(x.u, x.progress), {.sums = {.residual = &r}, .moved = &moved});
}

void ContactTerm::add_all(const Points& x, const Out& out) const {
  add_barriers(x, out);
  add_planes(x, out);
  add_friction(x, out);
  add_leads(x, out);
}

void ContactTerm::add_barriers(const Points& x, const Out& o) const {
  const Evaluation& out = o.sums;
  const PairDerivatives asked = out.matrix || o.moved ? PairDerivatives::hessian
                                : out.residual        ? PairDerivatives::gradient
                                                      : PairDerivatives::value;
  std::vector<PairEnergy> all(near_.size());
  parallel_for(near_.size(), kForcePairs, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      all[i] = pair_energy(near_[i].pair, x, surface_->shape().rest, near_[i].thickness, asked, out.project);
  });
  for (size_t i = 0; i < near_.size(); ++i) {
    const PairEnergy& e = all[i];
    if (e.value == 0) continue;
    const double k = weight_ * stiffness_ * near_[i].area;
    if (out.energy) *out.energy += k * e.value;
    if (asked != PairDerivatives::value) spread(near_[i].pair.points, k, e, o);
  }
}

void ContactTerm::spread(const Quad& points, double k, const PairEnergy& e, const Out& o) const {
  // Which vertices carry the points, and with which weights.
  std::array<int, 16> vertex{};
  Eigen::Matrix<double, 16, 4> weight = Eigen::Matrix<double, 16, 4>::Zero();
  int n = 0;
  for (int i = 0; i < 4; ++i) {
    const ContactAnchor& a = surface_->anchors()[static_cast<size_t>(points[static_cast<size_t>(i)])];
    for (size_t c = 0; c < static_cast<size_t>(a.n); ++c) {
      const auto at = std::find(vertex.begin(), vertex.begin() + n, a.vertex[c]) - vertex.begin();
      if (at == n) vertex[static_cast<size_t>(n++)] = a.vertex[c];
      weight(at, i) += a.weight[c];
    }
  }
  Eigen::Matrix<double, 12, 1> gradient = k * e.gradient;
  if (o.moved) {
    Eigen::Matrix<double, 12, 1> d;
    for (int i = 0; i < 4; ++i) d.segment<3>(3 * i) = (*o.moved)[static_cast<size_t>(points[static_cast<size_t>(i)])];
    gradient = k * (e.hessian * d);
  }
  for (int a = 0; a < n; ++a) {
    if (o.sums.residual)
      for (int i = 0; i < 4; ++i)
        o.sums.residual->segment<3>(3 * vertex[static_cast<size_t>(a)]) += weight(a, i) * gradient.segment<3>(3 * i);
    if (!o.sums.matrix) continue;
    Eigen::Matrix<double, 3, 12> row = Eigen::Matrix<double, 3, 12>::Zero();
    for (int i = 0; i < 4; ++i)
      if (weight(a, i) != 0) row += k * weight(a, i) * e.hessian.middleRows<3>(3 * i);
    for (int b = 0; b < n; ++b) {
      const int va = vertex[static_cast<size_t>(a)], vb = vertex[static_cast<size_t>(b)];
      if (vb > va) continue;
      Mat3 block = Mat3::Zero();
      for (int j = 0; j < 4; ++j)
        if (weight(b, j) != 0) block += weight(b, j) * row.middleCols<3>(3 * j);
      double* to = o.sums.matrix->block(o.sums.matrix->pattern->find(va, vb));
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) to[3 * r + c] += block(r, c);
    }
  }
}

void ContactTerm::add_planes(const Points& x, const Out& o) const {
  const Evaluation& out = o.sums;
  for (const PlanePoint& p : near_planes_) {
    const BarrierValue b = barrier(plane_gap(p, x), options_.thickness);
    if (b.value == 0) continue;
    const double k = weight_ * stiffness_ * surface_->shape().area[static_cast<size_t>(p.point)];
    const Vec3& n = surface_->planes()[static_cast<size_t>(p.plane)].normal;
    if (out.energy) *out.energy += k * b.value;
    spread({p.point, -1, -1, -1}, {1, 0, 0, 0}, k * b.slope * n, k * b.curvature * n * n.transpose(), o);
  }
}

void ContactTerm::add_friction(const Points& x, const Out& o) const {
  const Evaluation& out = o.sums;
  const double width = options_.slip_speed * slip_time_;
  for (const Slide& s : slides_) {
    Vec3 moved = Vec3::Zero();
    for (int i = 0; i < 4; ++i)
      if (const int p = s.points[static_cast<size_t>(i)]; p >= 0)
        moved += s.weights[i] * (x[static_cast<size_t>(p)] - start_[static_cast<size_t>(p)]);
    const Eigen::Vector2d slip = s.tangent.transpose() * moved;
    const double k = weight_ * s.force, length = slip.norm(), over = friction_over_slip(length, width);
    if (out.energy) *out.energy += k * friction_energy(length, width);
    if (!out.residual && !out.matrix) continue;
    // Across the slip it turns, along the slip it grows.
    Eigen::Matrix2d H = over * Eigen::Matrix2d::Identity();
    if (length > 0) H += (friction_slope(length, width) - over) / (length * length) * slip * slip.transpose();
    spread(s.points, s.weights, k * over * s.tangent * slip, k * s.tangent * H * s.tangent.transpose(), o);
  }
}

void ContactTerm::add_leads(const Points& x, const Out& o) const {
  const Evaluation& out = o.sums;
  const double width = options_.thickness;
  for (const Lead& l : leads_) {
    double gap = -l.offset;
    for (int i = 0; i < 4; ++i)
      if (const int p = l.points[static_cast<size_t>(i)]; p >= 0)
        gap += l.weights[i] * l.normal.dot(x[static_cast<size_t>(p)]);
    const double e = l.goal - gap, k = weight_ * stiffness_ * l.area;
    if (e <= 0) continue;
    if (out.energy) *out.energy += k * capped_energy(e, width);
    // Of a capped force the matrix is that of the line through the origin, which is above the true one.
    const double over = capped_force(e, width) / e;
    spread(l.points, l.weights, -k * over * e * l.normal, k * over * l.normal * l.normal.transpose(), o);
  }
}

VecX ContactTerm::force(const VecX& u) const {
  VecX r = VecX::Zero(u.size());
  add_all(places(u, 1), {.sums = {.residual = &r}});
  return -r / weight_;
}

VecX ContactTerm::force_of_others(const VecX& u, int first_other) const {
  const Points x = places(u, 1);
  VecX f = VecX::Zero(u.size());
  auto side = [&](int point) {  // -1: before, 1: of others, 0: an obstacle's
    const ContactAnchor& a = surface_->anchors()[static_cast<size_t>(point)];
    return a.n == 0 ? 0 : a.vertex[0] < first_other ? -1 : 1;
  };
  for (const Pair& p : near_) {
    const auto& q = p.pair.points;
    if (side(q[0]) * side(q[static_cast<size_t>(p.pair.n_first())]) >= 0) continue;
    const PairEnergy e = pair_energy(p.pair, x, surface_->shape().rest, p.thickness, PairDerivatives::gradient);
    spread(q, -stiffness_ * p.area, e, {.sums = {.residual = &f}});
  }
  f.tail(f.size() - 3 * first_other).setZero();
  return f;
}

}  // namespace supple
