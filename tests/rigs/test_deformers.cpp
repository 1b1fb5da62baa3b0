#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/rigs/deformers.h"

namespace supple {
namespace {

using Deformers = std::vector<std::shared_ptr<const Deformer>>;

// Some points in a box of 2 x 1 x 1 about the origin, the same each time.
Points scattered(int n = 40, unsigned seed = 3) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> side(-1, 1);
  Points points;
  for (int i = 0; i < n; ++i) {
    const double x = side(random), y = side(random), z = side(random);
    points.emplace_back(x, 0.5 * y, 0.5 * z);
  }
  return points;
}

VecX random_vector(Eigen::Index n, unsigned seed, double size = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> entry(-size, size);
  VecX v(n);
  for (double& x : v) x = entry(random);
  return v;
}

// Parameters well away from rest.
VecX away(const RigMap& rig, unsigned seed = 5) {
  VecX p = rig.rest();
  const VecX by = random_vector(p.size(), seed, 0.6);
  for (int a = 0; a < rig.n_parameters(); ++a) p[a] += by[a] * rig.parameters()[static_cast<size_t>(a)].unit;
  return p;
}

std::vector<int> everything(const RigMap& rig) {
  std::vector<int> which(static_cast<size_t>(rig.n_parameters()));
  for (size_t a = 0; a < which.size(); ++a) which[a] = static_cast<int>(a);
  return which;
}

// First derivatives against differences of evaluations, second ones against differences of the first.
void expect_derivatives(const RigMap& rig, bool bends) {
  const VecX p = away(rig);
  const std::vector<int> which = everything(rig);
  const VecX f = random_vector(3 * rig.n_points(), 9);
  const MatX J = rig.jacobian(p, 0, which), H = rig.curvature(p, 0, which, f);
  MatX J_differences(J.rows(), J.cols()), H_differences(H.rows(), H.cols());
  for (int a : which) {
    const double h = 1e-5 * rig.parameters()[static_cast<size_t>(a)].unit;
    VecX above = p, below = p;
    above[a] += h;
    below[a] -= h;
    J_differences.col(a) = (rig.evaluate(above, 0) - rig.evaluate(below, 0)) / (above[a] - below[a]);
    H_differences.col(a) =
        (rig.jacobian(above, 0, which) - rig.jacobian(below, 0, which)).transpose() * f / (above[a] - below[a]);
    EXPECT_GT(J.col(a).norm(), 1e-3) << rig.parameters()[static_cast<size_t>(a)].name;
    EXPECT_LT((J.col(a) - J_differences.col(a)).norm(), 1e-9 * (1 + J.col(a).norm()))
        << rig.parameters()[static_cast<size_t>(a)].name;
  }
  EXPECT_LT((H - H_differences).lpNorm<Eigen::Infinity>(), 2e-8 * (1 + H.lpNorm<Eigen::Infinity>()));
  EXPECT_EQ(H, MatX(H.transpose()));
  EXPECT_EQ(bends, H.norm() > 0.1) << H.norm();

  // Some of them, in another order.
  std::vector<int> some;
  for (int a = rig.n_parameters() - 1; a >= 0; a -= 2) some.push_back(a);
  std::swap(some.front(), some[some.size() / 2]);
  const MatX J_some = rig.jacobian(p, 0, some), H_some = rig.curvature(p, 0, some, f);
  for (size_t a = 0; a < some.size(); ++a) {
    const auto ia = static_cast<Eigen::Index>(a);
    EXPECT_EQ(J_some.col(ia), J.col(some[a]));
    for (size_t b = 0; b < some.size(); ++b) {
      EXPECT_NEAR(H_some(ia, static_cast<Eigen::Index>(b)), H(some[a], some[b]), 1e-13 * (1 + H.norm()));
    }
  }
  EXPECT_EQ(rig.jacobian(p, 0, {}).cols(), 0);
  EXPECT_EQ(rig.curvature(p, 0, {}, f).rows(), 0);
}

// Rows of the whole are those of some points.
void expect_points_alone(const RigMap& rig) {
  const VecX p = away(rig);
  const std::vector<int> points = {7, 3, 21, 30, 8};
  const auto fewer = rig.for_points(points);
  ASSERT_TRUE(fewer);
  EXPECT_EQ(fewer->n_points(), 5);
  const std::vector<int> which = everything(rig);
  const VecX s = rig.evaluate(p, 0), s_fewer = fewer->evaluate(p, 0);
  const MatX J = rig.jacobian(p, 0, which), J_fewer = fewer->jacobian(p, 0, which);
  VecX f_fewer = random_vector(15, 4), f = VecX::Zero(s.size());
  for (int i = 0; i < 5; ++i) {
    const int from = points[static_cast<size_t>(i)];
    EXPECT_EQ(s_fewer.segment<3>(3 * i), s.segment<3>(3 * from));
    EXPECT_EQ(J_fewer.middleRows(3 * i, 3), J.middleRows(3 * from, 3));
    f.segment<3>(3 * from) = f_fewer.segment<3>(3 * i);
  }
  EXPECT_LT((fewer->curvature(p, 0, which, f_fewer) - rig.curvature(p, 0, which, f)).norm(), 1e-12);
}

// f . push(d) = pull(f) . d.
void expect_transpose(const Deformer& deformer) {
  VecX p(static_cast<Eigen::Index>(deformer.parameters().size()));
  p = random_vector(p.size(), 12, 0.8);
  const VecX f = random_vector(3 * deformer.n_points(), 1), d = random_vector(f.size(), 2);
  MatX pushed = d;
  deformer.push(p, 0, pushed);
  EXPECT_NEAR(f.dot(pushed.col(0)), deformer.pull(p, 0, f).dot(d), 1e-12);
  // What is pushed is how y follows x.
  VecX above = d, below = VecX::Zero(d.size());
  deformer.apply(p, 0, above);
  deformer.apply(p, 0, below);
  EXPECT_LT((above - below - pushed).norm(), 1e-12);
}

void expect_sound(const Points& rest, const Deformers& deformers, bool bends) {
  const DeformerStack rig(rest, deformers);
  EXPECT_LT((rig.evaluate(rig.rest(), 0) - flatten(rest)).norm(), 1e-13);
  expect_derivatives(rig, bends);
  expect_points_alone(rig);
  for (const auto& deformer : deformers) expect_transpose(*deformer);
}

std::shared_ptr<const Deformer> some_lattice(const Points& rest, bool bspline, bool fade = false) {
  LatticeSpec spec;
  spec.box = Eigen::Translation3d(-1.1, -0.6, -0.6) * Eigen::Scaling(2.2, 1.2, 1.2);
  spec.points = {5, 2, 3};
  spec.bspline = bspline;
  spec.fade = fade;
  return make_lattice(spec, rest);
}

// An octahedron, not quite even.
CageSpec octahedron() {
  CageSpec spec;
  spec.vertices = {{2.5, 0.1, 0}, {-2.5, 0, 0}, {0, 2.2, 0}, {0.1, -2, 0}, {0, 0, 2}, {0, 0, -2}};
  spec.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  return spec;
}

WireSpec bent_wire(bool twist) {
  WireSpec spec;
  spec.points = {{-1.2, 0, 0}, {-0.3, 0.2, 0.1}, {0.2, 0.1, -0.1}, {1.1, -0.1, 0}};
  spec.radius = 0.9;
  spec.twist = twist;
  return spec;
}

std::vector<BlendShape> two_shapes(const Points& rest) {
  std::vector<BlendShape> shapes = {{"bulge", {}}, {"skew", {}}};
  for (const Vec3& x : rest) {
    shapes[0].offsets.push_back(x.x() > 0 ? Vec3(0, x.y(), x.z() * x.x()) : Vec3(0, 0, 0));
    shapes[1].offsets.emplace_back(0.3 * x.y(), 0, 0.2 * std::sin(3 * x.x()));
  }
  return shapes;
}

const TransformSpec kPlain{.name = "body", .pivot = {0.3, 0.1, -0.2}};

TEST(Deformers, Transform) {
  const Points rest = scattered();
  TransformSpec spec = kPlain;
  expect_sound(rest, {make_transform(spec, rest)}, true);
  spec.scale = true;
  expect_sound(rest, {make_transform(spec, rest)}, true);
  EXPECT_EQ(make_transform(spec, rest)->parameters()[7].name, "body.scale.y");
  spec.uniform_scale = true;
  expect_sound(rest, {make_transform(spec, rest)}, true);
  EXPECT_EQ(make_transform(spec, rest)->parameters()[6].name, "body.scale");
  // A quarter turn about z through the pivot, twice as large, and along.
  VecX x = flatten({{1.3, 0.1, -0.2}}), p(7);
  p << 0, 0, 5, 0, 0, M_PI / 2, 2;
  make_transform(spec, {rest[0]})->apply(p, 0, x);
  EXPECT_LT((x - flatten({{0.3, 2.1, 4.8}})).norm(), 1e-14);
}

TEST(Deformers, Blend) {
  const Points rest = scattered();
  const auto blend = make_blend("Face", two_shapes(rest), rest);
  EXPECT_EQ(blend->parameters()[1].name, "Face.skew");
  expect_sound(rest, {blend}, false);
  std::vector<BlendShape> shapes = two_shapes(rest);
  shapes[1].offsets.pop_back();
  EXPECT_THROW(make_blend("Face", shapes, rest), InputError);
}

TEST(Deformers, Lattice) {
  const Points rest = scattered();
  for (const bool bspline : {false, true}) {
    for (const bool fade : {false, true}) expect_sound(rest, {some_lattice(rest, bspline, fade)}, false);
  }
  EXPECT_EQ(some_lattice(rest, false)->parameters()[3 * 7 + 1].name, "lattice.1.0.1.y");
}

// Parameters of control points that all go by one affine map.
VecX carried(const std::vector<RigParameter>& parameters, const Points& controls, const Affine& map) {
  VecX p(static_cast<Eigen::Index>(parameters.size()));
  for (size_t i = 0; i < controls.size(); ++i) {
    p.segment<3>(static_cast<Eigen::Index>(3 * i)) = map * controls[i] - controls[i];
  }
  return p;
}

void expect_carried(const Deformer& deformer, const Points& rest, const Points& controls) {
  Affine map = Affine::Identity();
  map.linear() << 1.2, 0.3, -0.1, -0.4, 0.9, 0.2, 0.1, 0.5, 1.4;
  map.translation() << 0.3, -2, 1;
  VecX x = flatten(rest);
  deformer.apply(carried(deformer.parameters(), controls, map), 0, x);
  for (size_t i = 0; i < rest.size(); ++i) {
    EXPECT_LT((x.segment<3>(static_cast<Eigen::Index>(3 * i)) - map * rest[i]).norm(), 1e-12) << i;
  }
}

TEST(Deformers, LatticesReproduceAffineMaps) {
  const Points rest = scattered();
  LatticeSpec spec;
  spec.box =
      Eigen::Translation3d(-1.1, -0.9, -0.9) * Eigen::AngleAxisd(0.1, Vec3::UnitY()) * Eigen::Scaling(2.5, 1.9, 1.8);
  for (const bool bspline : {false, true}) {
    for (const int n : {2, 3, 4, 7}) {
      spec.points = {n, 2, n};
      spec.bspline = bspline;
      expect_carried(*make_lattice(spec, rest), rest, lattice_points(spec));
    }
  }
}

TEST(Deformers, LatticesLeaveWhatIsOutsideAndHoldTheirFaces) {
  // Outside, on a face, on it but for rounding, in the middle.
  const Points rest = {{1.5, 0.5, 0.5}, {1, 0.25, 0.75}, {1 + 1e-12, 0.5, 0.5}, {0.5, 0.5, 0.5}};
  LatticeSpec spec;
  spec.axes = {.x = false, .y = true, .z = false};
  const auto plain = make_lattice(spec, rest);
  EXPECT_EQ(plain->parameters().size(), 8u);
  VecX x = flatten(rest);
  plain->apply(VecX::Ones(8), 0, x);
  const VecX by = x - flatten(rest);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(by[3 * i + 1], i == 0 ? 0 : 1, 1e-14);
  spec.fade = true;
  x = flatten(rest);
  make_lattice(spec, rest)->apply(VecX::Ones(8), 0, x);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(x[3 * i + 1] - rest[static_cast<size_t>(i)].y(), i == 3 ? 1 : 0, 1e-14);
  spec.points = {1, 2, 2};
  EXPECT_THROW(make_lattice(spec, rest), InputError);
  spec.points = {2, 2, 2};
  spec.box = Eigen::Scaling(1.0, 0.0, 1.0) * Affine::Identity();
  EXPECT_THROW(make_lattice(spec, rest), InputError);
}

TEST(Deformers, BSplinesAreLocal) {
  LatticeSpec spec;
  spec.points = {8, 2, 2};
  spec.bspline = true;
  const Points rest = {{0.1, 0.5, 0.5}, {0.9, 0.5, 0.5}};
  const auto lattice = make_lattice(spec, rest);
  VecX p = VecX::Zero(static_cast<Eigen::Index>(lattice->parameters().size()));
  p.head(12).setOnes();  // those with i = 0
  VecX x = flatten(rest);
  lattice->apply(p, 0, x);
  EXPECT_GT(x[0], 0.15);
  EXPECT_EQ(x[3], 0.9);
}

TEST(Deformers, Cage) {
  const Points rest = scattered();
  expect_sound(rest, {make_cage(octahedron(), rest)}, false);
  CageSpec spec = octahedron();
  spec.moved = {4, 0};
  const auto some = make_cage(spec, rest);
  EXPECT_EQ(some->parameters()[0].name, "cage.4.x");
  EXPECT_EQ(some->parameters().size(), 6u);
  expect_sound(rest, {some}, false);
}

TEST(Deformers, CagesReproduceAffineMaps) {
  CageSpec spec = octahedron();
  spec.vertices[2] = {0.1, 1.0, 0.2};  // no longer convex
  // Inside, near the planes of triangles, on them, on an edge and at a corner.
  Points rest = {{0, 0, 0}, {1e-9, 1e-10, 0}, {0.3, -0.2, 0.4}};
  const auto corner = [&](int i) { return spec.vertices[static_cast<size_t>(i)]; };
  const Vec3 on_face = 0.2 * corner(3) + 0.5 * corner(0) + 0.3 * corner(4);
  rest.push_back(on_face);
  for (const double in : {1e-13, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2}) rest.emplace_back((1 - in) * on_face);
  rest.emplace_back(0.5 * (corner(3) + corner(4)));
  rest.emplace_back((1 - 1e-9) * 0.5 * (corner(3) + corner(4)));
  rest.push_back(corner(5));
  rest.emplace_back((1 - 1e-8) * corner(5));
  expect_carried(*make_cage(spec, rest), rest, spec.vertices);
}

// The weights are what defines them [Ju, Schaefer and Warren 2005]: the mean over all directions of what a linear
// function on the cage has there, over its distance. Here by a sum over directions.
TEST(Deformers, CagesHaveMeanValueCoordinates) {
  const CageSpec spec = octahedron();
  const Vec3 x(0.7, -0.3, 0.5);
  VecX expected = VecX::Zero(6);
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    const double z = 1 - (2 * i + 1.0) / n, angle = 2.399963229728653 * i, r = std::sqrt(1 - z * z);
    const Vec3 direction(r * std::cos(angle), r * std::sin(angle), z);
    for (const Tri& t : spec.triangles) {
      Mat3 corners;
      for (int c = 0; c < 3; ++c) corners.col(c) = spec.vertices[static_cast<size_t>(t[static_cast<size_t>(c)])] - x;
      // direction x distance = sum of barycentric x corner.
      const Vec3 share = corners.inverse() * direction;
      if ((share.array() < 0).any()) continue;
      for (int c = 0; c < 3; ++c) expected[t[static_cast<size_t>(c)]] += share[c];
      break;
    }
  }
  expected /= expected.sum();
  const MatX columns = make_cage(spec, {x})->columns(VecX::Zero(18), 0, flatten({x}), {0, 3, 6, 9, 12, 15});
  for (int j = 0; j < 6; ++j) EXPECT_NEAR(columns(0, j), expected[j], 1e-3) << j;
  EXPECT_GT(expected.maxCoeff(), 2 * expected.minCoeff());
}

// A corner follows itself alone, a point of a face its three corners, and nearby points nearly so.
TEST(Deformers, CagesInterpolateTheirSurface) {
  const CageSpec spec = octahedron();
  const auto corner = [&](int i) { return spec.vertices[static_cast<size_t>(i)]; };
  const Vec3 on_face = 0.2 * corner(3) + 0.5 * corner(0) + 0.3 * corner(4);
  const auto cage = make_cage(spec, {corner(1), on_face, (1 - 1e-5) * on_face});
  const VecX p = random_vector(18, 8);
  VecX x = VecX::Zero(9);
  cage->apply(p, 0, x);
  const Vec3 expected = 0.2 * p.segment<3>(9) + 0.5 * p.segment<3>(0) + 0.3 * p.segment<3>(12);
  EXPECT_LT((x.segment<3>(0) - p.segment<3>(3)).norm(), 1e-14);
  EXPECT_LT((x.segment<3>(3) - expected).norm(), 1e-9);
  EXPECT_LT((x.segment<3>(6) - expected).norm(), 1e-3);
  EXPECT_GT((x.segment<3>(6) - expected).norm(), 1e-7);
}

TEST(Deformers, CagesThatDoNotHoldAreRefused) {
  const Points rest = scattered();
  CageSpec open = octahedron();
  open.triangles.pop_back();
  EXPECT_THROW(make_cage(open, rest), InputError);
  CageSpec small = octahedron();
  for (Vec3& v : small.vertices) v *= 0.5;
  try {
    make_cage(small, rest);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(e.fault().find("of 40 points"), std::string::npos) << e.what();
  }
  CageSpec wrong = octahedron();
  wrong.moved = {6};
  EXPECT_THROW(make_cage(wrong, rest), InputError);
  wrong.moved = {2, 2};
  EXPECT_THROW(make_cage(wrong, rest), InputError);
}

TEST(Deformers, Wire) {
  const Points rest = scattered();
  expect_sound(rest, {make_wire(bent_wire(false), rest)}, false);
  expect_sound(rest, {make_wire(bent_wire(true), rest)}, true);
  EXPECT_EQ(make_wire(bent_wire(true), rest)->parameters()[13].name, "wire.1.twist");
  WireSpec some = bent_wire(true);
  some.moved = {2, 1};
  some.axes.z = false;
  EXPECT_EQ(make_wire(some, rest)->parameters()[0].name, "wire.2.x");
  expect_sound(rest, {make_wire(some, rest)}, true);
  WireSpec twice = bent_wire(false);
  twice.points[1] = twice.points[0];
  EXPECT_THROW(make_wire(twice, rest), InputError);
}

TEST(Deformers, WiresDragTwistAndFallOff) {
  WireSpec spec;
  spec.points = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}};
  spec.radius = 2;
  spec.twist = true;
  // At a control point, beside it, out of reach, and beyond the end.
  const Points rest = {{1, 0, 0}, {1, 1, 0}, {1, 2.001, 0}, {4, 0, 0}};
  const auto wire = make_wire(spec, rest);
  VecX p = VecX::Zero(12), x = flatten(rest);
  p[4] = 1;  // wire.1.y
  wire->apply(p, 0, x);
  const double fall = 0.75 * 0.75;
  EXPECT_LT((x - flatten({{1, 1, 0}, {1, 1 + fall, 0}, {1, 2.001, 0}, {4, 0, 0}})).norm(), 1e-9);
  // Twisting keeps the distance from the wire.
  p.setZero();
  p[10] = 0.5;
  x = flatten(rest);
  wire->apply(p, 0, x);
  EXPECT_LT((x.segment<3>(3) - Vec3(1, std::cos(0.5 * fall), std::sin(0.5 * fall))).norm(), 1e-9);
  EXPECT_LT((x.segment<3>(0) - rest[0]).norm(), 1e-12);
}

TEST(DeformerStack, Piles) {
  const Points rest = scattered();
  TransformSpec scaling = kPlain;
  scaling.scale = true;
  const Deformers pile = {make_blend("Face", two_shapes(rest), rest), some_lattice(rest, true),
                          make_transform(scaling, rest)};
  expect_sound(rest, pile, true);
  expect_sound(rest, {make_cage(octahedron(), rest), make_wire(bent_wire(true), rest)}, true);
  TransformSpec second = kPlain;
  second.name = "stage";
  expect_sound(rest,
               {make_transform(kPlain, rest), make_wire(bent_wire(true), rest),
                make_blend("Face", two_shapes(rest), rest), make_transform(second, rest), some_lattice(rest, false)},
               true);
}

// However many threads.
TEST(DeformerStack, SameBitsForAnyThreads) {
  const Points rest = scattered(200);
  const DeformerStack rig(rest, {make_cage(octahedron(), rest), make_wire(bent_wire(true), rest),
                                 some_lattice(rest, true), make_transform(kPlain, rest)});
  const VecX p = away(rig), f = random_vector(600, 3);
  const std::vector<int> which = everything(rig);
  const int before = thread_count();
  set_thread_count(1);
  const MatX J = rig.jacobian(p, 0, which), H = rig.curvature(p, 0, which, f);
  set_thread_count(3);
  EXPECT_EQ(rig.jacobian(p, 0, which), J);
  EXPECT_EQ(rig.curvature(p, 0, which, f), H);
  set_thread_count(before);
}

TEST(DeformerStack, RefusesWhatDoesNotFit) {
  const Points rest = scattered(), fewer = scattered(10);
  EXPECT_THROW(DeformerStack(rest, {make_transform(kPlain, fewer)}), InputError);
  EXPECT_THROW(DeformerStack(rest, {make_transform(kPlain, rest), make_transform(kPlain, rest)}), InputError);
}

}  // namespace
}  // namespace supple
