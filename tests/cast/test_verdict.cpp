// The verdict on motions whose numbers are known.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "supple/demos/shapes/rig.h"
#include "tests/cast/verdict.h"

namespace supple::cast {

namespace {

constexpr double kTau = 2 * M_PI, kFps = 24;

using Place = std::function<Vec3(const Vec3& x, double t)>;

Vec3 as_it_is(const Vec3& x, double) { return x; }

// A ball of diameter 1 on the floor; where it is drawn, and how far from there it is soft.
Shot ball(int frames, const Place& drawn, const Place& away) {
  Shot s;
  const TriMesh m = demos::egg({0, 0.5, 0}, Vec3::Constant(0.5));
  s.step = 1 / kFps;
  s.bind = m.vertices, s.faces = m.triangles;
  s.body.assign(m.vertices.size(), 1);
  for (int f = 0; f < frames; ++f) {
    s.drawn.emplace_back(), s.soft.emplace_back();
    for (const Vec3& x : m.vertices) {
      s.drawn.back().push_back(drawn(x, f / kFps));
      s.soft.back().push_back(s.drawn.back().back() + away(x, f / kFps));
    }
  }
  return s;
}

// About 0.3 around its middle, which does not close.
Vec3 drift(const Vec3& x, double t) { return x + Vec3(0.6 * std::sin(0.9 * t), 0, 0); }

double diagonal() { return std::sqrt(3.0); }

bool is_broken(const Numbers& n, const std::string& rule) {
  for (const std::string& b : broken(n))
    if (b.rfind(rule + ":", 0) == 0) return true;
  return false;
}

TEST(Verdict, NothingSoftBreaksOneRule) {
  const Numbers n = measure(ball(25, as_it_is, [](const Vec3&, double) { return Vec3(0, 0, 0); }));
  ASSERT_EQ(broken(n).size(), 1u) << text(n);
  EXPECT_TRUE(is_broken(n, "moves"));
}

TEST(Verdict, AmountOfASwing) {
  // The upper half to and fro by 0.02, twice a second.
  const Numbers n = measure(ball(25, as_it_is, [](const Vec3& x, double t) {
    return Vec3(x[1] > 0.501 ? 0.02 * std::sin(2 * kTau * t) : 0, 0, 0);
  }));
  EXPECT_NEAR(n.at("moved_share"), 100 * 81.0 / 182, 1e-9);  // four rings and a pole
  EXPECT_NEAR(n.at("max"), 100 * 0.02 / diagonal(), 0.01);
  EXPECT_NEAR(n.at("swing"), 0.02 * 400, 0.05);
  EXPECT_LT(n.at("buzz"), 1e-9);
  EXPECT_LT(n.at("reversals"), 1e-9);
  EXPECT_LT(n.at("pop"), 1e-9);
}

TEST(Verdict, AFrozenDepartureDoesNotRead) {
  Numbers n = measure(ball(25, as_it_is, [](const Vec3&, double) { return Vec3(0.05, 0, 0); }));
  EXPECT_NEAR(n.at("p99"), 100 * 0.05 / diagonal(), 0.01);
  EXPECT_LT(n.at("swing"), 1e-9);
  n["drawn_accel"] = 4;
  EXPECT_TRUE(is_broken(n, "reads"));
  n["drawn_accel"] = 2;
  EXPECT_FALSE(is_broken(n, "reads"));
}

TEST(Verdict, AccelerationsInHeights) {
  const auto bob = [](const Vec3& x, double t) { return Vec3(x + Vec3(0, 0.1 * std::cos(kTau * t), 0)); };
  const Numbers n = measure(ball(97, bob, [](const Vec3&, double t) { return Vec3(0.01 * std::sin(kTau * t), 0, 0); }));
  const double most = 0.2 * (1 - std::cos(kTau / kFps)) * kFps * kFps;  // in two of 24 frames, and next to it in four
  EXPECT_NEAR(n.at("whole_accel"), std::cos(kTau / kFps) * most, 1e-6);
  EXPECT_NEAR(n.at("drawn_accel"), most, 1e-6);
}

TEST(Verdict, CalmCountsFromWhatIsDrawnWithoutTheWholeBody) {
  // The top leans by 0.1 and goes 0.05 further; all of it also travels, which does not count.
  const auto lean = [](const Vec3& x, double t) {
    return Vec3(x + Vec3(3 * t + 0.1 * x[1] * x[1] * std::sin(kTau * t), 0, 0));
  };
  const auto further = [](const Vec3& x, double t) { return Vec3(0.05 * x[1] * x[1] * std::sin(kTau * t), 0, 0); };
  const Numbers n = measure(ball(49, lean, further));
  EXPECT_GT(n.at("calm"), 0.5);  // leaning also turns the body a little
  EXPECT_LT(n.at("calm"), 1.6);
}

TEST(Verdict, TremblingIsSeen) {
  const auto fast = [](const Vec3& x, double t) {
    return Vec3(0, x[1] * (0.02 * std::sin(2 * kTau * t) + 0.01 * std::sin(9 * kTau * t)), 0);
  };
  const Numbers n = measure(ball(25, as_it_is, fast));
  EXPECT_NEAR(n.at("buzz"), 0.2, 1e-6);
  EXPECT_TRUE(is_broken(n, "buzz"));
  const auto zigzag = [](const Vec3&, double t) { return Vec3(std::lround(t * kFps) % 2 ? 0.02 : -0.02, 0, 0); };
  EXPECT_NEAR(measure(ball(24, drift, zigzag)).at("reversals"), 100, 1e-9);
}

TEST(Verdict, LoopsCloseInPlaceAndInStep) {
  const auto grows = [](const Vec3&, double t) { return Vec3(0.02 * t, 0, 0); };
  const Numbers place = measure(ball(25, as_it_is, grows));
  EXPECT_NEAR(place.at("pop"), 100 * 0.02 / diagonal(), 0.01);
  const auto bounces = [](const Vec3&, double t) { return Vec3(0.03 * std::sin(kTau * t / 2), 0, 0); };
  const Numbers step = measure(ball(25, as_it_is, bounces));
  const double across = 2 * std::sin(kTau / 2 / kFps), within = 2 * (1 - std::cos(kTau / 2 / kFps));
  EXPECT_NEAR(step.at("pop"), 100 * 0.03 * (across - within) / diagonal(), 0.002);
  EXPECT_FALSE(measure(ball(25, drift, grows)).contains("pop"));
}

TEST(Verdict, WhatStandsSettles) {
  const auto stops = [](const Vec3& x, double t) { return Vec3(x + Vec3(std::min(t, 0.5), 0, 0)); };
  const auto rings = [](const Vec3&, double t) { return Vec3(0.02 * std::sin(kTau * t), 0, 0); };
  const Numbers n = measure(ball(61, stops, rings));
  EXPECT_NEAR(n.at("still_s"), 2, 0.05);
  EXPECT_NEAR(n.at("settle_speed"), 100 * 0.02 * kTau / diagonal(), 0.5);
  EXPECT_TRUE(is_broken(n, "settles"));
}

TEST(Verdict, FeetStandOnTheFloor) {
  const auto swims = [](const Vec3& x, double t) { return Vec3(x[1] < 0.03 ? 0.02 * std::sin(kTau * t) : 0, 0, 0); };
  const Numbers n = measure(ball(25, as_it_is, swims));
  EXPECT_NEAR(n.at("planted"), 100 * 0.02 / diagonal(), 0.01);
  const auto walks = [](const Vec3& x, double t) { return Vec3(x + Vec3(0.5 * t, 0, 0)); };
  const Numbers moving = measure(ball(25, walks, swims));
  EXPECT_FALSE(moving.contains("planted"));
  EXPECT_NEAR(moving.at("soles"), 100 * 0.02 / diagonal(), 0.01);
  const auto flies = [](const Vec3& x, double) { return Vec3(x + Vec3(0, 0.2, 0)); };
  EXPECT_FALSE(measure(ball(25, flies, swims)).contains("soles"));
}

TEST(Verdict, SizesOfTheSurface) {
  const auto swells = [](const Vec3& x, double t) {
    return Vec3(0.1 * std::sin(kTau * t / 4) * (x - Vec3(0, 0.5, 0)));
  };
  const Numbers n = measure(ball(25, as_it_is, swells));
  EXPECT_NEAR(n.at("edge_worst"), 1.1, 1e-9);
  EXPECT_NEAR(n.at("volume_most"), std::pow(1.1, 3), 1e-9);
  EXPECT_EQ(n.at("edge_over"), 0);
  EXPECT_EQ(n.at("flips"), 0);
  const auto through = [](const Vec3& x, double t) { return Vec3(0, -2 * t * (x[1] - 0.5), 0); };
  const Numbers turned = measure(ball(25, drift, through));
  EXPECT_NEAR(turned.at("flips"), 100 * 2 / 3.0, 1e-9);  // those that face up or down still do
  EXPECT_LT(turned.at("volume_least"), -0.9);
}

TEST(Verdict, SeamsAndPiecesStayTogether) {
  const auto none = [](const Vec3&, double) { return Vec3(0, 0, 0); };
  Shot s = ball(13, drift, none);
  // The ball once more, a hundredth apart, and a vertex that is there twice.
  const int n = s.n_vertices();
  s.bind.push_back(s.bind.front());
  for (int v = 0; v < n; ++v) s.bind.push_back(s.bind[v] + Vec3(0.012, 0, 0));
  const size_t faces = s.faces.size();
  for (size_t t = 0; t < faces; ++t) {
    Tri f = s.faces[t];
    if (t < 20) std::replace(s.faces[t].begin(), s.faces[t].end(), 0, n);
    for (int& v : f) v += n + 1;
    s.faces.push_back(f);
  }
  s.body.assign(s.bind.size(), 1);
  for (size_t f = 0; f < s.drawn.size(); ++f) {
    for (std::vector<Points>* list : {&s.drawn, &s.soft}) {
      Points& x = (*list)[f];
      x.push_back(x.front());
      for (int v = 0; v < n; ++v) x.push_back(x[v] + Vec3(0.012, 0, 0));
    }
    s.soft[f][n] += Vec3(0, 0.02 * std::sin(0.5 * static_cast<double>(f)), 0);
    for (int v = 0; v < n; ++v) s.soft[f][n + 1 + v] += Vec3(0, 0.05 * std::sin(0.5 * static_cast<double>(f)), 0);
  }
  const Numbers got = measure(s);
  EXPECT_EQ(got.at("torn"), 1);
  EXPECT_GT(got.at("gap"), 1);
  for (Points& x : s.soft) x[n] = x[0];
  EXPECT_EQ(measure(s).at("torn"), 0);
}

TEST(Verdict, BothSidesAreSoft) {
  const auto side = [](const Vec3& x, double t) { return Vec3(0, x[0] > 0.01 ? 0.02 * std::sin(kTau * t) : 0, 0); };
  EXPECT_GT(measure(ball(25, drift, side)).at("one_sided"), 80);
  const auto both = [](const Vec3&, double t) { return Vec3(0, 0.02 * std::sin(kTau * t), 0); };
  EXPECT_EQ(measure(ball(25, drift, both)).at("one_sided"), 0);
}

TEST(Verdict, BadNumbersAreCounted) {
  Shot s = ball(13, drift, [](const Vec3&, double) { return Vec3(0, 0, 0); });
  s.soft[3][7][1] = std::numeric_limits<double>::quiet_NaN();
  const Numbers n = measure(s);
  EXPECT_EQ(n.at("nan"), 1);
  EXPECT_TRUE(is_broken(n, "finite"));
}

}  // namespace
}  // namespace supple::cast
