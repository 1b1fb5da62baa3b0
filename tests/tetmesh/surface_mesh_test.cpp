#include "supple/tetmesh/surface_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "shapes.h"
#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/mesh/quality.h"

namespace supple {
namespace {

using namespace shapes;

struct CheckedCage {
  Cage cage;
  CageReport report;
};

double size_of(const TriMesh& surface) { return longest_side(surface.vertices); }

// What holds for any surface whose vertices all belong to triangles.
CheckedCage check(const TriMesh& surface, const CageOptions& options) {
  CheckedCage out;
  out.cage = make_cage(surface, options, &out.report);
  const TetMesh& mesh = out.cage.mesh;
  const CageReport& report = out.report;
  EXPECT_NO_THROW(require_simulable(mesh, "cage"));
  const QualityReport quality = measure_quality(mesh);
  EXPECT_TRUE(quality.unused_vertices.empty());
  EXPECT_EQ(quality.n_nonmanifold_faces, 0);
  EXPECT_GE(report.min_dihedral_deg, kCageMinDihedral);
  EXPECT_LE(report.max_dihedral_deg, kCageMaxDihedral);
  if (report.n_duplicated == 0) {
    EXPECT_GE(report.min_dihedral_deg, 45 - 1e-9);
    EXPECT_LE(report.max_dihedral_deg, 120 + 1e-9);
  }
  EXPECT_EQ(report.n_tets, mesh.n_tets());
  EXPECT_EQ(report.n_components, quality.n_components);
  const auto& fill = mesh.tet_maps.at("fill");
  EXPECT_EQ(fill.size(), mesh.tets.size());
  for (double f : fill) {
    EXPECT_GE(f, 0.02);
    EXPECT_LE(f, 1);
  }
  // Every vertex is inside a tet and comes back to its place.
  EXPECT_EQ(report.n_outside, 0);
  EXPECT_EQ(out.cage.surface.size(), surface.n_vertices());
  const VecX back = blended(out.cage.surface, flatten(mesh.vertices));
  double error = 0;
  for (int v = 0; v < surface.n_vertices(); ++v)
    error = std::max(error, (back.segment<3>(3 * v) - surface.vertices[v]).norm());
  EXPECT_LT(error, 1e-12 * (1 + size_of(surface)));
  for (double w : out.cage.surface.weight) EXPECT_GE(w, -1e-9);
  for (int v = 0; v < surface.n_vertices(); ++v) {
    const Tet& t = mesh.tets[out.cage.tet[v]];
    for (int k = 0; k < 4; ++k) EXPECT_EQ(out.cage.surface.vertex[out.cage.surface.first[v] + k], t[k]);
  }
  return out;
}

// Connected pieces of the tets whose middle lies in the region.
int pieces_within(const TetMesh& mesh, const std::function<bool(const Vec3&)>& region) {
  TetMesh part;
  part.vertices = mesh.vertices;
  for (const Tet& t : mesh.tets) {
    const Vec3 middle = 0.25 * (mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]] + mesh.vertices[t[3]]);
    if (region(middle)) part.tets.push_back(t);
  }
  std::vector<int> component;
  return connected_components(part, component);
}

TEST(Cage, SphereAndBoxHoldTheirVolume) {
  for (bool graded : {false, true}) {
    const TriMesh ball = sphere({0.1, 0.2, -0.3}, 0.5, 24);
    const CheckedCage c = check(ball, {.edge = 0.2, .graded = graded});
    EXPECT_NEAR(c.report.solid_volume / signed_volume(ball), 1, 0.005);
    EXPECT_EQ(c.report.n_components, 1);
    EXPECT_EQ(c.report.n_duplicated, 0);
    EXPECT_EQ(c.report.n_open_edges, 0);
    EXPECT_FALSE(c.report.sheet);
    const TriMesh brick = moved(box({0, 0, 0}, {0.7, 0.4, 0.9}), some_turn());
    const CheckedCage b = check(brick, {.edge = 0.15, .graded = graded});
    EXPECT_NEAR(b.report.solid_volume / (0.7 * 0.4 * 0.9), 1, 0.005);
    EXPECT_EQ(b.report.n_components, 1);
    EXPECT_EQ(b.report.n_duplicated, 0);
  }
  // As large tets as the thing itself.
  const TriMesh ball = sphere({0, 0, 0}, 0.5, 12);
  EXPECT_NEAR(check(ball, {.edge = 2}).report.solid_volume / signed_volume(ball), 1, 0.05);
}

TEST(Cage, InsideOutIsTurned) {
  const TriMesh ball = sphere({0, 0, 0}, 0.5);
  const CheckedCage right = check(ball, {.edge = 0.2}), wrong = check(turned_inside_out(ball), {.edge = 0.2});
  EXPECT_EQ(right.report.n_flipped, 0);
  EXPECT_GT(wrong.report.n_flipped, 1000);
  EXPECT_EQ(right.cage.mesh.tets, wrong.cage.mesh.tets);
  EXPECT_NEAR(right.report.solid_volume, wrong.report.solid_volume, 1e-6);
  // Here and there a triangle the wrong way round.
  TriMesh mixed = ball;
  for (size_t t = 0; t < mixed.triangles.size(); t += 7) std::swap(mixed.triangles[t][0], mixed.triangles[t][1]);
  EXPECT_NEAR(check(mixed, {.edge = 0.2}).report.solid_volume, right.report.solid_volume, 1e-6);
}

TEST(Cage, OverlappingPiecesAreOne) {
  TriMesh two = sphere({0, 0, 0}, 0.5);
  append(two, sphere({0.6, 0, 0}, 0.4));
  const CheckedCage c = check(two, {.edge = 0.15});
  EXPECT_EQ(c.report.n_components, 1);
  // Some tets hold a bit of either ball beside the ring where they meet, and rightly twice.
  EXPECT_LT(c.report.n_duplicated, 0.03 * c.report.n_tets);
  // The same ball twice is a ball.
  TriMesh twice = sphere({0, 0, 0}, 0.5);
  append(twice, sphere({0, 0, 0}, 0.5));
  EXPECT_NEAR(check(twice, {.edge = 0.2}).report.solid_volume, 4.0 / 3 * std::numbers::pi * 0.125, 0.01);
}

TEST(Cage, PartsAreNeverJoined) {
  // Nearly touching; then one inside the other.
  for (double x : {1.001, 0.7, 0.0}) {
    TriMesh two = sphere({0, 0, 0}, 0.5);
    const size_t n = two.triangles.size();
    append(two, sphere({x, 0, 0}, x > 0 ? 0.5 : 0.2));
    CageOptions options{.edge = 0.2};
    options.part.assign(two.triangles.size(), 0);
    std::fill(options.part.begin() + static_cast<std::ptrdiff_t>(n), options.part.end(), 1);
    const CheckedCage c = check(two, options);
    EXPECT_EQ(c.report.n_components, 2);
    const CheckedCage one = check(sphere({0, 0, 0}, 0.5), {.edge = 0.2});
    EXPECT_GT(c.report.n_tets, one.report.n_tets);
  }
}

TEST(Cage, CloseThingsOfOnePartStayApart) {
  for (double gap : {0.1, 0.02, 1e-4}) {
    TriMesh two = moved(box({0, 0, 0}, {1, 1, 1}), some_turn());
    append(two, moved(box({1 + gap, 0, 0}, {2, 1, 1}), some_turn()));
    const CheckedCage apart = check(two, {.edge = 0.2});
    EXPECT_EQ(apart.report.n_components, 2) << gap;
    EXPECT_GT(apart.report.n_duplicated, 20);
    EXPECT_NEAR(apart.report.solid_volume, 2 - gap, 0.02);
    const CheckedCage together = check(two, {.edge = 0.2, .keep_apart = false});
    EXPECT_EQ(together.report.n_components, 1);
    EXPECT_EQ(together.report.n_duplicated, 0);
  }
}

// Two prongs on a foot, with a gap much narrower than the tets.
TriMesh fork(double gap) {
  return blocks({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {2, 1, 0}},
                {{{0, 0.5, 0.5 + gap, 1 + gap}, {0, 0.4, 2}, {0, 0.5}}});
}

TEST(Cage, FingersAreNotGluedAcrossTheGap) {
  const double edge = 0.2;
  for (double share : {0.6, 0.2, 0.01}) {
    for (bool turn : {false, true}) {
      const Mat3 r = turn ? some_turn() : Mat3(Mat3::Identity());
      const TriMesh surface = moved(fork(share * edge), r);
      const CheckedCage c = check(surface, {.edge = edge});
      EXPECT_EQ(c.report.n_components, 1);
      const auto height = [&](const Vec3& p) { return (r.transpose() * p).y(); };
      EXPECT_EQ(pieces_within(c.cage.mesh, [&](const Vec3& p) { return height(p) > 0.4 + 1.5 * edge; }), 2)
          << share << turn;
      EXPECT_EQ(pieces_within(c.cage.mesh, [&](const Vec3& p) { return height(p) < 0.4 + edge; }), 1);
      EXPECT_NEAR(c.report.solid_volume / signed_volume(surface), 1, 0.02);
      if (share > 0.5) continue;  // which tets may happen to fit into
      EXPECT_GT(c.report.n_duplicated, 50);
      const CheckedCage glued = check(surface, {.edge = edge, .keep_apart = false});
      EXPECT_EQ(pieces_within(glued.cage.mesh, [&](const Vec3& p) { return height(p) > 0.4 + 1.5 * edge; }), 1);
    }
  }
}

TEST(Cage, ThinWallsHoldTogether) {
  // A plate of a tenth of an edge: both walls of it are in the same tets.
  const TriMesh plate = moved(box({0, 0, 0}, {1, 1, 0.02}), some_turn());
  const CheckedCage c = check(plate, {.edge = 0.2, .graded = false});
  EXPECT_EQ(c.report.n_components, 1);
  EXPECT_LT(c.report.n_duplicated, 0.02 * c.report.n_tets);
  EXPECT_NEAR(c.report.solid_volume, 0.02, 0.01);
  EXPECT_GT(c.report.n_thin, 0.8 * c.report.n_tets);
}

TEST(Cage, SheetGetsAThickness) {
  const TriMesh flat = moved(sheet(1, 0.8), some_turn());
  const CheckedCage c = check(flat, {.edge = 0.1, .sheet_thickness = 0.01});
  EXPECT_TRUE(c.report.sheet);
  EXPECT_EQ(c.report.n_components, 1);
  EXPECT_EQ(c.report.n_duplicated, 0);
  EXPECT_EQ(c.report.n_open_edges, 32);
  EXPECT_NEAR(c.report.solid_volume, 0.008, 0.003);  // the least fill of a tet adds to it
  EXPECT_NEAR(check(flat, {.edge = 0.1}).report.solid_volume, 0.04, 0.004);
  // Two sheets a hair apart have tets of their own.
  TriMesh two = flat;
  append(two, moved(flat, Mat3::Identity(), some_turn() * Vec3(0, 0, 1e-3)));
  const CheckedCage t = check(two, {.edge = 0.1});
  EXPECT_EQ(t.report.n_components, 2);
  EXPECT_GT(t.report.n_duplicated, 0.95 * t.report.n_tets);
}

TEST(Cage, OpenTubeIsSolidInside) {
  const CheckedCage c = check(tube(0.3, 2), {.edge = 0.15});
  EXPECT_FALSE(c.report.sheet);
  EXPECT_EQ(c.report.n_open_edges, 64);
  EXPECT_EQ(c.report.n_components, 1);
  EXPECT_NEAR(c.report.solid_volume / (std::numbers::pi * 0.09 * 2), 1, 0.1);
}

TEST(Cage, SurfaceOfSeparateTrianglesIsClosed) {
  // A ball whose triangles share no vertices: by place they do; shrunk a little they do not.
  for (double shrink : {0.0, 0.02}) {
    const TriMesh ball = sphere({0, 0, 0}, 0.5);
    TriMesh loose;
    for (const Tri& t : ball.triangles) {
      const Vec3 middle = (ball.vertices[t[0]] + ball.vertices[t[1]] + ball.vertices[t[2]]) / 3;
      for (int v : t) loose.vertices.push_back(ball.vertices[v] + shrink * (middle - ball.vertices[v]));
      const int n = loose.n_vertices();
      loose.triangles.push_back({n - 3, n - 2, n - 1});
    }
    CageReport report;
    const Cage cage = make_cage(loose, {.edge = 0.2}, &report);
    EXPECT_EQ(report.n_open_edges == 0, shrink == 0);
    EXPECT_FALSE(report.sheet);
    EXPECT_EQ(report.n_components, 1);
    EXPECT_NEAR(report.solid_volume / signed_volume(ball), 1, 0.02);
  }
}

TEST(Cage, NonManifoldJunction) {
  // Three wings on one edge, by index and by place.
  TriMesh wings;
  wings.vertices = {{0, 0, 0}, {0, 0, 1}};
  for (int k = 0; k < 3; ++k) {
    const double angle = 2 * std::numbers::pi * k / 3;
    wings.vertices.push_back({std::cos(angle), std::sin(angle), 0.5});
    wings.triangles.push_back({0, 1, 2 + k});
  }
  const CheckedCage c = check(wings, {.edge = 0.2});
  EXPECT_EQ(c.report.n_nonmanifold_edges, 1);
  EXPECT_EQ(c.report.n_components, 1);
  EXPECT_TRUE(c.report.sheet);
  // Two boxes that share an edge.
  const TriMesh boxes = blocks({{0, 0, 0}, {1, 1, 0}}, {{{0, 0.5, 1}, {0, 0.5, 1}, {0, 1}}});
  const CheckedCage b = check(boxes, {.edge = 0.2});
  EXPECT_EQ(b.report.n_nonmanifold_edges, 1);
  EXPECT_NEAR(b.report.solid_volume, 0.5, 0.01);
}

TEST(Cage, AnyTriangles) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    check(random_triangles(40, seed, 0.3), {.edge = 0.3});
    check(random_triangles(200, seed, 0.05), {.edge = 0.5});
    check(random_triangles(10, seed, 2.0), {.edge = 0.4});
  }
  TriMesh one;
  one.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  one.triangles = {{0, 1, 2}};
  const CheckedCage c = check(one, {.edge = 0.3});
  EXPECT_EQ(c.report.n_components, 1);
  EXPECT_TRUE(c.report.sheet);
  check(one, {.edge = 5});
  check(one, {});
}

TEST(Cage, VerticesOfNoTriangleAreCarriedToo) {
  TriMesh ball = sphere({0, 0, 0}, 0.5);
  const int n = ball.n_vertices();
  ball.vertices.push_back({2, 0, 0});
  ball.vertices.push_back({0, 0, 0});
  ball.triangles.push_back({n, n, n + 1});  // no area
  CageReport report;
  const Cage cage = make_cage(ball, {.edge = 0.2}, &report);
  EXPECT_EQ(report.n_outside, 1);
  EXPECT_GT(report.max_outside, 1);
  EXPECT_LT(report.max_outside, 1.6);
  EXPECT_EQ(report.n_degenerate, 1 + 2 * 48);  // the sphere's rows at the poles have none either
  const VecX back = blended(cage.surface, flatten(cage.mesh.vertices));
  EXPECT_LT((back.segment<3>(3 * n) - ball.vertices[n]).norm(), 1e-11);
}

TEST(Cage, GradingIsFineWhereThin) {
  // A ball with a thin stick in it.
  TriMesh lolly = sphere({0, 0, 0}, 0.5);
  append(lolly, moved(tube(0.04, 1.5, 16), Mat3::Identity(), {0, 0, 0.2}));
  const CheckedCage fine = check(lolly, {.edge = 0.25, .edges_across = 2});
  const CheckedCage coarse = check(lolly, {.edge = 0.25, .graded = false});
  double smallest = 1, largest = 0;
  for (double v : tet_volumes(fine.cage.mesh)) smallest = std::min(smallest, v), largest = std::max(largest, v);
  const double whole = 0.25 * 0.25 * 0.25 / 12;
  EXPECT_NEAR(largest, whole, 1e-9);
  EXPECT_LT(smallest, whole / 60);
  EXPECT_GE(smallest, whole / 64 / 9 - 1e-12);
  EXPECT_LT(fine.report.volume, coarse.report.volume);
  EXPECT_EQ(fine.report.n_components, 1);
  // Conforming: no vertex lies within an edge or a face of another tet unless they are apart. Where nothing is
  // duplicated, the boundary of the tets is a closed surface.
  if (fine.report.n_duplicated == 0) {
    std::map<std::pair<int, int>, int> uses;
    for (const Tri& t : boundary_triangles(fine.cage.mesh.tets)) {
      for (int c = 0; c < 3; ++c) ++uses[std::minmax(t[c], t[(c + 1) % 3])];
    }
    for (const auto& [edge, n] : uses) EXPECT_EQ(n % 2, 0);
  }
}

TEST(Cage, CountIsMet) {
  const TriMesh ball = sphere({0, 0, 0}, 0.5);
  TriMesh lolly = ball;
  append(lolly, moved(tube(0.04, 1.5, 16), Mat3::Identity(), {0, 0, 0.2}));
  for (const TriMesh& surface : {ball, fork(0.1), lolly}) {
    for (int count : {1000, 5000}) {
      const CheckedCage c = check(surface, {.count = count});
      EXPECT_NEAR(c.report.n_tets, count, 0.15 * count);
    }
  }
  CageReport report;
  make_cage(ball, {.preset = "preview"}, &report);
  EXPECT_NEAR(report.n_tets, 3000, 450);
}

TEST(Cage, SameBitsForAnyThreadCount) {
  const TriMesh surface = moved(fork(0.05), some_turn());
  set_thread_count(1);
  const Cage one = make_cage(surface, {.edge = 0.15});
  set_thread_count(4);
  const Cage four = make_cage(surface, {.edge = 0.15});
  set_thread_count(0);
  EXPECT_EQ(one.mesh.tets, four.mesh.tets);
  EXPECT_EQ(one.mesh.vertices, four.mesh.vertices);
  EXPECT_EQ(one.mesh.tet_maps, four.mesh.tet_maps);
  EXPECT_EQ(one.tet, four.tet);
  EXPECT_EQ(one.surface.weight, four.surface.weight);
}

TEST(Cage, PlaceAndSizeDoNotMatter) {
  // Far from the origin and in millimetres.
  const TriMesh near = fork(0.1);
  const CheckedCage c = check(near, {.edge = 0.2});
  const CheckedCage far = check(moved(near, 1000 * Mat3::Identity(), {5e4, -2e4, 1e4}), {.edge = 200});
  EXPECT_EQ(c.cage.mesh.tets, far.cage.mesh.tets);
}

TEST(Cage, Refusals) {
  const TriMesh ball = sphere({0, 0, 0}, 0.5, 6);
  EXPECT_THROW(make_cage({}), InputError);
  TriMesh bad = ball;
  bad.vertices[3].x() = NAN;
  EXPECT_THROW(make_cage(bad), InputError);
  bad = ball;
  bad.triangles[5][1] = 1000000;
  EXPECT_THROW(make_cage(bad), InputError);
  bad = ball;
  for (Vec3& v : bad.vertices) v = {1, 2, 3};
  EXPECT_THROW(make_cage(bad), InputError);
  EXPECT_THROW(make_cage(ball, {.edge = 1e-5}), InputError);
  EXPECT_THROW(make_cage(ball, {.edge = 1e-300}), InputError);
  EXPECT_THROW(make_cage(ball, {.count = 2000000000}), InputError);
  EXPECT_THROW(make_cage(ball, {.edge = -1}), InputError);
  EXPECT_THROW(make_cage(ball, {.edge = NAN}), InputError);
  EXPECT_THROW(make_cage(ball, {.count = -1}), InputError);
  EXPECT_THROW(make_cage(ball, {.edge = 0.1, .count = 100}), InputError);
  EXPECT_THROW(make_cage(ball, {.preset = "finest"}), InputError);
  EXPECT_THROW(make_cage(ball, {.edge = 0.1, .sheet_thickness = NAN}), InputError);
  CageOptions options{.edge = 0.1};
  options.part = {1, 2};
  EXPECT_THROW(make_cage(ball, options), InputError);
}

}  // namespace
}  // namespace supple
