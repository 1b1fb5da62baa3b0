// The dials on curves: each does what it says, as measured on the curves themselves.
#include <gtest/gtest.h>

#include "supple/sim/ringdown.h"
#include "tests/scenes/curves_files.h"

namespace supple {

using namespace pipeline::curves;
namespace {

class CurvesDials : public CurvesFiles {
 protected:
  // How Tail2 rings after the motion has stopped.
  Ringdown ringing(const std::string& name) const {
    const VecX all = column(curves(name), "Tail2.rotation.z");
    const VecX y = all.tail(all.size() - 26);
    return fit_ringdown(std::vector<double>(y.data(), y.data() + y.size()), 1 / 48.0);
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
  // Swings up and down and from side to side have one frequency; where they are wide they take turns, and no one of
  // them rings as a single oscillator does.
  const auto measured = [&](const char* name, Settings set) {
    set.emplace_back("controls.amplitude=0.1");
    take(name, with(set));
    return ringing(name).frequency_hz;
  };
  const double plain = measured("plain", {});
  EXPECT_NEAR(plain, 2, 0.05);
  EXPECT_NEAR(measured("fast", {"controls.frequency=2"}) / plain, 2, 0.05);
  EXPECT_NEAR(measured("slow", {"controls.frequency=0.5", "timeline.frames=240"}) / plain, 0.5, 0.02);
  EXPECT_NEAR(measured("hertz", {"controls.frequency_hz=3"}), 3, 0.1);
}

TEST_F(CurvesDials, amplitude) {
  const auto swing = [&](const char* name, const Settings& set) {
    take(name, with(set));
    const CurveTable t = curves(name);
    return column(t, "Tail2.rotation.z").cwiseAbs().maxCoeff();
  };
  const double plain = swing("plain", {});
  EXPECT_GT(plain, 0.02);
  // What is left is damping, as the keyed joint bends and straightens.
  EXPECT_LT(swing("none", {"controls.amplitude=0"}), 0.1 * plain);
  EXPECT_NEAR(swing("half", {"controls.amplitude=0.5"}) / plain, 0.5, 0.1);
  EXPECT_NEAR(swing("more", {"controls.amplitude=1.5"}) / plain, 1.5, 0.3);
}

TEST_F(CurvesDials, half_life) {
  const auto measured = [&](const char* name, const Settings& set) {
    take(name, with(set));
    return ringing(name).half_life_s;
  };
  EXPECT_NEAR(measured("plain", {"timeline.frames=240"}), 1, 0.1);
  EXPECT_NEAR(measured("short", {"controls.half_life=0.3"}), 0.3, 0.04);
  EXPECT_NEAR(measured("seconds", {"controls.half_life_s=0.5"}), 0.5, 0.05);
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
