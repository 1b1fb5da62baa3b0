#include "supple/anim/pose_cuts.h"

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

constexpr double kSurely = 10, kSurelyFar = 0.05;  // times the steps beside it; of the size
constexpr double kLikely = 4, kLikelyFar = 0.2;
constexpr double kBack = 0.25;                            // of the way out: what is left of it when a body is back
constexpr double kAsFar = 1.0 / 3, kShareOfLeaps = 0.05;  // steps that go so far are alike; a leap is one of so few
constexpr int kFewLeaps = 2;

// Steps of every point: how far it goes.
MatX lengths_of_steps(const std::vector<VecX>& poses) {
  const Eigen::Index n_points = poses[0].size() / 3, n_steps = static_cast<Eigen::Index>(poses.size()) - 1;
  MatX length(n_points, n_steps);
  for (Eigen::Index k = 0; k < n_steps; ++k) {
    const VecX step = poses[static_cast<size_t>(k) + 1] - poses[static_cast<size_t>(k)];
    length.col(k) = step.reshaped(3, n_points).colwise().norm();
  }
  return length;
}

double middle_of(VecX values) {
  const auto half = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

// Whether half of the points or more leap in step k. partner: a step beside it that is part of the same leap; -1: none.
bool leaps_in(const MatX& length, int k, int partner, double size) {
  const int n_steps = static_cast<int>(length.cols());
  VecX beside = VecX::Zero(length.rows());
  int neighbours = 0;
  for (int j = std::max(0, k - 2); j <= std::min(n_steps - 1, k + 2); ++j) {
    if (j == k || j == partner) continue;
    beside = beside.cwiseMax(length.col(j));
    ++neighbours;
  }
  if (neighbours < 2) return false;
  Eigen::Index leaping = 0;
  for (Eigen::Index i = 0; i < length.rows(); ++i) {
    const double far = length(i, k);
    const bool surely = partner < 0 && far > kSurelyFar * size && far > kSurely * beside[i];
    leaping += surely || (far > kLikelyFar * size && far > kLikely * beside[i]);
  }
  return 2 * leaping >= length.rows();
}

}  // namespace

double pose_size(const std::vector<VecX>& poses) {
  VecX size(static_cast<Eigen::Index>(poses.size()));
  for (size_t k = 0; k < poses.size(); ++k) {
    const auto points = poses[k].reshaped(3, poses[k].size() / 3);
    size[static_cast<Eigen::Index>(k)] =
        points.cols() > 0 ? (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm() : 0;
  }
  return size.size() > 0 ? middle_of(std::move(size)) : 0;
}

std::vector<int> find_pose_cuts(const std::vector<VecX>& poses) {
  std::vector<int> cuts;
  if (poses.size() < 4 || poses[0].size() == 0) return cuts;
  const double size = pose_size(poses);
  const MatX length = lengths_of_steps(poses);
  const int n_steps = static_cast<int>(length.cols());
  VecX far(n_steps);
  for (int k = 0; k < n_steps; ++k) far[k] = middle_of(length.col(k));
  for (int k = 0; k < n_steps; ++k) {
    // Out, and back in the next step.
    const auto returns = [&](int out) {
      if (out < 0 || out + 1 >= n_steps) return false;
      const VecX left = poses[static_cast<size_t>(out) + 2] - poses[static_cast<size_t>(out)];
      return middle_of(left.reshaped(3, left.size() / 3).colwise().norm()) < kBack * far[out];
    };
    if (leaps_in(length, k, -1, size) || (returns(k) && leaps_in(length, k, k + 1, size)) ||
        (returns(k - 1) && leaps_in(length, k, k - 1, size)))
      cuts.push_back(k);
  }
  // A clip of which every pose is held has many like it.
  const auto is_rare = [&](int k) {
    const auto alike = (far.array() > kAsFar * far[k]).count();
    return static_cast<double>(alike) <= std::max<double>(kFewLeaps, kShareOfLeaps * n_steps);
  };
  cuts.erase(std::remove_if(cuts.begin(), cuts.end(), [&](int k) { return !is_rare(k); }), cuts.end());
  return cuts;
}

}  // namespace supple
