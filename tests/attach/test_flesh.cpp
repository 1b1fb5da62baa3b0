#include "supple/attach/flesh.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/attach/flesh_core.h"
#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "tests/attach/flesh_body.h"

namespace supple {
namespace {

using namespace test;

double from_axis(const Vec3& x) { return std::hypot(x.x(), x.z()); }

void expect_sound(const Body& body, const Flesh& flesh) {
  ASSERT_EQ(flesh.softness.size(), body.cage.vertices.size());
  ASSERT_EQ(flesh.region.size(), body.cage.tets.size());
  ASSERT_EQ(flesh.skin_softness.size(), body.skin.vertices.size());
  ASSERT_EQ(flesh.points.skin.size(), body.cage.n_vertices());
  int free = 0, counted = 0;
  for (size_t v = 0; v < flesh.softness.size(); ++v) {
    EXPECT_TRUE(flesh.softness[v] >= 0 && flesh.softness[v] <= 1);
    EXPECT_TRUE(std::isfinite(flesh.half_thickness[v]));
    free += flesh.softness[v] > 0;
  }
  for (const FleshRegion& r : flesh.regions) {
    counted += r.n_free;
    EXPECT_TRUE(std::isfinite(r.half_thickness) && r.half_thickness > 0);
  }
  EXPECT_EQ(counted, free);
  for (size_t t = 0; t < flesh.region.size(); ++t) {
    bool soft = false;
    for (const int v : body.cage.tets[t]) soft = soft || flesh.softness[v] > 0;
    EXPECT_EQ(flesh.region[t] >= 0, soft);
    EXPECT_LT(flesh.region[t], static_cast<int>(flesh.regions.size()));
  }
  for (int i = 0; i < body.blend.size(); ++i) {
    bool soft = false;
    for (int k = body.blend.first[i]; k < body.blend.first[i + 1]; ++k) {
      soft = soft || flesh.softness[body.blend.vertex[k]] > 0;
    }
    if (!soft) {
      EXPECT_EQ(flesh.skin_softness[i], 0);
    }
  }
}

TEST(Flesh, ThickBodyHasACoreOfItsShareAndSoftnessRisesOutwards) {
  const double radius = 0.25, edge = 0.04;
  const Body body = capsule_body(radius, 2, edge, {0.2, 0.7, 1.3, 1.95});
  const Flesh flesh = find_flesh(body.input());
  expect_sound(body, flesh);
  EXPECT_NEAR(flesh.height, 2, 1e-9);
  EXPECT_TRUE(flesh.follows_only.empty());
  EXPECT_EQ(flesh.n_planted + flesh.n_morphed + flesh.n_beside_rigid, 0);
  const double core = kCoreOfThick * radius, widest = 2 * 1.5 * edge;
  for (int v = 0; v < body.cage.n_vertices(); ++v) {
    const Vec3& x = body.cage.vertices[v];
    if (x.y() < 0.4 || x.y() > 1.3) continue;
    EXPECT_NEAR(flesh.half_thickness[v], radius, 0.02);
    const double r = from_axis(x);
    if (r < core) {
      EXPECT_EQ(flesh.softness[v], 0) << x.transpose();
    }
    if (r > core + 0.5 * edge) {
      EXPECT_GT(flesh.softness[v], 0) << x.transpose();
    }
    if (r > core + widest) {
      EXPECT_GT(flesh.softness[v], 0.9) << x.transpose();
    }
  }
  // Vertices of one height, by distance from the axis: none is harder than one nearer to it.
  for (int a = 0; a < body.cage.n_vertices(); ++a) {
    const Vec3& x = body.cage.vertices[a];
    if (std::abs(x.y() - 1) > 0.5 * edge) continue;
    for (int b = 0; b < body.cage.n_vertices(); ++b) {
      const Vec3& y = body.cage.vertices[b];
      if (y.y() != x.y() || from_axis(y) < from_axis(x) + 0.5 * edge) continue;
      EXPECT_GE(flesh.softness[b], flesh.softness[a] - 0.02);
    }
  }
  for (int i = 0; i < body.skin.n_vertices(); ++i) {
    const double y = body.skin.vertices[i].y();
    if (y > 0.4 && y < 1.3) {
      EXPECT_GT(flesh.skin_softness[i], 0.9);
    }
  }
}

TEST(Flesh, ThinBodyFollows) {
  const Body body = capsule_body(0.02, 2, 0.02, {0, 0.5, 1, 1.5});
  const Flesh flesh = find_flesh(body.input());
  expect_sound(body, flesh);
  for (const double s : flesh.softness) EXPECT_EQ(s, 0);
  for (const double s : flesh.skin_softness) EXPECT_EQ(s, 0);
  EXPECT_TRUE(flesh.regions.empty());
}

TEST(Flesh, WithoutRoomForTwoLayersItFollowsAndSaysSo) {
  const Body body = capsule_body(0.16, 2, 0.3, {0.2, 0.9});
  const Flesh flesh = find_flesh(body.input());
  expect_sound(body, flesh);
  EXPECT_EQ(flesh.follows_only, (std::vector<std::string>{"bone0", "bone1"}));
  EXPECT_GT(flesh.n_thin_layer, 50);
  for (const double s : flesh.softness) EXPECT_EQ(s, 0);
}

TEST(Flesh, SkinThatMustStayIsExactlyDriven) {
  Body body = capsule_body(0.25, 2, 0.06, {0.2, 0.7, 1.3, 1.95});
  body.poses.resize(20, body.poses[0]);
  // A rigid ball in the side, and a morph at the other.
  TriMesh ball = capsule_skin(0.05, 0.1, 8, 4);
  Piece rigid;
  rigid.name = "eye";
  rigid.role = Role::rigid;
  for (const Tri& t : ball.triangles) {
    const int n = body.drawn.n_vertices();
    rigid.triangles.push_back(static_cast<int>(body.drawn.triangles.size()));
    body.drawn.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  }
  for (const Vec3& x : ball.vertices) {
    rigid.vertices.push_back(body.drawn.n_vertices());
    body.drawn.vertices.rest.push_back(x + Vec3(0.25, 1, 0));
    body.drawn.vertices.skin.bone.push_back(1);
    body.drawn.vertices.skin.weight.push_back(1);
    body.drawn.vertices.skin.first.push_back(static_cast<int>(body.drawn.vertices.skin.bone.size()));
  }
  body.pieces.push_back(rigid);
  Morph morph;
  for (int i = 0; i < body.skin.n_vertices(); ++i) {
    if ((body.skin.vertices[i] - Vec3(-0.25, 1, 0)).norm() > 0.15) continue;
    morph.points.push_back(i);
    morph.offsets.emplace_back(-0.05, 0, 0);
  }
  body.drawn.vertices.morphs = {morph};
  for (size_t f = 0; f < body.poses.size(); ++f) body.poses[f].morphs = {f / 20.0};

  const Flesh flesh = find_flesh(body.input());
  expect_sound(body, flesh);
  EXPECT_GT(flesh.n_planted, 5);
  EXPECT_GT(flesh.n_beside_rigid, 5);
  EXPECT_EQ(flesh.n_morphed, static_cast<int>(morph.points.size()));
  for (const int i : morph.points) EXPECT_EQ(flesh.skin_softness[i], 0);
  for (int i = 0; i < body.skin.n_vertices(); ++i) {
    const Vec3& x = body.skin.vertices[i];
    if (x.y() < 0.039) {
      EXPECT_EQ(flesh.skin_softness[i], 0);
    }
    if ((x - Vec3(0.25, 1.05, 0)).norm() < 0.07) {
      EXPECT_EQ(flesh.skin_softness[i], 0);
    }
  }
  // Around the back it is as soft as ever, and on the way there nothing jumps.
  const CageGraph graph = make_graph(body.cage);
  double softest = 0;
  for (int i = 0; i < body.skin.n_vertices(); ++i) {
    const Vec3& x = body.skin.vertices[i];
    if (std::abs(x.y() - 1) < 0.1 && x.z() > 0.24) softest = std::max(softest, flesh.skin_softness[i]);
  }
  EXPECT_GT(softest, 0.8);
  for (int v = 0; v < graph.size(); ++v) {
    for (int k = graph.first[v]; k < graph.first[v + 1]; ++k) {
      EXPECT_LT(std::abs(flesh.softness[v] - flesh.softness[graph.neighbour[k]]), 0.85);
    }
  }
}

TEST(Flesh, WithinAHardShellNothingIsFree) {
  Body body = capsule_body(0.25, 2, 0.06, {0.2, 0.7, 1.3, 1.95});
  Morph morph;
  for (int i = 0; i < body.skin.n_vertices(); ++i) {
    morph.points.push_back(i);
    morph.offsets.emplace_back(0.05, 0, 0);
  }
  body.drawn.vertices.morphs = {morph};
  body.poses.resize(2, body.poses[0]);
  body.poses[0].morphs = {0};
  body.poses[1].morphs = {1};
  const Flesh flesh = find_flesh(body.input());
  expect_sound(body, flesh);
  EXPECT_EQ(flesh.n_morphed, body.skin.n_vertices());
  for (const double s : flesh.softness) EXPECT_EQ(s, 0);
}

TEST(Flesh, BonesOutsideTheBodyLeaveACoreDeepWithin) {
  Body body = capsule_body(0.25, 2, 0.06, {0.2, 0.7, 1.3, 1.95});
  for (Bone& b : body.drawn.bones) b.head += Vec3(3, 0, 0);
  const Flesh flesh = find_flesh(body.input());
  expect_sound(body, flesh);
  int core = 0;
  for (int v = 0; v < body.cage.n_vertices(); ++v) {
    const Vec3& x = body.cage.vertices[v];
    if (x.y() < 0.5 || x.y() > 1.5) continue;
    core += flesh.softness[v] == 0;
    if (flesh.softness[v] == 0) {
      EXPECT_LT(from_axis(x), 0.14);
    }
    if (from_axis(x) > 0.25) {
      EXPECT_GT(flesh.softness[v], 0.5);
    }
  }
  EXPECT_GT(core, 20);
}

TEST(Flesh, OddSkeletonsGiveNumbers) {
  // All heads in one place: bones without length.
  Body same = capsule_body(0.25, 2, 0.08, {0.2, 0.7, 1.3, 1.95});
  for (Bone& b : same.drawn.bones) b.head = Vec3(0, 1, 0);
  expect_sound(same, find_flesh(same.input()));
  // One bone, as an unskinned mesh has: the core is what lies deep.
  const Body one = capsule_body(0.25, 2, 0.06, {0.2});
  const Flesh flesh = find_flesh(one.input());
  expect_sound(one, flesh);
  ASSERT_EQ(flesh.regions.size(), 1u);
  EXPECT_EQ(flesh.regions[0].name, "bone0");
  for (int v = 0; v < one.cage.n_vertices(); ++v) {
    if (flesh.softness[v] == 0) {
      EXPECT_GT(-capsule_distance(one.cage.vertices[v], 0.25, 2), 0.05);
    }
  }
  // None at all.
  Body none = capsule_body(0.25, 2, 0.08, {0.2});
  none.drawn.bones.clear();
  none.drawn.vertices.skin = {};
  none.drawn.vertices.skin.first.assign(none.drawn.vertices.rest.size() + 1, 0);
  none.poses.clear();
  const Flesh loose = find_flesh(none.input());
  expect_sound(none, loose);
  EXPECT_EQ(loose.regions.size(), 1u);
  // A ring of parents.
  Body ring = capsule_body(0.25, 2, 0.08, {0.2, 0.7, 1.3, 1.95});
  ring.drawn.bones[0].parent = 2;
  expect_sound(ring, find_flesh(ring.input()));
}

TEST(Flesh, JointsAndRadiusSayWhatIsHard) {
  const Body body = capsule_body(0.25, 2, 0.06, {0.2, 0.7, 1.3, 1.95});
  FleshOptions options;
  options.joints = {"*1"};
  options.radius = 0.1;
  const Flesh flesh = find_flesh(body.input(), options);
  expect_sound(body, flesh);
  for (int v = 0; v < body.cage.n_vertices(); ++v) {
    const Vec3& x = body.cage.vertices[v];
    const double d = (x - Vec3(0, std::clamp(x.y(), 0.7, 1.3), 0)).norm();
    if (d <= 0.1) {
      EXPECT_EQ(flesh.softness[v], 0);
    }
    if (d > 0.13) {
      EXPECT_GT(flesh.softness[v], 0);
    }
    if (d > 0.1 + 2 * 1.5 * 0.06) {
      EXPECT_EQ(flesh.softness[v], 1);
    }
  }
  options.joints = {"Spine*"};
  try {
    find_flesh(body.input(), options);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("bone1"), std::string::npos);
  }
}

TEST(Flesh, PaintSaysHowSoftSkinIs) {
  const Body body = capsule_body(0.1, 2, 0.025, {0.2, 0.7, 1.3, 1.95});
  FleshOptions options;
  for (const Vec3& x : body.skin.vertices) options.painted.push_back(x.y() > 1 ? 1 : 0);
  const Flesh flesh = find_flesh(body.input(), options);
  expect_sound(body, flesh);
  for (int i = 0; i < body.skin.n_vertices(); ++i) {
    const double y = body.skin.vertices[i].y();
    if (y <= 1) {
      EXPECT_EQ(flesh.skin_softness[i], 0);
    }
    if (y > 1.2 && y < 1.7) {
      EXPECT_GT(flesh.skin_softness[i], 0.5);
    }
  }
  for (int v = 0; v < body.cage.n_vertices(); ++v) {
    if (from_axis(body.cage.vertices[v]) < 0.035 && body.cage.vertices[v].y() < 1.9) {
      EXPECT_EQ(flesh.softness[v], 0) << body.cage.vertices[v].transpose();
    }
  }
  options.painted.pop_back();
  EXPECT_THROW(find_flesh(body.input(), options), InputError);
  options.painted.push_back(INFINITY);
  EXPECT_THROW(find_flesh(body.input(), options), InputError);
}

TEST(Flesh, PaintedAlmostHardIsAlmostHardWhereverTheBonesAre) {
  Body body = capsule_body(0.1, 2, 0.025, {0.2, 0.7, 1.3, 1.95});
  for (Bone& b : body.drawn.bones) b.head += Vec3(0.06, 0, 0);
  FleshOptions options;
  options.painted.assign(body.skin.vertices.size(), 0.05);
  const Flesh flesh = find_flesh(body.input(), options);
  expect_sound(body, flesh);
  for (const double s : flesh.skin_softness) EXPECT_LT(s, 0.1);
}

TEST(Flesh, HeldVerticesAreDriven) {
  const Body body = capsule_body(0.25, 2, 0.08, {0.2, 0.7, 1.3, 1.95});
  const Flesh before = find_flesh(body.input());
  FleshOptions options;
  for (int v = 0; v < body.cage.n_vertices(); ++v) {
    if (before.softness[v] == 1) options.held = {v};
  }
  ASSERT_FALSE(options.held.empty());
  EXPECT_EQ(find_flesh(body.input(), options).softness[options.held[0]], 0);
  options.held = {body.cage.n_vertices()};
  EXPECT_THROW(find_flesh(body.input(), options), InputError);
}

TEST(Flesh, TheSameBitsForAnyNumberOfThreads) {
  Body body = capsule_body(0.25, 2, 0.08, {0.2, 0.7, 1.3, 1.95});
  body.poses.resize(10, body.poses[0]);
  set_thread_count(1);
  const Flesh one = find_flesh(body.input());
  set_thread_count(3);
  const Flesh three = find_flesh(body.input());
  set_thread_count(0);
  EXPECT_EQ(one.softness, three.softness);
  EXPECT_EQ(one.half_thickness, three.half_thickness);
  EXPECT_EQ(one.points.skin.weight, three.points.skin.weight);
  EXPECT_EQ(one.region, three.region);
}

TEST(Flesh, ColoursGoFromBlueToRed) {
  const Points c = softness_colors({0, 0.5, 1, -3, 7, std::nan("")});
  EXPECT_GT(c[0].z(), c[0].x());
  EXPECT_GT(c[2].x(), 10 * c[2].z());
  EXPECT_EQ(c[3], c[0]);
  EXPECT_EQ(c[4], c[2]);
  EXPECT_EQ(c[5], c[0]);
}

}  // namespace
}  // namespace supple
