#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/constraint/springs.h"
#include "tests/rigspace/simple_rigs.h"

namespace supple {

using test::CoordinateRig;
using test::rigged_beam;
using test::RiggedBeam;
using test::TwistRig;

namespace {
const test::BeamOptions kBlock{.nx = 4, .ny = 3, .nz = 3, .size = Vec3(0.3, 0.2, 0.15)};

Vec3 centre_of_mass(const RigBody& body, const Mass& mass) {
  Vec3 sum = Vec3::Zero();
  for (int v = 0; v < body.n_vertices(); ++v)
    sum += mass.per_vertex()[v] * body.model().mesh().vertices[static_cast<size_t>(v)];
  return sum / mass.total();
}
}  // namespace

TEST(RigBody, AffineMotionOfTheSurfaceIsContinuedExactly) {
  // Also where a face is free and the map therefore not harmonic.
  for (bool whole : {true, false}) {
    RiggedBeam b = rigged_beam(kBlock);
    if (!whole) {
      std::vector<int> some;
      for (int v : b.spec.rigged)
        if (b.spec.model.mesh.vertices[static_cast<size_t>(v)][0] < 0.2) some.push_back(v);
      b.spec.rigged = some;
      b.surface.clear();
      for (int v : some) b.surface.push_back(b.spec.model.mesh.vertices[static_cast<size_t>(v)]);
      b.spec.map = identity_map(static_cast<int>(some.size()));
    }
    const RigBody body(b.spec, std::make_shared<CoordinateRig>(b.surface));
    ASSERT_GT(body.n_interior(), 0);
    Mat3 A;
    A << 0.1, -0.4, 0.2, 0.3, 0.5, -0.1, 0.7, 0.2, -0.3;
    VecX expected(3 * body.n_vertices()), given = VecX::Zero(expected.size());
    for (int v = 0; v < body.n_vertices(); ++v)
      expected.segment<3>(3 * v) = A * body.model().mesh().vertices[static_cast<size_t>(v)] + Vec3(1, 2, 3);
    for (int v : body.rigged()) given.segment<3>(3 * v) = expected.segment<3>(3 * v);
    EXPECT_LT((body.extend(given) - expected).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(RigBody, ValuesBetweenAreBounded) {
  const RiggedBeam b = rigged_beam(kBlock);
  const RigBody body(b.spec, std::make_shared<CoordinateRig>(b.surface));
  VecX given = VecX::Zero(3 * body.n_vertices());
  for (int v : body.rigged())
    if (body.model().mesh().vertices[static_cast<size_t>(v)][0] > 0.29) given[3 * v + 1] = 1;
  const VecX u = body.extend(given);
  EXPECT_GT(u.minCoeff(), -0.05);
  EXPECT_LT(u.maxCoeff(), 1.05);
  EXPECT_GT(body.interior().restrict_(u).cwiseAbs().maxCoeff(), 0.05);
}

TEST(RigBody, DerivativesAreThoseOfTheRiggedVertices) {
  const RiggedBeam b = rigged_beam(kBlock);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const std::vector<int> which = {0, 1, 2, 4};
  VecX p(7);
  p << 0.4, -0.2, 1.5, 0.1, 0.2, -0.3, 0.7;
  VecX f = VecX::Random(3 * body.n_vertices());
  const auto rows = [&](const VecX& u) {
    VecX out(3 * static_cast<Eigen::Index>(body.rigged().size()));
    for (size_t k = 0; k < body.rigged().size(); ++k)
      out.segment<3>(3 * static_cast<Eigen::Index>(k)) = u.segment<3>(3 * body.rigged()[k]);
    return out;
  };
  const MatX J = body.rigged_jacobian(p, 0, which), C = body.rigged_curvature(p, 0, which, f);
  const double e = 1e-5;
  for (size_t a = 0; a < which.size(); ++a) {
    VecX more = p, less = p;
    more[which[a]] += e, less[which[a]] -= e;
    const VecX column = rows(body.rigged_displacement(more, 0) - body.rigged_displacement(less, 0)) / (2 * e);
    EXPECT_LT((column - J.col(static_cast<Eigen::Index>(a))).cwiseAbs().maxCoeff(), 1e-8);
    const VecX change =
        (body.rigged_jacobian(more, 0, which) - body.rigged_jacobian(less, 0, which)).transpose() * rows(f) / (2 * e);
    EXPECT_LT((change - C.col(static_cast<Eigen::Index>(a))).cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST(RigBody, AFixedInteriorHandsItsMassToTheSurface) {
  RiggedBeam b = rigged_beam(kBlock);
  for (size_t t = 0; t < b.spec.model.per_tet.size(); ++t)
    b.spec.model.per_tet[t].density =
        500 + 3000 * b.spec.model.mesh.vertices[static_cast<size_t>(b.spec.model.mesh.tets[t][0])][0];
  b.spec.interior = Interior::fixed;
  const RigBody body(b.spec, std::make_shared<CoordinateRig>(b.surface));
  const Mass& whole = *body.model().mass();
  EXPECT_NEAR(body.mass()->total(), whole.total(), 1e-12 * whole.total());
  EXPECT_LT((centre_of_mass(body, *body.mass()) - centre_of_mass(body, whole)).norm(), 1e-12);
  double inside = 0;
  for (int v = 0; v < body.n_vertices(); ++v) {
    EXPECT_GE(body.mass()->per_vertex()[v], 0);
    if (body.interior().free_index(v) < 0) continue;
    EXPECT_EQ(body.mass()->per_vertex()[v], 0);
    inside += whole.per_vertex()[v];
  }
  EXPECT_GT(inside, 0.05 * whole.total());
}

TEST(RigBody, HandlesAreVerticesOfTheirOwn) {
  RiggedBeam b = rigged_beam(kBlock);
  b.spec.handles = {3, 7};
  b.spec.strengths = {10, 20};
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const int n = b.spec.model.mesh.n_vertices();
  ASSERT_EQ(body.n_vertices(), n + 2);
  EXPECT_EQ(body.map().n_rows(), static_cast<int>(b.surface.size()) + 2);
  VecX p = VecX::Zero(7);
  p[TwistRig::turn] = 0.5, p[TwistRig::move] = 0.2;
  const VecX s = TwistRig(b.surface).evaluate(p, 0), u = body.rigged_displacement(p, 0);
  for (int k : {0, 1}) {
    const Vec3 place = body.model().mesh().vertices[static_cast<size_t>(n + k)] + u.segment<3>(3 * (n + k));
    EXPECT_LT((place - s.segment<3>(3 * b.spec.handles[static_cast<size_t>(k)])).norm(), 1e-14);
  }
  // alpha |d|^2 [rig-space physics, Eq. 7].
  const auto handles = body.make_handles();
  VecX targets(6);
  targets << s.segment<3>(9) + Vec3(0.1, 0, 0), s.segment<3>(21);
  handles->set_targets(targets, VecX::Zero(6));
  double energy = 0;
  handles->add({u, u, u}, {.energy = &energy});
  EXPECT_NEAR(energy, 10 * 0.01, 1e-14);
}

TEST(RigBody, StiffnessFactorsGoToTheTets) {
  RiggedBeam b = rigged_beam(kBlock);
  b.spec.stiffness.assign(b.spec.model.per_tet.size(), 3.0);
  const RigBody body(b.spec, std::make_shared<CoordinateRig>(b.surface));
  EXPECT_NEAR(body.model().spec().per_tet[5].youngs_modulus, 3 * b.spec.model.per_tet[5].youngs_modulus, 1e-6);
}

TEST(RigBody, SaysWhatDoesNotFit) {
  const RiggedBeam good = rigged_beam(kBlock);
  const auto rig = std::make_shared<CoordinateRig>(good.surface);
  const auto refuses = [&](const std::function<void(RigBodySpec&)>& spoil, const std::string& word) {
    RigBodySpec spec = good.spec;
    spoil(spec);
    try {
      const RigBody body(spec, rig);
      ADD_FAILURE() << "took it: " << word;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  refuses([](RigBodySpec& s) { s.rigged.clear(); }, "no vertex");
  refuses([](RigBodySpec& s) { s.rigged.pop_back(); }, "rows");
  refuses([](RigBodySpec& s) { s.rigged[1] = s.rigged[0]; }, "twice");
  refuses([](RigBodySpec& s) { s.rigged[1] = 100000; }, "100000");
  refuses([](RigBodySpec& s) { s.map.n_points += 1; }, "points");
  refuses([](RigBodySpec& s) { s.model.mesh.vertices.push_back(Vec3(9, 9, 9)); }, "no tet");
  refuses(
      [](RigBodySpec& s) {
        const int n = s.model.mesh.n_vertices();
        for (const Vec3& x : {Vec3(9, 0, 0), Vec3(10, 0, 0), Vec3(9, 1, 0), Vec3(9, 0, 1)})
          s.model.mesh.vertices.push_back(x);
        s.model.mesh.tets.push_back({n, n + 1, n + 2, n + 3});
        s.model.per_tet.push_back(s.model.per_tet[0]);
      },
      "nothing rigged");
  refuses([](RigBodySpec& s) { s.stiffness.assign(s.model.per_tet.size(), 0.0); }, "positive");
  refuses([](RigBodySpec& s) { s.stiffness = {1}; }, "stiffness");
  refuses([](RigBodySpec& s) { s.handles = {100000}, s.strengths = {1}; }, "handle");
  refuses([](RigBodySpec& s) { s.handles = {1}; }, "strengths");
}

}  // namespace supple
