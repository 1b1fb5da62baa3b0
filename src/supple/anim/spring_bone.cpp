#include "supple/anim/spring_bone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/base/error.h"
#include "supple/base/index.h"

namespace supple {

namespace {

constexpr double kPi = std::numbers::pi;

[[noreturn]] void refuse_bone(const std::string& what) { throw InputError({"", 0, 0, "spring bone"}, what); }

// What a pair of poles means: x+ = Q x - P x-.
struct Poles {
  double P = 0, Q = 0;
  double decay(double dt) const { return -std::log(P) / (2 * dt); }
  double frequency_hz(double dt) const {
    const double r = std::sqrt(P), c = Q / (2 * r), d = decay(dt);
    if (c < 1) return std::hypot(d, std::acos(std::clamp(c, -1.0, 1.0)) / dt) / (2 * kPi);
    const double p = std::acosh(c) / dt;
    return std::sqrt(std::max(d * d - p * p, 0.0)) / (2 * kPi);
  }
};

}  // namespace

Vec3 SpringBone::step(double dt, const Vec3& joint, const Vec3& direction) {
  const Vec3 inertia = (1 - settings_.drag) * (tail_ - tail_prev_);
  const Vec3 pull = settings_.stiffness * direction + settings_.gravity_power * settings_.gravity_dir;
  const Vec3 next = tail_ + inertia + dt * pull - joint;
  tail_prev_ = tail_;
  if (next.norm() > 0) tail_ = joint + length_ * next.normalized();
  return tail_;
}

SpringFit fit_spring(const SpringWish& wish) {
  auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!positive(wish.frequency_hz) || !positive(wish.half_life_s) || !positive(wish.length) ||
      !positive(wish.frame_rate)) {
    refuse_bone(fmt::format("frequency ({}), half-life ({}), length ({}) and frame rate ({}) should be positive",
                            wish.frequency_hz, wish.half_life_s, wish.length, wish.frame_rate));
  }
  if (!wish.direction.allFinite() || !(wish.direction.norm() > 0) || !wish.gravity_dir.allFinite() ||
      !(wish.gravity_dir.norm() > 0) || !std::isfinite(wish.sag_rad)) {
    refuse_bone("its direction, that of gravity and the sag should be finite and directions not 0");
  }
  SpringFit fit;
  const double dt = 1 / wish.frame_rate, L = wish.length;
  const double d = std::log(2.0) / wish.half_life_s, w0 = 2 * kPi * wish.frequency_hz;

  // Poles exp((-d +- i w) dt), and with them kappa = Q - P and 1 - drag = P / kappa.
  const double r = std::exp(-d * dt);
  const double square = w0 * w0 - d * d, p = std::sqrt(std::abs(square)) * dt;
  double c = square > 0 ? std::cos(p) : std::cosh(p);
  if (square > 0 && p >= 0.48 * kPi) {
    // A quarter of a turn a frame is the end of the rule.
    c = std::cos(0.48 * kPi);
    fit.exact = false;
  }
  Poles poles{r * r, 2 * r * c};
  if (r > c) {
    fit.exact = false;
    poles = {c * c, 2 * c * c};
  }
  const double kappa = poles.Q - poles.P;
  fit.settings.drag = std::clamp(1 - poles.P / kappa, 0.0, 1.0);
  if (r > c) fit.settings.drag = 0;
  const double pull = L * (1 / kappa - 1) / dt;  // of stiffness and gravity together, where it hangs still

  // Stiffness along the bone and gravity add up to `pull` along the bone as it hangs: a triangle with known angles.
  fit.settings.stiffness = pull;
  fit.settings.gravity_dir = wish.gravity_dir.normalized();
  if (wish.sag_rad > 0) {
    const Vec3 a = wish.direction.normalized();
    const double between = std::atan2(a.cross(fit.settings.gravity_dir).norm(), a.dot(fit.settings.gravity_dir));
    const double most = 0.9 * between;
    fit.sag_rad = std::min(wish.sag_rad, most);
    if (std::sin(between) < 0.05) {
      fit.sag_rad = 0;
      fit.notes.push_back("gravity is along the bone, so it cannot sag: none is set");
    } else {
      if (wish.sag_rad > most)
        fit.notes.push_back(fmt::format("a sag of {:.2f} rad is kept to {:.2f}", wish.sag_rad, most));
      fit.settings.gravity_power = pull * std::sin(fit.sag_rad) / std::sin(between);
      fit.settings.stiffness = pull * std::sin(between - fit.sag_rad) / std::sin(between);
    }
  }

  fit.frequency_hz = poles.frequency_hz(dt);
  fit.half_life_s = std::log(2.0) / poles.decay(dt);
  fit.half_life_error = fit.half_life_s / wish.half_life_s - 1;
  // The tail stays behind by drag v dt a frame, which the pull of dt pull / L x brings back.
  fit.speed_lean_rad = std::atan(fit.settings.drag * dt * kappa / (1 - kappa) / L);
  if (!fit.exact) {
    fit.notes.push_back(fmt::format(
        "at {:g} frames a second a spring bone of {:.2f} Hz cannot have a half-life of {:.3f} s: it has {:.2f} Hz and "
        "{:.3f} s ({:+.0f} %)",
        wish.frame_rate, wish.frequency_hz, wish.half_life_s, fit.frequency_hz, fit.half_life_s,
        100 * fit.half_life_error));
  }
  return fit;
}

HingeWeights hinge_weights(const HingeShape& shape) {
  const size_t n = shape.rest.size();
  if (shape.mode.size() != n || at(shape.skin.size()) != n) {
    refuse_bone(
        fmt::format("{} vertices, but a mode of {} and weights of {}", n, shape.mode.size(), shape.skin.size()));
  }
  const Vec3 bone = shape.tail - shape.hinge;
  const double length = bone.norm();
  if (!(length > 0) || !std::isfinite(length)) refuse_bone("hinge and tail are in one place: move them apart");
  for (size_t v = 0; v < n; ++v) {
    if (!shape.mode[v].allFinite() || !shape.rest[v].allFinite())
      refuse_bone(fmt::format("vertex {}: its place or mode is not finite", v));
  }
  HingeWeights out;

  // A spring bone turns about axes across it. The one that says most of the mode: sum of |w x r|^2 against w . (r x u),
  // each vertex by what it has of the bone.
  std::vector<double> of_bone(n, 0.0);
  Mat3 A = Mat3::Zero();
  Vec3 b = Vec3::Zero();
  for (size_t v = 0; v < n; ++v) {
    for (int k = shape.skin.first[v]; k < shape.skin.first[v + 1]; ++k) {
      if (shape.skin.bone[at(k)] == shape.bone) of_bone[v] += shape.skin.weight[at(k)];
    }
    const Vec3 r = shape.rest[v] - shape.hinge;
    A += of_bone[v] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    b += of_bone[v] * r.cross(shape.mode[v]);
  }
  const Vec3 a = bone / length;
  const Vec3 e1 = a.unitOrthogonal(), e2 = a.cross(e1);
  Eigen::Matrix2d A2;
  A2 << e1.dot(A * e1), e1.dot(A * e2), e2.dot(A * e1), e2.dot(A * e2);
  const double det = A2.determinant();
  Vec3 turn = Vec3::Zero();
  if (det > 1e-12 * A2.squaredNorm()) {
    const Eigen::Vector2d x = A2.inverse() * Eigen::Vector2d(e1.dot(b), e2.dot(b));
    turn = x[0] * e1 + x[1] * e2;
  }
  out.axis = turn.norm() > 0 ? Vec3(turn.normalized()) : Vec3::Zero();

  // The tail moves by 1 when the joint turns by 1 / length.
  const Vec3 unit = out.axis / length;
  std::vector<double> wanted(n, 0.0);
  double scale = shape.gain;
  if (!(scale > 0)) {
    double most = 0;
    for (size_t v = 0; v < n; ++v) {
      const Vec3 u = unit.cross(shape.rest[v] - shape.hinge);
      if (of_bone[v] > 0.5 && u.squaredNorm() > 0)
        most = std::max(most, shape.mode[v].dot(u) / u.squaredNorm() / of_bone[v]);
    }
    scale = most > 0 ? 1 / most : 1;
  }
  double whole = 0, left = 0;
  for (size_t v = 0; v < n; ++v) {
    const Vec3 u = unit.cross(shape.rest[v] - shape.hinge);
    // Vertices near the axis are not moved by it, whatever their weight: none.
    const double near = 1e-3 * unit.squaredNorm() * length * length;
    const double h = u.squaredNorm() > near ? scale * shape.mode[v].dot(u) / u.squaredNorm() : 0;
    out.weights.push_back(std::clamp(h, 0.0, of_bone[v]));
    whole += (scale * shape.mode[v]).squaredNorm();
    left += (scale * shape.mode[v] - out.weights[v] * u).squaredNorm();
  }
  out.share = whole > 0 ? std::max(0.0, 1 - left / whole) : 0;

  return out;
}

SkinWeights with_joint(const SkinWeights& skin, int bone, const std::vector<double>& weights, int joint) {
  if (at(skin.size()) != weights.size()) {
    refuse_bone(fmt::format("{} weights for {} vertices", weights.size(), skin.size()));
  }
  constexpr double kTrace = 1e-3;
  SkinWeights out;
  for (size_t v = 0; v < weights.size(); ++v) {
    if (!std::isfinite(weights[v])) refuse_bone(fmt::format("vertex {}: its weight is not finite", v));
    std::vector<std::pair<double, int>> others;  // weight, bone
    double of_bone = 0;
    for (int k = skin.first[v]; k < skin.first[v + 1]; ++k) {
      const double w = skin.weight[at(k)];
      if (skin.bone[at(k)] == bone) {
        of_bone += w;
      } else if (w > 0) {
        others.emplace_back(w, skin.bone[at(k)]);
      }
    }
    double h = std::clamp(weights[v], 0.0, of_bone);
    if (h < kTrace) h = 0;
    if (of_bone - h < kTrace) h = h > 0 ? of_bone : 0;
    if (others.size() >= 3) h = h > of_bone / 2 ? of_bone : 0;
    if (h > 0) {
      std::stable_sort(others.begin(), others.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
      if (others.size() > 3) others.resize(3);
    }
    if (of_bone - h > 0) others.emplace_back(of_bone - h, bone);
    if (h > 0) others.emplace_back(h, joint);
    double sum = 0;
    for (const auto& [w, b] : others) sum += w;
    for (const auto& [w, b] : others) {
      out.weight.push_back(w / sum);
      out.bone.push_back(b);
    }
    out.first.push_back(static_cast<int>(out.bone.size()));
  }
  return out;
}

}  // namespace supple
