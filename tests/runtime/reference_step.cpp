#include "reference_step.h"

#include <algorithm>
#include <cmath>

namespace live_test {
namespace {

Vec3 rotation_vector(const Eigen::Quaterniond& q) {
  const Eigen::AngleAxisd turn(q);  // angle within 0 .. pi
  return turn.angle() * turn.axis();
}

Eigen::Matrix3d rotation(const Vec3& v) {
  const double angle = v.norm();
  return angle > 0 ? Eigen::AngleAxisd(angle, v / angle).toRotationMatrix()
                   : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
}

// Value and two derivatives at s of the polynomial through nodes.
std::array<Vec3, 3> interpolate(const std::vector<double>& times, const std::vector<Vec3>& nodes, double s) {
  const int n = int(times.size());
  const double unit = -times.back();  // conditions the system
  Eigen::MatrixXd powers(n, n), values(n, 3);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) powers(i, j) = std::pow(times[i] / unit, j);
    values.row(i) = nodes[i].transpose();
  }
  const Eigen::MatrixXd c = powers.fullPivLu().solve(values);
  std::array<Vec3, 3> out = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  const double x = s / unit;
  for (int j = 0; j < n; ++j) {
    const Vec3 cj = c.row(j).transpose();
    out[0] += cj * std::pow(x, j);
    if (j > 0) out[1] += cj * (j * std::pow(x, j - 1) / unit);
    if (j > 1) out[2] += cj * (j * (j - 1) * std::pow(x, j - 2) / (unit * unit));
  }
  return out;
}

// Exponential of the oscillator with forcing, its rate and its second derivative as states: rows z and z' hold the
// response to all of them.
Eigen::Matrix<double, 5, 5> propagator(double K, double d, double dt) {
  using Matrix = Eigen::Matrix<double, 5, 5>;
  Matrix A = Matrix::Zero();
  A(0, 1) = 1, A(1, 0) = -K, A(1, 1) = -2 * d, A(1, 2) = 1, A(2, 3) = 1, A(3, 4) = 1;
  A *= dt;
  int halvings = 0;
  while (A.cwiseAbs().maxCoeff() > 0.1) A /= 2, ++halvings;
  Matrix sum = Matrix::Identity(), term = Matrix::Identity();
  for (int k = 1; k < 20; ++k) term = term * A / k, sum += term;
  for (; halvings > 0; --halvings) sum = (sum * sum).eval();
  return sum;
}

}  // namespace

ReferenceStepper::ReferenceStepper(ReferencePart part) : part_(std::move(part)) {
  settings.dials = part_.dials;
  z_ = rate_ = Eigen::VectorXd::Zero(Eigen::Index(part_.modes.size()));
  weights_.assign(part_.modes.size(), 0);
}

Eigen::VectorXd ReferenceStepper::shape(const Vec3& gravity) const {
  Eigen::VectorXd s = Eigen::VectorXd::Zero(z_.size());
  if (!settings.use_gravity) return s;
  const Vec3 lean = settings.dials.sag * gravity - part_.rest_gravity;
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    const auto& m = part_.modes[size_t(i)];
    s[i] = -Vec3(m.transfer[3], m.transfer[4], m.transfer[5]).dot(lean) / std::pow(2 * M_PI * m.frequency_hz, 2);
  }
  return s;
}

bool ReferenceStepper::strays(double dt, const Pose& pose) const {
  Vec3 position = past_[0].position;
  Eigen::Matrix3d turned = past_[0].rotation.toRotationMatrix();
  if (past_.size() > 1) {
    const double ratio = dt / steps_[0];
    position += (past_[0].position - past_[1].position) * ratio;
    turned = turned * rotation(rotation_vector(past_[1].rotation.conjugate() * past_[0].rotation) * ratio);
  }
  if (part_.cut_m > 0 && (pose.position - position).norm() > part_.cut_m) return true;
  return part_.cut_rad > 0 && Eigen::AngleAxisd(turned.transpose() * pose.rotation).angle() > part_.cut_rad;
}

std::array<ReferenceStepper::Moment, 3> ReferenceStepper::read_motion(double dt, const Pose& pose) const {
  size_t K = std::min<size_t>(3, past_.size());
  if (past_.size() > 1 && dt > 2.5 * steps_[0]) K = 1;
  std::vector<double> times = {0};
  std::vector<Vec3> rho = {Vec3::Zero()}, theta = {Vec3::Zero()};
  const Eigen::Quaterniond back = pose.rotation.conjugate();
  for (size_t k = 0; k < K; ++k) {
    times.push_back(times.back() - (k == 0 ? dt : steps_[k - 1]));
    rho.push_back(back * (past_[k].position - pose.position));
    theta.push_back(rotation_vector(back * past_[k].rotation));
  }
  std::array<Moment, 3> moments;
  for (int m = 0; m < 3; ++m) {
    const double s = -dt * (1 - 0.5 * m);
    const auto t = interpolate(times, theta, s);
    const auto r = interpolate(times, rho, s);
    const Eigen::Matrix3d back_again = rotation(t[0]).transpose();
    Moment& out = moments[size_t(m)];
    const double c[5] = {1, -1.0 / 2, 1.0 / 6, -1.0 / 24, 1.0 / 120};
    Vec3 A = t[1], B = t[2];
    out.omega = c[0] * A, out.alpha = c[0] * B;
    for (int j = 1; j < 5; ++j) {
      const Vec3 next = t[0].cross(A);
      B = t[1].cross(A) + t[0].cross(B);
      A = next;
      out.omega += c[j] * A, out.alpha += c[j] * B;
    }
    out.v = back_again * r[1], out.a = back_again * r[2];
    out.gravity = back_again * (back * settings.gravity);
  }
  return moments;
}

void ReferenceStepper::weigh(const Vec3& gravity) {
  const Eigen::VectorXd s = shape(gravity);
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    if (settings.active >= 0 && i >= settings.active) z_[i] = s[i], rate_[i] = 0;
    double y = settings.dials.amplitude * (z_[i] - s[i]);
    const double limit = part_.weight_limit, size = std::abs(y);
    if (limit > 0 && size > 0.7 * limit)
      y = std::copysign(limit * (0.7 + 0.3 * std::tanh((size / limit - 0.7) / 0.3)), y);
    weights_[size_t(i)] = s[i] + y;
  }
}

const std::vector<double>& ReferenceStepper::step(double dt, const Pose& given) {
  if (dt == 0) return weights_;
  if (!given.position.allFinite() || !given.rotation.coeffs().allFinite()) {
    past_.clear();
    return weights_;
  }
  Pose pose = given;
  pose.rotation.normalize();
  if (past_.empty() || !(dt > 0 && dt <= 0.25) || strays(dt, pose)) {
    past_ = {pose};
    steps_.clear();
    const Vec3 gravity = pose.rotation.conjugate() * settings.gravity;
    z_ = shape(gravity), rate_.setZero();
    weigh(gravity);
    return weights_;
  }

  const auto& dials = settings.dials;
  const auto moments = read_motion(dt, pose);
  Vec3 jump_omega = Vec3::Zero(), jump_v = Vec3::Zero();
  if (past_.size() > 1) jump_omega = moments[0].omega - last_omega_, jump_v = moments[0].v - last_v_;
  const double E = (dials.sustained ? dials.frequency * dials.frequency : dials.frequency) * settings.force_scale;
  double k = 1;
  const auto mean = [&](const Vec3& jump, Vec3 Moment::*a) -> Vec3 {
    return jump / dt + (moments[0].*a + 4 * (moments[1].*a) + moments[2].*a) / 6;
  };
  if (part_.force_limit > 0) k = std::min(k, part_.force_limit / mean(jump_v, &Moment::a).norm());
  if (part_.angular_force_limit > 0)
    k = std::min(k, part_.angular_force_limit / mean(jump_omega, &Moment::alpha).norm());

  const Eigen::Index n = z_.size();
  const double f2 = dials.frequency * dials.frequency;
  Eigen::MatrixXd F(n, 3);
  std::array<Eigen::VectorXd, 3> S;
  for (int m = 0; m < 3; ++m) S[size_t(m)] = shape(moments[size_t(m)].gravity);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& mode = part_.modes[size_t(i)];
    const Vec3 angular(mode.transfer[0], mode.transfer[1], mode.transfer[2]);
    const Vec3 linear(mode.transfer[3], mode.transfer[4], mode.transfer[5]);
    rate_[i] += k * E * (angular.dot(jump_omega) + linear.dot(jump_v));
    const double K0 = std::pow(2 * M_PI * mode.frequency_hz, 2);
    for (int m = 0; m < 3; ++m) {
      const Moment& at = moments[size_t(m)];
      const Vec3& o = at.omega;
      double push = angular.dot(at.alpha) + linear.dot(at.a);
      const double products[6] = {o.x() * o.x(), o.y() * o.y(), o.z() * o.z(),
                                  o.x() * o.y(), o.x() * o.z(), o.y() * o.z()};
      if (settings.centrifugal)
        for (size_t j = 0; j < 6; ++j) push += mode.centrifugal[j] * products[j];
      F(i, m) = k * E * push + f2 * K0 * S[size_t(m)][i];
      if (!settings.forcing.empty()) F(i, m) += settings.forcing[size_t(i)];
    }
  }

  const Eigen::Index active = settings.active < 0 ? n : std::min<Eigen::Index>(settings.active, n);
  for (Eigen::Index i = active; i < n; ++i) rate_[i] = 0;
  const auto coriolis = [&](const Vec3& omega, const Eigen::VectorXd& rate, Eigen::Index i) {
    double sum = 0;
    const auto& rows = part_.modes[size_t(i)].coriolis;
    for (size_t l = 0; settings.coriolis && l < rows.size(); ++l)
      sum += Vec3(rows[l][0], rows[l][1], rows[l][2]).dot(omega) * rate[Eigen::Index(l)];
    return sum * std::min(1.0, 0.25 / (omega.norm() * dt));
  };
  const auto advance = [&](const Eigen::MatrixXd& forcing, Eigen::VectorXd& z, Eigen::VectorXd& rate) {
    for (Eigen::Index i = 0; i < active; ++i) {
      const auto& mode = part_.modes[size_t(i)];
      const double w = 2 * M_PI * mode.frequency_hz * dials.frequency;
      const auto P = propagator(w * w, mode.decay / dials.half_life, dt);
      Eigen::Matrix<double, 5, 1> state;
      state << z_[i], rate_[i], forcing(i, 0), (-3 * forcing(i, 0) + 4 * forcing(i, 1) - forcing(i, 2)) / dt,
          4 * (forcing(i, 0) - 2 * forcing(i, 1) + forcing(i, 2)) / (dt * dt);
      const Eigen::Matrix<double, 5, 1> next = P * state;
      z[i] = next[0], rate[i] = next[1];
    }
  };
  Eigen::VectorXd z = z_, rate = rate_;
  Eigen::MatrixXd pushed = F;
  for (Eigen::Index i = 0; i < active; ++i)
    for (int m = 0; m < 3; ++m) pushed(i, m) += coriolis(moments[size_t(m)].omega, rate_, i);
  advance(pushed, z, rate);
  const Eigen::VectorXd middle = (rate_ + rate) / 2;
  for (Eigen::Index i = 0; i < active; ++i) {
    pushed(i, 1) = F(i, 1) + coriolis(moments[1].omega, middle, i);
    pushed(i, 2) = F(i, 2) + coriolis(moments[2].omega, rate, i);
  }
  advance(pushed, z, rate);
  z_ = z, rate_ = rate;

  last_omega_ = moments[2].omega, last_v_ = moments[2].v;
  past_.insert(past_.begin(), pose);
  steps_.insert(steps_.begin(), dt);
  if (past_.size() > 3) past_.resize(3);
  if (steps_.size() > 2) steps_.resize(2);
  weigh(moments[2].gravity);
  return weights_;
}

ReferencePart hand_made_part() {
  ReferencePart part;
  part.name = "belly", part.bone = "Spine1", part.node = 12;
  part.rest_gravity = {0, -9.81, 0};
  part.weight_limit = 3;
  const double hz[5] = {3.1, 4.2, 5.6, 9.4, 2.4}, decay[5] = {2.0, 2.9, 4.4, 14.0, 40.0};
  const double transfer[5][6] = {{0.02, -0.31, 0.06, -0.3, -1.31, 0.22},
                                 {0.27, 0.04, -0.11, 0.15, 0.25, -1.12},
                                 {-0.03, 0.12, 0.24, -0.94, 0.2, 0.1},
                                 {0.06, -0.04, 0.03, 0.21, -0.47, 0.35},
                                 {0.01, 0.03, -0.02, 0.1, -0.32, 0.17}};
  const double centrifugal[5][6] = {{0.10, 0.02, 0.13, -0.04, 0.01, 0.05},
                                    {0.08, 0.15, -0.01, 0.02, 0.03, -0.06},
                                    {0.03, 0.09, 0.11, 0.07, -0.02, 0.01},
                                    {-0.02, 0.04, 0.03, 0.01, 0.02, 0.02},
                                    {0.01, 0.02, 0.01, 0.0, 0.01, -0.01}};
  for (int i = 0; i < 5; ++i) {
    ReferenceMode m;
    m.name = "belly " + std::to_string(i + 1);
    m.frequency_hz = hz[i], m.decay = decay[i], m.mass = 0.4 + 0.1 * i, m.reach = 0.03, m.share = 0.5 / (1 + i);
    m.correction = i == 4;
    std::copy(transfer[i], transfer[i] + 6, m.transfer.begin());
    std::copy(centrifugal[i], centrifugal[i] + 6, m.centrifugal.begin());
    for (int l = 0; l < 5; ++l) {  // opposite signs across the diagonal, as it does no work
      const double s = l > i ? 1 : l < i ? -1 : 0, a = 1.0 / (1 + i + l);
      m.coriolis.push_back({0.5 * s * a, -0.8 * s * a * a, 0.6 * s * a});
    }
    part.modes.push_back(m);
  }
  return part;
}

}  // namespace live_test
