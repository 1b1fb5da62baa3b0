// Bodies whose boundary is their skin: sizes, closedness, good tets, and rigs that do what their names say.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/anim/drawn.h"
#include "supple/demos/gallery/jellyphant_gait.h"
#include "supple/demos/gallery/rigged_elephant.h"
#include "supple/demos/gallery/rigged_flower.h"
#include "supple/demos/gallery/rigged_solids.h"
#include "supple/demos/shapes/tet_relaxation.h"
#include "supple/mesh/quality.h"
#include "tests/demos/drawn_checks.h"

namespace supple {

using namespace demos;
namespace {

struct Counts {
  int surface, interior;
};
// The boundary of the tets are the first vertices, all of them and no other; nothing is flat, turned over or apart.
void expect_conforming(const TetMesh& tets, const Counts& wanted) {
  std::vector<int> source;
  const TriMesh skin = boundary_surface(tets, &source);
  EXPECT_EQ(static_cast<int>(source.size()), wanted.surface);
  EXPECT_EQ(tets.n_vertices() - static_cast<int>(source.size()), wanted.interior);
  EXPECT_EQ(*std::max_element(source.begin(), source.end()), wanted.surface - 1);
  EXPECT_EQ(skin.n_vertices() - static_cast<int>(skin.triangles.size()) / 2, 2) << "a ball, bent";
  expect_closed(skin);
  const QualityReport q = measure_quality(tets);
  EXPECT_TRUE(q.inverted.empty() && q.degenerate.empty() && q.unused_vertices.empty() && q.duplicate_tets.empty());
  EXPECT_EQ(q.n_components, 1);
  EXPECT_GT(q.min_dihedral_deg, 12);
  EXPECT_LT(q.max_dihedral_deg, 160);
  for (const Vec3& x : tets.vertices)
    for (const double c : x) EXPECT_EQ(c, static_cast<double>(static_cast<float>(c)));
}

// Every vertex of the tets' boundary is drawn, at the same bits, and moves with the same bones wherever it is drawn.
void expect_drawn(const Character& character, const TetMesh& tets, int n_surface) {
  const Drawn drawn = lay_out(character);
  std::map<std::array<double, 3>, int> at;
  for (int v = 0; v < n_surface; ++v) at[{tets.vertices[v][0], tets.vertices[v][1], tets.vertices[v][2]}] = v;
  ASSERT_EQ(static_cast<int>(at.size()), n_surface);
  const Points moved = posed(drawn.vertices, pose_at(character, drawn, character.clips.at(0), 1.0));
  std::vector<int> first(static_cast<size_t>(n_surface), -1);
  for (int v = 0; v < drawn.n_vertices(); ++v) {
    const Vec3& x = drawn.vertices.rest[v];
    const auto it = at.find({x[0], x[1], x[2]});
    if (it == at.end()) continue;
    int& other = first[static_cast<size_t>(it->second)];
    if (other >= 0) {
      EXPECT_LT((moved[v] - moved[other]).norm(), 1e-12);
    }
    other = v;
  }
  EXPECT_EQ(std::count(first.begin(), first.end(), -1), 0);
}

int moving_channels(const Character& character, const Clip& clip, const std::string& beginning) {
  return static_cast<int>(std::count_if(clip.channels.begin(), clip.channels.end(), [&](const Channel& c) {
    return character.nodes[c.node].name.starts_with(beginning);
  }));
}

TEST(RiggedBodies, badness_is_one_of_a_regular_tet_and_unbounded_of_a_flat_one) {
  const Vec3 a(1, 1, 1), b(1, -1, -1), c(-1, 1, -1), d(-1, -1, 1);
  const bool right = tet_volume(a, b, c, d) > 0;
  EXPECT_NEAR(right ? tet_badness(a, b, c, d) : tet_badness(a, c, b, d), 1, 1e-12);
  EXPECT_TRUE(std::isinf(right ? tet_badness(a, c, b, d) : tet_badness(a, b, c, d)));
  const Vec3 foot = (a + b + c) / 3;
  EXPECT_GT(right ? tet_badness(a, b, c, foot + 0.01 * (d - foot)) : tet_badness(a, c, b, foot + 0.01 * (d - foot)),
            30);
}

// Relaxed and halved, a block keeps its boundary bit for bit and its volume; no tet turns over.
TEST(RiggedBodies, halving_adds_vertices_inside_alone) {
  TetMesh block = make_box(2, 2, 2, Vec3::Ones());
  block.vertices[13] += Vec3(0.2, -0.15, 0.1);  // the one inside
  const TriMesh before = boundary_surface(block);
  const double worst = [&] {
    double w = 0;
    for (const Tet& t : block.tets)
      w = std::max(w,
                   tet_badness(block.vertices[t[0]], block.vertices[t[1]], block.vertices[t[2]], block.vertices[t[3]]));
    return w;
  }();
  TetRelaxation work(block, {});
  work.relax(20);
  EXPECT_LT((block.vertices[13] - Vec3::Constant(0.5)).norm(), 0.02);
  for (const Tet& t : block.tets)
    EXPECT_LT(tet_badness(block.vertices[t[0]], block.vertices[t[1]], block.vertices[t[2]], block.vertices[t[3]]),
              worst);
  work.halve(9);
  EXPECT_EQ(block.n_vertices(), 27 + 9);
  EXPECT_TRUE(boundary_surface(block).vertices == before.vertices);
  double volume = 0;
  for (double v : tet_volumes(block)) {
    EXPECT_GT(v, 0);
    volume += v;
  }
  EXPECT_NEAR(volume, 1, 1e-12);
}

TEST(RiggedBodies, sphere_and_bar_have_the_sizes_of_the_published_ones) {
  expect_conforming(make_rigged_sphere().tets, {860, 1810});
  expect_conforming(make_rigged_bar().tets, {58, 163});
}

TEST(RiggedBodies, the_sphere_is_round) {
  const ConformingBody b = make_rigged_sphere();
  for (const Vec3& x : b.surface.vertices) EXPECT_NEAR((x - Vec3(0, 0.5, 0)).norm(), 0.5, 1e-6);
  EXPECT_TRUE(b.tets.vertices == make_rigged_sphere().tets.vertices) << "the same bits again";
}

// Shapes 1 and 4, and 2 and 3, are mirrored; the outer ones move the ends alone, the inner ones the same and more.
TEST(RiggedBodies, shapes_of_the_bar_overlap) {
  const ConformingBody b = make_rigged_bar();
  const Points& x = b.surface.vertices;
  const std::vector<Points> shapes = rigged_bar_shapes(x);
  ASSERT_EQ(shapes.size(), 4u);
  const auto moves = [&](int k, double from, double to) {
    double most = 0;
    for (size_t i = 0; i < x.size(); ++i)
      if (x[i].x() > from && x[i].x() < to) most = std::max(most, (shapes[k][i] - x[i]).norm());
    return most;
  };
  EXPECT_EQ(moves(3, -1, 0.26), 0);
  EXPECT_GT(moves(3, 0.45, 1), 0.03);
  EXPECT_EQ(moves(2, -1, 0.05), 0);
  EXPECT_GT(moves(2, 0.20, 0.30), 0.01);
  EXPECT_GT(moves(2, 0.45, 1), 1.5 * moves(3, 0.45, 1));
  // The same bend seen in a mirror.
  for (const auto& [a, c] : {std::pair(0, 3), {1, 2}}) EXPECT_NEAR(moves(a, -1, 1), moves(c, -1, 1), 1e-12);
  // The face at the end is turned by 0.75 m of that bend, to first order.
  int pairs = 0;
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < x.size(); ++j) {
      if (x[i].x() < 0.74 || (x[j] - x[i] - Vec3(0, 0.3, 0)).norm() > 1e-6) continue;
      EXPECT_LT((shapes[2][j] - shapes[2][i] - 0.3 * Vec3(0.75, 1, 0)).norm(), 1e-6);
      ++pairs;
    }
  EXPECT_GT(pairs, 0);
}

TEST(RiggedBodies, the_cage_is_closed_and_holds_the_bar) {
  const TriMesh cage = rigged_bar_cage();
  expect_closed(cage);
  const Box box = bounding_box(cage.vertices);
  for (const Vec3& x : make_rigged_bar().surface.vertices)
    EXPECT_TRUE(((x - box.low).array() > 0.01).all() && ((box.high - x).array() > 0.01).all());
}

TEST(RiggedBodies, the_flower_is_drawn_where_its_tets_are_and_only_its_pot_is_keyed) {
  const RiggedFlower f = make_rigged_flower();
  expect_conforming(f.tets, {329, 363});
  expect_drawn(f.character, f.tets, f.n_surface);
  const Clip& clip = f.character.clips.at(0);
  EXPECT_EQ(clip.name, "shove");
  EXPECT_EQ(moving_channels(f.character, clip, "pot"), static_cast<int>(clip.channels.size()));
  int turning = 0;
  for (const Node& n : f.character.nodes)
    turning += n.name.starts_with("stem") || n.name == "blossom" || n.name.starts_with("leaf_");
  EXPECT_EQ(3 * turning, 24);
}

void expect_skin(const RiggedElephant& e) {
  expect_conforming(e.tets, {751, 1330});
  expect_drawn(e.character, e.tets, e.n_surface);
  for (const auto& [name, x] : rigged_elephant_grips()) {
    double nearest = 1;
    for (int v = 0; v < e.n_surface; ++v) nearest = std::min(nearest, (e.tets.vertices[v] - x).norm());
    EXPECT_LT(nearest, 0.09) << name;
  }
}

// What carries is keyed, what hangs is not.
void expect_clips(const RiggedElephant& e) {
  ASSERT_EQ(e.character.clips.size(), 2u);
  for (const Clip& clip : e.character.clips) {
    for (const char* hangs : {"trunk", "tail", "ear", "shoulders", "elephant"})
      EXPECT_EQ(moving_channels(e.character, clip, hangs), 0) << clip.name << " " << hangs;
    for (const char* carries : {"pelvis", "chest", "head", "fore_leg_l", "hind_shin_r"})
      EXPECT_GT(moving_channels(e.character, clip, carries), 0) << clip.name << " " << carries;
  }
}

// Feet go where the gait says, and nothing goes below the ground.
void expect_steps(const RiggedElephant& e) {
  const Drawn drawn = lay_out(e.character);
  double travelled = 0, low = 0;
  int lifted = 0;
  for (size_t c = 0; c < 2; ++c) {
    const Clip& clip = e.character.clips[c];
    for (int f = 0; f < 150; f += 3) {
      const Points x = posed(drawn.vertices, pose_at(e.character, drawn, clip, f / kRiggedElephantFps));
      double raised = 0;
      for (size_t v = 0; v < x.size(); ++v) {
        low = std::min(low, x[v].y());
        if (drawn.vertices.rest[v].y() < 0.01) raised = std::max(raised, x[v].y());
      }
      lifted += raised > 0.08;
      if (c == 0) travelled = std::max(travelled, x[0].z() - drawn.vertices.rest[0].z());
    }
  }
  EXPECT_GT(low, -0.035);
  EXPECT_GT(lifted, 40);
  EXPECT_NEAR(travelled, walk::travel(walk::cycles(147)), 0.15);
}

// Twelve places, three axes: together they move the middle of the belly by a tenth of a metre, and nothing of the feet
// or the head.
void expect_belly(const RiggedElephant& e) {
  const CharacterMesh& mesh = e.character.meshes.at(0);
  double most = 0;
  for (const Primitive& p : mesh.primitives) {
    ASSERT_EQ(p.targets.size(), 36u);
    for (size_t v = 0; v < p.positions.size(); ++v) {
      Vec3 sum = Vec3::Zero();
      for (const MorphTarget& t : p.targets)
        if (!t.positions.empty()) sum += t.positions[v];
      most = std::max(most, sum.norm());
      const Vec3& x = p.positions[v];
      if (x.y() < 0.3 || x.z() > 0.45 || x.y() > 1.2) {
        EXPECT_LT(sum.norm(), 1e-12) << x.transpose();
      }
    }
  }
  EXPECT_NEAR(most, 0.1 * std::sqrt(3.0), 0.02);
}

// One elephant for all of it: it takes seconds to make.
TEST(RiggedBodies, the_elephant_is_drawn_where_its_tets_are_and_walks_and_dances) {
  const RiggedElephant e = make_rigged_elephant();
  expect_skin(e);
  expect_clips(e);
  expect_steps(e);
  expect_belly(e);
}

}  // namespace
}  // namespace supple
