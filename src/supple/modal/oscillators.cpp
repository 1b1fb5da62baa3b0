#include "supple/modal/oscillators.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace supple {

namespace {

using Eigen::Index;

Vec3 axis_of(const Mat3& m) { return Vec3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)) / 2; }

Eigen::Matrix<double, 6, 1> products(const Vec3& o) {
  Eigen::Matrix<double, 6, 1> p;
  p << o[0] * o[0], o[1] * o[1], o[2] * o[2], o[0] * o[1], o[0] * o[2], o[1] * o[2];
  return p;
}

}  // namespace

Oscillators make_oscillators(const Solid& solid, const ModalBasis& basis, const BoneFrame& bone,
                             double stiffness_damping, double mass_damping) {
  Oscillators o;
  const Index k = basis.shapes.cols(), n = static_cast<Index>(solid.nodes.size());
  o.squares = basis.squares;
  o.decay = 0.5 * (mass_damping + stiffness_damping * basis.squares.array());
  o.transfer = MatX::Zero(k, 6);
  o.centrifugal = MatX::Zero(k, 6);
  for (MatX& c : o.coriolis) c = MatX::Zero(k, k);
  const MatX momenta = multiply(solid.all.mass, basis.shapes);
  // Over nodes: shapes and places in the bone's axes.
  constexpr int kFirst[6] = {0, 1, 2, 0, 0, 1}, kSecond[6] = {0, 1, 2, 1, 2, 2};
  for (Index i = 0; i < k; ++i) {
    for (Index v = 0; v < n; ++v) {
      const Vec3 p = bone.axes.transpose() * momenta.col(i).segment<3>(3 * v);
      const Vec3 r = bone.axes.transpose() * (solid.nodes[v] - bone.origin);
      for (int a = 0; a < 3; ++a) {
        o.transfer(i, a) -= p.dot(Vec3::Unit(a).cross(r));
        o.transfer(i, 3 + a) -= p[a];
      }
      for (int j = 0; j < 6; ++j) {
        const Vec3 ea = Vec3::Unit(kFirst[j]), eb = Vec3::Unit(kSecond[j]);
        o.centrifugal(i, j) -= p.dot(ea.cross(eb.cross(r)));
        if (j > 2) o.centrifugal(i, j) -= p.dot(eb.cross(ea.cross(r)));
      }
    }
  }
  // Y_a = -2 Phi^T M [e_a] Phi, by one product a component: [e_a] turns the other two into each other.
  const auto component = [&](const MatX& x, int c) {
    MatX out(n, k);
    for (Index v = 0; v < n; ++v)
      for (Index i = 0; i < k; ++i) out(v, i) = bone.axes.col(c).dot(x.col(i).segment<3>(3 * v));
    return out;
  };
  std::array<MatX, 3> p, u;
  for (int c = 0; c < 3; ++c) p[c] = component(momenta, c), u[c] = component(basis.shapes, c);
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;  // e_a x u = (.., -u_c at b, u_b at c)
    o.coriolis[a] = -2 * (p[c].transpose() * u[b] - p[b].transpose() * u[c]);
  }
  return o;
}

Oscillators oscillators_of(const LivePart& part) {
  Oscillators o;
  const auto k = static_cast<Index>(part.modes.size());
  o.squares.resize(k), o.decay.resize(k), o.transfer.resize(k, 6), o.centrifugal.resize(k, 6);
  for (MatX& c : o.coriolis) c = MatX::Zero(k, k);
  for (Index i = 0; i < k; ++i) {
    const LiveMode& m = part.modes[static_cast<size_t>(i)];
    o.squares[i] = std::pow(2 * std::numbers::pi * m.frequency_hz, 2);
    o.decay[i] = m.decay;
    for (int j = 0; j < 6; ++j) o.transfer(i, j) = m.transfer[j], o.centrifugal(i, j) = m.centrifugal[j];
    for (size_t l = 0; l < m.coriolis.size(); ++l)
      for (int a = 0; a < 3; ++a) o.coriolis[a](i, static_cast<Index>(l)) = m.coriolis[l][a];
  }
  return o;
}

OscillatorStep oscillator_step(double square, double decay, double h) {
  const double e = std::exp(-decay * h), under = square - decay * decay, x = under * h * h;
  double co = 0, si = 0;
  if (std::abs(x) < 1e-6) {
    co = e * (1 - x / 2), si = e * h * (1 - x / 6);
  } else if (under > 0) {
    const double p = std::sqrt(under);
    co = e * std::cos(p * h), si = e * std::sin(p * h) / p;
  } else {
    const double p = std::sqrt(-under), slow = std::exp(-(decay - p) * h), fast = std::exp(-(decay + p) * h);
    co = (slow + fast) / 2, si = (slow - fast) / (2 * p);
  }
  OscillatorStep s{
      .a = co + decay * si, .b = si, .c = -square * si, .d = co - decay * si, .q0 = 0, .q1 = 0, .v0 = 0, .v1 = 0};
  // g0, g1: answers to a forcing of 1 and of t.
  double g0 = 0, g1 = 0;
  if (square * h * h < 1e-6 && decay * h < 1e-3) {
    g0 = h * h / 2 - decay * h * h * h / 3;
    g1 = h * h * h / 6 - decay * h * h * h * h / 12;
  } else {
    g0 = (1 - s.a) / square;
    g1 = (h - s.b - 2 * decay * g0) / square;
  }
  s.q1 = g1 / h, s.q0 = g0 - s.q1;
  s.v1 = g0 / h, s.v0 = s.b - s.v1;
  return s;
}

BoneMotion bone_motion(const std::vector<Mat3>& axes, const Points& places, double h, bool moving) {
  const int n = static_cast<int>(axes.size());
  const auto place = [&](int i) -> Vec3 {
    if (i < 0) return moving && n > 1 ? Vec3(places[0] + i * (places[1] - places[0])) : places[0];
    return places[static_cast<size_t>(std::min(i, n - 1))];
  };
  const Mat3 first = moving && n > 1 ? Mat3(axes[0] * axes[1].transpose()) : Mat3::Identity();
  const auto turn = [&](int i) -> Mat3 {
    if (i >= 0) return axes[static_cast<size_t>(std::min(i, n - 1))];
    return i == -1 ? Mat3(first * axes[0]) : Mat3(first * first * axes[0]);
  };
  BoneMotion out;
  out.step = h, out.axes = axes;
  for (int i = 0; i < n; ++i) {
    const auto rate = [&](const auto& f) -> decltype(f(0)) {
      return ((f(i - 2) - f(i + 2)) + 8 * (f(i + 1) - f(i - 1))) / (12 * h);
    };
    const auto rates = [&](const auto& f) -> decltype(f(0)) {
      return (16 * (f(i + 1) + f(i - 1)) - (f(i + 2) + f(i - 2)) - 30 * f(i)) / (12 * h * h);
    };
    const Mat3 inverse = axes[static_cast<size_t>(i)].transpose(), t1 = rate(turn), t2 = rates(turn);
    const Vec3 c2 = rates(place);
    out.acceleration.push_back(inverse * c2);
    out.turning.push_back(axis_of(inverse * t1));
    out.turning_rate.push_back(axis_of(inverse * t2));
  }
  return out;
}

MatX respond(const Oscillators& o, const BoneMotion& motion, const RespondOptions& options) {
  const Index k = o.size(), n = static_cast<Index>(motion.size());
  const LiveDials& dial = options.dials;
  const double f = dial.frequency;
  const double force = options.force_scale * (dial.sustained ? f * f : f);
  std::vector<OscillatorStep> steps;
  for (Index i = 0; i < k; ++i)
    steps.push_back(oscillator_step(f * f * o.squares[i], o.decay[i] / dial.half_life, motion.step));

  // What hangs at rest, and the forcing that does not depend on the flesh.
  const auto hanging = [&](Index t) {
    const Vec3 g =
        dial.sag * (motion.axes[static_cast<size_t>(t)].transpose() * options.gravity) - options.rest_gravity;
    return VecX((-(o.transfer.rightCols(3) * g)).cwiseQuotient(o.squares));
  };
  const auto forcing = [&](Index t, const VecX& hung) {
    const auto at = static_cast<size_t>(t);
    VecX push = o.transfer.leftCols(3) * motion.turning_rate[at] + o.transfer.rightCols(3) * motion.acceleration[at];
    if (options.centrifugal) push += o.centrifugal * products(motion.turning[at]);
    double told = 1;
    if (options.force_limit > 0) told = std::min(told, options.force_limit / motion.acceleration[at].norm());
    if (options.angular_force_limit > 0)
      told = std::min(told, options.angular_force_limit / motion.turning_rate[at].norm());
    return VecX(told * force * push + f * f * o.squares.cwiseProduct(hung));
  };
  const auto swirl = [&](Index t, const VecX& speed) {
    const Vec3& turning = motion.turning[static_cast<size_t>(t)];
    return VecX(turning[0] * (o.coriolis[0] * speed) + turning[1] * (o.coriolis[1] * speed) +
                turning[2] * (o.coriolis[2] * speed));
  };
  MatX out(n, k);
  if (n == 0) return out;
  VecX hung = hanging(0), q = options.settled ? hung : VecX(VecX::Zero(k)), v = VecX::Zero(k);
  VecX start = forcing(0, hung);
  const auto shown = [&](const VecX& at) {
    VecX y = dial.amplitude * (at - hung);
    const double limit = options.weight_limit;
    for (Index i = 0; limit > 0 && i < k; ++i)
      if (const double size = std::abs(y[i]); size > 0.7 * limit)
        y[i] = std::copysign(limit * (0.7 + 0.3 * std::tanh((size / limit - 0.7) / 0.3)), y[i]);
    return VecX(hung + y);
  };
  out.row(0) = shown(q).transpose();
  for (Index t = 1; t < n; ++t) {
    hung = hanging(t);
    const VecX end = forcing(t, hung);
    VecX q1(k), v1(k);
    const auto step = [&](const VecX& f0, const VecX& f1) {
      for (Index i = 0; i < k; ++i) {
        const OscillatorStep& s = steps[static_cast<size_t>(i)];
        q1[i] = s.a * q[i] + s.b * v[i] + s.q0 * f0[i] + s.q1 * f1[i];
        v1[i] = s.c * q[i] + s.d * v[i] + s.v0 * f0[i] + s.v1 * f1[i];
      }
    };
    if (options.coriolis) {
      const VecX f0 = start + swirl(t - 1, v);
      step(f0, end + swirl(t, v));
      for (int round = 0; round < 4; ++round) step(f0, end + swirl(t, VecX(v1)));
    } else {
      step(start, end);
    }
    q = q1, v = v1, start = end;
    if (std::find(motion.cuts.begin(), motion.cuts.end(), static_cast<size_t>(t)) != motion.cuts.end())
      q = hung, v.setZero();
    out.row(t) = shown(q).transpose();
  }
  return out;
}

}  // namespace supple
