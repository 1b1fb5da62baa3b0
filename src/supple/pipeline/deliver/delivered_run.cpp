#include "supple/pipeline/deliver/delivered_run.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple::pipeline {

namespace {

DepartureSize size_of(const VecX& d, const std::vector<char>& hard) {
  DepartureSize s;
  double sum = 0, count = 0;
  for (size_t v = 0; v < hard.size(); ++v) {
    if (hard[v]) continue;
    const double squared = d.segment<3>(3 * static_cast<Eigen::Index>(v)).squaredNorm();
    sum += squared, count += 1;
    s.largest = std::max(s.largest, std::sqrt(squared));
  }
  s.rms = count > 0 ? std::sqrt(sum / count) : 0;
  return s;
}

}  // namespace

DeliveredRun::DeliveredRun(const Job& job, const PointCache& tets, FramePositions from)
    : tets_(tets),
      from_(std::move(from)),
      drawing_(job.drawing()),
      shown_tets_(drawing_->shown_tets(tets)),
      finish_(job) {
  if (!changes()) return;
  const auto n = static_cast<size_t>(tets.n_samples);
  simulated_.resize(n), shown_.resize(n);
  if (!finish_.idle()) skin_.resize(n);
  const auto each = [&](auto&& what) {
    parallel_for(n, 1, [&](size_t begin, size_t end) {
      for (size_t f = begin; f < end; ++f) what(f);
    });
  };
  each([&](size_t f) {
    const int frame = static_cast<int>(f);
    VecX d = drawing_->departure(frame, tets_at(frame), from_(frame));
    simulated_[f] = shown_[f] = size_of(d, finish_.hard());
    if (shown_tets_.n_samples > 0)
      simulated_[f] = size_of(drawing_->departure(frame, sample_of(tets_, frame), from_(frame)), finish_.hard());
    if (!skin_.empty()) skin_[f] = std::move(d);
  });
  if (skin_.empty()) return;
  finish_.apply(skin_, [&](int f) { return drawing_->local_frames(f, from_(f)); });
  each([&](size_t f) { shown_[f] = size_of(skin_[f], finish_.hard()); });
  if (finish_.limits_any()) drawing_->set_limits(finish_.limits());
}

DrawnFrame DeliveredRun::frame(int frame) const {
  if (skin_.empty()) return drawing_->draw(frame, tets_at(frame), from_(frame));
  return drawing_->carried(frame, skin_[static_cast<size_t>(frame)], from_(frame));
}

}  // namespace supple::pipeline
