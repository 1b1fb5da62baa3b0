#include "supple/tune/amplitude_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "supple/base/error.h"

namespace supple {

namespace {

constexpr double kLargestFactor = 8;  // factor between one scale and the next while nothing bounds it above

// What is known so far, in logarithms. A trial that failed bounds from above without a value.
class Search {
 public:
  Search(double target, double tolerance) : target_(std::log(target)), tolerance_(tolerance) {}

  void add(const ScaleTrial& t) {
    if (!(t.scale > 0)) return;
    const double x = std::log(t.scale), width = high_ - low_, miss = least_miss_;
    if (!t.ok || !std::isfinite(t.value)) {
      failed_ = std::min(failed_, x);
      high_ = std::min(high_, x);
    } else if (t.value <= 0) {
      low_ = std::max(low_, x);
    } else {
      const double y = std::log(t.value);
      points_.push_back({x, y});
      if (y < target_)
        low_ = std::max(low_, x);
      else
        high_ = std::min(high_, x);
      least_miss_ = std::min(least_miss_, std::abs(y - target_));
    }
    progress_ = !std::isfinite(width) || high_ - low_ < 0.5 * width || least_miss_ < 0.5 * miss;
  }

  // The next log(scale), or nothing when no step can help; then `reason` says why.
  std::optional<double> next(std::string& reason) const {
    if (bracketed() && high_ - low_ < 0.3 * tolerance_) {
      reason = failed_ == high_ ? "fails just above" : "jumps over the target there";
      return {};
    }
    std::optional<double> x = guess(reason);
    if (!x) return {};
    const bool outside = *x <= low_ || *x >= high_;
    if (bracketed() && (outside || !progress_)) return 0.5 * (low_ + high_);
    if (!bracketed() && outside) return std::isfinite(low_) ? low_ + std::log(2.0) : high_ - std::log(2.0);
    return x;
  }

 private:
  struct Point {
    double x, y;
  };
  bool bracketed() const { return std::isfinite(low_) && std::isfinite(high_); }

  std::optional<double> guess(std::string& reason) const {
    const double largest = std::log(kLargestFactor);
    if (points_.empty()) return std::isfinite(high_) ? high_ - std::log(4.0) : low_ + largest;
    std::vector<Point> near = points_;
    std::stable_sort(near.begin(), near.end(), [this](const Point& a, const Point& b) {
      return std::abs(a.y - target_) < std::abs(b.y - target_);
    });
    const double gap = target_ - near[0].y;
    // Points too close together show noise rather than a slope.
    std::erase_if(near, [&](const Point& p) { return p.x != near[0].x && std::abs(p.x - near[0].x) < 1e-3; });
    double slope = near.size() > 1 ? (near[0].y - near[1].y) / (near[0].x - near[1].x) : 1;
    if (bracketed() && near.size() > 2) {
      if (const std::optional<double> x = through_three(near[0], near[1], near[2])) return x;
    } else if (!bracketed() && gap > 0 && slope < 0.1) {
      reason = "hardly grows any more";
      return {};
    } else if (!bracketed() && gap < 0) {
      slope = std::max(slope, 0.3);  // saturation ends towards small motions
    }
    if (!(slope > 0.02)) slope = 1;
    return near[0].x + std::clamp(gap / slope, -largest, largest);
  }

  // x at the target on the parabola x(y) through three points, if they ascend.
  std::optional<double> through_three(Point a, Point b, Point c) const {
    const double ab = (b.x - a.x) / (b.y - a.y), bc = (c.x - b.x) / (c.y - b.y), bend = (bc - ab) / (c.y - a.y);
    const double x = a.x + (target_ - a.y) * (ab + bend * (target_ - b.y));
    if (!(ab > 0 && bc > 0) || !(x > low_ && x < high_)) return {};
    return x;
  }

  double target_, tolerance_;
  double low_ = -std::numeric_limits<double>::infinity(), high_ = std::numeric_limits<double>::infinity();
  double failed_ = std::numeric_limits<double>::infinity();
  double least_miss_ = std::numeric_limits<double>::infinity();
  bool progress_ = true;  // the last trial halved the bracket or the miss
  std::vector<Point> points_;
};

bool usable(const ScaleTrial& t) { return t.ok && std::isfinite(t.value); }

// The trial nearest to the target; out of reach, of those as good as each other the mildest.
void choose(ScaleSearchResult& r, double target, const ScaleSearchOptions& o) {
  std::vector<ScaleTrial> all = o.known;
  all.insert(all.end(), r.trials.begin(), r.trials.end());
  std::erase_if(all, [](const ScaleTrial& t) { return !usable(t); });
  const auto miss = [&](const ScaleTrial& t) { return std::abs(t.value - target) / (target > 0 ? target : o.unit); };
  double least = INFINITY, scale = INFINITY;
  for (const ScaleTrial& t : all) least = std::min(least, miss(t));
  r.usable = !all.empty();
  r.met = least <= o.tolerance;
  for (const ScaleTrial& t : all) {
    if (miss(t) > (r.met ? least : least + 0.5 * o.tolerance) || t.scale >= scale) continue;
    scale = r.scale = t.scale;
    r.value = t.value;
  }
}

}  // namespace

ScaleSearchResult search_scale(double target, double start, const ScaleFunction& value, const ScaleSearchOptions& o) {
  if (!(target >= 0) || !std::isfinite(target)) throw InputError({.place = "target"}, "is not a number from zero up");
  if (!(start > 0) || !std::isfinite(start)) throw InputError({.place = "start"}, "is not a positive number");
  ScaleSearchResult r;
  const auto evaluate = [&](double scale) {
    ScaleTrial t = value(scale);
    t.scale = scale;
    ++r.evaluations;
    r.trials.push_back(t);
    choose(r, target, o);
    return t;
  };
  choose(r, target, o);
  if (r.met) return r;
  if (target == 0) {
    if (o.max_evaluations > 0) evaluate(0);
    if (!r.met)
      r.reason = r.usable ? fmt::format("{:.3g} is left at a scale of zero", r.value) : "fails at a scale of zero";
    return r;
  }

  Search search(target, o.tolerance);
  for (const ScaleTrial& t : o.known) search.add(t);
  std::optional<double> x = std::log(start);
  while (!r.met && r.evaluations < o.max_evaluations) {
    if (r.evaluations > 0 || std::any_of(o.known.begin(), o.known.end(), usable)) x = search.next(r.reason);
    if (!x) break;
    search.add(evaluate(std::exp(*x)));
  }
  if (r.met) {
    r.reason.clear();
    return r;
  }
  std::string trouble;
  for (const ScaleTrial& t : r.trials)
    if (!usable(t) && !t.trouble.empty()) trouble = t.trouble;
  if (!r.usable)
    r.reason = "failed at every scale tried";
  else if (r.reason.empty())
    r.reason = fmt::format("not met within {} trials", r.evaluations);
  r.reason +=
      r.usable ? fmt::format("; nearest is {:.4g} of the {:.4g} wanted, at a scale of {:.4g}", r.value, target, r.scale)
               : "";
  if (!trouble.empty()) r.reason += " (" + trouble + ")";
  return r;
}

}  // namespace supple
