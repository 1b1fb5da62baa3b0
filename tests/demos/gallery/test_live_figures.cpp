// The figures for live packs: surfaces, weights, soft flesh, the parts of the plan, and clips without jolts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "supple/anim/drawn.h"
#include "supple/base/error.h"
#include "supple/demos/gallery/live_man.h"
#include "supple/demos/gallery/live_man_plan.h"
#include "supple/demos/gallery/live_spline.h"
#include "supple/demos/gallery/live_tissue.h"
#include "supple/demos/shapes/shapes.h"
#include "supple/mesh/winding_number.h"

namespace supple {

using namespace demos;
namespace {

const Character& man() {
  static const Character c = make_live_man();
  return c;
}
const Drawn& drawn_man() {
  static const Drawn d = lay_out(man());
  return d;
}
const Character& tissue() {
  static const Character c = make_live_tissue();
  return c;
}

const std::set<std::string> kEyes = {"eyes", "pupils"};

// One vertex of the surface, eyes left out; those at one place are one.
struct Place {
  Vec3 x, normal;
  double soft = 0;
  std::map<std::string, double> weights;  // by joint
};
struct Surface {
  std::vector<Place> places;
  std::vector<Tri> triangles;
};

Surface surface(const Character& c) {
  Surface s;
  std::map<std::array<double, 3>, int> at;
  for (const Primitive& p : c.meshes[0].primitives) {
    if (kEyes.count(p.material)) continue;
    std::vector<int> place;
    for (size_t i = 0; i < p.positions.size(); ++i) {
      const Vec3& x = p.positions[i];
      const auto [it, fresh] = at.try_emplace({x[0], x[1], x[2]}, static_cast<int>(at.size()));
      place.push_back(it->second);
      if (!fresh) continue;
      Place one{x, p.normals[i], p.maps.at("_SOFT")[i], {}};
      for (size_t k = 4 * i; k < 4 * i + 4; ++k)
        if (p.weights[k] > 0) one.weights[c.nodes[c.skins[0].joints[p.joints[k]]].name] += p.weights[k];
      s.places.push_back(std::move(one));
    }
    for (const Tri& t : p.triangles) s.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  }
  return s;
}
const Surface& man_surface() {
  static const Surface s = surface(man());
  return s;
}

double weight(const Place& p, const std::string& joint) {
  const auto it = p.weights.find(joint);
  return it == p.weights.end() ? 0 : it->second;
}

void expect_sound(const Character& c, const Surface& s, const std::map<std::string, Vec3>& colors) {
  std::set<std::pair<int, int>> edges;
  double volume = 0;
  for (const Tri& t : s.triangles) {
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(edges.insert({t[k], t[(k + 1) % 3]}).second) << "an edge with three sides";
    volume += s.places[t[0]].x.dot(s.places[t[1]].x.cross(s.places[t[2]].x)) / 6;
  }
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.count({b, a})) << "an open edge";
  // A ball: vertices - edges + triangles = 2.
  EXPECT_EQ(
      static_cast<int>(s.places.size()) - static_cast<int>(edges.size()) / 2 + static_cast<int>(s.triangles.size()), 2);
  EXPECT_GT(volume, 0) << "it faces inwards";
  for (const Primitive& p : c.meshes[0].primitives) {
    EXPECT_TRUE(colors.count(p.material)) << p.material;
    ASSERT_EQ(p.influences, 4);
    ASSERT_EQ(p.weights.size(), 4 * p.positions.size());
    for (size_t i = 0; i < p.positions.size(); ++i) {
      double sum = 0;
      for (size_t k = 4 * i; k < 4 * i + 4; ++k) {
        EXPECT_GE(p.weights[k], 0);
        ASSERT_LT(p.joints[k], static_cast<int>(c.skins[0].joints.size()));
        sum += p.weights[k];
      }
      EXPECT_NEAR(sum, 1, 1e-9);
      EXPECT_NEAR(p.normals[i].norm(), 1, 1e-6);
    }
    for (double soft : p.maps.at("_SOFT")) EXPECT_TRUE(soft >= 0 && soft <= 1);
  }
}

// A step outwards from any vertex is outside of everything.
void expect_not_through_itself(const Surface& s) {
  Points x;
  for (const Place& p : s.places) x.push_back(p.x);
  const WindingNumber winding(x, s.triangles);
  for (const Place& p : s.places) EXPECT_NEAR(winding(p.x + 2e-3 * p.normal), 0, 0.1) << p.x.transpose();
}

// Value, slope and curvature of a cubic track at the ends of the pieces next to key k, [0] before and [1] after it.
struct Jet {
  VecX slope[2], bend[2];
};
Jet jet(const Channel& c, size_t k, bool round) {
  const size_t n = c.times.size(), w = static_cast<size_t>(c.width);
  const auto part = [&](size_t key, size_t which) {
    return VecX(Eigen::Map<const VecX>(&c.values[(3 * key + which) * w], c.width));
  };
  const auto bend = [&](size_t a, size_t b, bool at_end) {
    const double h = c.times[b] - c.times[a];
    const VecX rise = 6 / (h * h) * (part(b, 1) - part(a, 1));
    if (at_end) return VecX(2 / h * (part(a, 2) + 2 * part(b, 0)) - rise);
    return VecX(rise - 2 / h * (2 * part(a, 2) + part(b, 0)));
  };
  const size_t before = k > 0 ? k : (round ? n - 1 : k), after = k + 1 < n ? k : (round ? 0 : k);
  Jet j;
  j.slope[0] = part(before, 0), j.slope[1] = part(after, 2);
  if (before > 0) j.bend[0] = bend(before - 1, before, true);
  if (after + 1 < n) j.bend[1] = bend(after, after + 1, false);
  return j;
}

void expect_smooth(const Clip& clip, bool loop) {
  ASSERT_FALSE(clip.channels.empty());
  for (const Channel& c : clip.channels) {
    ASSERT_EQ(c.interpolation, Interpolation::cubic);
    const size_t n = c.times.size(), w = static_cast<size_t>(c.width);
    double largest = 1;
    for (size_t k = loop ? 0 : 1; k + 1 < n; ++k) {
      const Jet j = jet(c, k, loop);
      largest = std::max(largest, j.bend[0].norm());
      EXPECT_LT((j.slope[0] - j.slope[1]).norm(), 1e-9);
      EXPECT_LT((j.bend[0] - j.bend[1]).norm(), 1e-8 * largest) << clip.name << " at key " << k;
    }
    if (loop) {
      for (size_t x = 0; x < w; ++x) EXPECT_NEAR(c.values[w + x], c.values[(3 * n - 2) * w + x], 1e-12);
    } else {
      EXPECT_LT(jet(c, 0, false).slope[1].norm(), 1e-12);
      EXPECT_LT(jet(c, n - 1, false).slope[0].norm(), 1e-12);
    }
  }
}

const Clip& clip(const std::string& name) {
  for (const Clip& c : man().clips)
    if (c.name == name) return c;
  throw InputError({.place = name}, "no such clip");
}
Points man_at(const std::string& name, double frame) {
  return posed(drawn_man().vertices, pose_at(man(), drawn_man(), clip(name), frame / kLiveManFps));
}
Affine joint_at(const std::string& name, double frame, const std::string& joint) {
  const auto nodes = node_matrices(man(), clip(name), frame / kLiveManFps);
  for (size_t n = 0; n < nodes.size(); ++n)
    if (man().nodes[n].name == joint) return nodes[n];
  throw InputError({.place = joint}, "no such joint");
}
double lowest(const Points& x) {
  double y = x[0][1];
  for (const Vec3& p : x) y = std::min(y, p[1]);
  return y;
}

TEST(LiveSpline, reproduces_a_cubic_through_uneven_keys) {
  const auto f = [](double s) -> Vec3 { return {s * s * (3 - 2 * s), 5, -2 * s * s * (3 - 2 * s)}; };
  std::vector<SplineKey> keys;
  for (double s : {0.0, 0.15, 0.2, 0.6, 0.85, 1.0}) keys.push_back({3 + 2 * s, f(s)});
  const Spline spline(keys, SplineEnds::rest);
  for (double s = 0; s <= 1; s += 0.01) EXPECT_LT((spline.at(3 + 2 * s) - f(s)).norm(), 1e-12);
  EXPECT_EQ(spline.at(0), f(0));
  EXPECT_EQ(spline.at(9), f(1));
}

TEST(LiveSpline, a_loop_meets_a_wave_with_the_fourth_power_of_the_spacing) {
  const auto worst = [](int n) {
    std::vector<SplineKey> keys;
    for (int k = 0; k <= n; ++k) {
      const double a = 2 * M_PI * (k % n) / n;
      keys.push_back({k / static_cast<double>(n), {std::sin(a), std::cos(a), std::sin(a + 1)}});
    }
    const Spline spline(keys, SplineEnds::loop);
    double error = 0;
    for (double t = -1; t < 2; t += 0.0037)
      error = std::max(error, std::abs(spline.at(t)[2] - std::sin(2 * M_PI * t + 1)));
    return error;
  };
  const double coarse = worst(12), fine = worst(24);
  EXPECT_GT(coarse, 1e-6);
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.4);
}

TEST(LiveSpline, refuses_what_is_no_curve) {
  EXPECT_THROW(Spline({{0, Vec3::Zero()}}, SplineEnds::rest), InputError);
  EXPECT_THROW(Spline({{0, Vec3::Zero()}, {0, Vec3::Ones()}}, SplineEnds::rest), InputError);
  EXPECT_THROW(Spline({{0, Vec3::Zero()}, {NAN, Vec3::Ones()}}, SplineEnds::rest), InputError);
  EXPECT_THROW(Spline({{0, Vec3::Zero()}, {1, Vec3::Ones()}, {2, Vec3::Ones()}}, SplineEnds::loop), InputError);
}

TEST(LiveMan, is_one_closed_surface_under_at_most_four_joints) {
  expect_sound(man(), man_surface(), live_man_colors());
  expect_not_through_itself(man_surface());
  EXPECT_GE(drawn_man().n_vertices(), 8000);
  EXPECT_LE(drawn_man().n_vertices(), 12000);
  double low = 1, high = 0;
  for (const Place& p : man_surface().places) low = std::min(low, p.x[1]), high = std::max(high, p.x[1]);
  EXPECT_NEAR(low, 0, 0.003);
  EXPECT_NEAR(high, 1.8, 0.02);
}

struct Range {
  double low = 1, high = 0;
  int n = 0;
  void add(double x) { low = std::min(low, x), high = std::max(high, x), ++n; }
};

TEST(LiveMan, is_soft_at_belly_and_thighs_and_hard_at_hands_feet_and_head) {
  Range belly, thighs, chest, arms, back, hard;
  for (const Place& p : man_surface().places) {
    const double x = std::abs(p.x[0]), y = p.x[1], z = p.x[2];
    if (y > 0.97 && y < 1.12 && z > 0.08 && x < 0.25) belly.add(p.soft);
    if (y > 0.63 && y < 0.74 && x < 0.4) thighs.add(p.soft);
    if (y > 1.3 && y < 1.4 && z > 0.08) chest.add(p.soft);
    if (weight(p, "upper_arm_l") + weight(p, "upper_arm_r") > 0.7 && z > 0) arms.add(p.soft);
    if (y > 1.0 && y < 1.2 && z < -0.1) back.add(p.soft);
    const bool hand = weight(p, "hand_l") + weight(p, "hand_r") > 0.9;
    if (hand || y < 0.48 || y > 1.6) hard.add(p.soft);
  }
  for (const Range& r : {belly, thighs, chest, arms, back, hard}) EXPECT_GT(r.n, 50);
  EXPECT_GT(belly.low, 0.9);
  EXPECT_GT(thighs.low, 0.8);
  EXPECT_GT(chest.low, 0.2);
  EXPECT_LT(chest.high, 0.6);
  EXPECT_GT(arms.low, 0.15);
  EXPECT_LT(arms.high, 0.5);
  EXPECT_LT(back.high, 0.15);
  EXPECT_LT(hard.high, 0.02);
}

TEST(LiveMan, parts_hold_the_flesh_and_reach_their_bones) {
  const auto plan = live_man_plan();
  ASSERT_EQ(plan.size(), 3u);
  const std::map<std::string, std::string> next = {{"spine", "chest"}, {"thigh_l", "shin_l"}, {"thigh_r", "shin_r"}};
  for (const LivePlan& part : plan) {
    // Its bone goes through it.
    int on_bone = -1, on_tip = -1;
    for (const Bone& b : drawn_man().bones) {
      if (b.name == part.bone) on_bone = static_cast<int>(&b - drawn_man().bones.data());
      if (b.name == next.at(part.bone)) on_tip = static_cast<int>(&b - drawn_man().bones.data());
    }
    ASSERT_TRUE(on_bone >= 0 && on_tip >= 0);
    const Vec3 middle = 0.5 * (drawn_man().bones[on_bone].head + drawn_man().bones[on_tip].head);
    EXPECT_LT(part.region.distance(middle), -0.03) << part.name;
    // Its skin goes with that bone, most of all.
    double own = 0;
    int n = 0;
    for (const Place& p : man_surface().places)
      if (part.region.distance(p.x) < 0 && p.soft > 0.9) own += weight(p, part.bone), ++n;
    ASSERT_GT(n, 200) << part.name;
    EXPECT_GT(own / n, 0.7) << part.name;
    EXPECT_LT((part.region.turn * part.region.turn.transpose() - Mat3::Identity()).norm(), 1e-12);
  }
  for (const Place& p : man_surface().places) {
    int in = 0;
    for (const LivePlan& part : plan) in += part.region.distance(p.x) < 0;
    EXPECT_LE(in, 1) << "two parts meet at " << p.x.transpose();
    if (p.soft > 0.97) {
      EXPECT_EQ(in, 1) << "flesh of no part at " << p.x.transpose();
    }
  }
  EXPECT_EQ(plan[1].region.centre, mirrored(plan[2].region.centre));
}

TEST(LiveMan, both_sides_are_alike) {
  double soft[2] = {0, 0}, area[2] = {0, 0};
  for (const Tri& t : man_surface().triangles) {
    const Place *a = &man_surface().places[t[0]], *b = &man_surface().places[t[1]], *c = &man_surface().places[t[2]];
    const double size = 0.5 * (b->x - a->x).cross(c->x - a->x).norm();
    const int side = a->x[0] + b->x[0] + c->x[0] > 0;
    area[side] += size, soft[side] += size * (a->soft + b->soft + c->soft) / 3;
  }
  EXPECT_NEAR(area[0] / area[1], 1, 0.01);
  EXPECT_NEAR(soft[0] / soft[1], 1, 0.01);
  // Half a loop later left and right have changed places.
  for (const std::string name : {"walk", "run"}) {
    const double half = clip(name).end * kLiveManFps / 2;
    for (double f : {0.0, 3.0, 7.0}) {
      for (const std::string joint : {"thigh", "foot", "hand"}) {
        const Vec3 l = joint_at(name, f, joint + "_l").translation();
        const Vec3 r = joint_at(name, f + half, joint + "_r").translation();
        EXPECT_LT((l - mirrored(r)).norm(), 1e-6) << name << " " << joint;
      }
    }
  }
}

TEST(LiveMan, clips_run_without_jumps_in_speed_or_acceleration) {
  const std::map<std::string, double> seconds = {
      {"jump", 2.5}, {"twist", 2.5}, {"walk", 1.2}, {"run", 20 / kLiveManFps}, {"stop", 2.5}};
  ASSERT_EQ(man().clips.size(), seconds.size());
  for (const Clip& c : man().clips) {
    EXPECT_NEAR(c.end, seconds.at(c.name), 1e-9) << c.name;
    EXPECT_EQ(frame_rate(c), kLiveManFps);
    expect_smooth(c, c.name == "walk" || c.name == "run");
  }
  // Those that end stand still for their last third of a second.
  for (const std::string name : {"jump", "twist", "stop"}) {
    const Points end = man_at(name, 75);
    for (double f : {64.0, 66.5, 72.0}) {
      double moved = 0;
      const Points x = man_at(name, f);
      for (size_t i = 0; i < x.size(); ++i) moved = std::max(moved, (x[i] - end[i]).norm());
      EXPECT_LT(moved, 0.002) << name << " at " << f;
    }
  }
}

TEST(LiveMan, feet_meet_the_ground) {
  for (const Clip& c : man().clips) {
    double deepest = 1, top = 0;
    const int last = static_cast<int>(std::lround(c.end * kLiveManFps));
    for (int f = 0; f <= last; ++f) {
      const double y = lowest(man_at(c.name, f));
      deepest = std::min(deepest, y), top = std::max(top, y);
    }
    EXPECT_GT(deepest, -0.006) << c.name;
    if (c.name == "jump") {
      EXPECT_GT(top, 0.25);
    }
    if (c.name == "run") {  // both feet are off for a moment
      EXPECT_GT(top, 0.03);
    }
    if (c.name == "walk" || c.name == "twist" || c.name == "stop") {
      EXPECT_LT(top, 0.008) << c.name;
    }
  }
  // On its belt a foot that stands goes back evenly: 0.75 m in 36 frames.
  for (int f = 4; f < 14; ++f) {
    const double step =
        joint_at("walk", f + 1, "foot_l").translation()[2] - joint_at("walk", f, "foot_l").translation()[2];
    EXPECT_NEAR(step, -0.75 / 36, 0.006) << f;
  }
}

TEST(LiveMan, arms_do_not_go_through_the_body) {
  const Drawn& d = drawn_man();
  std::vector<Tri> skin;
  for (const DrawnPrimitive& p : d.primitives) {
    if (kEyes.count(p.material)) continue;
    skin.insert(skin.end(), d.triangles.begin() + p.first_triangle,
                d.triangles.begin() + p.first_triangle + p.n_triangles);
  }
  std::vector<int> arms;
  for (int v = 0; v < d.n_vertices(); v += 7) {
    double w = 0;
    for (int k = d.vertices.skin.first[v]; k < d.vertices.skin.first[v + 1]; ++k) {
      const std::string& bone = d.bones[d.vertices.skin.bone[k]].name;
      if (bone.starts_with("hand") || bone.starts_with("forearm")) w += d.vertices.skin.weight[k];
    }
    if (w > 0.95) arms.push_back(v);
  }
  ASSERT_GT(arms.size(), 50u);
  for (const Clip& c : man().clips) {
    for (int f = 0; f <= c.end * kLiveManFps; f += 5) {
      const Pose pose = pose_at(man(), d, c, f / kLiveManFps);
      const Points x = posed(d.vertices, pose);
      const auto frames = posed_frames(d.vertices, pose);
      const WindingNumber winding(x, skin);
      for (int v : arms) {
        const Vec3 out = x[v] + 4e-3 * (frames[v].inverse().transpose() * d.normals[v]).normalized();
        EXPECT_LT(winding(out), 0.5) << c.name << " at frame " << f;
      }
    }
  }
}

TEST(LiveMan, slides_one_metre_and_stops_within_two_frames) {
  const auto x = [](double f) { return joint_at("stop", f, "hips").translation()[0]; };
  EXPECT_NEAR(x(75) - x(0), 1, 1e-9);
  EXPECT_NEAR((x(26) - x(25)) * kLiveManFps, 2, 1e-6);  // [m/s]
  for (int f = 28; f <= 75; ++f) EXPECT_NEAR(x(f), x(75), 1e-9);
  EXPECT_GT(x(28) - x(27), 0.005);
}

TEST(LiveTissue, is_a_closed_slab_that_is_soft_on_top) {
  const Surface s = surface(tissue());
  expect_sound(tissue(), s, live_tissue_colors());
  expect_not_through_itself(s);
  EXPECT_GE(s.places.size(), 3000u);
  EXPECT_LE(s.places.size(), 5000u);
  Vec3 low = Vec3::Constant(1), high = Vec3::Constant(-1);
  for (const Place& p : s.places) {
    low = low.cwiseMin(p.x), high = high.cwiseMax(p.x);
    EXPECT_EQ(weight(p, "base"), 1);
    if (p.x[1] < 0.003) {
      EXPECT_LT(p.soft, 1e-9);
    }
    if (p.x[1] > 0.03) {
      EXPECT_EQ(p.soft, 1);
    }
    const LiveRegion region = live_tissue_plan()[0].region;
    if (p.soft > 0.5) {
      EXPECT_LT(region.distance(p.x), 0);
    }
  }
  EXPECT_LT((high - low - Vec3(0.25, 0.08, 0.2)).cwiseAbs().maxCoeff(), 0.03) << (high - low).transpose();
  EXPECT_NEAR(low[1], 0, 1e-3);
  // Finer on top.
  double length[2] = {0, 0};
  int n[2] = {0, 0};
  for (const Tri& t : s.triangles) {
    const int top = s.places[t[0]].x[1] > 0.03;
    if (!top && s.places[t[0]].x[1] > 0.004) continue;
    length[top] += (s.places[t[0]].x - s.places[t[1]].x).norm(), ++n[top];
  }
  EXPECT_LT(length[1] / n[1], 0.85 * length[0] / n[0]);
}

TEST(LiveTissue, part_reaches_the_base_and_the_clip_loops) {
  const auto plan = live_tissue_plan();
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].bone, "base");
  const Drawn d = lay_out(tissue());
  for (const Bone& b : d.bones)
    if (b.name == "base") {
      EXPECT_LT(plan[0].region.distance(b.head), 0);
    }
  ASSERT_EQ(tissue().clips.size(), 1u);
  EXPECT_EQ(tissue().clips[0].name, "sway");
  EXPECT_NEAR(tissue().clips[0].end, 4, 1e-9);
  expect_smooth(tissue().clips[0], true);
}

}  // namespace
}  // namespace supple
