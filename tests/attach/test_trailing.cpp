// Tails and ears in a cage: rooted in a ring that is driven, free as wholes from there on.
#include <gtest/gtest.h>

#include <set>

#include "supple/attach/flesh.h"
#include "supple/attach/flesh_graph.h"
#include "supple/attach/flesh_layers.h"
#include "supple/base/error.h"
#include "tests/attach/flesh_body.h"

namespace supple {
namespace {

using namespace test;

// A quadruped, its head towards +z.
std::vector<Limb> beast() {
  std::vector<Limb> limbs = {{"hips", -1, {0, 1, -0.5}, {0, 1, 0}, 0.25},
                             {"chest", 0, {0, 1, 0}, {0, 1, 0.5}, 0.25},
                             {"head", 1, {0, 1.35, 0.75}, {0, 1.35, 0.9}, 0.2}};
  for (int k = 0; k < 4; ++k) {
    limbs.push_back(
        {"tail" + std::to_string(k), k == 0 ? 0 : 2 + k, {0, 1.1, -0.7 - 0.2 * k}, {0, 1.1, -0.9 - 0.2 * k}, 0.05});
  }
  for (const double side : {-1.0, 1.0}) {
    const std::string s = side < 0 ? ".L" : ".R";
    limbs.push_back({"ear" + s, 2, {0.12 * side, 1.5, 0.8}, {0.22 * side, 1.85, 0.8}, 0.035});
    for (const double z : {-0.4, 0.4}) {
      const int upper = static_cast<int>(limbs.size());
      limbs.push_back({"upper" + s, z < 0 ? 0 : 1, {0.15 * side, 0.85, z}, {0.15 * side, 0.45, z}, 0.08});
      limbs.push_back({"lower" + s, upper, {0.15 * side, 0.45, z}, {0.15 * side, 0.07, z}, 0.07});
    }
  }
  return limbs;
}

std::set<std::string> trailing_regions(const Flesh& flesh) {
  std::set<std::string> names;
  for (const FleshRegion& r : flesh.regions) {
    if (r.trailing) names.insert(r.name);
  }
  return names;
}

// Soft vertices that hang together with the one nearest to x, through soft ones only.
std::vector<int> piece_at(const Body& body, const Flesh& flesh, const Vec3& x) {
  const CageGraph graph = make_graph(body.cage);
  int start = 0;
  for (int v = 0; v < graph.size(); ++v) {
    if ((body.cage.vertices[v] - x).norm() < (body.cage.vertices[start] - x).norm()) start = v;
  }
  std::vector<int> front = {start};
  std::set<int> seen = {start};
  for (size_t at = 0; at < front.size(); ++at) {
    for (int k = graph.first[front[at]]; k < graph.first[front[at] + 1]; ++k) {
      const int v = graph.neighbour[k];
      if (flesh.softness[v] > 0 && seen.insert(v).second) front.push_back(v);
    }
  }
  return front;
}

// The first bone of the tail ends at -0.9; from a ring within it softness rises over two edges.
void expect_free_from_a_ring(const Body& body, const Flesh& flesh, double edge) {
  // Nothing of the body hangs together with the tail, and the tail is free to its axis.
  const std::vector<int> tail = piece_at(body, flesh, {0, 1.1, -1.4});
  EXPECT_GT(tail.size(), 20u);
  for (const int v : tail) EXPECT_LT(body.cage.vertices[v].z(), -0.65);
  for (int v = 0; v < body.cage.n_vertices(); ++v) {
    if (body.cage.vertices[v].z() < -0.9 - 3 * edge) EXPECT_GT(flesh.softness[v], 0.9);
  }
}

TEST(Trailing, TailsAreFreeAsWholesFromARingThatIsDriven) {
  const Body body = body_of_limbs(beast(), 0.06);
  const Flesh flesh = find_flesh(body.input());
  EXPECT_EQ(trailing_regions(flesh), (std::set<std::string>{"tail0", "ear.L", "ear.R"}));
  expect_free_from_a_ring(body, flesh, 0.06);
  const std::vector<int> ear = piece_at(body, flesh, {0.22, 1.85, 0.8});
  for (const int v : ear) EXPECT_GT(body.cage.vertices[v].x(), 0);

  // In a coarser cage too.
  const Body coarse = body_of_limbs(beast(), 0.1);
  const Flesh carried = carry_flesh(coarse.input(), flesh, body.cage);
  EXPECT_EQ(trailing_regions(carried), trailing_regions(flesh));
  expect_free_from_a_ring(coarse, carried, 0.1);
}

TEST(Trailing, WhatIsHeldOrTurnedOffIsAsItsThicknessSays) {
  const Body body = body_of_limbs(beast(), 0.06);
  FleshOptions options;
  options.hold = {"tail*"};
  EXPECT_EQ(trailing_regions(find_flesh(body.input(), options)), (std::set<std::string>{"ear.L", "ear.R"}));
  options.hold = {"tail0", "ear*"};
  EXPECT_EQ(trailing_regions(find_flesh(body.input(), options)), (std::set<std::string>{"tail1"}));
  options = {};
  options.trailing = false;
  EXPECT_TRUE(trailing_regions(find_flesh(body.input(), options)).empty());
  options = {};
  options.joints = {"hips"}, options.radius = 0.1, options.trail = {"tail2"};
  EXPECT_EQ(trailing_regions(find_flesh(body.input(), options)), (std::set<std::string>{"tail2"}));
  for (std::vector<std::string> FleshOptions::*list : {&FleshOptions::trail, &FleshOptions::hold}) {
    options = {};
    options.*list = {"wing*"};
    EXPECT_THROW(find_flesh(body.input(), options), InputError);
  }
}

TEST(Trailing, ABodyThatIsOneChainDoesNotTrail) {
  std::vector<Limb> snake;
  for (int k = 0; k < 8; ++k) {
    snake.push_back({"link" + std::to_string(k), k - 1, {0, 0.1, 0.25 * k}, {0, 0.1, 0.25 * k + 0.25}, 0.1});
  }
  const Flesh flesh = find_flesh(body_of_limbs(snake, 0.05).input());
  EXPECT_TRUE(trailing_regions(flesh).empty());
}

TEST(Trailing, ArmsOfTwoBonesAreLimbsAndCoatTailsAreNot) {
  std::vector<Limb> man = {{"hips", -1, {0, 1, 0}, {0, 1.2, 0}, 0.15},
                           {"chest", 0, {0, 1.2, 0}, {0, 1.5, 0}, 0.15},
                           {"head", 1, {0, 1.75, 0}, {0, 1.85, 0}, 0.12}};
  for (const double side : {-1.0, 1.0}) {
    const std::string s = side < 0 ? ".L" : ".R";
    auto add = [&](const std::string& name, int parent, const Vec3& from, const Vec3& to, double radius) {
      man.push_back({name + s, parent, {side * from.x(), from.y(), from.z()}, {side * to.x(), to.y(), to.z()}, radius});
      return static_cast<int>(man.size()) - 1;
    };
    add("lower leg", add("leg", 0, {0.1, 0.85, 0}, {0.1, 0.5, 0}, 0.07), {0.1, 0.5, 0}, {0.1, 0.07, 0}, 0.06);
    add("lower arm", add("arm", 1, {0.25, 1.5, 0}, {0.5, 1.5, 0}, 0.05), {0.5, 1.5, 0}, {0.8, 1.5, 0}, 0.04);
    add("end", add("tail", 0, {0.1, 1, -0.18}, {0.1, 0.75, -0.25}, 0.015), {0.1, 0.75, -0.25}, {0.1, 0.5, -0.25},
        0.015);
  }
  const Flesh flesh = find_flesh(body_of_limbs(man, 0.05).input());
  EXPECT_EQ(trailing_regions(flesh), (std::set<std::string>{"tail.L", "tail.R"}));
}

TEST(Trailing, CrumbsFollow) {
  // Two soft corners of a bar: one vertex, and all but that end.
  const TetMesh bar = make_box(12, 1, 1, Vec3(12, 1, 1));
  std::vector<double> softness(bar.vertices.size());
  for (size_t v = 0; v < softness.size(); ++v) softness[v] = bar.vertices[v].x() < 0.5 || bar.vertices[v].x() > 2.5;
  drop_crumbs(make_graph(bar), softness);
  for (size_t v = 0; v < softness.size(); ++v) EXPECT_EQ(softness[v], bar.vertices[v].x() > 2.5 ? 1 : 0);
}

}  // namespace
}  // namespace supple
