// The C runtime, fed poses only, against a fine integration of the modes of flesh on a bone whose path is known as a
// formula. This is about the physics of the step (what it makes of poses), not about how it was written down.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "live_world.h"

namespace live_test {
namespace {

using Motion = std::function<Pose(double)>;
using State = Eigen::VectorXd;

struct Twist {
  Vec3 omega, alpha, a;  // body axes
};

// From the formula by central differences, of sixth order in a small step.
Twist twist(const Motion& motion, double t) {
  const double h = 2e-3, first[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60},
               second[4] = {-490.0 / 180, 270.0 / 180, -27.0 / 180, 2.0 / 180};
  const Pose here = motion(t);
  const Eigen::Matrix3d R = here.rotation.toRotationMatrix();
  Eigen::Matrix3d R1 = Eigen::Matrix3d::Zero(), R2 = second[0] * R;
  Vec3 c2 = second[0] * here.position;
  for (int k = 1; k <= 3; ++k) {
    const Pose ahead = motion(t + k * h), behind = motion(t - k * h);
    const Eigen::Matrix3d Ra = ahead.rotation.toRotationMatrix(), Rb = behind.rotation.toRotationMatrix();
    R1 += first[k - 1] * (Ra - Rb), R2 += second[k] * (Ra + Rb);
    c2 += second[k] * (ahead.position + behind.position);
  }
  R1 /= h, R2 /= h * h, c2 /= h * h;
  const auto axis = [](const Eigen::Matrix3d& W) -> Vec3 {
    return Vec3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1)) / 2;
  };
  const Eigen::Matrix3d W = R.transpose() * R1, W1 = R1.transpose() * R1 + R.transpose() * R2;
  return {axis(W), axis(W1), R.transpose() * c2};
}

// z'' + 2 d z' + K z = forcing of the true motion, by Runge-Kutta; values at the times asked for.
std::vector<State> integrate(const ReferencePart& part, const Motion& motion, double end, int fine, int every) {
  const auto n = Eigen::Index(part.modes.size());
  const Vec3 gravity(0, -9.81, 0);
  const auto derivative = [&](double t, const State& y) {
    const Twist b = twist(motion, t);
    const Vec3 lean = motion(t).rotation.conjugate() * gravity - part.rest_gravity;
    State out(2 * n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& m = part.modes[size_t(i)];
      const auto& H = m.transfer;
      const auto& C = m.centrifugal;
      const Vec3 push = b.a - lean, &o = b.omega;
      double f = H[0] * b.alpha.x() + H[1] * b.alpha.y() + H[2] * b.alpha.z() + H[3] * push.x() + H[4] * push.y() +
                 H[5] * push.z();
      f += C[0] * o.x() * o.x() + C[1] * o.y() * o.y() + C[2] * o.z() * o.z() + C[3] * o.x() * o.y() +
           C[4] * o.x() * o.z() + C[5] * o.y() * o.z();
      for (size_t l = 0; l < m.coriolis.size(); ++l)
        f += (m.coriolis[l][0] * o.x() + m.coriolis[l][1] * o.y() + m.coriolis[l][2] * o.z()) * y[n + Eigen::Index(l)];
      out[i] = y[n + i];
      out[n + i] = f - 2 * m.decay * y[n + i] - std::pow(2 * M_PI * m.frequency_hz, 2) * y[i];
    }
    return out;
  };
  State y = State::Zero(2 * n);
  {  // starts at rest, hanging
    const Vec3 lean = motion(0).rotation.conjugate() * gravity - part.rest_gravity;
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& m = part.modes[size_t(i)];
      y[i] = -Vec3(m.transfer[3], m.transfer[4], m.transfer[5]).dot(lean) / std::pow(2 * M_PI * m.frequency_hz, 2);
    }
  }
  std::vector<State> out = {y.head(n)};
  const double h = 1.0 / fine;
  for (int s = 0; s < int(std::lround(end * fine)); ++s) {
    const double t = s * h;
    const State k1 = derivative(t, y), k2 = derivative(t + h / 2, y + h / 2 * k1),
                k3 = derivative(t + h / 2, y + h / 2 * k2), k4 = derivative(t + h, y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    if ((s + 1) % every == 0) out.push_back(y.head(n));
  }
  return out;
}

// Root of the summed squares of the error, over that of the motion about its mean place.
double error(const ReferencePart& part, const Motion& motion, double end, int fps, int fine) {
  const auto truth = integrate(part, motion, end, fine, fine / fps);
  World world(part);
  double wrong = 0, all = 0;
  State mean = State::Zero(truth[0].size());
  for (const auto& y : truth) mean += y / double(truth.size());
  for (size_t f = 0; f < truth.size(); ++f) {
    const auto w = world.step(1.0 / fps, motion(double(f) / fps));
    for (size_t i = 0; i < w.size(); ++i) {
      wrong += std::pow(w[i] - truth[f][Eigen::Index(i)], 2);
      all += std::pow(truth[f][Eigen::Index(i)] - mean[Eigen::Index(i)], 2);
    }
  }
  EXPECT_GT(all, 1e-6);
  return std::sqrt(wrong / all);
}

double smooth(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * x * x * (35 + x * (-84 + x * (70 - 20 * x)));
}

ReferencePart free_part() {
  ReferencePart part = hand_made_part();
  part.weight_limit = 0;
  for (auto& m : part.modes)
    for (auto& c : m.coriolis) c[0] *= 3, c[1] *= 3, c[2] *= 3;  // so that leaving it out would show
  return part;
}

void converges(const Motion& motion, double at_60) {
  const ReferencePart part = free_part();
  const double e60 = error(part, motion, 1.2, 60, 1440), e120 = error(part, motion, 1.2, 120, 1440),
               e240 = error(part, motion, 1.2, 240, 1440);
  ::testing::Test::RecordProperty("at_60",
                                  std::to_string(e60) + " " + std::to_string(e120) + " " + std::to_string(e240));
  EXPECT_LT(e60, at_60);
  EXPECT_LT(e120, e60 / 2.5);
  EXPECT_LT(e240, std::max(e120 / 2.5, 5e-5));
}

TEST(LivePhysics, YankConverges) {
  converges(
      [](double t) {
        return turned({0, 1, 0}, 0.4, {0.3 * smooth(t / 0.35 - 0.1), 0.1 * smooth(t / 0.35 - 0.1), 0});
      },
      2e-3);
}
TEST(LivePhysics, SpinConverges) {
  converges(
      [](double t) {
        const double angle = 6 * t * smooth(t / 0.8);
        return turned({0.2, 1, -0.3}, angle, {0.1 * std::cos(angle), 0, 0.1 * std::sin(angle)});
      },
      6e-3);
}
TEST(LivePhysics, ShakeConverges) {
  converges(
      [](double t) {
        const double on = smooth(t / 0.5);
        return Pose{Vec3(0.04 * on * std::sin(17 * t), 0.03 * on * std::sin(23 * t), 0),
                    Eigen::Quaterniond(Eigen::AngleAxisd(0.4 * on * std::sin(15 * t), Vec3(0, 1, 0.3).normalized()) *
                                       Eigen::AngleAxisd(0.3 * on * std::sin(11 * t + 1), Vec3::UnitX()))};
      },
      2e-3);
}

TEST(LivePhysics, EveryTermIsNeeded) {
  const Motion spin = [](double t) {
    const double angle = 6 * t * smooth(t / 0.8);
    return turned({0.2, 1, -0.3}, angle, {0.1 * std::cos(angle), 0, 0.1 * std::sin(angle)});
  };
  const ReferencePart part = free_part();
  const double whole = error(part, spin, 1.2, 120, 1440);
  const auto truth = integrate(part, spin, 1.2, 1440, 12);
  for (int without = 0; without < 3; ++without) {
    World world(part);
    ReferenceSettings s;
    s.coriolis = without != 0, s.centrifugal = without != 1, s.use_gravity = without != 2;
    world.use(s);
    double wrong = 0, all = 0;
    for (size_t f = 0; f < truth.size(); ++f) {
      const auto w = world.step(1.0 / 120, spin(double(f) / 120));
      for (size_t i = 0; i < w.size(); ++i)
        wrong += std::pow(w[i] - truth[f][Eigen::Index(i)], 2), all += std::pow(truth[f][Eigen::Index(i)], 2);
    }
    EXPECT_GT(std::sqrt(wrong / all), 10 * whole) << without;
  }
}

TEST(LivePhysics, FrameRateDoesNotMatter) {
  // Motion of up to 5 Hz in all six directions; flesh of twelve modes from 2.5 to 25 Hz.
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const int waves = 12;
  std::vector<std::array<double, 12>> amplitude(waves);
  for (int k = 0; k < waves; ++k)
    for (double& a : amplitude[size_t(k)]) a = 0.07 * normal(random) / (0.3 + 4.7 * k / (waves - 1));
  const Motion motion = [&](double t) {
    Eigen::Matrix<double, 6, 1> x = Eigen::Matrix<double, 6, 1>::Zero();
    for (int k = 0; k < waves; ++k) {
      const double phase = 2 * M_PI * (0.3 + 4.7 * k / (waves - 1)) * t;
      for (int c = 0; c < 6; ++c) {
        const double scale = (c < 3 ? 1 : 3) * smooth(t);
        x[c] += scale * (amplitude[size_t(k)][size_t(c)] * std::sin(phase) +
                         amplitude[size_t(k)][size_t(c + 6)] * std::cos(phase));
      }
    }
    const Vec3 turn = x.tail<3>();
    return turned(turn.norm() > 0 ? turn : Vec3(1, 0, 0), turn.norm(), x.head<3>());
  };
  ReferencePart part;
  const double hz[12] = {2.5, 3, 3.4, 4.5, 6, 7, 8, 9.5, 11, 14, 18, 25};
  for (int i = 0; i < 12; ++i) {
    ReferenceMode m;
    m.frequency_hz = hz[i], m.decay = 1.4 * std::pow(hz[i] / 2.5, 2);
    for (size_t k = 0; k < 6; ++k) {
      m.transfer[k] = -normal(random) * (k < 3 ? 0.1 : 1) / (1 + i);
      m.centrifugal[k] = -0.1 * normal(random) / (1 + i);
    }
    part.modes.push_back(m);
  }
  const double bounds[3][2] = {{30, 0.02}, {60, 0.002}, {144, 0.0002}};
  for (const auto& b : bounds) {
    const double e = error(part, motion, 4, int(b[0]), 1440);
    RecordProperty("at_" + std::to_string(int(b[0])), std::to_string(e));
    EXPECT_LT(e, b[1]) << b[0];
  }
}

}  // namespace
}  // namespace live_test
