#include "supple/io/bvh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "supple/anim/key_clip.h"
#include "supple/io/input_file.h"

namespace supple {

namespace {

constexpr const char* kChannelNames[] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
constexpr size_t kMostJoints = 100000;
constexpr int kDeepest = 1000;

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

class BvhReader {
 public:
  explicit BvhReader(const std::string& path) : in_(path, {.numbers_need_an_end = false}) { m_.file = path; }

  BvhMotion read() {
    expect("HIERARCHY");
    expect("ROOT");
    joint(-1, 0);
    if (!in_.done() && same_word(in_.peek(), "ROOT"))
      in_.fail("there is a second ROOT", "One skeleton a file can be read: put each into a file of its own.");
    motion();
    return std::move(m_);
  }

 private:
  void expect(const char* word) {
    if (in_.done()) in_.fail(fmt::format("the file ends where {} should be", word), "It may be cut off.");
    if (!same_word(in_.token(word), word)) in_.fail(fmt::format("{} should be here", word));
  }
  Vec3 offset() {
    expect("OFFSET");
    Vec3 x;
    for (int k = 0; k < 3; ++k) x[k] = in_.number("an offset");
    return x;
  }

  // Names may have blanks: they go to the end of the line or to the brace.
  std::string name() {
    std::string text;
    while (!in_.line_done() && in_.peek() != "{") text += (text.empty() ? "" : " ") + std::string(in_.token("a name"));
    if (text.empty()) in_.fail("a joint has no name");
    return text;
  }

  void channels(BvhJoint& j) {
    expect("CHANNELS");
    const long long n = in_.integer("the number of channels", 0, 6);
    j.first_channel = m_.n_channels;
    for (long long k = 0; k < n; ++k) {
      const std::string_view word = in_.token("a channel");
      const auto at = std::find_if(std::begin(kChannelNames), std::end(kChannelNames),
                                   [&](const char* known) { return same_word(word, known); });
      if (at == std::end(kChannelNames))
        in_.fail(fmt::format("'{}' is no channel", word),
                 "Channels are Xposition .. Zposition, Xrotation .. Zrotation.");
      const auto channel = static_cast<BvhChannel>(at - std::begin(kChannelNames));
      if (std::find(j.channels.begin(), j.channels.end(), channel) != j.channels.end())
        in_.fail(fmt::format("{} is there twice", *at));
      j.channels.push_back(channel);
    }
    m_.n_channels += static_cast<int>(n);
  }

  void joint(int parent, int depth) {
    const int at = static_cast<int>(m_.joints.size());
    m_.joints.emplace_back();
    BvhJoint j{.name = name(), .parent = parent};
    // The format does not ask for names of their own, and later steps go by name.
    const std::string asked = j.name;
    for (int& n = next_number_.try_emplace(asked, 2).first->second; !names_.insert(j.name).second; ++n)
      j.name = fmt::format("{}_{}", asked, n);
    expect("{");
    j.offset = offset();
    channels(j);
    m_.joints[at] = j;
    for (;;) {
      if (in_.done()) in_.fail(fmt::format("joint '{}' is not closed", j.name), "The file may be cut off.");
      const std::string_view word = in_.token("JOINT, End Site or }");
      if (word == "}") return;
      if (m_.joints.size() > kMostJoints || depth > kDeepest) in_.fail("there are too many joints");
      if (same_word(word, "JOINT")) {
        joint(at, depth + 1);
      } else if (same_word(word, "End")) {
        expect("Site");
        expect("{");
        names_.insert(j.name + "_end");
        m_.joints.push_back({.name = j.name + "_end", .parent = at, .offset = offset(), .end = true, .channels = {}});
        expect("}");
      } else {
        in_.fail(fmt::format("JOINT, End Site or }} should be here, not '{}'", word));
      }
    }
  }

  void motion() {
    expect("MOTION");
    expect("Frames:");
    const long long n = in_.integer("the number of frames", 0, 100'000'000);
    const int frames_line = in_.line();
    expect("Frame");
    expect("Time:");
    m_.frame_time = in_.number("the frame time");
    if (n < 1) in_.fail_at_line(frames_line, "there are no frames");
    if (!(m_.frame_time > 0)) in_.fail("the frame time is not above 0");
    if (m_.n_channels == 0) in_.fail_at_line(frames_line, "there are frames, but no joint has a channel");
    for (long long f = 0; f < n; ++f) {
      if (in_.done())
        in_.fail_at_line(frames_line, fmt::format("{} frames are promised, and {} are there", n, f),
                         "The file may be cut off.");
      for (int c = 0; c < m_.n_channels; ++c) {
        if (c > 0 && in_.line_done())
          in_.fail(fmt::format("frame {} has {} values, and the joints have {} channels", f + 1, c, m_.n_channels));
        m_.values.push_back(in_.number("a value"));
      }
      if (!in_.line_done())
        in_.fail(fmt::format("frame {} has more values than the {} channels of the joints", f + 1, m_.n_channels));
      ++m_.n_frames;
    }
    if (!in_.done()) {
      in_.token("nothing");
      in_.fail(fmt::format("there is more after the {} frames that are promised", n));
    }
  }

  InputFile in_;
  BvhMotion m_;
  std::set<std::string> names_;             // of joints
  std::map<std::string, int> next_number_;  // to try for one that asks for a name that is taken
};

// A slim double pyramid from a to b, carried by joint `bone` of the skin.
void add_stick(const Vec3& a, const Vec3& b, int bone, Primitive& p) {
  const Vec3 along = b - a;
  const double length = along.norm();
  if (!(length > 0)) return;
  const Vec3 u = along.unitOrthogonal(), v = along.normalized().cross(u), waist = a + 0.2 * along;
  const int first = static_cast<int>(p.positions.size());
  for (const Vec3& x : {a, Vec3(waist + 0.08 * length * u), Vec3(waist + 0.08 * length * v),
                        Vec3(waist - 0.08 * length * u), Vec3(waist - 0.08 * length * v), b}) {
    p.positions.push_back(x);
    p.joints.insert(p.joints.end(), {bone, 0, 0, 0});
    p.weights.insert(p.weights.end(), {1, 0, 0, 0});
  }
  for (int k = 0; k < 4; ++k) {
    const int one = first + 1 + k, two = first + 1 + (k + 1) % 4;
    p.triangles.push_back({first, two, one});
    p.triangles.push_back({one, two, first + 5});
  }
}

}  // namespace

Placement BvhMotion::local(int joint, int frame) const {
  const BvhJoint& j = joints[joint];
  Placement p;
  p.translation = j.offset;
  for (size_t k = 0; k < j.channels.size(); ++k) {
    const double v = value(frame, j.first_channel + static_cast<int>(k));
    const int which = static_cast<int>(j.channels[k]);
    if (which < 3)
      p.translation[which] = v;
    else
      p.rotation = p.rotation * Eigen::AngleAxisd(v * M_PI / 180, Vec3::Unit(which - 3));
  }
  return p;
}

BvhMotion read_bvh(const std::string& path) { return BvhReader(path).read(); }

Character bvh_character(const BvhMotion& m, double scale) {
  Character c;
  c.file = m.file;
  Skin skin{.name = "skeleton", .joints = {}, .inverse_binds = {}};
  Points at;
  Primitive sticks;
  sticks.material = "sticks";
  sticks.influences = 4;
  for (size_t j = 0; j < m.joints.size(); ++j) {
    const BvhJoint& joint = m.joints[j];
    Node node{.name = joint.name, .parent = joint.parent};
    node.local.translation = scale * joint.offset;
    if (joint.parent >= 0) c.nodes[joint.parent].children.push_back(static_cast<int>(j));
    c.nodes.push_back(node);
    at.push_back(joint.parent < 0 ? node.local.translation : Vec3(at[joint.parent] + node.local.translation));
    skin.joints.push_back(static_cast<int>(j));
    skin.inverse_binds.push_back(Affine(Eigen::Translation3d(-at.back())));
    if (joint.parent >= 0) add_stick(at[joint.parent], at.back(), joint.parent, sticks);
  }
  if (sticks.positions.empty()) throw InputError({.file = m.file}, "the skeleton has no bone with a length");
  c.meshes.push_back({.name = "sticks", .primitives = {std::move(sticks)}, .weights = {}});
  c.nodes.push_back({.name = "sticks", .mesh = 0, .skin = 0});
  c.skins.push_back(std::move(skin));
  c.shown.assign(c.nodes.size(), 1);
  Clip clip = bake_clip(c, std::filesystem::path(m.file).stem().string(), m.n_frames, 1 / m.frame_time,
                        [&](double frame, std::vector<Placement>& nodes) {
                          for (size_t j = 0; j < m.joints.size(); ++j) {
                            nodes[j] = m.local(static_cast<int>(j), static_cast<int>(frame));
                            nodes[j].translation *= scale;
                          }
                        });
  clip.sources = {0};
  c.clips.push_back(std::move(clip));
  return c;
}

}  // namespace supple
