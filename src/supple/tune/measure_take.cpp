#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/base/error.h"
#include "supple/linalg/dense.h"
#include "supple/sim/ringdown.h"
#include "supple/tune/estimators.h"

namespace supple {

namespace {

constexpr size_t kMostPoints = 128;      // more add nothing to a few modes
constexpr Eigen::Index kMostParts = 12;  // principal parts of the motion kept
constexpr int kShortest = 16;            // frames of a free stretch

// A take as a few series: row i is how much of principal part i each frame holds, scaled so that the length of a column
// is the root mean square over the points of their distance from the origin.
struct Series {
  MatX values;  // parts x frames
  MatX parts;   // 3 points x parts
  double n_points = 0;
  Points rest;  // of the points kept
};

void check(const std::vector<Points>& frames, double fps, const TakeOptions& o) {
  if (!(fps > 0) || !std::isfinite(fps)) throw InputError({.place = "frame rate"}, "is not a positive number");
  const size_t n = frames.empty() ? 0 : frames.front().size();
  for (size_t f = 0; f < frames.size(); ++f)
    if (frames[f].size() != n)
      throw InputError({.place = fmt::format("frame {}", f)},
                       fmt::format("{} points where the first frame has {}", frames[f].size(), n));
  if (!o.rest.empty() && o.rest.size() != n)
    throw InputError({.place = "rest places"}, fmt::format("{} for {} points", o.rest.size(), n));
  if (!o.reference.empty() && o.reference.size() != frames.size())
    throw InputError({.place = "reference"}, fmt::format("{} frames for {}", o.reference.size(), frames.size()));
  for (const Points& r : o.reference)
    if (r.size() != n) throw InputError({.place = "reference"}, fmt::format("{} points for {}", r.size(), n));
}

Series reduce(const std::vector<Points>& frames, const TakeOptions& o) {
  Series s;
  const size_t n = frames.front().size(), stride = (n + kMostPoints - 1) / kMostPoints,
               kept = (n + stride - 1) / stride;
  s.n_points = static_cast<double>(kept);
  MatX d(3 * static_cast<Eigen::Index>(kept), static_cast<Eigen::Index>(frames.size()));
  for (size_t f = 0; f < frames.size(); ++f)
    for (size_t k = 0; k < kept; ++k) {
      Vec3 x = frames[f][k * stride];
      if (!o.reference.empty()) x -= o.reference[f][k * stride];
      d.block<3, 1>(3 * static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(f)) = x;
    }
  for (size_t k = 0; k < kept && !o.rest.empty(); ++k) s.rest.push_back(o.rest[k * stride]);
  if (!d.allFinite()) return s;

  if (d.rows() <= kMostParts) {
    s.parts = MatX::Identity(d.rows(), d.rows());
  } else {
    // The mean goes into the first part: distances from the rest places need it.
    const VecX mean = d.rowwise().mean();
    const MatX moving = d.colwise() - mean;
    const SymmetricEigen eigen = symmetric_eigen(moving * moving.transpose());
    s.parts.resize(d.rows(), kMostParts);
    s.parts << eigen.vectors.rightCols(kMostParts - 1), mean;
    auto last = s.parts.col(kMostParts - 1);
    const auto others = s.parts.leftCols(kMostParts - 1);
    for (int twice = 0; twice < 2; ++twice) last -= others * (others.transpose() * last);
    if (last.norm() > 0) last.normalize();
  }
  s.values = s.parts.transpose() * d / std::sqrt(s.n_points);
  return s;
}

// The window's principal direction among the parts, and the motion along it.
VecX principal(const MatX& window) {
  const MatX moving = window.colwise() - window.rowwise().mean();
  const SymmetricEigen eigen = symmetric_eigen(moving * moving.transpose());
  VecX axis = eigen.vectors.rightCols(1);
  Eigen::Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  return axis[largest] < 0 ? VecX(-axis) : axis;
}

std::vector<double> along(const MatX& window, const VecX& axis) {
  const VecX y = window.transpose() * axis;
  return {y.begin(), y.end()};
}

struct Candidate {
  Eigen::Index start = 0;
  bool found = false;
  double misfit = 0, swing = 0, frequency_hz = 0;
};

// How well a free oscillation explains the frames from `start` on. What dies within a fraction of a swing may be the
// end of a drive, which a few exponentials explain as well as anything short: it counts as misfit.
Candidate explain(const Series& s, Eigen::Index start, double fps) {
  Candidate c{.start = start};
  const MatX window = s.values.rightCols(s.values.cols() - start);
  const int rank = static_cast<int>(std::min<Eigen::Index>(7, window.cols() / 4));
  const std::vector<double> y = along(window, principal(window));
  const std::vector<PoleFit> fits = fit_poles(y, 1 / fps, {rank}, 240);
  if (fits.empty()) return c;
  PoleFit fit = fits.back();
  const double square = fit.residual_rms * fit.residual_rms / std::max(0.05, 1 - 2.0 * fit.rank / fit.samples);
  const double bounce_s = 1 / dominant_ringdown(fit).frequency_hz;
  std::erase_if(fit.poles, [&](const ExponentialTerm& p) {
    const double half_life = std::numbers::ln2 / std::max(1e-300, -p.rate.real());
    const double f = std::abs(p.rate.imag()) / (2 * std::numbers::pi);
    return f > 0 ? f * half_life < 0.2 : half_life < 0.2 * bounce_s;
  });
  const Ringdown r = dominant_ringdown(fit);
  // A drive's end shows in the first frames, which a long record would hide.
  double first = 0;
  for (int i = 0; i < 6; ++i) {
    double left = y[static_cast<size_t>(i)] - fit.mean;
    for (const ExponentialTerm& p : fit.poles) left -= (p.strength * std::exp(p.rate * (i / fps))).real();
    first += left * left / 6;
  }
  c.misfit = std::sqrt(std::max(square, 0.5 * first));
  c.frequency_hz = r.frequency_hz;
  for (const ExponentialTerm& p : fit.poles)
    if (std::abs(p.rate.imag() - 2 * std::numbers::pi * r.frequency_hz) < 1e-9 * p.rate.imag())
      c.swing = std::sqrt(2 * p.energy / fit.samples);
  c.found = r.found && r.frequency_hz * fit.duration_s >= 1.5 && c.misfit <= 0.15 * c.swing;
  return c;
}

struct FreeStretch {
  std::vector<Eigen::Index> starts;  // possible first frames, ascending
  double frequency_hz = 0;           // that they agree on
};

// Backwards from the end for as long as one oscillation goes on and nothing else comes in.
FreeStretch find_free(const Series& s, double fps) {
  const Eigen::Index stride = std::max<Eigen::Index>(1, s.values.cols() / 150);
  std::vector<Candidate> run;
  int missed = 0;
  const auto median = [&](double Candidate::*what) {
    std::vector<double> last;
    for (size_t i = run.size() > 5 ? run.size() - 5 : 0; i < run.size(); ++i) last.push_back(run[i].*what);
    std::nth_element(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(last.size() / 2), last.end());
    return last[last.size() / 2];
  };
  for (Eigen::Index start = s.values.cols() - kShortest; start >= 0; start -= stride) {
    const Candidate c = explain(s, start, fps);
    bool goes_on = c.found;
    if (goes_on && !run.empty()) {
      // Larger swings fit a little less well, but not after a gap: there a drive may hide in what is allowed.
      const double allowed = missed > 2 ? 0 : 0.02 * run.back().swing;
      goes_on = std::abs(c.frequency_hz / median(&Candidate::frequency_hz) - 1) < 0.05 &&
                c.misfit <= std::max(1.6 * median(&Candidate::misfit), allowed);
    }
    if (goes_on) {
      run.push_back(c);
      missed = 0;
    } else if (!run.empty() && ++missed > 2) {
      // A few frames in a row may agree by chance, in noise; and in short records noise may break a good run.
      if (run.size() >= 4 && missed < 16 && s.values.cols() - start < 48) continue;
      if (run.size() >= 4) break;
      run.clear();
      missed = 0;
      if (c.found) run.push_back(c);
    }
  }
  FreeStretch free;
  if (run.size() < 2) return free;
  free.frequency_hz = median(&Candidate::frequency_hz);
  for (size_t i = run.size(); i-- > 0;) free.starts.push_back(run[i].start);
  return free;
}

// Where each part settles: a constant beside the oscillation found, by least squares; without one, the mean of a quiet
// end. Empty when neither.
VecX settled_place(const MatX& window, const RingEstimate& ring, double fps) {
  const Eigen::Index n = window.cols();
  if (ring.found) {
    MatX basis(n, 3);
    const double decay = std::isfinite(ring.half_life_s) ? std::numbers::ln2 / ring.half_life_s : 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double t = static_cast<double>(i) / fps, angle = 2 * std::numbers::pi * ring.frequency_hz * t;
      basis.row(i) << 1, std::exp(-decay * t) * std::cos(angle), std::exp(-decay * t) * std::sin(angle);
    }
    const MatX solution = least_squares(basis, MatX(window.transpose()));
    return solution.row(0).transpose();
  }
  const Eigen::Index tail = std::max<Eigen::Index>(std::min<Eigen::Index>(n, 8), n / 5);
  const VecX mean = window.rightCols(tail).rowwise().mean();
  const double wobble = (window.rightCols(tail).colwise() - mean).colwise().norm().maxCoeff();
  const double all = (window.colwise() - mean).colwise().norm().maxCoeff();
  return wobble <= 0.02 * all ? mean : VecX();
}

Vec3 largest_direction(const VecX& shape) {
  Vec3 largest = Vec3::Zero();
  for (Eigen::Index k = 0; k < shape.size(); k += 3)
    if (shape.segment<3>(k).norm() > largest.norm()) largest = shape.segment<3>(k);
  return largest.normalized();
}

void add_reason(std::string& reasons, const std::string& reason) {
  if (!reason.empty()) reasons += (reasons.empty() ? "" : "; ") + reason;
}

}  // namespace

TakeNumbers measure_take(const std::vector<Points>& frames, double fps, const TakeOptions& o) {
  check(frames, fps, o);
  TakeNumbers r;
  if (frames.size() < kShortest || frames.front().empty()) {
    r.reason = fmt::format("{} frames of {} points: at least {} frames of a point are needed", frames.size(),
                           frames.empty() ? 0 : frames.front().size(), kShortest);
    return r;
  }
  const Series s = reduce(frames, o);
  if (s.values.size() == 0) {
    r.reason = "some places are not finite";
    return r;
  }
  const Eigen::Index n = s.values.cols();

  // Frequency and half-life, on the longest free stretch whose full fit finds what the search found.
  FreeStretch free;
  if (o.free_from >= 0)
    free.starts = {o.free_from};
  else
    free = find_free(s, fps);
  Eigen::Index start = free.starts.empty() ? 0 : free.starts.front();
  for (const Eigen::Index at : free.starts) {
    if (n - at < 8) break;
    const MatX window = s.values.rightCols(n - at);
    const VecX axis = principal(window);
    const RingEstimate ring = estimate_ring(along(window, axis), 1 / fps);
    const bool agrees = free.frequency_hz == 0 || std::abs(ring.frequency_hz / free.frequency_hz - 1) < 0.05;
    if (at != free.starts.back() && !(ring.found && agrees)) continue;
    start = at;
    r.ring = ring;
    r.free_from = static_cast<int>(at);
    r.free_to = static_cast<int>(n - 1);
    r.axis = largest_direction(s.parts * axis);
    break;
  }
  r.frequency_found = r.ring.found;
  r.half_life_found = r.ring.half_life_found;
  r.frequency_hz = r.ring.frequency_hz;
  r.half_life_s = r.ring.half_life_s;
  add_reason(r.reason, r.ring.reason);
  if (free.starts.empty())
    add_reason(r.reason,
               "no free oscillation before the end of the take: let it ring longer, or say from which frame nothing "
               "drives it");
  else if (r.free_from < 0)
    add_reason(r.reason, "fewer than 8 frames are free");

  // Sag and peak.
  const MatX rest_of_take = s.values.rightCols(n - std::clamp<Eigen::Index>(start, 0, n - 8));
  const VecX settled = settled_place(rest_of_take, r.ring, fps);
  if (settled.size() == 0)
    add_reason(r.reason, "the take does not come to rest");
  else if (!s.rest.empty() && o.reference.empty()) {
    r.sag_found = true;
    const VecX place = s.parts * settled * std::sqrt(s.n_points);
    r.sag_m = (place - flatten(s.rest)).norm() / std::sqrt(s.n_points);
  }
  if (!o.reference.empty()) {
    r.peak_found = true;
    r.peak_m = s.values.colwise().norm().maxCoeff();
  } else if (r.ring.found && settled.size() > 0) {
    r.peak_found = true;
    r.peak_m = (rest_of_take.colwise() - settled).colwise().norm().maxCoeff();
  }
  return r;
}

TakeNumbers measure_take(const Points& path, double fps, const TakeOptions& options) {
  std::vector<Points> frames;
  for (const Vec3& x : path) frames.push_back({x});
  return measure_take(frames, fps, options);
}

}  // namespace supple
