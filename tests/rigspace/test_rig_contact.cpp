#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "supple/anim/track.h"
#include "supple/rigspace/rig_stepper.h"
#include "tests/rigspace/simple_rigs.h"

namespace supple {

using test::rigged_beam;
using test::RiggedBeam;
using test::TwistRig;

namespace {

const test::BeamOptions kDropped{
    .nx = 4, .ny = 2, .nz = 2, .size = Vec3(0.2, 0.12, 0.12), .gravity = Vec3(0, -9.81, 0)};

ContactSpec on_a_floor(const RiggedBeam& b, double height) {
  ContactSpec c;
  for (int v : b.spec.rigged) c.anchors.push_back(ContactAnchor::at(v));
  std::vector<int> source;
  const TriMesh skin = boundary_surface(b.spec.model.mesh, &source);
  std::vector<int> row(b.spec.model.mesh.vertices.size(), -1);
  for (size_t k = 0; k < b.spec.rigged.size(); ++k) row[static_cast<size_t>(b.spec.rigged[k])] = static_cast<int>(k);
  for (const Tri& t : skin.triangles) {
    Tri mine;
    for (size_t k = 0; k < 3; ++k) mine[k] = row[static_cast<size_t>(source[static_cast<size_t>(t[k])])];
    c.triangles.push_back(mine);
  }
  c.body.assign(c.anchors.size(), 0);
  c.bodies = {"beam"};
  c.planes = {{.normal = Vec3::UnitY(), .offset = height}};
  c.thickness = 0.005;
  return c;
}

double lowest(const RigBody& body, const VecX& u) {
  double y = 1e9;
  for (int v : body.rigged()) y = std::min(y, body.model().mesh().vertices[static_cast<size_t>(v)][1] + u[3 * v + 1]);
  return y;
}

}  // namespace

TEST(RigContact, ABodyComesToRestOnTheFloor) {
  for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
    RiggedBeam b = rigged_beam(kDropped, 0.005);
    b.spec.model.contact = on_a_floor(b, -0.05);
    const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
    RigStepOptions o;
    o.integrator = integrator;
    RigStepper stepper(body, {TwistRig::scale, TwistRig::bend, TwistRig::turn, 3, 4, 5}, nullptr, o);
    State s = stepper.start(0);
    double fastest = 0;
    int iterations = 0, factorizations = 0;
    for (int k = 0; k < 48; ++k) {
      const StepReport r = stepper.step(s, (k + 1) / 48.0 - s.t);
      iterations += r.newton_iterations, factorizations += r.factorizations;
      EXPECT_GT(lowest(body, s.u), -0.05) << k;
      EXPECT_EQ(r.contact.tangled, 0);
      fastest = std::max(fastest, s.v.cwiseAbs().maxCoeff());
    }
    EXPECT_GT(fastest, 0.5);
    EXPECT_LT(s.v.cwiseAbs().maxCoeff(), 0.05 * fastest);
    EXPECT_LT(lowest(body, s.u), -0.05 + 0.0051);
    // The interior does not feel it, nor steps that differ by rounding: its factor is kept.
    EXPECT_LT(factorizations, iterations / 4);
  }
}

TEST(RigContact, WhatIsKeyedDoesNotPushTheRestThroughTheFloor) {
  RiggedBeam b = rigged_beam(kDropped, 0.005);
  b.spec.model.contact = on_a_floor(b, -0.02);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  // Turned fast with one end free to give way upwards.
  const auto keyed = [](double t) {
    VecX p = VecX::Zero(7);
    p[TwistRig::turn] = -2 * t;
    return p;
  };
  RigStepper stepper(body, {TwistRig::move + 1}, keyed, {});
  State s = stepper.start(0);
  int iterations = 0;
  for (int k = 0; k < 24; ++k) {
    iterations += stepper.step(s, 1 / 48.0).newton_iterations;
    EXPECT_GT(lowest(body, s.u), -0.02) << k;
  }
  EXPECT_LT(iterations, 24 * 6);
  EXPECT_NEAR(s.q[TwistRig::turn], -1, 1e-9);
  EXPECT_GT(s.q[TwistRig::move + 1], 0.05);
}

namespace {

// A plate at a height, beside what is in contact with itself alone.
ContactSpec above_a_plate(const RiggedBeam& b, double height) {
  ContactSpec c = on_a_floor(b, 0);
  c.planes.clear();
  const int first = static_cast<int>(c.anchors.size());
  for (const Vec3& x : {Vec3(-1, height, -1), Vec3(-1, height, 1), Vec3(1, height, 1), Vec3(1, height, -1)}) {
    c.anchors.push_back({});
    c.body.push_back(1);
    c.obstacle_rest.push_back(x);
  }
  c.bodies.push_back("plate");
  c.triangles.push_back({first, first + 1, first + 2});
  c.triangles.push_back({first, first + 2, first + 3});
  return c;
}

}  // namespace

// A plate from below lifts a body that floats.
TEST(RigContact, AnObstacleThatMovesPushesTheBody) {
  RiggedBeam b = rigged_beam(kDropped, 0.005);
  b.spec.model.gravity.setZero();
  const ContactSpec c = above_a_plate(b, -0.1);
  b.spec.model.contact = c;
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const auto height = [](double t) { return -0.1 + 0.5 * t; };
  const std::shared_ptr<const Track> plate = make_function_track(4, [&](double t, int derivative) {
    VecX x = flatten(c.obstacle_rest);
    for (int k = 0; k < 4; ++k) x[3 * k + 1] = height(t);
    return derivative == 0 ? x : VecX(VecX::Zero(12));
  });
  RigStepper stepper(body, {TwistRig::scale, TwistRig::move + 1}, nullptr, {}, nullptr, {}, plate);
  State s = stepper.start(0);
  for (int k = 0; k < 24; ++k) {
    stepper.step(s, 1 / 48.0);
    EXPECT_GT(lowest(body, s.u), height(s.t)) << k;
  }
  EXPECT_GT(s.q[TwistRig::move + 1], 0.14);
}

// Ten times its own height in a step, onto a plate as thin as can be.
TEST(RigContact, NothingPassesThroughAThinPlate) {
  for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
    RiggedBeam b = rigged_beam(kDropped, 0.005);
    b.spec.model.contact = above_a_plate(b, -0.3);
    const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
    RigStepOptions o;
    o.integrator = integrator;
    RigStepper stepper(body, {TwistRig::scale, TwistRig::turn, TwistRig::move + 1}, nullptr, o);
    State s = stepper.start(0);
    for (int v = 0; v < body.n_vertices(); ++v) s.v[3 * v + 1] = -30;
    for (int k = 0; k < 12; ++k) {
      stepper.step(s, 0.04);
      EXPECT_GT(lowest(body, s.u), -0.3) << k;
    }
  }
}

// Two plates close in on a body that can only rise and fall, to a sixth of its height, and part again.
TEST(RigContact, WhatCannotGiveWayIsLetGoOf) {
  RiggedBeam b = rigged_beam(kDropped, 0.005);
  b.spec.model.gravity.setZero();
  ContactSpec c = above_a_plate(b, -0.02);
  const int first = static_cast<int>(c.anchors.size());
  for (const Vec3& x : {Vec3(-1, 0.14, -1), Vec3(1, 0.14, -1), Vec3(1, 0.14, 1), Vec3(-1, 0.14, 1)}) {
    c.anchors.push_back({});
    c.body.push_back(2);
    c.obstacle_rest.push_back(x);
  }
  c.bodies.push_back("lid");
  c.triangles.push_back({first, first + 1, first + 2});
  c.triangles.push_back({first, first + 2, first + 3});
  b.spec.model.contact = c;
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const std::shared_ptr<const Track> plates = make_function_track(8, [&](double t, int derivative) {
    VecX x = flatten(c.obstacle_rest);
    const double way = 0.035 * (1 - std::cos(2 * M_PI * std::min(t, 1.0)));
    for (int k = 0; k < 8; ++k) x[3 * k + 1] += k < 4 ? way : -way;
    return derivative == 0 ? x : VecX(VecX::Zero(24));
  });
  RigStepper stepper(body, {TwistRig::move + 1}, nullptr, {}, nullptr, {}, plates);
  State s = stepper.start(0);
  int let_go = 0, tangled = 0, last_tangled = 0;
  for (int k = 0; k < 36; ++k) {
    const StepReport r = stepper.step(s, (k + 1) / 24.0 - s.t);
    let_go = std::max(let_go, r.contact.let_go);
    tangled = std::max(tangled, r.contact.tangled), last_tangled = r.contact.tangled;
  }
  EXPECT_NEAR(s.t, 1.5, 1e-12);
  EXPECT_GT(let_go, 0);
  EXPECT_GT(tangled, 0);
  EXPECT_EQ(last_tangled, 0);
  EXPECT_LT(std::abs(s.q[TwistRig::move + 1]), 0.1);
}

}  // namespace supple
