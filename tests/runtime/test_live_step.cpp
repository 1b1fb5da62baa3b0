// The C runtime against the double-precision step: all paths of a step, steps of all lengths, all kinds of damping.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "live_world.h"
#include "vector_file.h"

namespace live_test {
namespace {

Pose wander(double t) {
  return {Vec3(0.10 * std::sin(7 * t), 1 + 0.06 * std::cos(11 * t), 0.05 * std::sin(5 * t + 1)),
          Eigen::Quaterniond(Eigen::AngleAxisd(0.6 * std::sin(6 * t), Vec3(0.3, 1, 0.2).normalized()) *
                             Eigen::AngleAxisd(0.4 * std::sin(9 * t + 0.3), Vec3::UnitX()))};
}

Pose in_floats(Pose pose) {
  pose.position = pose.position.cast<float>().cast<double>().eval();
  pose.rotation.coeffs() = pose.rotation.coeffs().cast<float>().cast<double>().eval();
  return pose;
}

// Both step the same frames, whose poses are those that floats can tell; the largest difference over the largest
// weight.
double difference(World& world, ReferenceStepper& reference, const std::vector<Frame>& frames) {
  double peak = 0, worst = 0;
  world.use(reference.settings);
  for (const Frame& f : frames) {
    const auto expected = reference.step(f.dt, in_floats(f.pose));
    const auto found = world.step(f.dt, f.pose);
    for (size_t i = 0; i < expected.size(); ++i) {
      peak = std::max(peak, std::abs(expected[i]));
      worst = std::max(worst, std::isfinite(found[i]) ? std::abs(found[i] - expected[i]) : 1e9);
    }
  }
  EXPECT_GT(peak, 1e-4);
  return worst / peak;
}

std::vector<Frame> frames_of(int count, double dt) {
  std::vector<Frame> frames;
  for (int i = 0; i < count; ++i) frames.push_back({dt, wander(i * dt)});
  return frames;
}

double difference(const ReferencePart& part, const ReferenceSettings& settings, const std::vector<Frame>& frames) {
  World world(part);
  ReferenceStepper reference(part);
  reference.settings = settings;
  return difference(world, reference, frames);
}

TEST(LiveStep, VectorsAreReproduced) {
  int files = 0;
  const std::string folder = std::string(SUPPLE_SOURCE_DIR) + "/docs/reference/live-vectors";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const VectorFile file = load_vectors(entry.path().string());
    World world(file.part);
    world.use(file.settings);
    double peak = 0, worst = 0;
    ASSERT_EQ(file.frames.size(), file.weights.size());
    for (size_t f = 0; f < file.frames.size(); ++f) {
      const auto found = world.step(file.frames[f].dt, file.frames[f].pose);
      ASSERT_EQ(found.size(), file.weights[f].size());
      for (size_t i = 0; i < found.size(); ++i) {
        peak = std::max(peak, std::abs(file.weights[f][i]));
        worst = std::max(worst, std::abs(found[i] - file.weights[f][i]));
      }
    }
    EXPECT_GT(peak, 0.01) << entry.path();
    EXPECT_LT(worst, 1e-5 * peak) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 6);
}

TEST(LiveStep, EverythingAtOnce) {
  const ReferencePart part = hand_made_part();
  for (double dt : {1.0 / 30, 1.0 / 60, 1.0 / 144}) {
    ReferenceSettings s;
    EXPECT_LT(difference(part, s, frames_of(120, dt)), 1e-5);
    s.dials = {1.7, 0.6, 1.4, 0.5, false};
    EXPECT_LT(difference(part, s, frames_of(120, dt)), 1e-5);
    s.dials = {0.4, 2, -0.5, 3, true};
    EXPECT_LT(difference(part, s, frames_of(120, dt)), 1e-5);
    s = {}, s.coriolis = false, s.centrifugal = false, s.use_gravity = false, s.force_scale = 2.5;
    EXPECT_LT(difference(part, s, frames_of(120, dt)), 1e-5);
    s = {}, s.active = 3, s.gravity = {3, -5, 1}, s.forcing = {1, -2, 3, 0.5, 2};
    EXPECT_LT(difference(part, s, frames_of(120, dt)), 1e-5);
  }
}

TEST(LiveStep, MoreModesThanRegisters) {
  for (int n : {1, 7, 8, 9, 16, 21}) {
    ReferencePart part = hand_made_part();
    const auto few = part.modes;
    part.modes.clear();
    for (int i = 0; i < n; ++i) {
      ReferenceMode m = few[size_t(i) % 5];
      m.frequency_hz *= 1 + 0.07 * i;
      m.coriolis.assign(size_t(n), {0.02 * (i % 3), -0.03, 0.01});
      for (size_t l = 0; l < size_t(n); ++l) m.coriolis[l][0] += 0.01 * double(l % 4);
      part.modes.push_back(m);
    }
    EXPECT_LT(difference(part, {}, frames_of(60, 1.0 / 60)), 1e-5) << n;
    ReferenceSettings s;
    s.active = n / 2;
    EXPECT_LT(difference(part, s, frames_of(60, 1.0 / 60)), 1e-5) << n;
  }
}

TEST(LiveStep, LimitsOfForceAndWeight) {
  ReferencePart part = hand_made_part();
  part.force_limit = 3;
  EXPECT_LT(difference(part, {}, frames_of(100, 1.0 / 60)), 1e-5);
  part.force_limit = 0, part.angular_force_limit = 10;
  EXPECT_LT(difference(part, {}, frames_of(100, 1.0 / 60)), 1e-5);
  part.force_limit = 4, part.weight_limit = 0.01;
  EXPECT_LT(difference(part, {}, frames_of(100, 1.0 / 60)), 1e-5);
  World world(part);
  auto s = world.settings();
  s.use_gravity = 0;  // what hangs is not limited
  world.use(s);
  for (const Frame& f : frames_of(100, 1.0 / 60))
    for (double w : world.step(f.dt, f.pose)) EXPECT_LE(std::abs(w), 0.01 * (1 + 1e-6));
}

TEST(LiveStep, DampingOfAllKindsAndStepsOfAllLengths) {
  // Below, near, at and above critical, very slow and very stiff; K dt^2 from 1e-9 to 1e4.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0, 1);
  for (double dt : {2e-4, 1.0 / 144, 1.0 / 60, 0.2})
    for (double hz : {0.02, 0.5, 3.0, 60.0})
      for (double ratio : {0.0, 0.05, 0.99, 0.9999999, 1.0, 1.0000001, 1.02, 3.0, 200.0}) {
        ReferencePart part = hand_made_part();
        part.rest_gravity.setZero(), part.weight_limit = 0, part.cut_m = 0, part.cut_rad = 0;
        part.modes.resize(1), part.modes[0].coriolis.clear();
        part.modes[0].frequency_hz = float(hz), part.modes[0].decay = float(ratio * 2 * M_PI * hz);
        ReferenceSettings s;
        s.use_gravity = hz > 0.1;
        s.forcing = {0.2 * std::pow(2 * M_PI * hz, 2)};  // would push it by 0.2
        std::vector<Frame> frames;
        double t = 0;
        for (int i = 0; i < 40; ++i) {
          const double step = dt * (0.5 + any(random));
          t += step;
          frames.push_back({std::min(step, 0.25), wander(t)});
        }
        EXPECT_LT(difference(part, s, frames), dt < 1e-3 ? 2e-4 : 2e-5) << dt << " " << hz << " " << ratio;
      }
}

TEST(LiveStep, UnevenStepsPausesCutsAndHoles) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(0, 1);
  const ReferencePart part = hand_made_part();
  std::vector<Frame> frames;
  Vec3 offset = Vec3::Zero();
  Eigen::Quaterniond extra = Eigen::Quaterniond::Identity();
  double t = 0;
  for (int i = 0; i < 600; ++i) {
    double dt = std::exp(std::log(1.0 / 200) + any(random) * std::log(200.0 / 12));
    if (i % 37 == 9) dt = 0;
    if (i % 101 == 40) dt = 0.7;
    if (i % 131 == 60) dt = -0.01;
    if (i % 149 == 77) dt = NAN;
    if (dt > 0 && dt < 0.3) t += dt;
    if (i % 61 == 50) offset.x() += 2;
    if (i % 83 == 70) extra = extra * Eigen::Quaterniond(Eigen::AngleAxisd(2.2, Vec3(1, 2, 0).normalized()));
    Pose pose = wander(t);
    pose.position += offset, pose.rotation = extra * pose.rotation;
    if (i % 97 == 30) pose.position.y() = NAN;
    if (i % 97 == 31) pose.rotation.w() = INFINITY;
    if (any(random) < 0.3) pose.rotation.coeffs() *= -1;  // the same turn
    frames.push_back({dt, pose});
  }
  EXPECT_LT(difference(part, {}, frames), 2e-5);
}

TEST(LiveStep, FastSpins) {
  ReferencePart part = hand_made_part();
  part.weight_limit = 0;
  std::vector<Frame> frames;
  for (int i = 0; i < 90; ++i) {
    const double t = i / 60.0, angle = 25 * t * t / (t + 0.5);
    frames.push_back({1.0 / 60, turned({0.3, 1, -0.2}, angle, {0.2 * std::cos(angle), 0, 0.2 * std::sin(angle)})});
  }
  EXPECT_LT(difference(part, {}, frames), 1e-5);
}

TEST(LiveStep, TurnsOfNearlyHalfACircleInThreeSteps) {
  ReferencePart part = hand_made_part();
  part.weight_limit = 0;
  std::vector<Frame> frames;
  for (int i = 0; i < 60; ++i)
    frames.push_back({1.0 / 60, turned({0.3, 1, -0.2}, 57 * i / 60.0 * (1 - 0.3 / (1 + i)))});
  EXPECT_LT(difference(part, {}, frames), 1e-5);
}

TEST(LiveStep, ALongStepOfAFastSpinIsStillOnItsCourse) {
  // The course is drawn on by more than a whole turn, so angles must be brought back.
  ReferencePart part = hand_made_part();
  part.weight_limit = 0, part.cut_rad = 0.5;
  for (double rate : {20.0, 35.0, 50.0}) {
    std::vector<Frame> frames;
    double t = 0;
    for (int i = 0; i < 60; ++i) {
      const double dt = i % 15 == 14 ? 0.22 : 1.0 / 144;
      t += dt;
      frames.push_back({dt, turned({0.1, 0.2, 1}, rate * t)});
    }
    EXPECT_LT(difference(part, {}, frames), 2e-5) << rate;
    World world(part);
    bool afresh = false;  // would hang as if it had never moved
    World fresh(part);
    for (size_t i = 0; i < frames.size(); ++i) {
      const auto w = world.step(frames[i].dt, frames[i].pose);
      supple_live_reset(fresh.world, 0);
      afresh |= i % 15 == 14 && w == fresh.step(frames[i].dt, frames[i].pose);
    }
    EXPECT_FALSE(afresh);
  }
}

TEST(LiveStep, SettingsChangedOnTheWay) {
  const ReferencePart part = hand_made_part();
  World world(part);
  ReferenceStepper reference(part);
  double worst = 0;
  for (int round = 0; round < 6; ++round) {
    auto& d = reference.settings.dials;
    d.frequency = 1 + 0.3 * round, d.half_life = 1.0 / (1 + round), d.amplitude = 1 + 0.5 * round;
    reference.settings.gravity.x() = round, reference.settings.active = 5 - round / 2;
    std::vector<Frame> frames;
    for (int i = 0; i < 20; ++i) frames.push_back({1.0 / 60, wander((20 * round + i) / 60.0)});
    worst = std::max(worst, difference(world, reference, frames));
  }
  EXPECT_LT(worst, 1e-5);
}

}  // namespace
}  // namespace live_test
