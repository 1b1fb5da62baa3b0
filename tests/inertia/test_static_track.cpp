#include "supple/inertia/static_track.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/inertia/amplitude.h"
#include "supple/inertia/frames.h"
#include "tests/support/beam.h"

namespace supple {

using test::beam_spec;
using test::moved;

// A rigid motion of all vertices gives its rotation at every vertex.
TEST(Frames, RigidMotionGivesItsRotation) {
  const Model model(beam_spec({}));
  const VertexFrames frames(*model.elements());
  const Mat3 R = Eigen::AngleAxisd(2.4, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  VecX u(3 * model.n_vertices());
  for (int i = 0; i < model.n_vertices(); ++i)
    u.segment<3>(3 * i) = R * model.mesh().vertices[i] + Vec3(1, 0, 2) - model.mesh().vertices[i];
  for (const Mat3& r : frames.rotations(u)) EXPECT_LT((r - R).norm(), 1e-12);
}

// While the drive only translates, p is translated without a solve; when it turns, p is solved for.
TEST(StaticTrack, TranslatesWithoutSolving) {
  test::BeamOptions o;
  o.gravity = {0, -9.81, 0};
  const Model model(beam_spec(o));
  auto track = moved(model, [](const Vec3& x, double t, int d) {
    if (d != 0) return Vec3(0, 0, 0);
    const double angle = t > 1 ? 0.3 * (t - 1) : 0;
    return Vec3(Eigen::AngleAxisd(angle, Vec3::UnitZ()) * x + t * Vec3(0.5, 0.1, 0));
  });
  const Drive drive{.vertices = track};
  StaticTrack p(model, drive, {.knot_spacing = 0.25, .tolerance = 1e-9});
  StaticSolver direct(model, drive, "auto", 1e-9);
  for (double t : {0.0, 0.5, 1.0, 1.5, 2.0}) {
    const VecX got = p.at(t), exact = direct.solve(t, VecX()).u;
    EXPECT_LT((got - exact).cwiseAbs().maxCoeff(), 1e-7) << t;
  }
  EXPECT_EQ(p.solves(), 5);  // the first, and the four knots from 1.25 s on
  EXPECT_EQ(p.unconverged(), 0);
}

// Gravity turned together with body and drive turns the answer: q does not see the turn.
TEST(StaticTrack, LocalDisplacementIsInTheFrameOfTheBody) {
  const Model model(beam_spec({}));
  const VertexFrames frames(*model.elements());
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(0, 1, 1).normalized()).toRotationMatrix();
  VecX p(zero.size()), u(zero.size()), d = 1e-3 * VecX::Random(zero.size());
  for (int i = 0; i < model.n_vertices(); ++i) {
    const Vec3& x = model.mesh().vertices[i];
    p.segment<3>(3 * i) = R * x - x;
    u.segment<3>(3 * i) = R * (x + d.segment<3>(3 * i)) - x;
  }
  EXPECT_LT((local_displacement(frames, u, p) - d).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ((local_displacement(frames, d, zero) - d).cwiseAbs().maxCoeff(), 0);
}

// Eq. 5 for a body that swings as one: q = s sin(wt) everywhere gives A^2 = integral of s^2 sin^2.
TEST(Amplitude, OfAUniformSwing) {
  const Model model(beam_spec({}));
  Amplitude a(*model.mass());
  const int n = 1000;
  const double T = 2, s = 0.03, w = 2 * M_PI * 3;
  VecX q = VecX::Zero(3 * model.n_vertices());
  for (int i = 1; i <= n; ++i) {
    for (Eigen::Index k = 0; k < q.size(); k += 3) q[k] = s * std::sin(w * i * T / n);
    a.add(q, T / n);
  }
  EXPECT_NEAR(a.value(), s * std::sqrt(T / 2), 1e-6);
  EXPECT_NEAR(a.time_mean(), s / std::sqrt(2), 1e-6);
  EXPECT_NEAR(a.largest_peak, s, 1e-5);
}

}  // namespace supple
