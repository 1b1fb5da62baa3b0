// Soft motion as helper joints, and spring bones, in the character's own file.
#include "supple/io/gltf/bones_glb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "supple/base/error.h"
#include "supple/base/index.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/gltf/vrm_spring.h"
#include "tests/io/gltf/soft_glb_files.h"

namespace supple {
namespace {

using nlohmann::ordered_json;
constexpr double kUnit = 0.01;  // the file is in centimetres
constexpr int kFrames = 25;

// A tube along y over two bones, the upper one turned and twice as large; clips Walk and Nod.
Character tube() {
  Character c;
  c.nodes.resize(4);
  c.nodes[0].name = "Root";
  c.nodes[0].children = {1, 3};
  c.nodes[1].name = "Hip";
  c.nodes[1].parent = 0;
  c.nodes[1].children = {2};
  c.nodes[1].local.translation = {0, 5, 0};
  c.nodes[2].name = "Chest";
  c.nodes[2].parent = 1;
  c.nodes[2].local = {{0, 40, 3}, Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 0).normalized())), Vec3::Constant(2)};
  c.nodes[3].name = "Body";
  c.nodes[3].parent = 0;
  c.nodes[3].mesh = 0;
  c.nodes[3].skin = 0;
  c.skins.push_back({"Bones", {1, 2}, {}});
  const std::vector<Affine> world = node_matrices(c);
  for (int n : {1, 2}) c.skins[0].inverse_binds.push_back(world[at(n)].inverse());
  Primitive p;
  p.material = "Flesh";
  p.influences = 4;
  for (int r = 0; r <= 16; ++r) {
    for (int k = 0; k < 8; ++k) {
      const double a = 2 * M_PI * k / 8, y = 5.0 * r, upper = std::clamp((y - 30) / 20, 0.0, 1.0);
      p.positions.push_back({12 * std::cos(a), y, 12 * std::sin(a)});
      p.normals.push_back({std::cos(a), 0, std::sin(a)});
      p.joints.insert(p.joints.end(), {0, 1, 0, 0});
      p.weights.insert(p.weights.end(), {1 - upper, upper, 0, 0});
      if (r == 16) continue;
      const int i = 8 * r + k, j = 8 * r + (k + 1) % 8;
      p.triangles.push_back({i, i + 8, j});
      p.triangles.push_back({j, i + 8, j + 8});
    }
  }
  c.meshes.push_back({"Tube", {p}, {}});
  for (int n : {1, 2}) {
    Clip clip{n == 1 ? "Walk" : "Nod", {}, 0, 1, {}};
    Channel turn{n, ChannelPath::rotation, Interpolation::linear, {0, 0.4, 1}, {}, 4};
    for (double a : {0.0, 0.8, -0.5}) {
      const Quat q = c.nodes[at(n)].local.rotation * Quat(Eigen::AngleAxisd(a, Vec3::UnitZ()));
      turn.values.insert(turn.values.end(), {q.x(), q.y(), q.z(), q.w()});
    }
    clip.channels.push_back(turn);
    Channel move{1, ChannelPath::translation, Interpolation::linear, {0, 1}, {0, 5, 0, 30, 9, 0}, 3};
    clip.channels.push_back(move);
    c.clips.push_back(clip);
  }
  return c;
}

struct Case {
  std::string path;
  Character character;
  Drawn drawn;
  std::vector<int> vertices;  // of drawn
  SoftMotion motion;
  SkinDecomposition skin;
  BonesClip clip;

  explicit Case(const std::string& file, double size = 1) : path(file) {
    write_gltf(path, tube());
    character = read_gltf(path);
    drawn = lay_out(character, kUnit);
    const Clip& walk = find_clip(character, "Walk");
    int chest = 0;
    while (drawn.bones[at(chest)].name != "Chest") ++chest;
    SkinnedPoints points;
    for (int v = 0; v < drawn.n_vertices(); ++v) {
      if (drawn.vertices.rest[at(v)][1] < 0.36) continue;
      vertices.push_back(v);
      points.rest.push_back(drawn.vertices.rest[at(v)]);
      for (int k = drawn.vertices.skin.first[at(v)]; k < drawn.vertices.skin.first[at(v) + 1]; ++k) {
        points.skin.bone.push_back(drawn.vertices.skin.bone[at(k)]);
        points.skin.weight.push_back(drawn.vertices.skin.weight[at(k)]);
      }
      points.skin.first.push_back(static_cast<int>(points.skin.bone.size()));
    }
    motion.rest = points.rest;
    motion.skin = points.skin;
    clip = {"Walk", walk.sources, {}, 0};
    for (int f = 0; f < kFrames; ++f) {
      const double t = f / 24.0;
      clip.times.push_back(t);
      const Pose pose = pose_at(character, drawn, walk, t);
      motion.bones.push_back(pose.bones);
      SkinnedPoints moved = points;
      for (Vec3& x : moved.rest) {
        const double z = size * std::sin(14 * t) * std::exp(-2 * t) * std::exp(-20 * std::pow(x[1] - 0.65, 2));
        x += z * (Vec3(0.02, 0.01, 0.03) + Vec3(0.5, 0.2, 0.1).cross(x - Vec3(0, 0.6, 0)));
      }
      motion.targets.push_back(posed(moved, pose));
    }
    SoftRegion region{"belly", {chest}, {}, 3};
    for (size_t i = 0; i < vertices.size(); ++i) region.vertices.push_back(static_cast<int>(i));
    skin = decompose_skin(motion, {region});
  }
};

// The vertices of a clip as our reader has them [m].
Points seen(const Character& c, const std::string& clip, double t) {
  const Drawn drawn = lay_out(c, kUnit);
  return posed(drawn.vertices, pose_at(c, drawn, find_clip(c, clip), t));
}

TEST(BonesGlb, PlaysTheSoftMotionAndLeavesOtherClipsAlone) {
  const Scratch dir;
  const Case c(dir.path("in.glb"));
  ASSERT_GE(c.skin.helpers.size(), 1u);
  EXPECT_TRUE(c.skin.regions[0].met) << c.skin.regions[0].max_share;
  const BonesReport report = write_bones_glb(c.path, dir.path("out.glb"), c.drawn, c.vertices, c.skin, {c.clip});
  EXPECT_EQ(report.clips, std::vector<std::string>{"Walk.soft"});
  EXPECT_EQ(report.helpers, static_cast<int>(c.skin.helpers.size()));
  EXPECT_EQ(report.nodes.at(0), "belly_soft.1");
  const Character out = read_gltf(dir.path("out.glb"));
  EXPECT_TRUE(out.warnings.empty());
  double furthest = 0;
  for (int f = 0; f < kFrames; ++f) {
    const double t = c.clip.times[at(f)];
    const Points soft = seen(out, "Walk.soft", t), wanted = decomposed(c.motion, c.skin, f);
    for (size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_LT((soft[at(c.vertices[i])] - wanted[i]).norm(), report.key_error + 2e-6);
      furthest = std::max(furthest, (soft[at(c.vertices[i])] - seen(c.character, "Walk", t)[at(c.vertices[i])]).norm());
    }
    for (const char* clip : {"Walk", "Nod"}) {
      const Points now = seen(out, clip, t), before = seen(c.character, clip, t);
      for (size_t v = 0; v < now.size(); ++v) EXPECT_LT((now[v] - before[v]).norm(), 1e-6) << clip;
    }
  }
  EXPECT_GT(furthest, 0.02);
  EXPECT_LE(report.key_error, 1e-4 * 0.8 + 1e-12);
}

TEST(BonesGlb, ChangesNothingElse) {
  const Scratch dir;
  const Case c(dir.path("in.glb"));
  write_bones_glb(c.path, dir.path("out.glb"), c.drawn, c.vertices, c.skin, {c.clip});
  const ReadGlb in(dir.get("in.glb")), out(dir.get("out.glb"));
  EXPECT_EQ(out.bin.substr(0, in.bin.size()), in.bin);
  for (const char* list : {"accessors", "bufferViews", "animations", "materials"}) {
    for (size_t i = 0; i < in.json[list].size(); ++i) EXPECT_EQ(out.json[list][i], in.json[list][i]) << list << i;
  }
  const auto& was = in.json["meshes"][0]["primitives"][0]["attributes"];
  const auto& is = out.json["meshes"][0]["primitives"][0]["attributes"];
  EXPECT_EQ(is["POSITION"], was["POSITION"]);
  const std::vector<double> joints = out.numbers(is["JOINTS_0"]), weights = out.numbers(is["WEIGHTS_0"]);
  const std::vector<double> old_joints = in.numbers(was["JOINTS_0"]), old_weights = in.numbers(was["WEIGHTS_0"]);
  ASSERT_EQ(weights.size(), old_weights.size());
  size_t changed = 0;
  for (size_t v = 0; v < weights.size() / 4; ++v) {
    double sum = 0;
    bool same = true;
    for (size_t k = 4 * v; k < 4 * v + 4; ++k) {
      sum += weights[k];
      same = same && weights[k] == old_weights[k] && joints[k] == old_joints[k];
    }
    EXPECT_NEAR(sum, 1, 2e-7);
    if (std::find(c.vertices.begin(), c.vertices.end(), static_cast<int>(v)) == c.vertices.end()) {
      EXPECT_TRUE(same) << v;
    } else {
      changed += !same;
    }
  }
  EXPECT_GT(changed, c.vertices.size() / 2);
  // The artist's channels by the same accessors; ours are on new nodes only.
  const ordered_json &walk = *in.animation("Walk"), &soft = *out.animation("Walk.soft");
  for (size_t k = 0; k < walk["channels"].size(); ++k) {
    EXPECT_EQ(soft["channels"][k]["target"], walk["channels"][k]["target"]);
    EXPECT_EQ(soft["samplers"][k]["input"], walk["samplers"][k]["input"]);
    EXPECT_EQ(soft["samplers"][k]["output"], walk["samplers"][k]["output"]);
  }
  ASSERT_GT(soft["channels"].size(), walk["channels"].size());
  for (size_t k = walk["channels"].size(); k < soft["channels"].size(); ++k)
    EXPECT_GE(soft["channels"][k]["target"]["node"], 4);
  // Joints there were keep their place and bind.
  const auto &skin = out.json["skins"][0], &old_skin = in.json["skins"][0];
  EXPECT_EQ(skin["joints"].size(), 2 + c.skin.helpers.size());
  EXPECT_EQ(skin["joints"][1], old_skin["joints"][1]);
  const std::vector<double> binds = out.numbers(skin["inverseBindMatrices"]);
  const std::vector<double> old_binds = in.numbers(old_skin["inverseBindMatrices"]);
  EXPECT_TRUE(std::equal(old_binds.begin(), old_binds.end(), binds.begin()));
  EXPECT_FALSE(out.json["meshes"][0]["primitives"][0].contains("targets"));
}

TEST(BonesGlb, KeysThatTellNothingAreLeftOut) {
  const Scratch dir;
  Case c(dir.path("in.glb"));
  c.skin.helpers.resize(1);
  c.skin.skin = with_joint(c.motion.skin, c.skin.helpers[0].bone, std::vector<double>(c.vertices.size(), 0.5), 2);
  HelperJoint& h = c.skin.helpers[0];
  // Straight, with a corner at frame 10; and a still turn.
  for (int f = 0; f < kFrames; ++f) {
    h.shifts[at(f)] = Vec3(0.002 * std::min(f, 10), 0.004 * std::max(0, f - 10), 0);
    h.rotations[at(f)] = Quat::Identity();
  }
  BonesReport report = write_bones_glb(c.path, dir.path("out.glb"), c.drawn, c.vertices, c.skin, {c.clip});
  EXPECT_EQ(report.keys, 3u);
  EXPECT_EQ(report.keys_before, 2u * kFrames);
  EXPECT_LT(report.key_error, 1e-12);
  const ReadGlb out(dir.get("out.glb"));
  EXPECT_EQ(out.sampler("Walk.soft", 4, "rotation"), nullptr);
  ASSERT_NE(out.sampler("Walk.soft", 4, "translation"), nullptr);
  EXPECT_EQ(out.numbers((*out.sampler("Walk.soft", 4, "translation"))["input"]).size(), 3u);
  // A turn at an even rate is one slerp.
  for (int f = 0; f < kFrames; ++f) {
    h.shifts[at(f)].setZero();
    h.rotations[at(f)] = Quat(Eigen::AngleAxisd(0.05 * f, Vec3(1, 1, 0).normalized()));
  }
  report = write_bones_glb(c.path, dir.path("out.glb"), c.drawn, c.vertices, c.skin, {c.clip});
  EXPECT_EQ(report.keys, 2u);
  // Curved ones: the tolerance is kept, a finer one needs more keys.
  for (int f = 0; f < kFrames; ++f) h.shifts[at(f)] = Vec3(0, 0.03 * std::sin(0.3 * f), 0);
  size_t before = 0;
  for (double tolerance : {1e-2, 1e-3, 0.0}) {
    report = write_bones_glb(c.path, dir.path("out.glb"), c.drawn, c.vertices, c.skin, {c.clip},
                             {.key_tolerance = tolerance});
    EXPECT_LE(report.key_error, 0.8 * tolerance + 1e-12);
    EXPECT_GT(report.keys, before);
    before = report.keys;
  }
  // Nothing at all: the helper is not mentioned.
  for (int f = 0; f < kFrames; ++f) h.shifts[at(f)].setZero(), h.rotations[at(f)].setIdentity();
  EXPECT_EQ(write_bones_glb(c.path, dir.path("out.glb"), c.drawn, c.vertices, c.skin, {c.clip}).keys, 0u);
}

// Two sets of joints: the second says nothing of soft vertices any more, and integer weights keep their value.
TEST(BonesGlb, FurtherSetsAndIntegerWeights) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  std::vector<uint8_t> joints(48, 0), first(48, 0), second(48, 0);
  for (size_t v = 0; v < 12; ++v) first[4 * v] = 155, second[4 * v] = 100, joints[4 * v] = 1;
  b.primitive()["attributes"]["WEIGHTS_0"] = b.accessor(first, "VEC4", true);
  b.primitive()["attributes"]["JOINTS_1"] = b.accessor(joints, "VEC4");
  b.primitive()["attributes"]["WEIGHTS_1"] = b.accessor(second, "VEC4", true);
  const std::string path = dir.put("in.glb", b.glb());
  const Drawn drawn = lay_out(read_gltf(path));
  ASSERT_EQ(drawn.bones.size(), 2u);
  SkinDecomposition skin;
  skin.n_bones = 2;
  skin.helpers.push_back({"x_soft.1", 0, 0, drawn.bones[0].head, 1, {Quat::Identity()}, {Vec3(0, 0.2, 0)}});
  const std::vector<int> vertices = {10, 11};
  skin.skin = {{0, 3, 5}, {0, 1, 2, 1, 2}, {0.3, 0.4, 0.3, 0.4, 0.6}};
  write_bones_glb(path, dir.path("out.glb"), drawn, vertices, skin, {{"Walk", {0}, {0}, 0}});
  const ReadGlb out(dir.get("out.glb"));
  const auto& a = out.json["meshes"][0]["primitives"][0]["attributes"];
  const std::vector<double> w0 = out.numbers(a["WEIGHTS_0"]), w1 = out.numbers(a["WEIGHTS_1"]);
  const std::vector<double> j0 = out.numbers(a["JOINTS_0"]), j1 = out.numbers(a["JOINTS_1"]);
  for (size_t v = 0; v < 12; ++v) {
    EXPECT_EQ(w1[4 * v], v < 10 ? 100 : 0);
    EXPECT_EQ(j1[4 * v], v < 10 ? 1 : 0);
    EXPECT_NEAR(w0[4 * v], v < 10 ? 155 / 255.0 : v == 10 ? 0.4 : 0.6, 1e-7);
  }
  EXPECT_EQ(j0[4 * 10], 1);
  EXPECT_EQ(j0[4 * 11], 2);
  EXPECT_EQ(out.json["skins"][0]["joints"], ordered_json({1, 2, 4}));
}

TEST(BonesGlb, RefusesWhatItCannotDo) {
  const Scratch dir;
  const Case c(dir.path("in.glb"));
  auto refused = [&](auto change, const std::string& word) {
    Case copy = c;
    change(copy);
    try {
      write_bones_glb(copy.path, dir.path("no.glb"), copy.drawn, copy.vertices, copy.skin, {copy.clip});
      ADD_FAILURE() << word;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
    EXPECT_FALSE(std::filesystem::exists(dir.path("no.glb")));
  };
  auto changed_file = [&](auto change) {
    Character t = tube();
    change(t);
    write_gltf(dir.path("other.glb"), t);
    return dir.path("other.glb");
  };
  refused([&](Case& x) { x.path = changed_file([](Character& t) { t.nodes[3].skin = -1; }); }, "no skin");
  refused([&](Case& x) { x.path = changed_file([](Character& t) { t.nodes[2].mesh = 0; }); }, "both show it");
  refused([&](Case& x) { x.path = changed_file([](Character& t) { t.nodes.emplace_back(); }); }, "not the file");
  refused([](Case& x) { x.drawn.bones[at(x.skin.helpers[0].bone)].from_bound.linear().col(0) *= 1.5; }, "unevenly");
  refused([](Case& x) { x.clip.times.push_back(9); }, "frames");
  refused([](Case& x) { x.clip.times[3] = x.clip.times[2]; }, "ascend");
  refused([](Case& x) { x.clip.sources = {7}; }, "animation 7");
  refused([](Case& x) { x.vertices.pop_back(); }, "weights");
  refused([](Case& x) { x.vertices.back() = 100000; }, "no vertex");
  refused([](Case& x) { x.skin.helpers[0].shifts[3][1] = NAN; }, "not finite");
  refused([](Case& x) { x.skin.helpers.pop_back(); }, "no bone");
}

TEST(BonesGlb, DamageIsRefusedOrHarmless) {
  const Scratch dir;
  const Case c(dir.path("in.glb"));
  const std::string whole = dir.get("in.glb");
  std::mt19937 random(5);
  int refused = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string bytes = whole;
    if (trial % 4 == 0) bytes.resize(random() % bytes.size());
    for (unsigned k = 0; k <= random() % 3 && !bytes.empty(); ++k) {
      bytes[random() % std::min<size_t>(bytes.size(), 6000)] = static_cast<char>(random());
    }
    try {
      write_bones_glb(dir.put("bad.glb", bytes), dir.path("out.glb"), c.drawn, c.vertices, c.skin, {c.clip});
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

SpringRegion chest_spring(const Case& c) {
  SpringRegion r;
  r.name = "belly";
  r.bone = c.skin.helpers[0].bone;
  r.hinge = {0, 0.6, 0};
  r.tail = {0, 0.62, 0.12};
  r.frequency_hz = 2.5;
  r.half_life_s = 0.15;
  r.sag_rad = 0.1;
  r.hit_radius = 0.05;
  r.vertices = c.vertices;
  r.weights.assign(c.vertices.size(), 0.4);
  return r;
}

TEST(VrmSpring, WritesTheChain) {
  const Scratch dir;
  const Case c(dir.path("in.glb"));
  const SpringRegion region = chest_spring(c);
  const SpringReport report = write_vrm_springs(c.path, dir.path("out.vrm"), c.drawn, {region});
  ASSERT_EQ(report.fits.size(), 1u);
  EXPECT_TRUE(report.fits[0].exact);
  const ReadGlb out(dir.get("out.vrm"));
  EXPECT_EQ(out.json["extensionsUsed"], ordered_json({"VRMC_springBone"}));
  EXPECT_FALSE(out.json.contains("extensionsRequired"));
  const ordered_json& extension = out.json["extensions"]["VRMC_springBone"];
  EXPECT_EQ(extension["specVersion"], "1.0");
  ASSERT_EQ(extension["springs"].size(), 1u);
  const ordered_json& joints = extension["springs"][0]["joints"];
  ASSERT_EQ(joints.size(), 2u);
  EXPECT_EQ(joints[1], ordered_json({{"node", 5}}));
  EXPECT_EQ(joints[0]["node"], 4);
  EXPECT_NEAR(joints[0]["hitRadius"], 5, 1e-12);  // units of the file
  EXPECT_EQ(joints[0]["gravityDir"], ordered_json({0.0, -1.0, 0.0}));
  EXPECT_GT(joints[0]["gravityPower"], 0);
  // What it says swings as asked: the rule itself, in the file's units.
  const SpringWish wish{.frequency_hz = 2.5,
                        .half_life_s = 0.15,
                        .length = (region.tail - region.hinge).norm() / kUnit,
                        .direction = region.tail - region.hinge,
                        .sag_rad = 0.1};
  EXPECT_NEAR(joints[0]["stiffness"], fit_spring(wish).settings.stiffness, 1e-12);
  EXPECT_NEAR(joints[0]["dragForce"], fit_spring(wish).settings.drag, 1e-12);

  const Character character = read_gltf(dir.path("out.vrm"));
  const std::vector<Affine> world = node_matrices(character);
  EXPECT_EQ(character.nodes[4].name, "belly_spring");
  EXPECT_LT((kUnit * world[4].translation() - region.hinge).norm(), 1e-6);
  EXPECT_LT((kUnit * world[5].translation() - region.tail).norm(), 1e-6);
  // At rest all clips are as before.
  for (const char* clip : {"Walk", "Nod"}) {
    const Points now = seen(character, clip, 0.35), before = seen(c.character, clip, 0.35);
    for (size_t v = 0; v < now.size(); ++v) EXPECT_LT((now[v] - before[v]).norm(), 1e-6);
  }
  // A turned joint turns what follows it about the hinge.
  Character turned = character;
  const Quat q(Eigen::AngleAxisd(0.2, Vec3::UnitX()));
  turned.nodes[4].local.rotation = q;
  const Drawn drawn = lay_out(character, kUnit);
  const Points now = posed(drawn.vertices, rest_pose(turned, drawn));
  const Mat3 R = world[2].linear() / 2 * q * (world[2].linear() / 2).transpose();
  for (size_t i = 0; i < c.vertices.size(); ++i) {
    double own = 0;
    for (int k = c.motion.skin.first[i]; k < c.motion.skin.first[i + 1]; ++k)
      own += c.motion.skin.bone[at(k)] == region.bone ? c.motion.skin.weight[at(k)] : 0;
    const Vec3 x = c.motion.rest[i] - region.hinge;
    const Vec3 wanted = c.motion.rest[i] + std::min(0.4, own) * (R * x - x);
    EXPECT_LT((now[at(c.vertices[i])] - wanted).norm(), 2e-6);
  }
}

TEST(VrmSpring, KeepsSpringsThereAre) {
  const Scratch dir;
  const Case c(dir.path("in.glb"));
  const SpringRegion region = chest_spring(c);
  write_vrm_springs(c.path, dir.path("one.vrm"), c.drawn, {region});
  SpringRegion second = region;
  second.name = "other";
  const Character again = read_gltf(dir.path("one.vrm"));
  const Drawn drawn = lay_out(again, kUnit);
  second.bone = 0;
  write_vrm_springs(dir.path("one.vrm"), dir.path("two.vrm"), drawn, {second});
  const ReadGlb out(dir.get("two.vrm")), one(dir.get("one.vrm"));
  const auto& springs = out.json["extensions"]["VRMC_springBone"]["springs"];
  ASSERT_EQ(springs.size(), 2u);
  EXPECT_EQ(springs[0], one.json["extensions"]["VRMC_springBone"]["springs"][0]);
  EXPECT_EQ(out.json["extensionsUsed"].size(), 1u);
  EXPECT_EQ(springs[1]["name"], "other");
}

TEST(VrmSpring, RefusesAndReports) {
  const Scratch dir;
  const Case c(dir.path("in.glb"));
  auto refused = [&](auto change) {
    std::vector<SpringRegion> regions = {chest_spring(c)};
    change(regions);
    EXPECT_THROW(write_vrm_springs(c.path, dir.path("no.vrm"), c.drawn, regions), InputError);
    EXPECT_FALSE(std::filesystem::exists(dir.path("no.vrm")));
  };
  refused([](auto& r) { r.push_back(r[0]); });
  refused([](auto& r) { r[0].tail = r[0].hinge; });
  refused([](auto& r) { r[0].weights.pop_back(); });
  refused([](auto& r) { r[0].weights[0] = NAN; });
  refused([](auto& r) { r[0].vertices[0] = -1; });
  refused([](auto& r) { r[0].bone = 9; });
  refused([](auto& r) { r[0].center = 99; });
  refused([](auto& r) { r[0].frequency_hz = 0; });
  SpringRegion lively = chest_spring(c);
  lively.frequency_hz = 6;
  lively.half_life_s = 0.4;
  const SpringReport report = write_vrm_springs(c.path, dir.path("yes.vrm"), c.drawn, {lively});
  EXPECT_FALSE(report.fits[0].exact);
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_NE(report.warnings[0].find("VRMC_vrm"), std::string::npos);
  EXPECT_NE(report.warnings[1].find("half-life"), std::string::npos);
}

// What programs of others make of both files.
TEST(BonesGlb, ViewersAgree) {
  const char *three = getenv("THREE_DIR"), *validator = getenv("GLTF_VALIDATOR_DIR");
  if (!three || !validator || system("node --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "set THREE_DIR and GLTF_VALIDATOR_DIR to the folders of those packages, and have node";
  }
  const Scratch dir;
  const Case c(dir.path("in.glb"));
  const BonesReport report = write_bones_glb(c.path, dir.path("out.glb"), c.drawn, c.vertices, c.skin, {c.clip});
  write_vrm_springs(c.path, dir.path("out.vrm"), c.drawn, {chest_spring(c)});
  const std::string scripts = "node '" SUPPLE_SOURCE_DIR "/tests/three/", result = " > '" + dir.path("seen.json") + "'";
  ASSERT_EQ(system((scripts + "validate.mjs' '" + c.path + "' '" + dir.path("out.glb") + "' '" + dir.path("out.vrm") +
                    "'" + result)
                       .c_str()),
            0);
  const Json judged = Json::parse(dir.get("seen.json"));
  for (const Json& file : judged) {
    EXPECT_EQ(file["errors"], 0) << file;
    EXPECT_EQ(file["codes"], judged[0]["codes"]) << file;
  }
  std::string command = scripts + "evaluate.mjs' '" + dir.path("out.glb") + "' Walk.soft";
  for (const double t : c.clip.times) command += " " + std::to_string(t);
  ASSERT_EQ(system((command + result).c_str()), 0);
  const Json shown = Json::parse(dir.get("seen.json"));
  for (int f = 0; f < kFrames; ++f) {
    const std::vector<double> x = shown["shapes"][0]["positions"][at(f)];
    const Points wanted = decomposed(c.motion, c.skin, f);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const size_t v = 3 * at(c.vertices[i]);
      // Times on the command line have six digits.
      EXPECT_LT((kUnit * Vec3(x[v], x[v + 1], x[v + 2]) - wanted[i]).norm(), report.key_error + 1e-5);
    }
  }
}

}  // namespace
}  // namespace supple
