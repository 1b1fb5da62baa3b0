#include <gtest/gtest.h>

#include "supple/attach/regions.h"
#include "tests/attach/flesh_body.h"

namespace supple {
namespace {

using namespace test;

TEST(Regions, SmallGroupsJoinUpOrDownTheSkeletonNotAcross) {
  // Left and right halves of a bar, each led by a child of the root; the root leads a thin slice between them that
  // touches both, and the left child's own child leads a small end.
  Body body;
  body.cage = make_box(20, 2, 2, Vec3(2, 0.2, 0.2));
  body.skin = boundary_surface(body.cage);
  draw(body);
  give_bones(body, {0, 0.1, 0.2, 0.3});
  const int parents[] = {-1, 0, 0, 1};
  for (int b = 0; b < 4; ++b) body.drawn.bones[b].parent = parents[b];
  auto weights = [](const Points& points) {
    SkinWeights w;
    for (const Vec3& x : points) {
      w.bone.push_back(x.x() < 0.04 ? 3 : x.x() < 0.99 ? 1 : x.x() < 1.02 ? 0 : 2);
      w.weight.push_back(1);
      w.first.push_back(static_cast<int>(w.bone.size()));
    }
    return w;
  };
  body.drawn.vertices.skin = weights(body.drawn.vertices.rest);
  const Skeleton skeleton = find_skeleton(body.drawn, body.skin, body.input().skin_source);
  Flesh flesh;
  flesh.points.skin = weights(body.cage.vertices);
  flesh.softness.assign(body.cage.n_vertices(), 1);
  flesh.half_thickness.assign(body.cage.n_vertices(), 0.1);
  find_regions(body.drawn, body.cage, skeleton, {}, flesh);
  std::vector<std::string> names;
  for (const FleshRegion& r : flesh.regions) {
    names.push_back(r.name);
    EXPECT_NEAR(r.half_thickness, 0.1, 1e-12);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"bone0", "bone1", "bone2"}));
  EXPECT_EQ(flesh.region[0], 1);
  EXPECT_EQ(flesh.region.back(), 2);
}

TEST(Regions, ASmallGroupPrefersItsKinToTheOneItTouchesMost) {
  // One cube of the bar's right half, next to the left half, is led by the left bone's child.
  Body body;
  body.cage = make_box(60, 3, 3, Vec3(6, 0.3, 0.3));
  body.skin = boundary_surface(body.cage);
  draw(body);
  give_bones(body, {0, 0.1, 0.2, 0.3});
  const int parents[] = {-1, 0, 0, 1};
  for (int b = 0; b < 4; ++b) body.drawn.bones[b].parent = parents[b];
  auto weights = [](const Points& points) {
    SkinWeights w;
    for (const Vec3& x : points) {
      const bool corner = x.x() > 2.95 && x.x() < 3.15 && x.y() < 0.15 && x.z() < 0.15;
      w.bone.push_back(corner ? 3 : x.x() < 2.95 ? 1 : 2);
      w.weight.push_back(1);
      w.first.push_back(static_cast<int>(w.bone.size()));
    }
    w.bone[0] = 0;  // the root carries something
    return w;
  };
  body.drawn.vertices.skin = weights(body.drawn.vertices.rest);
  const Skeleton skeleton = find_skeleton(body.drawn, body.skin, body.input().skin_source);
  Flesh flesh;
  flesh.points.skin = weights(body.cage.vertices);
  flesh.softness.assign(body.cage.n_vertices(), 1);
  flesh.half_thickness.assign(body.cage.n_vertices(), 0.1);
  find_regions(body.drawn, body.cage, skeleton, {}, flesh);
  ASSERT_EQ(flesh.regions.size(), 2u);
  // Tets wholly of the corner.
  int found = 0;
  for (int t = 0; t < body.cage.n_tets(); ++t) {
    bool all = true;
    for (const int v : body.cage.tets[t]) all = all && flesh.points.skin.bone[v] == 3;
    if (!all) continue;
    ++found;
    EXPECT_EQ(flesh.regions[flesh.region[t]].name, "bone1");
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace supple
