// Clips: keys of all kinds, broken keys, names, and animations that are one clip.
#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "tests/io/gltf/gltf_builder.h"

namespace supple {
namespace {

Character read(const GltfBuilder& b, bool merge = true) {
  const Scratch dir;
  return read_gltf(dir.put("c.glb", b.glb()), {.merge_actions = merge});
}
std::string all_warnings(const Character& c) {
  std::string text;
  for (const std::string& w : c.warnings) text += w + "\n";
  return text;
}
std::vector<std::string> names(const Character& c) {
  std::vector<std::string> out;
  for (const Clip& clip : c.clips) out.push_back(clip.name);
  return out;
}

// The ribbon without clips of its own.
struct Stage {
  GltfBuilder b = Ribbon().file();
  Stage() { b.json.erase("animations"); }

  int times(const std::vector<float>& t) { return b.accessor(t, "SCALAR"); }
  // A clip that turns joint 2.
  int turn(const std::string& name, float end) {
    const int a = b.animation(name);
    b.channel(a, 2, "rotation", times({0, end}), b.accessor<float>({0, 0, 0, 1, 0, 0, 0.6f, 0.8f}, "VEC4"));
    return a;
  }
  int bulge(const std::string& name, float end, float start = 0) {
    const int a = b.animation(name);
    b.channel(a, 3, "weights", times({start, end}), b.accessor<float>({0, 1}, "SCALAR"));
    return a;
  }
  int prop(const std::string& name, float end) {
    const int a = b.animation(name);
    b.channel(a, 0, "translation", times({0, end}), b.accessor<float>({0, 0, 0, 1, 0, 0}, "VEC3"));
    return a;
  }
};

TEST(GltfClips, CubicAndNormalizedKeys) {
  Stage s;
  const int a = s.b.animation("");
  const int t = s.times({0.5f, 2});
  std::vector<float> cubic;
  for (int k = 0; k < 18; ++k) cubic.push_back(static_cast<float>(k));
  s.b.channel(a, 1, "translation", t, s.b.accessor(cubic, "VEC3"), "CUBICSPLINE");
  s.b.channel(a, 2, "rotation", t, s.b.accessor<int16_t>({0, 0, 0, 32767, 0, 0, 19660, 26214}, "VEC4", true));
  s.b.channel(a, 3, "weights", t, s.b.accessor<uint8_t>({0, 255}, "SCALAR", true));
  const Character c = read(s.b);
  EXPECT_TRUE(c.warnings.empty()) << all_warnings(c);
  ASSERT_EQ(c.clips.size(), 1u);
  EXPECT_EQ(c.clips[0].name, "Animation_0");
  EXPECT_EQ(c.clips[0].start, 0.5);
  EXPECT_EQ(c.clips[0].end, 2);
  const Channel& move = c.clips[0].channels[0];
  EXPECT_EQ(move.interpolation, Interpolation::cubic);
  EXPECT_EQ(move.values[9 + 4], 13);
  const std::vector<double>& q = c.clips[0].channels[1].values;
  EXPECT_NEAR(q[6], 0.6, 1e-4);
  EXPECT_NEAR(std::hypot(q[6], q[7]), 1, 1e-15);
  EXPECT_EQ(c.clips[0].channels[2].values, (std::vector<double>{0, 1}));
  EXPECT_EQ(c.clips[0].channels[2].width, 1);
}

TEST(GltfClips, BrokenKeys) {
  Stage s;
  const int a = s.b.animation("Bad");
  // Out of order, twice at one time, one without a time and one without a value.
  s.b.channel(a, 1, "translation", s.times({1, 0, 2, 2, NAN, 3}),
              s.b.accessor<float>({1, 0, 0, 0, 0, 0, 9, 9, 9, 2, 0, 0, 5, 5, 5, NAN, 0, 0}, "VEC3"));
  s.b.channel(a, 2, "rotation", s.times({0, 1, 2}), s.b.accessor<float>({0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1}, "VEC4"));
  s.b.channel(a, 2, "scale", s.times({0, 1, 2}), s.b.accessor<float>({1, 1, 1, 2, 2, 2}, "VEC3"));
  s.b.channel(a, 2, "scale", s.times({0, 1}), s.b.accessor<float>({1, 1, 1, 2, 2, 2}, "VEC3"));
  s.b.channel(a, 1, "pointer", s.times({0, 1}), s.b.accessor<float>({1, 1, 1, 2, 2, 2}, "VEC3"));
  s.b.json["animations"][0]["channels"].push_back({{"sampler", 0}, {"target", {{"path", "translation"}}}});
  const Character c = read(s.b);
  ASSERT_EQ(c.clips.size(), 1u);
  ASSERT_EQ(c.clips[0].channels.size(), 3u);
  const Channel& move = c.clips[0].channels[0];
  EXPECT_EQ(move.times, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(move.values, (std::vector<double>{0, 0, 0, 1, 0, 0, 2, 0, 0}));
  const Channel& turn = c.clips[0].channels[1];
  EXPECT_EQ(turn.times, (std::vector<double>{0, 2}));
  EXPECT_EQ(turn.values, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(c.clips[0].channels[2].times, (std::vector<double>{0, 1}));
  EXPECT_EQ(c.warnings.size(), 6u) << all_warnings(c);
  expect_in(all_warnings(c),
            {"animation 0 'Bad': 1 channels with times that do not ascend", "2 keys that are not finite",
             "2 rotations that are not of unit length", "1 channels with unequal numbers",
             "1 channels of what another one animates", "1 channels of something else"});
}

TEST(GltfClips, AnimatedMatrixNodes) {
  Stage s;
  Json& tip = s.b.json["nodes"][2];
  tip = {{"name", "Tip"}, {"matrix", {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1}}};
  s.turn("Walk", 1);
  {
    const Character c = read(s.b);
    EXPECT_FALSE(c.nodes[2].matrix.has_value());
    EXPECT_LT((c.nodes[2].local.scale - Vec3(2, 3, 4)).norm(), 1e-12);
    EXPECT_LT((c.nodes[2].local.matrix() * Vec3(1, 1, 1) - Vec3(2, 8, 11)).norm(), 1e-12);
    EXPECT_EQ(c.clips[0].channels.size(), 1u);
  }
  s.b.json["nodes"][2]["matrix"][4] = 1.0;
  s.b.json["nodes"][2]["matrix"][5] = 1.0;
  const Character c = read(s.b);
  EXPECT_TRUE(c.nodes[2].matrix.has_value());
  EXPECT_TRUE(c.clips.empty());
  expect_in(all_warnings(c), {"sheared", "moves nothing"});
}

TEST(GltfClips, NamesAreUniqueAndFound) {
  Stage s;
  s.turn("Walk", 1);
  s.turn("", 1);
  s.turn("Walk", 1);
  s.turn("Walk_2", 1);
  s.turn("3", 1);
  const Character c = read(s.b);
  EXPECT_EQ(names(c), (std::vector<std::string>{"Walk", "Animation_1", "Walk_3", "Walk_2", "3"}));
  EXPECT_EQ(c.warnings.size(), 1u);
  expect_in(c.warnings[0], {"animation 2", "'Walk'", "'Walk_3'"});
  EXPECT_EQ(&find_clip(c, ""), &c.clips[0]);
  EXPECT_EQ(&find_clip(c, "Walk_2"), &c.clips[3]);
  EXPECT_EQ(&find_clip(c, "1"), &c.clips[1]);
  EXPECT_EQ(&find_clip(c, "3"), &c.clips[4]);  // its name, not its number
  for (const char* none : {"Wark", "5", "-1", "99999999999999999999"}) EXPECT_THROW(find_clip(c, none), InputError);
  try {
    find_clip(c, "Wark");
  } catch (const InputError& e) {
    expect_in(e.what(), {"no clip 'Wark'", "Did you mean 'Walk'?", "Walk, Animation_1, Walk_3, Walk_2, 3"});
  }
  EXPECT_THROW(find_clip(Character(), ""), InputError);
}

TEST(GltfClips, ActionsOfOneClipAreJoined) {
  Stage s;
  s.bulge("KeyAction", 1.02f);
  s.turn("Dance", 1);
  s.prop("Hat", 1);
  const Character c = read(s.b);
  ASSERT_EQ(names(c), std::vector<std::string>{"Dance"});
  EXPECT_EQ(c.clips[0].sources, (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(c.clips[0].channels.size(), 3u);
  EXPECT_NEAR(c.clips[0].end, 1.02, 1e-6);
  ASSERT_EQ(c.warnings.size(), 1u);
  expect_in(c.warnings[0], {"'Dance'", "'KeyAction'", "'Hat'", "one clip"});
  EXPECT_EQ(read(s.b, false).clips.size(), 3u);
}

TEST(GltfClips, OrdinaryClipsStayApart) {
  {
    Stage s;  // the same skeleton in clips of the same length
    s.turn("Walk", 1);
    s.turn("Run", 1);
    const Character c = read(s.b);
    EXPECT_EQ(c.clips.size(), 2u);
    EXPECT_TRUE(c.warnings.empty());
  }
  {
    Stage s;  // another time
    s.turn("Walk", 1);
    s.bulge("Breathe", 3);
    s.bulge("Late", 1, 0.5f);
    EXPECT_EQ(read(s.b).clips.size(), 3u);
  }
  {
    Stage s;  // what moves the same twice
    const int walk = s.turn("Walk", 1);
    s.b.channel(walk, 3, "weights", s.times({0, 1}), s.b.accessor<float>({0, 1}, "SCALAR"));
    s.bulge("Smile", 1);
    EXPECT_EQ(read(s.b).clips.size(), 2u);
  }
  {
    Stage s;  // two faces for one body
    s.turn("Walk", 1);
    s.bulge("Smile", 1);
    s.bulge("Frown", 1);
    const Character c = read(s.b);
    EXPECT_EQ(c.clips.size(), 3u);
    expect_in(all_warnings(c), {"'Smile' moves no joint", "'Frown' moves the same", "left as its own clip"});
  }
}

TEST(GltfClips, ActionsAreMatchedByName) {
  Stage s;
  s.turn("Armature|Walk.001", 1);
  s.turn("Run", 1);
  s.bulge("RunKeyAction", 1);
  s.bulge("Walk_shapes", 1);
  s.bulge("KeyAction", 1);
  const Character c = read(s.b);
  EXPECT_EQ(names(c), (std::vector<std::string>{"Armature|Walk.001", "Run", "KeyAction"}));
  EXPECT_EQ(c.clips[0].sources, (std::vector<int>{0, 3}));
  EXPECT_EQ(c.clips[1].sources, (std::vector<int>{1, 2}));
  expect_in(all_warnings(c), {"'Run' moves other things over the same time as 'RunKeyAction'",
                              "'KeyAction' moves no joint", "no name tells which"});
}

}  // namespace
}  // namespace supple
