#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/anim/local_quintic.h"
#include "supple/anim/rigid_cuts.h"
#include "supple/anim/teleport.h"
#include "supple/anim/track.h"
#include "supple/base/error.h"

namespace supple {

namespace {

using Vec7 = Eigen::Matrix<double, 7, 1>;  // translation, quaternion x y z w

// The rotation matrix of a quaternion is a quadratic form of it over its squared length. This is the bilinear form
// behind: symmetric_product(q, q) / q.q is the rotation.
Mat3 symmetric_product(const Eigen::Vector4d& a, const Eigen::Vector4d& b) {
  const double xx = a[0] * b[0], yy = a[1] * b[1], zz = a[2] * b[2], ww = a[3] * b[3];
  const auto mixed = [&](int i, int j) { return a[i] * b[j] + a[j] * b[i]; };
  Mat3 m;
  m << ww + xx - yy - zz, mixed(0, 1) - mixed(2, 3), mixed(0, 2) + mixed(1, 3),  //
      mixed(0, 1) + mixed(2, 3), ww - xx + yy - zz, mixed(1, 2) - mixed(0, 3),   //
      mixed(0, 2) - mixed(1, 3), mixed(1, 2) + mixed(0, 3), ww - xx - yy + zz;
  return m;
}

class RigidTrack : public Track {
 public:
  // keys: ascending, quaternions of unit length and continuous sign.
  RigidTrack(const std::vector<RigidKey>& keys, const Points& rest, TrackStart start, const std::vector<int>& cuts)
      : rest_(rest),
        last_(static_cast<int>(keys.size()) - 1),
        moving_(start == TrackStart::moving && keys.size() > 1),
        jumped_(keys.size() - 1, 0) {
    for (const RigidKey& key : keys) {
      times_.push_back(key.t);
      Vec7 pose;
      pose << key.translation, key.quaternion;
      poses_.push_back(pose);
    }
    for (int k : cuts) jumped_[static_cast<size_t>(k)] = 1;
    if (last_ > 0 && jumped_[0]) moving_ = false;  // such a step says nothing of a motion
    if (moving_) {
      const Eigen::Quaterniond q0(keys[0].quaternion), q1(keys[1].quaternion);
      const Eigen::AngleAxisd turn(q1 * q0.conjugate());
      turn_axis_ = turn.axis();
      turn_angle_ = turn.angle() > M_PI ? turn.angle() - 2 * M_PI : turn.angle();
      shift_ = keys[1].translation - turn.toRotationMatrix() * keys[0].translation;
    }
  }

  int n_points() const override { return static_cast<int>(rest_.size()); }
  double duration() const override { return times_.back(); }

  VecX at(double t, int derivative) const override {
    // Far away the motion is held; a moving start goes back a thousand steps.
    t = std::clamp(t, times_[0] - 1000 * first_dt(), times_.back() + 8 * last_dt());
    const int k = step_of(t);
    SixTimes times;
    for (int j = 0; j < 6; ++j) times[static_cast<size_t>(j)] = time_of(k - 2 + j);
    int low, high;
    own_window(
        k, [&](int j) { return j >= 0 && j < last_ && jumped_[static_cast<size_t>(j)] != 0; }, low, high);
    std::array<Vec7, 6> poses;
    for (int j = 0; j < 6; ++j) poses[static_cast<size_t>(j)] = pose_of(k - 2 + j);
    std::array<Vec7, 3> c;  // pose components and their derivatives
    for (int d = 0; d <= derivative; ++d) {
      SixWeights w = local_quintic_weights(times, t, d);
      fold_foreign(times, low, high, w);
      Vec7& sum = c[static_cast<size_t>(d)];
      sum = d == 0 ? poses[2] : Vec7(Vec7::Zero());
      for (size_t j = 0; j < 6; ++j) sum += w[j] * (poses[j] - poses[2]);
    }

    // R = N / n with N = symmetric_product(q, q), n = q.q, and its derivatives by the product rule on R n = N.
    const Eigen::Vector4d q = c[0].tail<4>();
    const double n = q.squaredNorm();
    Mat3 R = symmetric_product(q, q) / n;
    if (derivative > 0) {
      const Eigen::Vector4d q_dot = c[1].tail<4>();
      const double n_dot = 2 * q.dot(q_dot);
      const Mat3 R_dot = (2 * symmetric_product(q, q_dot) - n_dot * R) / n;
      if (derivative == 1) {
        R = R_dot;
      } else {
        const Eigen::Vector4d q_ddot = c[2].tail<4>();
        const double n_ddot = 2 * (q_dot.squaredNorm() + q.dot(q_ddot));
        const Mat3 N_ddot = 2 * (symmetric_product(q_dot, q_dot) + symmetric_product(q, q_ddot));
        R = (N_ddot - 2 * n_dot * R_dot - n_ddot * R) / n;
      }
    }
    const Vec3 shift = c[static_cast<size_t>(derivative)].head<3>();
    VecX x(3 * static_cast<Eigen::Index>(rest_.size()));
    for (size_t i = 0; i < rest_.size(); ++i) x.segment<3>(3 * static_cast<Eigen::Index>(i)) = R * rest_[i] + shift;
    return x;
  }

  std::vector<double> cuts() const override {
    std::vector<double> found;
    for (size_t k = 0; k < jumped_.size(); ++k)
      if (jumped_[k]) found.push_back(times_[k + 1]);
    return found;
  }

 private:
  double first_dt() const { return last_ > 0 ? times_[1] - times_[0] : 1; }
  double last_dt() const { return last_ > 0 ? times_.back() - times_[static_cast<size_t>(last_ - 1)] : 1; }
  double time_of(int k) const {
    if (k < 0) return times_[0] + k * first_dt();
    if (k > last_) return times_.back() + (k - last_) * last_dt();
    return times_[static_cast<size_t>(k)];
  }
  // The step whose time span holds t; rounding just before a key counts as the key.
  int step_of(double t) const {
    const double slack = 1e-9 * std::min(first_dt(), last_dt());
    if (t < times_[0] - slack) return static_cast<int>(std::floor((t - times_[0] + slack) / first_dt()));
    if (t >= times_.back() - slack)
      return last_ + static_cast<int>(std::floor((t - times_.back() + slack) / last_dt()));
    return static_cast<int>(std::upper_bound(times_.begin(), times_.end(), t + slack) - times_.begin()) - 1;
  }
  Vec7 pose_of(int k) const {
    Vec7 pose = poses_[static_cast<size_t>(std::clamp(k, 0, last_))];
    if (k >= 0 || !moving_) return pose;
    // One step of the twist back, k times; the rotation in one go, so that signs stay continuous.
    const Mat3 back = Eigen::AngleAxisd(-turn_angle_, turn_axis_).toRotationMatrix();
    Vec3 translation = pose.head<3>();
    for (int i = 0; i < -k; ++i) translation = back * (translation - shift_);
    const Eigen::Quaterniond q = Eigen::Quaterniond(Eigen::AngleAxisd(k * turn_angle_, turn_axis_)) *
                                 Eigen::Quaterniond(Eigen::Vector4d(pose.tail<4>()));
    pose << translation, q.coeffs();
    return pose;
  }

  Points rest_;
  std::vector<double> times_;
  std::vector<Vec7> poses_;
  int last_;
  bool moving_;
  Vec3 turn_axis_ = Vec3::UnitX(), shift_ = Vec3::Zero();  // first step: x -> turn x + shift
  double turn_angle_ = 0;
  std::vector<char> jumped_;
};

void check_keys(std::vector<RigidKey>& keys) {
  if (keys.empty()) throw InputError({}, "the rigid motion has no keys");
  for (size_t k = 0; k < keys.size(); ++k) {
    Location where;
    where.place = fmt::format("key {}", k);
    RigidKey& key = keys[k];
    if (!std::isfinite(key.t) || !key.translation.allFinite() || !key.quaternion.allFinite())
      throw InputError(where, "a number is not finite");
    if (k > 0 && !(key.t > keys[k - 1].t))
      throw InputError(where, fmt::format("its time {:g} s does not come after {:g} s", key.t, keys[k - 1].t),
                       "Sort the keys by time and drop doubles.");
    const double length = key.quaternion.norm();
    if (!(length > 1e-12))
      throw InputError(where, "the quaternion is zero", "Give qx, qy, qz, qw of a rotation; 0, 0, 0, 1 is none.");
    key.quaternion /= length;
    // q and -q are the same rotation: take the one nearer to the key before.
    if (k > 0 && key.quaternion.dot(keys[k - 1].quaternion) < 0) key.quaternion = -key.quaternion;
  }
}

}  // namespace

std::vector<VecX> box_places(const std::vector<RigidKey>& keys, const Points& rest) {
  Box box;
  if (!rest.empty()) box.low = box.high = rest[0];
  for (const Vec3& x : rest) box.low = box.low.cwiseMin(x), box.high = box.high.cwiseMax(x);
  std::vector<VecX> corners(keys.size(), VecX(24));
  for (size_t k = 0; k < keys.size(); ++k) {
    for (int c = 0; c < 8; ++c) {
      const Vec3 corner((c & 1) ? box.high.x() : box.low.x(), (c & 2) ? box.high.y() : box.low.y(),
                        (c & 4) ? box.high.z() : box.low.z());
      corners[k].segment<3>(3 * c) = Eigen::Quaterniond(keys[k].quaternion.normalized()) * corner + keys[k].translation;
    }
  }
  return corners;
}

std::vector<double> times_of(const std::vector<RigidKey>& keys) {
  std::vector<double> times;
  for (const RigidKey& key : keys) times.push_back(key.t);
  return times;
}

void bridge_keys(std::vector<RigidKey>& keys, const MotionCuts& cuts) {
  const std::vector<double> times = times_of(keys);
  for (int frame : cuts.bridged()) {
    RigidKey& key = keys[static_cast<size_t>(frame)];
    const BridgeWeights weights = bridge_of(frame, times, cuts);
    if (weights.empty()) continue;
    const Eigen::Vector4d near = keys[static_cast<size_t>(weights[0].first)].quaternion;
    key.translation.setZero(), key.quaternion.setZero();
    for (const auto& [k, weight] : weights) {
      const RigidKey& other = keys[static_cast<size_t>(k)];
      const double sign = other.quaternion.dot(near) < 0 ? -1 : 1;
      key.translation += weight * other.translation, key.quaternion += sign * weight * other.quaternion.normalized();
    }
    key.quaternion.normalize();
  }
}

std::unique_ptr<Track> make_rigid_track(std::vector<RigidKey> keys, const Points& rest, TrackStart start,
                                        const std::vector<int>& cuts) {
  check_keys(keys);
  return std::make_unique<RigidTrack>(keys, rest, start, cuts);
}

std::unique_ptr<Track> make_rigid_track(std::vector<RigidKey> keys, const Points& rest, TrackStart start) {
  check_keys(keys);
  const MotionCuts cuts = find_motion_cuts(box_places(keys, rest), times_of(keys), {.drives_only = true});
  return std::make_unique<RigidTrack>(keys, rest, start, cuts.leaps());
}

}  // namespace supple
