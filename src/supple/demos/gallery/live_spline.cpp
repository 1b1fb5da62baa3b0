#include "supple/demos/gallery/live_spline.h"

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/linalg/dense.h"

namespace supple::demos {

MatX spline_slopes(const std::vector<double>& times, const MatX& values, SplineEnds ends) {
  const Location where{.place = "spline"};
  const Eigen::Index n = values.rows(), last = n - 1;
  const bool loop = ends == SplineEnds::loop;
  if (n < (loop ? 3 : 2) || static_cast<size_t>(n) != times.size())
    throw InputError(where, "it needs a time for each key, and two keys or more (a loop: three)");
  for (size_t k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1])) throw InputError(where, "its times do not ascend");
  if (loop && (values.row(0) - values.row(last)).norm() > 1e-9)
    throw InputError(where, "it is a loop, but its last key is not the first one");

  // One row a key: the second derivative on its left is that on its right.
  MatX system = MatX::Zero(n, n), right = MatX::Zero(n, values.cols());
  const auto continuous = [&](Eigen::Index row, Eigen::Index before, Eigen::Index after, double h, double k) {
    // `before` is an interval h earlier than the key, `after` one of k later.
    system(row, before) += 1 / h;
    system(row, row) += 2 / h + 2 / k;
    system(row, after) += 1 / k;
    right.row(row) = 3 * ((values.row(row) - values.row(before)) / (h * h) +  //
                          (values.row(after) - values.row(row)) / (k * k));
  };
  const auto step = [&](Eigen::Index k) { return times[static_cast<size_t>(k) + 1] - times[static_cast<size_t>(k)]; };
  for (Eigen::Index k = 1; k < last; ++k) continuous(k, k - 1, k + 1, step(k - 1), step(k));
  system(last, last) = 1;
  if (loop) {
    continuous(0, last - 1, 1, step(last - 1), step(0));
    system(last, 0) = -1;
  } else {
    system(0, 0) = 1;
  }
  return solve_square(system, right);
}

Spline::Spline(const std::vector<SplineKey>& keys, SplineEnds ends) : ends_(ends) {
  values_.resize(static_cast<Eigen::Index>(keys.size()), 3);
  for (size_t k = 0; k < keys.size(); ++k) {
    times_.push_back(keys[k].time);
    values_.row(static_cast<Eigen::Index>(k)) = keys[k].value.transpose();
  }
  slopes_ = spline_slopes(times_, values_, ends);
}

Vec3 Spline::at(double time) const {
  const double first = times_.front(), length = times_.back() - first;
  if (ends_ == SplineEnds::loop) time -= length * std::floor((time - first) / length);
  time = std::clamp(time, first, times_.back());
  const auto next = std::upper_bound(times_.begin() + 1, times_.end() - 1, time);
  const Eigen::Index k = next - times_.begin() - 1;
  const double h = *next - *(next - 1), s = (time - *(next - 1)) / h, s2 = s * s, s3 = s2 * s;
  return ((2 * s3 - 3 * s2 + 1) * values_.row(k) + (3 * s2 - 2 * s3) * values_.row(k + 1) +
          h * ((s3 - 2 * s2 + s) * slopes_.row(k) + (s3 - s2) * slopes_.row(k + 1)))
      .transpose();
}

void smooth_tracks(Clip& clip, SplineEnds ends) {
  for (Channel& c : clip.channels) {
    if (c.interpolation != Interpolation::linear || c.times.size() < 3) continue;
    const Eigen::Index n = static_cast<Eigen::Index>(c.times.size());
    const MatX values =
        Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(c.values.data(), n, c.width).eval();
    const MatX slopes = spline_slopes(c.times, values, ends);
    c.interpolation = Interpolation::cubic;
    c.values.clear();
    for (Eigen::Index k = 0; k < n; ++k)
      for (const MatX* rows : {&slopes, &values, &slopes})
        for (Eigen::Index x = 0; x < c.width; ++x) c.values.push_back((*rows)(k, x));
  }
}

}  // namespace supple::demos
