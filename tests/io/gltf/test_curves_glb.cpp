// A clip of new curves in a character's file: played by our own reader, everything else by the same bytes.
#include "supple/io/gltf/curves_glb.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/anim/node_tree.h"
#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "tests/io/gltf/gltf_packed.h"
#include "tests/io/gltf/soft_glb_files.h"
#include "tests/support/curves_check.h"
#include "tests/support/tools.h"

namespace supple {
namespace {

using nlohmann::ordered_json;

constexpr double kFps = 24;
constexpr double kError = 0.01;  // [rad], [m]

std::vector<double> turn_at(double t, double size = 0.8) {
  const Quat q = Eigen::AngleAxisd(size * std::sin(3 * t), Vec3(1, 2, 2).normalized()) *
                 Eigen::AngleAxisd(0.4 * std::cos(2 * t), Vec3::UnitZ());
  return {q.x(), q.y(), q.z(), q.w()};
}
std::vector<double> place_at(double t) { return {0.1 * std::sin(9 * t), 0.5 + 0.2 * t, 0.05 * std::cos(5 * t)}; }
std::vector<double> weight_at(double t) { return {0.5 + 0.4 * std::sin(8 * t)}; }

CurveChannel channel_of(int node, ChannelPath path, const std::function<std::vector<double>(double)>& curve,
                        int n_frames, Interpolation way, double shift = 0) {
  std::vector<double> times, values;
  for (int f = 0; f < n_frames; ++f) {
    times.push_back(f / kFps);
    const std::vector<double> x = curve(times.back());
    values.insert(values.end(), x.begin(), x.end());
  }
  CurveChannel c{.node = node, .path = path, .keys = {}, .width = static_cast<int>(curve(0).size())};
  c.keys = reduce_keys(times, values, c.width, kError,
                       path == ChannelPath::rotation ? KeyMeasure::angle : KeyMeasure::distance, way, shift);
  return c;
}

// Rotations of both joints, places of one, weights; "Walk" has rotations of the tip and places of the hip.
CurvesClip ribbon_curves(Interpolation way, int n_frames = 25, double shift = 0) {
  CurvesClip clip{.name = "Walk.curves", .sources = {0}, .shift = shift, .channels = {}};
  const auto turn = [](double t) { return turn_at(t); };
  clip.channels.push_back(channel_of(1, ChannelPath::rotation, turn, n_frames, way, shift));
  clip.channels.push_back(channel_of(2, ChannelPath::rotation, turn, n_frames, way, shift));
  clip.channels.push_back(channel_of(2, ChannelPath::translation, place_at, n_frames, way, shift));
  clip.channels.push_back(channel_of(3, ChannelPath::weights, weight_at, n_frames, way, shift));
  return clip;
}

const Clip& clip_named(const Character& c, const std::string& name) { return find_clip(c, name); }

double angle(const Quat& q, const std::vector<double>& x) { return q.angularDistance(Quat(x[3], x[0], x[1], x[2])); }

// All of the input is in the output, list by list and byte by byte.
void expect_untouched(const ReadGlb& in, const ReadGlb& out) {
  EXPECT_EQ(out.bin.compare(0, in.json["buffers"][0]["byteLength"], in.bin, 0, in.json["buffers"][0]["byteLength"]), 0);
  for (const auto& [key, value] : in.json.items()) {
    if (key == "buffers") continue;
    if (!value.is_array()) {
      EXPECT_EQ(out.json[key], value) << key;
      continue;
    }
    for (size_t i = 0; i < value.size(); ++i) EXPECT_EQ(out.json[key][i], value[i]) << key << " " << i;
    if (key != "accessors" && key != "bufferViews" && key != "animations") {
      EXPECT_EQ(out.json[key].size(), value.size()) << key;
    }
  }
}

class CurvesGlb : public testing::TestWithParam<Interpolation> {};
INSTANTIATE_TEST_SUITE_P(Ways, CurvesGlb, testing::Values(Interpolation::linear, Interpolation::cubic));

TEST_P(CurvesGlb, plays_within_the_error_and_keeps_everything_else) {
  const Scratch dir;
  const std::string in = dir.put("in.glb", Ribbon().file().glb());
  const CurvesClip clip = ribbon_curves(GetParam());
  std::vector<std::string> warnings;
  write_curves_glb(in, dir.path("out.glb"), clip, warnings);
  EXPECT_TRUE(warnings.empty());
  const Character before = read_gltf(in), after = read_gltf(dir.path("out.glb"));
  ASSERT_EQ(after.clips.size(), 2u);
  const Clip &walk = clip_named(before, "Walk"), &ours = clip_named(after, "Walk.curves");
  EXPECT_EQ(ours.start, 0);
  EXPECT_EQ(ours.end, 1);
  for (int f = 0; f < 25; ++f) {
    const double t = f / kFps;
    const NodeState old = sample_clip(before, walk, t), now = sample_clip(after, ours, t);
    EXPECT_LE(angle(now.placements[1].rotation, turn_at(t)), kError);
    EXPECT_LE(angle(now.placements[2].rotation, turn_at(t)), kError);
    const std::vector<double> x = place_at(t);
    EXPECT_LE((now.placements[2].translation - Vec3(x[0], x[1], x[2])).norm(), kError);
    ASSERT_EQ(now.weights[3].size(), 1u);
    EXPECT_NEAR(now.weights[3][0], weight_at(t)[0], kError);
    EXPECT_EQ(now.placements[1].translation, old.placements[1].translation);
    // The artist's clip, from the file of today.
    const NodeState same = sample_clip(after, clip_named(after, "Walk"), t);
    for (size_t n = 0; n < 4; ++n) EXPECT_EQ(same.locals[n].matrix(), old.locals[n].matrix());
  }
  const ReadGlb a(dir.get("in.glb")), b(dir.get("out.glb"));
  expect_untouched(a, b);
  // What is repeated is repeated by the same lists; what is ours is not there a second time.
  ASSERT_NE(b.sampler("Walk.curves", 1, "translation"), nullptr);
  EXPECT_EQ(*b.sampler("Walk.curves", 1, "translation"), *a.sampler("Walk", 1, "translation"));
  EXPECT_EQ((*b.animation("Walk.curves"))["channels"].size(), 5u);
  // Far fewer keys than frames, and lists of times are shared.
  const ordered_json& s = *b.sampler("Walk.curves", 1, "rotation");
  EXPECT_EQ(s["interpolation"], GetParam() == Interpolation::cubic ? "CUBICSPLINE" : "LINEAR");
  EXPECT_EQ(s["input"], (*b.sampler("Walk.curves", 2, "rotation"))["input"]);
  EXPECT_LT(b.numbers(s["input"]).size(), GetParam() == Interpolation::cubic ? 10u : 18u);
}

TEST_P(CurvesGlb, begins_where_the_clip_does) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  const int late = b.animation("Late");
  b.channel(late, 1, "translation", b.accessor<float>({7.3f, 9.3f}, "SCALAR"),
            b.accessor<float>({0, 0, 0, 1, 1, 1}, "VEC3"));
  const std::string in = dir.put("in.glb", b.glb());
  const double start = static_cast<double>(7.3f);
  CurvesClip clip = ribbon_curves(GetParam(), 25, start);  // half of it
  clip.sources = {1};
  std::vector<std::string> warnings;
  write_curves_glb(in, dir.path("out.glb"), clip, warnings);
  const Character after = read_gltf(dir.path("out.glb"));
  const Clip& ours = clip_named(after, "Walk.curves");
  EXPECT_EQ(ours.start, start);
  for (int f = 0; f < 25; ++f)
    EXPECT_LE(angle(sample_clip(after, ours, start + f / kFps).placements[1].rotation, turn_at(f / kFps)), kError);
  // Held to the end of the clip.
  const ReadGlb out(dir.get("out.glb"));
  EXPECT_EQ(out.numbers((*out.sampler("Walk.curves", 1, "rotation"))["input"]).back(), static_cast<double>(9.3f));
  for (const double t : {start + 1, start + 1.31, start + 2.0}) {
    const NodeState state = sample_clip(after, ours, t);
    EXPECT_LE(angle(state.placements[1].rotation, turn_at(1)), kError + 1e-6) << t;
    EXPECT_NEAR(state.weights[3][0], weight_at(1)[0], kError + 1e-6) << t;
  }
  // From the middle on: held from the beginning.
  clip.shift = start + 0.5;
  write_curves_glb(in, dir.path("held.glb"), clip, warnings);
  const Character held = read_gltf(dir.path("held.glb"));
  const ReadGlb middle(dir.get("held.glb"));
  for (const auto& [node, path] : {std::pair(1, "rotation"), {2, "translation"}, {3, "weights"}})
    EXPECT_EQ(middle.numbers((*middle.sampler("Walk.curves", node, path))["input"]).front(), start) << path;
  for (const double t : {start, start + 0.2, start + 0.5}) {
    const NodeState state = sample_clip(held, clip_named(held, "Walk.curves"), t);
    EXPECT_LE(angle(state.placements[1].rotation, turn_at(0)), 1e-5) << t;
  }
}

class CurvesGlbKinds : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CurvesGlbKinds, testing::Values("plain", "draco", "edgebreaker", "meshopt"));

TEST_P(CurvesGlbKinds, packed_files_get_their_clip) {
  const Scratch dir;
  GltfBuilder b = ribbon_as(GetParam());
  b.json["extensions"]["VRM"] = {{"meta", {{"title", "someone"}}}};
  b.json["extensionsUsed"].push_back("VRM");
  const std::string in = dir.put("in.glb", b.glb());
  CurvesClip clip = ribbon_curves(Interpolation::linear);
  std::vector<std::string> warnings;
  const Character before = read_gltf(in);
  write_curves_glb(in, dir.path("out.glb"), clip, warnings);
  const Character after = read_gltf(dir.path("out.glb"));
  ASSERT_EQ(after.clips.size(), before.clips.size() + 1);
  for (int f = 0; f < 25; ++f) {
    const NodeState now = sample_clip(after, clip_named(after, "Walk.curves"), f / kFps);
    EXPECT_LE(angle(now.placements[2].rotation, turn_at(f / kFps)), kError);
  }
  EXPECT_EQ(after.meshes[0].primitives[0].positions, before.meshes[0].primitives[0].positions);
  EXPECT_EQ(ReadGlb(dir.get("out.glb")).json["extensions"]["VRM"]["meta"]["title"], "someone");
}

TEST(CurvesGlbClips, several_sources_names_and_none) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  const int key = b.animation("WalkKey");
  b.channel(key, 0, "rotation", b.accessor<float>({0, 1}, "SCALAR"),
            b.accessor<float>({0, 0, 0, 1, 0, 1, 0, 0}, "VEC4"));
  b.animation("Walk.curves");
  b.channel(2, 0, "scale", b.accessor<float>({0}, "SCALAR"), b.accessor<float>({1, 1, 1}, "VEC3"));
  const std::string in = dir.put("in.glb", b.glb());
  CurvesClip clip = ribbon_curves(Interpolation::linear);
  clip.sources = {0, 1};
  std::vector<std::string> warnings;
  EXPECT_EQ(write_curves_glb(in, dir.path("out.glb"), clip, warnings), "Walk.curves 2");
  ASSERT_EQ(warnings.size(), 1u);
  expect_in(warnings[0], {"'Walk.curves' is taken", "'Walk.curves 2'"});
  const ReadGlb out(dir.get("out.glb"));
  expect_untouched(ReadGlb(dir.get("in.glb")), out);
  ASSERT_NE(out.sampler("Walk.curves 2", 0, "rotation"), nullptr);
  ASSERT_NE(out.sampler("Walk.curves 2", 1, "translation"), nullptr);
  EXPECT_EQ(*out.sampler("Walk.curves 2", 0, "rotation"), *out.sampler("WalkKey", 0, "rotation"));
  EXPECT_EQ(*out.sampler("Walk.curves 2", 1, "translation"), *out.sampler("Walk", 1, "translation"));

  // A character without clips: ours alone.
  GltfBuilder still = Ribbon().file();
  still.json.erase("animations");
  clip.sources.clear();
  clip.name = "";
  warnings.clear();
  write_curves_glb(dir.put("still.glb", still.glb()), dir.path("alone.glb"), clip, warnings);
  EXPECT_TRUE(warnings.empty());
  const ReadGlb alone(dir.get("alone.glb"));
  ASSERT_EQ(alone.json["animations"].size(), 1u);
  EXPECT_EQ(alone.json["animations"][0]["name"], "curves");
  EXPECT_EQ(alone.json["animations"][0]["channels"].size(), 4u);
  // Nothing at all.
  clip.channels.clear();
  write_curves_glb(dir.path("still.glb"), dir.path("none.glb"), clip, warnings);
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(read_gltf(dir.path("none.glb")).clips.empty());
}

TEST(CurvesGlbClips, a_matrix_becomes_parts_and_wide_weights_are_told) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  b.json["nodes"][0]["matrix"] = {0, 2, 0, 0, -2, 0, 0, 0,
                                  0, 0, 2, 0, 1,  2, 3, 1};  // a quarter about z, twice as large
  CurvesClip clip{.name = "x", .sources = {}, .shift = 0, .channels = {}};
  clip.channels.push_back(channel_of(0, ChannelPath::translation, place_at, 9, Interpolation::linear));
  const auto wide = [](double t) -> std::vector<double> { return {-0.25 + 4 * t}; };
  clip.channels.push_back(channel_of(3, ChannelPath::weights, wide, 9, Interpolation::cubic));
  std::vector<std::string> warnings;
  write_curves_glb(dir.put("in.glb", b.glb()), dir.path("out.glb"), clip, warnings);
  ASSERT_EQ(warnings.size(), 2u);
  expect_in(warnings[0], {"Root", "matrix"});
  expect_in(warnings[1], {"Body", "-0.25 to 1.08"});
  const ordered_json node = ReadGlb(dir.get("out.glb")).json["nodes"][0];
  EXPECT_FALSE(node.contains("matrix"));
  EXPECT_NEAR(node["rotation"][2].get<double>(), std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(node["scale"][1].get<double>(), 2, 1e-9);
  EXPECT_EQ(node["translation"][2].get<double>(), 3);
  b.json["nodes"][0]["matrix"][5] = 1;  // sheared
  EXPECT_THROW(write_curves_glb(dir.put("in.glb", b.glb()), dir.path("no.glb"), clip, warnings), InputError);
}

TEST(CurvesGlbClips, what_does_not_fit_is_told_and_not_written) {
  const Scratch dir;
  const std::string in = dir.put("in.glb", Ribbon().file().glb());
  const auto fault = [&](const std::function<void(CurvesClip&)>& spoil) -> std::string {
    CurvesClip clip = ribbon_curves(Interpolation::linear);
    spoil(clip);
    std::vector<std::string> warnings;
    try {
      write_curves_glb(in, dir.path("no.glb"), clip, warnings);
    } catch (const InputError& e) {
      EXPECT_FALSE(std::filesystem::exists(dir.path("no.glb")));
      EXPECT_EQ(e.where().file, in);
      return e.what();
    }
    return "";
  };
  expect_in(fault([](CurvesClip& c) { c.sources = {5}; }), {"animation 5"});
  expect_in(fault([](CurvesClip& c) { c.sources = {-1}; }), {"animation -1"});
  expect_in(fault([](CurvesClip& c) { c.channels[0].node = 9; }), {"node 9", "not in the file"});
  expect_in(fault([](CurvesClip& c) { c.channels[0].node = 2; }), {"rotation of node 2", "twice"});
  expect_in(fault([](CurvesClip& c) { c.channels[3].node = 1; }), {"no morph targets"});
  expect_in(fault([](CurvesClip& c) { c.channels[0].width = 3; }), {"3 numbers a key where 4 should be"});
  expect_in(fault([](CurvesClip& c) { c.channels[0].keys.values.pop_back(); }), {"do not fit"});
  expect_in(fault([](CurvesClip& c) { c.channels[0].keys = {}; }), {"0 keys"});
  expect_in(fault([](CurvesClip& c) { c.channels[0].keys.values[1] = NAN; }), {"not finite"});
  expect_in(fault([](CurvesClip& c) { c.channels[0].keys.times[1] = 0; }), {"time of key 1"});
  expect_in(fault([](CurvesClip& c) { c.shift = -0.1; }), {"time of key 0"});
}

// The Khronos validator, and Blender, on the ribbon without the scale that BVH and bones have no place for.
class CurvesViewers : public testing::Test {
 protected:
  void write(Interpolation way) {
    GltfBuilder b = Ribbon().file();
    b.json["nodes"][2].erase("scale");
    // What the validator asks for and readers do not need.
    Json& times = b.json["accessors"][b.json["animations"][0]["samplers"][0]["input"].get<size_t>()];
    times["min"] = {0};
    times["max"] = {1};
    dir_.put("in.glb", b.glb());
    clip_ = ribbon_curves(way);
    std::vector<std::string> warnings;
    write_curves_glb(dir_.path("in.glb"), dir_.path("out.glb"), clip_, warnings);
  }
  std::string command(const std::string& text) {
    const int status = std::system((text + " > '" + dir_.path("said.txt") + "' 2>&1").c_str());
    EXPECT_EQ(status, 0) << dir_.get("said.txt");
    return dir_.get("said.txt");
  }
  Scratch dir_;
  CurvesClip clip_;
};

TEST_F(CurvesViewers, the_validator_finds_nothing_that_the_input_does_not_have) {
  if (const std::string why = test::missing_package("GLTF_VALIDATOR_DIR", "gltf-validator"); !why.empty())
    GTEST_SKIP() << why;
  for (const Interpolation way : {Interpolation::linear, Interpolation::cubic}) {
    write(way);
    const Json seen = Json::parse(command("node '" SUPPLE_SOURCE_DIR "/tests/three/validate.mjs' '" +
                                          dir_.path("in.glb") + "' '" + dir_.path("out.glb") + "'"));
    EXPECT_EQ(seen[0]["codes"], seen[1]["codes"]);
  }
}

TEST_F(CurvesViewers, blender_has_the_clip_with_curves_to_edit) {
  if (!test::runs("blender --version")) GTEST_SKIP() << "blender is not on the PATH";
  write(Interpolation::linear);
  std::vector<double> times;
  for (int f = 0; f < 25; f += 4) times.push_back(f / kFps);
  // Each way of mixing rotations is off by the error at most, and the tip hangs on the hip.
  dir_.put("expected.json", test::curves_expectation(read_gltf(dir_.path("out.glb")), "Walk.curves", clip_.channels,
                                                     times, {.angle = 4 * kError, .distance = 4 * kError}));
  const std::string said = command("blender -b --factory-startup --python-exit-code 2 --python '" SUPPLE_SOURCE_DIR
                                   "/tests/blender/curves_check.py' -- '" +
                                   dir_.path("in.glb") + "' '" + dir_.path("out.glb") + "' Walk.curves Walk '" +
                                   dir_.path("expected.json") + "'");
  EXPECT_NE(said.find("CHECK {\"new_curves\": 12,"), std::string::npos) << said;
}

}  // namespace
}  // namespace supple
