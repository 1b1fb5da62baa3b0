#include "supple/anim/pose_space.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/error.h"

namespace supple {

namespace {
constexpr double kSamePose = 1e-3;  // [rad]
constexpr double kTooNear = 0.05;   // of the width: examples that the Gaussians could hardly tell apart
constexpr double kRidge = 1e-12;    // keeps the matrix of many near examples solvable
}  // namespace

double pose_distance(const std::vector<Quat>& a, const std::vector<Quat>& b) {
  double sum = 0;
  for (size_t j = 0; j < a.size(); ++j) {
    const double cosine = std::min(1.0, std::abs(a[j].normalized().dot(b[j].normalized())));
    sum += 4 * (1 - cosine * cosine);
  }
  return std::sqrt(sum);
}

PoseSpace::PoseSpace(const std::vector<Quat>& neutral, const std::vector<std::vector<Quat>>& examples) {
  const Location where{.place = "pose space"};
  if (neutral.empty() || examples.empty()) throw InputError(where, "there are no joints or no examples");
  poses_.push_back(neutral);
  poses_.insert(poses_.end(), examples.begin(), examples.end());
  const auto n = static_cast<Eigen::Index>(poses_.size());
  double sum = 0;
  for (size_t a = 0; a < poses_.size(); ++a) {
    if (poses_[a].size() != neutral.size()) throw InputError(where, "an example has not the joints of the others");
    for (const Quat& q : poses_[a])
      if (!(std::abs(q.norm() - 1) < 1e-3))
        throw InputError(where, "a rotation of an example is not a unit quaternion");
    double nearest = std::numeric_limits<double>::infinity();
    for (size_t b = 0; b < poses_.size(); ++b)
      if (a != b && poses_[b].size() == poses_[a].size())
        nearest = std::min(nearest, pose_distance(poses_[a], poses_[b]));
    if (nearest < kSamePose)
      throw InputError(where, "two examples are the same pose", "leave one out; the neutral pose is always there");
    sum += nearest;
  }
  width_ = sum / static_cast<double>(n);
  // Where some are far nearer to each other than most.
  for (size_t a = 0; a < poses_.size(); ++a)
    for (size_t b = 0; b < a; ++b) width_ = std::min(width_, pose_distance(poses_[a], poses_[b]) / kTooNear);
  MatX system = MatX::Zero(n + 1, n + 1);
  for (Eigen::Index i = 0; i < n; ++i) {
    system.row(i).head(n) = kernel(poses_[static_cast<size_t>(i)]).head(n).transpose();
    system(i, i) += kRidge;
    system(i, n) = system(n, i) = 1;
  }
  cardinal_ = system.fullPivLu().solve(MatX::Identity(n + 1, n));
}

VecX PoseSpace::kernel(const std::vector<Quat>& pose) const {
  VecX k(static_cast<Eigen::Index>(poses_.size()) + 1);
  for (size_t i = 0; i < poses_.size(); ++i) {
    const double d = pose_distance(pose, poses_[i]) / width_;
    k[static_cast<Eigen::Index>(i)] = std::exp(-0.5 * d * d);
  }
  k[k.size() - 1] = 1;
  return k;
}

std::vector<double> PoseSpace::weights(const std::vector<Quat>& pose) const {
  if (pose.size() != poses_[0].size())
    throw InputError({.place = "pose space"}, "the pose has not the joints of the examples");
  const VecX all = cardinal_.transpose() * kernel(pose);
  return {all.begin() + 1, all.end()};
}

}  // namespace supple
