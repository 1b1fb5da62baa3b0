// Keys of sampled curves: the error holds as a file plays them, and no choice is smaller.
#include "supple/anim/key_reduction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "supple/base/error.h"

namespace supple {
namespace {

struct Sampled {
  std::vector<double> times, values;
  int width = 1;
  size_t size() const { return times.size(); }
  std::vector<double> at(size_t k) const {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(k) * width;
    return {first, first + width};
  }
};

double apart(const std::vector<double>& a, const std::vector<double>& b, KeyMeasure measure) {
  if (measure == KeyMeasure::angle)
    return Quat(a[3], a[0], a[1], a[2]).angularDistance(Quat(b[3], b[0], b[1], b[2]).normalized());
  double sum = 0;
  for (size_t c = 0; c < a.size(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return std::sqrt(sum);
}

// As a file holds them.
ReducedKeys in_floats(ReducedKeys keys, double shift = 0) {
  for (double& t : keys.times) t = static_cast<double>(static_cast<float>(t + shift)) - shift;
  for (double& x : keys.values) x = static_cast<double>(static_cast<float>(x));
  return keys;
}

double worst_of(const Sampled& s, const ReducedKeys& keys, KeyMeasure measure) {
  double worst = 0;
  for (size_t k = 0; k < s.size(); ++k)
    worst = std::max(worst, apart(play_keys(keys, s.width, measure, s.times[k]), s.at(k), measure));
  return worst;
}

// Smooth, with a kink and a hold, and some noise.
Sampled random_curve(unsigned seed, size_t n, int width) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  Sampled s{{}, {}, width};
  std::vector<double> phase(static_cast<size_t>(width)), rate(phase.size());
  for (size_t c = 0; c < phase.size(); ++c) phase[c] = 3 * any(random), rate[c] = 4 + 3 * any(random);
  for (size_t k = 0; k < n; ++k) {
    const double t = static_cast<double>(k) / 24;
    s.times.push_back(t);
    for (size_t c = 0; c < phase.size(); ++c) {
      const double held = std::min(t, 1.5);
      s.values.push_back(std::sin(rate[c] * held + phase[c]) + std::abs(held - 0.7) + 1e-3 * any(random));
    }
  }
  return s;
}

// Turns about an axis that wanders; `turns` of the whole circle altogether.
Sampled random_turns(unsigned seed, size_t n, double turns) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  const Vec3 first = Vec3(any(random), any(random), any(random)).normalized(),
             second = Vec3(any(random), any(random), any(random)).normalized();
  Sampled s{{}, {}, 4};
  for (size_t k = 0; k < n; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(n - 1);
    s.times.push_back(static_cast<double>(k) / 30);
    const Quat q =
        Eigen::AngleAxisd(2 * M_PI * turns * share, first) * Eigen::AngleAxisd(0.5 * std::sin(9 * share), second);
    const double sign = any(random) < 0 ? -1 : 1;  // both mean the same turn
    for (const double x : {q.x(), q.y(), q.z(), q.w()}) s.values.push_back(sign * x);
  }
  return s;
}

class KeyReduction : public testing::TestWithParam<Interpolation> {};
INSTANTIATE_TEST_SUITE_P(Both, KeyReduction, testing::Values(Interpolation::linear, Interpolation::cubic));

TEST_P(KeyReduction, the_error_holds_on_random_curves) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Sampled s = random_curve(seed, 30 + 11 * seed, 1 + static_cast<int>(seed % 5));
    size_t last = SIZE_MAX;
    for (const double error : {1e-4, 0.003, 0.02, 0.2}) {
      const ReducedKeys keys = reduce_keys(s.times, s.values, s.width, error, KeyMeasure::distance, GetParam());
      EXPECT_EQ(keys.interpolation, GetParam());
      const double worst = worst_of(s, in_floats(keys), KeyMeasure::distance);
      EXPECT_LE(worst, error);
      EXPECT_NEAR(worst, keys.largest_error, 1e-12);
      EXPECT_EQ(in_floats(keys).values, keys.values);
      EXPECT_LE(keys.times.size(), last);
      last = keys.times.size();
      EXPECT_NEAR(keys.times.front(), s.times.front(), 1e-7);
      EXPECT_NEAR(keys.times.back(), s.times.back(), 1e-6);
    }
    EXPECT_LT(last, s.size() / 3);
  }
}

TEST_P(KeyReduction, the_error_holds_on_turns) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const double turns = 0.2 * seed;
    const Sampled s = random_turns(seed, 120, turns);
    for (const double error : {1e-5, 0.002, 0.05, 3.1}) {
      const ReducedKeys keys = reduce_keys(s.times, s.values, 4, error, KeyMeasure::angle, GetParam());
      EXPECT_LE(worst_of(s, in_floats(keys), KeyMeasure::angle), error) << turns;
      EXPECT_LE(keys.largest_error, error);
      if (error > 0.01) {
        EXPECT_LT(keys.times.size(), 40u);
      }
      // Signs do not jump from key to key.
      const size_t stride = GetParam() == Interpolation::cubic ? 12 : 4, value = stride == 12 ? 4 : 0;
      for (size_t i = 1; i < keys.times.size(); ++i) {
        double along = 0;
        for (size_t c = value; c < value + 4; ++c)
          along += keys.values[i * stride + c] * keys.values[(i - 1) * stride + c];
        EXPECT_GE(along, 0);
      }
    }
  }
}

// Blender mixes rotations number by number, which is slow at keys and fast between. At a steady rate an arc of any
// length below half a turn would do for others.
TEST(KeyReductionLinear, turns_hold_the_error_mixed_number_by_number) {
  Sampled s{{}, {}, 4};
  for (int k = 0; k < 200; ++k) {
    s.times.push_back(k / 30.0);
    s.values.insert(s.values.end(), {0, std::sin(0.05 * k), 0, std::cos(0.05 * k)});
  }
  const double error = 0.004;
  const ReducedKeys keys = reduce_keys(s.times, s.values, 4, error, KeyMeasure::angle, Interpolation::linear);
  EXPECT_LT(keys.times.size(), 30u);
  EXPECT_GT(keys.times.size(), 10u);
  double worst = 0;
  for (size_t k = 0; k < s.size(); ++k) {
    const std::vector<double> mixed = play_keys(keys, 4, KeyMeasure::distance, s.times[k]);
    const Quat q = Quat(mixed[3], mixed[0], mixed[1], mixed[2]).normalized();
    worst = std::max(worst, apart({q.x(), q.y(), q.z(), q.w()}, s.at(k), KeyMeasure::angle));
  }
  EXPECT_LE(worst, error);
  EXPECT_GT(worst, error / 10);
  EXPECT_NEAR(keys.largest_error, worst, 1e-9);
}

// All choices of keys, one by one, with sums of the test's own.
TEST(KeyReductionLinear, no_choice_of_keys_is_smaller) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const size_t n = 13;
    Sampled s = random_curve(seed, n, 2);
    const double error = 0.05;
    size_t fewest = n;
    for (unsigned choice = 0; choice < 1u << (n - 2); ++choice) {
      ReducedKeys keys;
      for (size_t k = 0; k < n; ++k) {
        if (k > 0 && k + 1 < n && !(choice >> (k - 1) & 1u)) continue;
        keys.times.push_back(s.times[k]);
        const std::vector<double> x = s.at(k);
        keys.values.insert(keys.values.end(), x.begin(), x.end());
      }
      if (keys.times.size() < fewest && worst_of(s, keys, KeyMeasure::distance) <= error) fewest = keys.times.size();
    }
    EXPECT_LT(fewest, n);
    EXPECT_GT(fewest, 2u);
    const ReducedKeys keys = reduce_keys(s.times, s.values, 2, error, KeyMeasure::distance, Interpolation::linear);
    EXPECT_EQ(keys.times.size(), fewest) << seed;
  }
}

TEST_P(KeyReduction, what_stands_still_has_two_keys_and_one_sample_one) {
  Sampled s{{}, {}, 3};
  for (int k = 0; k < 2000; ++k) {
    s.times.push_back(k / 24.0);
    s.values.insert(s.values.end(), {0.1, -7.3, 1e5});
  }
  for (const double error : {0.0, 0.01}) {
    const ReducedKeys keys = reduce_keys(s.times, s.values, 3, error, KeyMeasure::distance, GetParam());
    EXPECT_EQ(keys.times.size(), 2u);
    EXPECT_LT(keys.largest_error, 0.005);
    if (GetParam() == Interpolation::cubic) {
      EXPECT_EQ(keys.values[0], 0);
      EXPECT_EQ(keys.values[6], 0);
    }
  }
  const ReducedKeys one = reduce_keys({0.5}, {1, 2, 3}, 3, 0, KeyMeasure::distance, GetParam());
  EXPECT_EQ(one.interpolation, Interpolation::linear);  // a spline of one key is none
  EXPECT_EQ(one.times, std::vector<double>{0.5});
  EXPECT_EQ(one.values, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(play_keys(one, 3, KeyMeasure::distance, 9), (std::vector<double>{1, 2, 3}));
}

// Holds longer than a segment may be while searching: joined afterwards.
TEST(KeyReductionLinear, long_holds_are_one_segment) {
  Sampled s{{}, {}, 1};
  for (int k = 0; k < 3000; ++k) {
    s.times.push_back(k / 24.0);
    s.values.push_back(k < 1400 ? 1 : k < 1500 ? 1 + 0.25 * (k - 1400) : 26);
  }
  const ReducedKeys keys = reduce_keys(s.times, s.values, 1, 1e-3, KeyMeasure::distance, Interpolation::linear);
  EXPECT_EQ(keys.times.size(), 4u);
}

TEST(KeyReductionLinear, error_zero_keeps_what_no_line_passes) {
  Sampled s{{}, {}, 1};
  for (int k = 0; k < 40; ++k) {
    s.times.push_back(k / 24.0);
    s.values.push_back(k < 20 ? 0.1 * k : 2 + std::sin(0.3 * (k - 20)));
  }
  const ReducedKeys keys = reduce_keys(s.times, s.values, 1, 0, KeyMeasure::distance, Interpolation::linear);
  EXPECT_EQ(keys.times.size(), 21u);  // both ends of the straight part and all that follows
  EXPECT_LT(keys.largest_error, 1e-6);
}

TEST(KeyReductionCubic, a_cubic_is_one_piece_and_splines_are_fewer_than_lines) {
  Sampled cubic{{}, {}, 2}, wave{{}, {}, 1};
  for (int k = 0; k < 49; ++k) {
    const double t = k / 24.0;
    cubic.times.push_back(t), wave.times.push_back(t);
    cubic.values.insert(cubic.values.end(), {1 - 2 * t + 3 * t * t - t * t * t, 0.5 * t * t * t});
    wave.values.push_back(std::sin(6 * t));
  }
  const ReducedKeys one = reduce_keys(cubic.times, cubic.values, 2, 1e-4, KeyMeasure::distance, Interpolation::cubic);
  ASSERT_EQ(one.times.size(), 2u);
  // The first tangent is the derivative there: -2 and 0 a second.
  EXPECT_NEAR(one.values[0], -2, 0.01);
  EXPECT_NEAR(one.values[1], 0, 0.01);
  EXPECT_EQ(one.values[0], one.values[4]);
  const size_t lines =
      reduce_keys(wave.times, wave.values, 1, 1e-3, KeyMeasure::distance, Interpolation::linear).times.size();
  const ReducedKeys spline = reduce_keys(wave.times, wave.values, 1, 1e-3, KeyMeasure::distance, Interpolation::cubic);
  EXPECT_LT(2 * spline.times.size(), lines);
  // Between the samples it swings no more than the curve does.
  for (double t = 0; t < 2; t += 0.003)
    EXPECT_NEAR(play_keys(spline, 1, KeyMeasure::distance, t)[0], std::sin(6 * t), 2e-3);
}

// Late in a file floats are coarse: 4e-6 s at 100 s.
TEST_P(KeyReduction, rounding_is_that_of_the_file) {
  const double shift = 100.013;
  Sampled s{{}, {}, 1};
  for (int k = 0; k < 60; ++k) {
    s.times.push_back(k / 24.0);
    s.values.push_back(30 * std::sin(5 * k / 24.0));
  }
  const ReducedKeys keys = reduce_keys(s.times, s.values, 1, 2e-3, KeyMeasure::distance, GetParam(), shift);
  EXPECT_LE(worst_of(s, in_floats(keys, shift), KeyMeasure::distance), 2e-3);
  EXPECT_NEAR(worst_of(s, in_floats(keys, shift), KeyMeasure::distance), keys.largest_error, 1e-9);
  for (const double t : keys.times) EXPECT_LT(std::abs(std::remainder(t, 1 / 24.0)), 1e-5);
  // What floats cannot hold is told.
  const ReducedKeys exact = reduce_keys(s.times, s.values, 1, 0, KeyMeasure::distance, GetParam(), shift);
  EXPECT_GT(exact.largest_error, 1e-6);
  EXPECT_LT(exact.largest_error, 2e-3);
}

TEST(KeyReductionFaults, are_told) {
  const auto fault = [](const std::vector<double>& times, const std::vector<double>& values, int width, double error,
                        KeyMeasure measure = KeyMeasure::distance) -> std::string {
    try {
      reduce_keys(times, values, width, error, measure, Interpolation::linear);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(fault({0, 1}, {1, 2}, 1, 0), "");
  EXPECT_NE(fault({}, {}, 1, 0), "");
  EXPECT_NE(fault({0, 1}, {1, 2, 3}, 1, 0), "");
  EXPECT_NE(fault({0, 1}, {1, 2}, 0, 0), "");
  EXPECT_NE(fault({0, 0}, {1, 2}, 1, 0), "");
  EXPECT_NE(fault({0, 1}, {1, 2}, 1, -1), "");
  EXPECT_NE(fault({0, 1}, {1, 2}, 1, NAN), "");
  EXPECT_NE(fault({1000, 1000.00001}, {1, 2}, 1, 0).find("sample 1"), std::string::npos);
  EXPECT_NE(fault({0, NAN}, {1, 2}, 1, 0).find("sample 1"), std::string::npos);
  EXPECT_NE(fault({0, 1}, {1, NAN}, 1, 0).find("sample 1"), std::string::npos);
  EXPECT_NE(fault({0, 1}, {1, 1e39}, 1, 0).find("sample 1"), std::string::npos);
  EXPECT_NE(fault({0}, {0, 0, 0, 0}, 4, 0, KeyMeasure::angle).find("sample 0"), std::string::npos);
  EXPECT_NE(fault({0}, {1, 0, 0}, 3, 0, KeyMeasure::angle), "");
}

}  // namespace
}  // namespace supple
