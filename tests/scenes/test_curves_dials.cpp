// The dials on curves: each does what it says, as measured on the curves themselves.
#include <gtest/gtest.h>

#include "supple/sim/ringdown.h"
#include "tests/scenes/curves_files.h"

namespace supple {
namespace {

class CurvesDials : public CurvesFiles {
 protected:
  // The bend of the tail about z after the motion has stopped.
  VecX ringing(const std::string& name) const {
    const CurveTable t = curves(name);
    VecX bend = column(t, "Tail1.rotation.z") + column(t, "Tail2.rotation.z");
    return bend.tail(bend.size() - 14).array() - bend[bend.size() - 1];
  }
  // By the crossings of its mean [Hz].
  static double frequency(const VecX& x, double fps) {
    const VecX y = x.array() - x.mean();
    double first = -1, last = -1;
    int crossings = 0;
    for (Eigen::Index k = 1; k < y.size(); ++k) {
      if ((y[k - 1] < 0) == (y[k] < 0)) continue;
      last = static_cast<double>(k - 1) + y[k - 1] / (y[k - 1] - y[k]);
      if (first < 0) first = last;
      ++crossings;
    }
    return crossings > 1 ? 0.5 * (crossings - 1) * fps / (last - first) : 0;
  }
  Settings with(const Settings& more) const {
    Settings set = {"surface.clip=stop",          "timeline.fps=48",       "timeline.frames=120",
                    "timeline.substeps=\"auto\"", "curves.frequency_hz=2", "material.half_life_s=1",
                    "world.gravity=[0,0,0]"};
    set.insert(set.end(), more.begin(), more.end());
    return set;
  }
};

TEST_F(CurvesDials, frequency) {
  const auto measured = [&](const char* name, const Settings& set) {
    take(name, with(set));
    const VecX all = column(curves(name), "Tail2.rotation.z");
    return frequency(all.tail(all.size() - 30), 48);
  };
  const double plain = measured("plain", {});
  EXPECT_NEAR(plain, 2, 0.2);
  EXPECT_NEAR(measured("fast", {"controls.frequency=2"}) / plain, 2, 0.1);
  EXPECT_NEAR(measured("slow", {"controls.frequency=0.5"}) / plain, 0.5, 0.05);
  EXPECT_NEAR(measured("hertz", {"controls.frequency_hz=3"}), 3 * plain / 2, 0.15);
}

TEST_F(CurvesDials, amplitude) {
  const auto swing = [&](const char* name, const Settings& set) {
    take(name, with(set));
    const CurveTable t = curves(name);
    return column(t, "Tail2.rotation.z").cwiseAbs().maxCoeff();
  };
  const double plain = swing("plain", {});
  EXPECT_GT(plain, 0.02);
  EXPECT_LT(swing("none", {"controls.amplitude=0"}), 0.02 * plain);
  EXPECT_NEAR(swing("half", {"controls.amplitude=0.5"}) / plain, 0.5, 0.1);
  EXPECT_NEAR(swing("more", {"controls.amplitude=1.5"}) / plain, 1.5, 0.3);
}

TEST_F(CurvesDials, half_life) {
  const auto left = [&](const char* name, const Settings& set) {
    take(name, with(set));
    const VecX x = column(curves(name), "Tail2.rotation.z");
    // rms of the last second beside that of the first second after the stop.
    const VecX early = x.segment(26, 36).array() - x.tail(36).mean(), late = x.tail(36).array() - x.tail(36).mean();
    return late.norm() / early.norm();
  };
  const double plain = left("plain", {}), longer = left("longer", {"controls.half_life=3"});
  // 58 frames at 48 a second later: 2^-(1.2 / half-life).
  EXPECT_NEAR(std::log2(plain), -58 / 48.0, 0.3);
  EXPECT_NEAR(std::log2(longer), -58 / 48.0 / 3, 0.2);
}

TEST_F(CurvesDials, sag) {
  const auto droop = [&](const char* name, const Settings& set) {
    Settings all = {"surface.clip=hold", "timeline.frames=3"};
    all.insert(all.end(), set.begin(), set.end());
    take(name, all);
    return column(curves(name), "Tail1.rotation.z")[0];
  };
  const double rest = droop("rest", {"curves.pose=rest"});
  EXPECT_LT(rest, -0.005);
  EXPECT_NEAR(droop("twice", {"curves.pose=rest", "controls.sag=2"}) / rest, 2, 0.2);
  EXPECT_NEAR(droop("none", {"curves.pose=rest", "controls.sag=0"}), 0, 1e-6);
  // A pose that is held hangs as drawn at 1, and more or less than that otherwise.
  EXPECT_NEAR(droop("held", {}), 0, 1e-6);
  EXPECT_NEAR(droop("more", {"controls.sag=2"}) / rest, 1, 0.15);
  EXPECT_NEAR(droop("less", {"controls.sag=0"}) / rest, -1, 0.15);
}

}  // namespace
}  // namespace supple
