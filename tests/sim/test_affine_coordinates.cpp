// Vertices under constraints as the unknowns of a body.
#include "supple/sim/affine_coordinates.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "supple/sim/static_solver.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

// A beam whose driven end turns about z, moves along x, and jumps 2 m up at 1 s.
class AffineBeam : public ::testing::Test {
 protected:
  static constexpr double kTurn = 0.8, kSpeed = 0.3;
  class Turning : public Track {
   public:
    explicit Turning(Points rest) : rest_(std::move(rest)) {}
    int n_points() const override { return static_cast<int>(rest_.size()); }
    double duration() const override { return INFINITY; }
    std::vector<double> cuts() const override { return {1.0}; }
    VecX at(double t, int derivative) const override {
      const Mat3 R = Eigen::AngleAxisd(kTurn * t, Vec3::UnitZ()).toRotationMatrix();
      VecX x(3 * static_cast<Eigen::Index>(rest_.size()));
      for (size_t i = 0; i < rest_.size(); ++i) {
        const Vec3 arm = R * rest_[i], spin = kTurn * Vec3::UnitZ();
        const Vec3 there = arm + Vec3(kSpeed * t, t >= 1 ? 2 : 0, 0);
        const Vec3 rate = spin.cross(arm) + Vec3(kSpeed, 0, 0);
        x.segment<3>(3 * static_cast<Eigen::Index>(i)) = derivative == 0   ? there
                                                         : derivative == 1 ? rate
                                                                           : Vec3(spin.cross(spin.cross(arm)));
      }
      return x;
    }

   private:
    Points rest_;
  };

  AffineBeam() : model_(spec()) {
    Points rest;
    for (int v : model_.spec().driven) rest.push_back(model_.mesh().vertices[static_cast<size_t>(v)]);
    drive_.vertices = std::make_shared<Turning>(rest);
  }
  static ModelSpec spec() {
    test::BeamOptions o;
    o.gravity = Vec3(0, -9.81, 0);
    o.mass = MassKind::consistent;
    return test::beam_spec(o);
  }
  AffineCoordinates coordinates() const { return {model_, drive_, {}}; }

  Model model_;
  Drive drive_;
};

TEST_F(AffineBeam, what_is_driven_is_placed_and_the_rest_is_left) {
  const AffineCoordinates c = coordinates();
  State s;
  s.t = 0.5;
  s.u = VecX::Constant(3 * model_.n_vertices(), 0.01);
  c.place(s);
  const VecX there = drive_.vertices->at(0.5, 0);
  std::vector<char> driven(static_cast<size_t>(model_.n_vertices()), 0);
  for (size_t k = 0; k < model_.spec().driven.size(); ++k) {
    const int v = model_.spec().driven[k];
    driven[static_cast<size_t>(v)] = 1;
    const Vec3 x = model_.mesh().vertices[static_cast<size_t>(v)] + s.u.segment<3>(3 * v);
    EXPECT_LT((x - there.segment<3>(3 * static_cast<Eigen::Index>(k))).norm(), 1e-15);
  }
  for (int v = 0; v < model_.n_vertices(); ++v)
    if (!driven[static_cast<size_t>(v)]) {
      EXPECT_EQ(s.u.segment<3>(3 * v), Vec3::Constant(0.01));
    }
}

TEST_F(AffineBeam, how_it_leads_and_jumps) {
  const AffineCoordinates c = coordinates();
  const RigidVelocity v = c.leading_velocity(0.5);
  EXPECT_LT((v.angular - kTurn * Vec3::UnitZ()).norm(), 1e-12);
  const Vec3 about = v.linear + v.angular.cross(Vec3(kSpeed * 0.5, 0, 0) - v.centre);
  EXPECT_LT((about - Vec3(kSpeed, 0, 0)).norm(), 1e-12);
  ASSERT_EQ(c.cuts(), std::vector<double>{1.0});
  const RigidMotion jump = c.jump(1 - 1e-6, 1);
  EXPECT_LT((jump.R - Mat3::Identity()).norm(), 1e-9);
  EXPECT_LT((jump(Vec3(1, 2, 3)) - Vec3(1, 4, 3)).norm(), 1e-9);
  const RigidMotion motion = c.leading_motion(0, 0.5);
  EXPECT_LT((motion(Vec3(1, 0, 0)) - Vec3(std::cos(0.4) + 0.15, std::sin(0.4), 0)).norm(), 1e-12);
  EXPECT_FALSE(AffineCoordinates(model_, {}, {}).has_leading());
}

// Both ways to accelerations, by a factor and by iterations, meet M a + r = 0 on what is free.
TEST_F(AffineBeam, accelerations_balance_what_is_left) {
  AffineCoordinates c = coordinates();
  VecX r(3 * model_.n_vertices());
  for (Eigen::Index i = 0; i < r.size(); ++i) r[i] = std::sin(1.7 * static_cast<double>(i));
  for (const bool start : {true, false}) {
    const VecX a = c.acceleration({}, r, start);
    EXPECT_GT(a.norm(), 1);
    const VecX left = c.map().restrict_(VecX(model_.mass()->multiply(a) + r));
    EXPECT_LT(left.cwiseAbs().maxCoeff(), 1e-9) << start;
    for (int v : model_.spec().driven) EXPECT_EQ(a.segment<3>(3 * v), Vec3::Zero());
  }
}

TEST_F(AffineBeam, equilibria_are_those_of_statics) {
  AffineCoordinates c = coordinates();
  const VecX u = c.equilibrium(0.3, VecX());
  const VecX exact = StaticSolver(model_, drive_, "auto", 1e-10).solve(0.3, VecX()).u;
  EXPECT_LT((u - exact).cwiseAbs().maxCoeff(), 1e-4 * exact.cwiseAbs().maxCoeff());
  NewtonReport report;
  const int tip = model_.n_vertices() - 1;
  report.worst_vertex = c.map().free_index(tip);
  EXPECT_EQ(c.place_of(report), model_.part_of(tip));
}

}  // namespace
}  // namespace supple
