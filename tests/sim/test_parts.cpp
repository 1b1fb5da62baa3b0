#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "supple/sim/parts.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

// Appends a mesh, its vertices after those that are there.
void append(TetMesh& mesh, const TetMesh& other) {
  const int shift = mesh.n_vertices();
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (Tet t : other.tets) {
    for (int& v : t) v += shift;
    mesh.tets.push_back(t);
  }
}

ModelSpec bars(const std::vector<TetMesh>& meshes) {
  ModelSpec spec = test::beam_spec({});
  spec.mesh = {};
  for (const TetMesh& m : meshes) append(spec.mesh, m);
  spec.per_tet.assign(spec.mesh.tets.size(), spec.per_tet[0]);
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return x[0] < 1e-9; });
  spec.gravity = {0, -9.81, 0};
  return spec;
}

double first(const Model& model) { return natural_modes(model, 1).frequencies_hz[0]; }

// Everything but some vertices driven, on the whole mesh: the plain way to what held_around does on a piece.
Model all_held_but(const Model& model, const std::vector<int>& vertices) {
  ModelSpec spec = model.spec();
  std::vector<char> mine(spec.mesh.vertices.size(), 0);
  for (int v : vertices) mine[v] = 1;
  spec.driven.clear();
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    if (!mine[v]) spec.driven.push_back(v);
  return Model(spec);
}

TEST(Parts, one_part_has_the_numbers_of_the_model) {
  const Model model(bars({make_box(5, 2, 2, {0.4, 0.12, 0.08})}));
  const Parts parts = analyse_parts(model);
  ASSERT_EQ(parts.list.size(), 1u);
  EXPECT_EQ(parts.list[0].name, "body");
  EXPECT_EQ(parts.list[0].frequency_hz, first(model));
  EXPECT_EQ(parts.list[0].sag_m, gravity_sag(model).sag_m);
  EXPECT_EQ(parts.list[0].vertices.size(), model.mesh().vertices.size() - model.spec().driven.size());
  EXPECT_EQ(parts.list[0].tets.size(), model.mesh().tets.size());
}

TEST(Parts, two_bars_each_with_their_own_frequency_and_sag) {
  const TetMesh brief = make_box(4, 2, 2, {0.25, 0.1, 0.1}), lengthy = make_box(6, 2, 2, {0.5, 0.1, 0.1}, {0, 1, 0});
  const Model both(bars({brief, lengthy})), a(bars({brief})), b(bars({lengthy}));
  const Parts parts = analyse_parts(both);
  ASSERT_EQ(parts.list.size(), 2u);
  EXPECT_EQ(parts.list[0].name, "around vertex 76");
  EXPECT_GT(parts.list[0].mass, parts.list[1].mass);
  EXPECT_NEAR(parts.list[0].frequency_hz, first(b), 1e-8 * first(b));
  EXPECT_NEAR(parts.list[1].frequency_hz, first(a), 1e-8 * first(a));
  EXPECT_GT(parts.list[1].frequency_hz, 2 * parts.list[0].frequency_hz);
  EXPECT_NEAR(parts.frequency_hz, first(both), 1e-8 * first(both));
  // A bar's sag is over its free mass, the same in both ways of counting.
  EXPECT_NEAR(parts.list[0].sag_m, gravity_sag(b).sag_m, 1e-6 * gravity_sag(b).sag_m);
  EXPECT_NEAR(parts.list[1].sag_m, gravity_sag(a).sag_m, 1e-6 * gravity_sag(a).sag_m);
}

TEST(Parts, a_bar_driven_in_the_middle_is_two) {
  ModelSpec spec = bars({make_box(7, 2, 2, {0.7, 0.1, 0.1})});
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return std::abs(x[0] - 0.3) < 1e-9; });
  const Model model(spec);
  const Parts parts = analyse_parts(model);
  ASSERT_EQ(parts.list.size(), 2u);
  for (const Part& p : parts.list) {
    const double f = first(all_held_but(model, p.vertices));
    EXPECT_NEAR(p.frequency_hz, f, 1e-8 * f);
  }
  for (int t = 0; t < model.mesh().n_tets(); ++t) {
    Vec3 centre = Vec3::Zero();
    for (int v : model.mesh().tets[t]) centre += model.mesh().vertices[v] / 4;
    EXPECT_EQ(parts.of_tet[t], centre[0] > 0.3 ? 0 : 1);
  }
  for (int v : model.spec().driven) EXPECT_EQ(parts.of_vertex[v], -1);
}

PartGroups tip_of(const TetMesh& mesh, double from) {
  PartGroups groups{.group = std::vector<int>(mesh.tets.size(), -1), .names = {"tip"}};
  for (int t = 0; t < mesh.n_tets(); ++t) {
    Vec3 centre = Vec3::Zero();
    for (int v : mesh.tets[t]) centre += mesh.vertices[v] / 4;
    if (centre[0] > from) groups.group[t] = 0;
  }
  return groups;
}

// The piece alone against the whole mesh with all else driven, for every way of holding and of reckoning.
TEST(Parts, a_piece_held_around_is_the_body_with_all_else_driven) {
  for (const bool anti_locking : {false, true}) {
    for (const bool tied : {false, true}) {
      ModelSpec spec = bars({make_box(6, 2, 2, {0.6, 0.1, 0.1})});
      spec.anti_locking = anti_locking;
      spec.point_masses = {{spec.mesh.n_vertices() - 1, 0.3}};
      if (tied) {
        spec.driven.clear();
        for (int t : {0, 1, 2, 40, 41, 100})
          (t < 50 ? spec.ties : spec.springs).push_back({spec.mesh.tets[t], Eigen::Vector4d::Constant(0.25)});
        spec.spring_stiffness = 500;
      }
      const Model model(spec);
      const Parts parts = split_into_parts(model, tip_of(spec.mesh, 0.3));
      ASSERT_EQ(parts.list.size(), 2u);
      for (const Part& p : parts.list) {
        EXPECT_EQ(p.name, p.group == 0 ? "tip" : "body");
        const double f = first(all_held_but(model, p.vertices));
        EXPECT_NEAR(lowest_frequency(held_around(model, p.vertices)), f, 1e-7 * f) << anti_locking << tied;
      }
    }
  }
}

// A group's frequency is that of its slowest swing with all else held.
TEST(Parts, a_group_swings_with_all_else_held) {
  const Model model(bars({make_box(6, 2, 2, {0.6, 0.1, 0.1})}));
  const Parts parts = analyse_parts(model, tip_of(model.mesh(), 0.3));
  ASSERT_EQ(parts.list.size(), 2u);
  for (const Part& p : parts.list) {
    ModelSpec spec = model.spec();
    spec.driven.clear();
    for (int v = 0; v < model.n_vertices(); ++v)
      if (!std::binary_search(p.vertices.begin(), p.vertices.end(), v)) spec.driven.push_back(v);
    EXPECT_NEAR(p.frequency_hz, first(Model(spec)), 1e-6 * p.frequency_hz) << p.name;
  }
}

// Two bars alike on either side of what holds them share all their modes; each alone has most of none.
TEST(Parts, twins_swing_together) {
  ModelSpec spec = bars({make_box(13, 2, 2, {0.65, 0.1, 0.1}, {-0.325, 0, 0})});
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return std::abs(x[0]) < 0.03 && x[1] < 1e-9; });
  const Model model(spec);
  PartGroups groups{.group = std::vector<int>(spec.mesh.tets.size(), -1), .names = {"left", "right"}, .twin = {1, 0}};
  for (int t = 0; t < spec.mesh.n_tets(); ++t) {
    double x = 0;
    for (int v : spec.mesh.tets[t]) x += spec.mesh.vertices[v][0] / 4;
    if (std::abs(x) > 0.1) groups.group[t] = x < 0 ? 0 : 1;
  }
  const Parts parts = split_into_parts(model, groups);
  const std::vector<PartSwing> swings = part_swings(model, parts);
  double left = 0, right = 0;
  for (size_t p = 0; p < parts.list.size(); ++p) {
    if (parts.list[p].name == "left") left = swings[p].frequency_hz;
    if (parts.list[p].name == "right") right = swings[p].frequency_hz;
  }
  EXPECT_GT(left, 0);
  EXPECT_EQ(left, right);
  EXPECT_NEAR(left, first(model), 1e-6 * left);
}

TEST(Parts, values_of_parts_on_vertices_have_no_crease) {
  const Model model(bars({make_box(12, 2, 2, {0.6, 0.1, 0.1})}));
  const Parts parts = split_into_parts(model, tip_of(model.mesh(), 0.3));
  std::vector<double> of_part(2);
  for (size_t p = 0; p < 2; ++p) of_part[p] = parts.list[p].group == 0 ? 3 : 1;
  const VecX x = smooth_on_vertices(model.mesh(), parts, of_part);
  double largest_step = 0;
  for (const auto& [a, b] : unique_edges(model.mesh().tets))
    largest_step = std::max(largest_step, std::abs(x[a] - x[b]));
  EXPECT_LT(largest_step, 1.0);
  for (int v = 0; v < model.n_vertices(); ++v) {
    const double at = model.mesh().vertices[v][0];
    if (at > 0.55) {
      EXPECT_NEAR(x[v], 3, 1e-12);
    }
    if (at < 0.1) {
      EXPECT_NEAR(x[v], 1, 1e-12);
    }
  }
  EXPECT_EQ(smooth_on_vertices(model.mesh(), parts, {2, 2}), VecX::Constant(model.n_vertices(), 2));
}

TEST(Parts, crumbs_share_the_numbers_of_the_heaviest) {
  // Beside a bar, a box all driven but for two corners that no tet joins.
  ModelSpec spec = bars({make_box(5, 2, 2, {0.4, 0.12, 0.08}), make_box(2, 2, 2, {0.1, 0.1, 0.1}, {0, 1, 0})});
  spec.driven.clear();
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) {
    const Vec3& x = spec.mesh.vertices[v];
    const bool corner = (x - Vec3(0, 1.1, 0)).norm() < 1e-9 || (x - Vec3(0.1, 1, 0.1)).norm() < 1e-9;
    if (x[1] > 0.9 ? !corner : x[0] < 1e-9) spec.driven.push_back(v);
  }
  const Parts parts = analyse_parts(Model(spec));
  ASSERT_EQ(parts.list.size(), 2u);
  EXPECT_TRUE(parts.list[1].shared);
  EXPECT_EQ(parts.list[1].vertices.size(), 2u);
  EXPECT_EQ(parts.list[1].frequency_hz, parts.list[0].frequency_hz);
  EXPECT_TRUE(parts.warnings.empty());
}

TEST(Parts, a_group_too_small_goes_to_the_flesh_around_it) {
  const Model model(bars({make_box(5, 2, 2, {0.4, 0.12, 0.08})}));
  PartGroups groups{.group = std::vector<int>(model.mesh().tets.size(), -1), .names = {"speck"}};
  groups.group.back() = 0;
  const Parts parts = analyse_parts(model, groups);
  ASSERT_EQ(parts.list.size(), 1u);
  EXPECT_EQ(parts.list[0].frequency_hz, first(model));
  EXPECT_EQ(parts.of_tet.back(), 0);
}

TEST(Parts, too_many_are_told) {
  std::vector<TetMesh> boxes;
  for (int i = 0; i < kLargestPartCount + 3; ++i)
    boxes.push_back(make_box(1, 1, 1, Vec3::Constant(i == 5 ? 0.12 : 0.1), {0, 0.2 * i, 0}));
  const Model model(bars(boxes));
  const Parts parts = analyse_parts(model);
  ASSERT_EQ(parts.list.size(), kLargestPartCount + 1u);
  EXPECT_TRUE(parts.list.back().shared);
  EXPECT_EQ(parts.list.back().vertices.size(), 12u);
  ASSERT_EQ(parts.warnings.size(), 1u);
  EXPECT_NE(parts.warnings[0].find("67 separate parts"), std::string::npos);
  // The largest box comes first, and what is left over takes its numbers.
  EXPECT_EQ(parts.list[0].vertices[0] / 8, 5);
  EXPECT_EQ(parts.list.back().frequency_hz, parts.list[0].frequency_hz);
}

TEST(Parts, all_driven_or_nothing_held) {
  ModelSpec spec = bars({make_box(2, 1, 1, {0.2, 0.1, 0.1})});
  spec.driven.clear();
  EXPECT_EQ(analyse_parts(Model(spec)).list.size(), 1u);
  EXPECT_GT(analyse_parts(Model(spec)).frequency_hz, 1);  // past the rigid motions
  EXPECT_EQ(analyse_parts(Model(spec)).sag_m, 0);
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) spec.driven.push_back(v);
  const Parts none = analyse_parts(Model(spec));
  EXPECT_TRUE(none.list.empty());
  EXPECT_EQ(none.frequency_hz, 0);
  EXPECT_FALSE(none.trouble.empty());
}

TEST(Parts, gravity_scale_of_vertices) {
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    ModelSpec spec = test::beam_spec({.mass = mass, .gravity = {1, -9.81, 2}});
    const VecX plain = Model(spec).gravity_force();
    spec.gravity_scale = VecX::LinSpaced(spec.mesh.n_vertices(), 0, 3);
    const Model model(spec);
    for (int v = 0; v < model.n_vertices(); ++v)
      EXPECT_LT((model.gravity_force().segment<3>(3 * v) - spec.gravity_scale[v] * plain.segment<3>(3 * v)).norm(),
                1e-15);
    // On the refined mesh it goes on between the vertices.
    const Model fine = refined(model);
    ASSERT_EQ(fine.spec().gravity_scale.size(), fine.n_vertices());
    EXPECT_EQ(fine.spec().gravity_scale.head(model.n_vertices()), spec.gravity_scale);
  }
}

}  // namespace
}  // namespace supple
