#include "supple/anim/track_views.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/mesh/rigid_fit.h"

namespace supple {

namespace {

constexpr double kDifference = 1e-4;  // [s] of the velocities of followers
constexpr int kRepeats = 100;         // whose cuts a repeated track names, to either side

// A track like another one in all that it does not say itself.
class View : public Track {
 public:
  explicit View(TrackPtr base) : base_(std::move(base)) {}
  int n_points() const override { return base_->n_points(); }
  double duration() const override { return base_->duration(); }
  std::vector<double> cuts() const override { return base_->cuts(); }

 protected:
  const TrackPtr base_;
};

class PointsInARow : public View {
 public:
  PointsInARow(TrackPtr whole, int first, int count) : View(std::move(whole)), first_(first), count_(count) {}
  int n_points() const override { return count_; }
  VecX at(double t, int derivative) const override { return base_->at(t, derivative).segment(3 * first_, 3 * count_); }

 private:
  int first_, count_;
};

class SomePoints : public View {
 public:
  SomePoints(TrackPtr whole, std::vector<int> points) : View(std::move(whole)), points_(std::move(points)) {}
  int n_points() const override { return static_cast<int>(points_.size()); }
  VecX at(double t, int derivative) const override { return some_of(base_->at(t, derivative), points_); }

 private:
  std::vector<int> points_;
};

class PointsOnOthers : public View {
 public:
  PointsOnOthers(TrackPtr whole, std::vector<CarriedPoint> points)
      : View(std::move(whole)), points_(std::move(points)) {}
  int n_points() const override { return static_cast<int>(points_.size()); }
  VecX at(double t, int derivative) const override {
    const VecX all = base_->at(t, derivative);
    VecX some = VecX::Zero(3 * static_cast<Eigen::Index>(points_.size()));
    for (size_t i = 0; i < points_.size(); ++i)
      for (int c = 0; c < 4; ++c)
        some.segment<3>(3 * static_cast<Eigen::Index>(i)) +=
            points_[i].weights[c] * all.segment<3>(3 * points_[i].of[static_cast<size_t>(c)]);
    return some;
  }

 private:
  std::vector<CarriedPoint> points_;
};

class Later : public View {
 public:
  Later(TrackPtr base, double by) : View(std::move(base)), by_(by) {}
  double duration() const override { return base_->duration() + by_; }
  VecX at(double t, int derivative) const override { return base_->at(t - by_, derivative); }
  std::vector<double> cuts() const override {
    std::vector<double> times = base_->cuts();
    for (double& t : times) t += by_;
    return times;
  }

 private:
  double by_;
};

class Repeated : public View {
 public:
  Repeated(TrackPtr base, double period) : View(std::move(base)), period_(period) {}
  VecX at(double t, int derivative) const override {
    return base_->at(t - period_ * std::floor(t / period_ + 1e-12), derivative);
  }
  std::vector<double> cuts() const override {
    const std::vector<double> once = base_->cuts();
    std::vector<double> times;
    for (int cycle = -kRepeats; cycle <= kRepeats; ++cycle)
      for (double cut : once)
        if (cut > 0 && cut < period_) times.push_back(cut + cycle * period_);
    return times;
  }

 private:
  double period_;
};

class Together : public Track {
 public:
  explicit Together(std::vector<TrackOrPoints> parts) : parts_(std::move(parts)) {
    for (const TrackOrPoints& p : parts_) n_ += size_of(p);
  }
  int n_points() const override { return n_; }
  double duration() const override {
    double last = 0;
    for (const TrackOrPoints& p : parts_) last = std::max(last, p.track ? p.track->duration() : 0);
    return last;
  }
  VecX at(double t, int derivative) const override {
    VecX x = VecX::Zero(3 * n_);
    Eigen::Index at = 0;
    for (const TrackOrPoints& p : parts_) {
      const Eigen::Index size = 3 * size_of(p);
      if (p.track)
        x.segment(at, size) = p.track->at(t, derivative);
      else if (derivative == 0)
        x.segment(at, size) = flatten(p.still);
      at += size;
    }
    return x;
  }
  std::vector<double> cuts() const override {
    std::vector<double> times;
    for (const TrackOrPoints& p : parts_) {
      if (!p.track) continue;
      const std::vector<double> more = p.track->cuts();
      times.insert(times.end(), more.begin(), more.end());
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }

 private:
  static int size_of(const TrackOrPoints& p) {
    return p.track ? p.track->n_points() : static_cast<int>(p.still.size());
  }
  std::vector<TrackOrPoints> parts_;
  int n_ = 0;
};

class WithFollowers : public View {
 public:
  WithFollowers(TrackPtr base, const Points& rest, Points followers)
      : View(std::move(base)), rest_(flatten(rest)), followers_(std::move(followers)) {}
  int n_points() const override { return base_->n_points() + static_cast<int>(followers_.size()); }
  VecX at(double t, int derivative) const override {
    const VecX x = base_->at(t, derivative);
    VecX f;
    const double e = kDifference, m = derivative == 0 ? t : on_one_side(t);
    if (derivative == 0) f = follow(t);
    if (derivative == 1) f = (follow(m + e) - follow(m - e)) / (2 * e);
    if (derivative == 2) f = (follow(m + e) - 2 * follow(m) + follow(m - e)) / (e * e);
    VecX both(x.size() + f.size());
    both << x, f;
    return both;
  }

 private:
  // The time nearest to t about which differences do not reach over a cut.
  double on_one_side(double t) const {
    for (double cut : base_->cuts()) {
      if (t < cut && t + 2 * kDifference > cut) return cut - 2 * kDifference;
      if (t >= cut && t - 2 * kDifference < cut) return cut + 2 * kDifference;
    }
    return t;
  }
  VecX follow(double t) const {
    const RigidMotion motion = fit_rigid_motion(rest_, base_->at(t));
    VecX f(3 * static_cast<Eigen::Index>(followers_.size()));
    for (size_t i = 0; i < followers_.size(); ++i)
      f.segment<3>(3 * static_cast<Eigen::Index>(i)) = motion(followers_[i]);
    return f;
  }
  VecX rest_;
  Points followers_;
};

}  // namespace

VecX some_of(const VecX& all, const std::vector<int>& points) {
  VecX some(3 * static_cast<Eigen::Index>(points.size()));
  for (size_t i = 0; i < points.size(); ++i)
    some.segment<3>(3 * static_cast<Eigen::Index>(i)) = all.segment<3>(3 * points[i]);
  return some;
}

TrackPtr points_in_a_row(TrackPtr whole, int first, int count) {
  return std::make_shared<PointsInARow>(std::move(whole), first, count);
}
TrackPtr some_points(TrackPtr whole, std::vector<int> points) {
  return std::make_shared<SomePoints>(std::move(whole), std::move(points));
}

TrackPtr carried_points(TrackPtr whole, std::vector<CarriedPoint> points) {
  return std::make_shared<PointsOnOthers>(std::move(whole), std::move(points));
}
TrackPtr later(TrackPtr base, double by) { return std::make_shared<Later>(std::move(base), by); }
TrackPtr repeated(TrackPtr base, double period) { return std::make_shared<Repeated>(std::move(base), period); }
TrackPtr together(std::vector<TrackOrPoints> parts) { return std::make_shared<Together>(std::move(parts)); }
TrackPtr with_followers(TrackPtr base, const Points& rest, Points followers) {
  return std::make_shared<WithFollowers>(std::move(base), rest, std::move(followers));
}

}  // namespace supple
