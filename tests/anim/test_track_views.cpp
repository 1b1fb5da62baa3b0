#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/anim/track_views.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {

namespace {

const Points kFivePoints = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};

// Points that turn steadily, and jump 5 m at given times.
class Turning : public Track {
 public:
  explicit Turning(std::vector<double> cuts, Points rest = kFivePoints)
      : rest_(std::move(rest)), cuts_(std::move(cuts)) {}
  int n_points() const override { return static_cast<int>(rest_.size()); }
  double duration() const override { return 2; }
  std::vector<double> cuts() const override { return cuts_; }
  VecX at(double t, int derivative = 0) const override {
    VecX x(3 * static_cast<Eigen::Index>(rest_.size()));
    for (size_t i = 0; i < rest_.size(); ++i)
      x.segment<3>(3 * static_cast<Eigen::Index>(i)) = of(rest_[i], t, derivative);
    return x;
  }
  Vec3 of(const Vec3& rest, double t, int derivative) const {
    const double w = 1.5, c = std::cos(w * t), s = std::sin(w * t);
    const Mat3 R = Eigen::AngleAxisd(w * t, Vec3::UnitZ()).toRotationMatrix();
    Mat3 R1, R2;
    R1 << -s, -c, 0, c, -s, 0, 0, 0, 0;
    R2 << -c, s, 0, -s, -c, 0, 0, 0, 0;
    if (derivative == 1) return w * R1 * rest;
    if (derivative == 2) return w * w * R2 * rest;
    Vec3 x = R * rest;
    for (double cut : cuts_)
      if (t >= cut) x += Vec3(3, 4, 0);
    return x;
  }

 private:
  Points rest_;
  std::vector<double> cuts_;
};

using Times = std::vector<double>;

}  // namespace

TEST(TrackViews, SomePointsOfATrack) {
  const auto base = std::make_shared<Turning>(Times{0.5});
  const TrackPtr row = points_in_a_row(base, 1, 2), some = some_points(base, {4, 0});
  EXPECT_EQ(row->n_points(), 2);
  EXPECT_EQ(some->n_points(), 2);
  EXPECT_EQ(row->duration(), 2);
  for (int d = 0; d < 3; ++d) {
    const VecX all = base->at(0.7, d);
    EXPECT_EQ(row->at(0.7, d), all.segment(3, 6));
    EXPECT_EQ(some->at(0.7, d).head(3), all.segment(12, 3));
    EXPECT_EQ(some->at(0.7, d).tail(3), all.head(3));
  }
  EXPECT_EQ(row->cuts(), Times{0.5});
  EXPECT_EQ(some->cuts(), Times{0.5});
}

TEST(TrackViews, LaterAndEarlier) {
  const auto base = std::make_shared<Turning>(Times{0.5, 1});
  EXPECT_EQ(later(base, 0.25)->at(0.75, 1), base->at(0.5, 1));
  EXPECT_EQ(later(base, -0.25)->at(0.25), base->at(0.5));
  EXPECT_EQ(later(base, 0.25)->duration(), 2.25);
  EXPECT_EQ(later(base, -0.25)->duration(), 1.75);
  EXPECT_EQ(later(base, 0.25)->cuts(), (Times{0.75, 1.25}));
  EXPECT_EQ(later(base, -0.25)->cuts(), (Times{0.25, 0.75}));
}

TEST(TrackViews, RepeatedWithItsCuts) {
  const auto base = std::make_shared<Turning>(Times{0.5, 1.75});
  const TrackPtr again = repeated(base, 1.5);
  EXPECT_EQ(again->at(0.25), base->at(0.25));
  EXPECT_LT((again->at(3.25, 1) - base->at(0.25, 1)).norm(), 1e-12);
  EXPECT_LT((again->at(-0.5) - base->at(1)).norm(), 1e-12);
  // One a cycle: the other is beyond its end.
  const Times cuts = again->cuts();
  EXPECT_TRUE(std::is_sorted(cuts.begin(), cuts.end()));
  const auto in = [&](double from, double to) {
    Times some;
    for (double t : cuts)
      if (t >= from && t < to) some.push_back(t);
    return some;
  };
  EXPECT_EQ(in(0, 4.5), (Times{0.5, 2, 3.5}));
  EXPECT_EQ(in(-1.5, 0), Times{-1});
  EXPECT_TRUE(repeated(std::make_shared<Turning>(Times{}), 1)->cuts().empty());
}

TEST(TrackViews, SeveralTogether) {
  const auto one = std::make_shared<Turning>(Times{0.5, 1}), two = std::make_shared<Turning>(Times{0.25, 0.5});
  const TrackPtr all = together({{one, {}}, {nullptr, kFivePoints}, {two, {}}});
  EXPECT_EQ(all->n_points(), 15);
  EXPECT_EQ(all->duration(), 2);
  for (int d = 0; d < 3; ++d) {
    const VecX x = all->at(0.3, d);
    EXPECT_EQ(x.head(15), one->at(0.3, d));
    EXPECT_EQ(x.segment(15, 15), d == 0 ? flatten(kFivePoints) : VecX(VecX::Zero(15)));
    EXPECT_EQ(x.tail(15), two->at(0.3, d));
  }
  EXPECT_EQ(all->cuts(), (Times{0.25, 0.5, 1}));
}

// Followers have velocities of their own side of a cut.
TEST(TrackViews, FollowersGoAlongOverCuts) {
  const auto base = std::make_shared<Turning>(Times{0.5});
  const Points far = {{2, -1, 0.5}};
  const TrackPtr both = with_followers(base, kFivePoints, far);
  EXPECT_EQ(both->n_points(), 6);
  EXPECT_EQ(both->cuts(), Times{0.5});
  for (double t : {0.2, 0.5 - 1e-8, 0.5 - 1e-4, 0.5, 0.5 + 1e-8, 0.5 + 1e-4, 0.9}) {
    EXPECT_EQ(both->at(t).head(15), base->at(t));
    EXPECT_LT((both->at(t).tail<3>() - base->of(far[0], t, 0)).norm(), 1e-12) << t;
    EXPECT_LT((both->at(t, 1).tail<3>() - base->of(far[0], t, 1)).norm(), 2e-3) << t;
    EXPECT_LT((both->at(t, 2).tail<3>() - base->of(far[0], t, 2)).norm(), 5e-3) << t;
  }
}

}  // namespace supple
