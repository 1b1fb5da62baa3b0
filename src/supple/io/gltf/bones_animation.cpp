#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/base/index.h"
#include "supple/io/gltf/bones_parts.h"
#include "supple/io/gltf/new_clip.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

namespace {

float f(double x) { return static_cast<float>(x); }

// Keys to keep so that the straight (or round) way between them passes every frame within `allowed`: the frame that is
// farthest off becomes a key until none is. off(a, b, k): by how much frame k is off the way from a to b.
std::vector<size_t> telling_keys(size_t n, double allowed, const std::function<double(size_t, size_t, size_t)>& off) {
  std::set<size_t> keep = {0, n - 1};
  std::vector<std::pair<size_t, size_t>> open = {{0, n - 1}};
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    size_t worst = a;
    double most = allowed;
    for (size_t k = a + 1; k < b; ++k) {
      const double e = off(a, b, k);
      if (e > most) most = e, worst = k;
    }
    if (worst == a) continue;
    keep.insert(worst);
    open.push_back({a, worst});
    open.push_back({worst, b});
  }
  return {keep.begin(), keep.end()};
}

class BoneClipWriter {
 public:
  BoneClipWriter(GlbDocument& doc, const BonesClip& clip, double allowed, BonesReport& report)
      : clip_(clip), allowed_(allowed), report_(report), made_(doc) {}

  void repeat_sources() { made_.repeat(clip_.sources, clip_.name, report_.warnings); }

  // frame: bound world [m] -> the bone's own space, a turn and one size.
  void add_helper(const HelperJoint& h, int node, const Affine& frame) {
    const size_t n = clip_.times.size(), first = at(clip_.first_frame);
    const double unit = std::cbrt(std::abs(frame.linear().determinant()));  // of the node's space, a metre
    const Mat3 turn = frame.linear() / unit;
    auto shift = [&](size_t k) -> const Vec3& { return h.shifts[first + k]; };
    auto rotation = [&](size_t k) -> const Quat& { return h.rotations[first + k]; };
    auto part = [&](size_t a, size_t b, size_t k) {
      return (clip_.times[k] - clip_.times[a]) / (clip_.times[b] - clip_.times[a]);
    };
    auto off_shift = [&](size_t a, size_t b, size_t k) {
      return (shift(a) + part(a, b, k) * (shift(b) - shift(a)) - shift(k)).norm();
    };
    auto off_turn = [&](size_t a, size_t b, size_t k) {
      return h.reach * rotation(a).slerp(part(a, b, k), rotation(b)).angularDistance(rotation(k));
    };
    double most_shift = 0, most_turn = 0;
    for (size_t k = 0; k < n; ++k) {
      most_shift = std::max(most_shift, shift(k).norm());
      most_turn = std::max(most_turn, h.reach * rotation(k).angularDistance(Quat::Identity()));
    }
    report_.keys_before += 2 * n;
    // Both together may be off by `allowed`.
    std::vector<size_t> shift_keys, turn_keys;
    if (most_shift > allowed_ / 2) shift_keys = telling_keys(n, allowed_ / 2, off_shift);
    if (most_turn > allowed_ / 2) turn_keys = telling_keys(n, allowed_ / 2, off_turn);
    std::vector<float> values;
    for (const size_t k : shift_keys) {
      const Vec3 x = frame * Vec3(h.head + shift(k));
      values.insert(values.end(), {f(x[0]), f(x[1]), f(x[2])});
    }
    if (!values.empty()) add_channel(node, "translation", shift_keys, values, 3);
    values.clear();
    for (const size_t k : turn_keys) {
      const Mat3 R = turn * rotation(k).toRotationMatrix() * turn.inverse();
      Eigen::Vector4d q = Quat(R).normalized().coeffs();
      const size_t last = values.size();
      if (last >= 4) {
        double along = 0;
        for (size_t c = 0; c < 4; ++c)
          along += q[static_cast<Eigen::Index>(c)] * static_cast<double>(values[last - 4 + c]);
        if (along < 0) q = -q;
      }
      values.insert(values.end(), {f(q[0]), f(q[1]), f(q[2]), f(q[3])});
    }
    if (!values.empty()) add_channel(node, "rotation", turn_keys, values, 4);

    auto error = [&](const std::vector<size_t>& keys, size_t k, const auto& off, double at_rest) {
      if (keys.empty()) return at_rest;
      const auto next = std::lower_bound(keys.begin(), keys.end(), k);
      return *next == k ? 0.0 : off(*(next - 1), *next, k);
    };
    for (size_t k = 0; k < n; ++k) {
      const double e = error(shift_keys, k, off_shift, shift(k).norm()) +
                       error(turn_keys, k, off_turn, h.reach * rotation(k).angularDistance(Quat::Identity()));
      report_.key_error = std::max(report_.key_error, e);
    }
  }

  bool finish(const std::string& name) { return made_.finish(name); }

 private:
  void add_channel(int node, const char* path, const std::vector<size_t>& keys, const std::vector<float>& values,
                   size_t width) {
    int& input = times_[keys];
    if (input == 0) {
      std::vector<float> times;
      for (const size_t k : keys) times.push_back(f(clip_.times[k]));
      input = made_.add_floats(times, 1, true) + 1;
    }
    made_.add_channel(node, path, input - 1, made_.add_floats(values, width, false), "LINEAR");
    report_.keys += keys.size();
  }

  const BonesClip& clip_;
  double allowed_;
  BonesReport& report_;
  NewClip made_;
  std::map<std::vector<size_t>, int> times_;  // keys -> accessor + 1
};

void require_clip(const GlbDocument& doc, const BonesClip& clip, const SkinDecomposition& skin) {
  const std::string place = fmt::format("clip '{}'", clip.name);
  if (clip.times.empty()) doc.fail(place, "not written: it has no frames");
  for (const int source : clip.sources) {
    if (source < 0 || at(source) >= doc.file().animations.size()) {
      doc.fail(place, fmt::format("not written: animation {} is not in the file", source));
    }
  }
  for (size_t k = 0; k < clip.times.size(); ++k) {
    if (!std::isfinite(clip.times[k]) || clip.times[k] < 0 || (k > 0 && f(clip.times[k]) <= f(clip.times[k - 1]))) {
      doc.fail(fmt::format("{}, frame {}", place, k), "not written: its time should be finite, at least 0 and ascend");
    }
  }
  for (const HelperJoint& h : skin.helpers) {
    const size_t end = clip.first_frame < 0 ? SIZE_MAX : at(clip.first_frame) + clip.times.size();
    if (end > h.shifts.size() || end > h.rotations.size()) {
      doc.fail(place, fmt::format("not written: helper '{}' has only {} frames", h.name, h.shifts.size()));
    }
    for (size_t k = at(clip.first_frame); k < end; ++k) {
      if (!h.shifts[k].allFinite() || !h.rotations[k].coeffs().allFinite() || !(h.rotations[k].norm() > 0.5)) {
        doc.fail(place, fmt::format("not written: the motion of helper '{}' is not finite", h.name));
      }
    }
  }
}

}  // namespace

void add_bone_clips(GlbDocument& doc, const Drawn& drawn, const SkinDecomposition& skin,
                    const std::vector<NewJoint>& joints, const std::vector<BonesClip>& clips,
                    const BonesOptions& options, BonesReport& report) {
  if (!(options.key_tolerance >= 0)) doc.fail("", "not written: the tolerance of keys should be at least 0");
  const double allowed = options.key_tolerance * longest_side(drawn.vertices.rest);
  std::set<std::string> taken;
  for (const GltfAnimation& animation : doc.file().animations) taken.insert(animation.name);
  for (const BonesClip& clip : clips) {
    require_clip(doc, clip, skin);
    BoneClipWriter writer(doc, clip, allowed, report);
    writer.repeat_sources();
    for (size_t h = 0; h < skin.helpers.size(); ++h) {
      writer.add_helper(skin.helpers[h], joints[h].node, drawn.bones[at(joints[h].bone)].from_bound);
    }
    const std::string wish = clip.name.empty() ? "soft" : clip.name + ".soft";
    std::string name = wish;
    for (int n = 2; taken.count(name) > 0; ++n) name = fmt::format("{} {}", wish, n);
    if (!writer.finish(name)) {
      report.warnings.push_back(fmt::format("clip '{}': nothing moves, so no clip is added", clip.name));
      continue;
    }
    taken.insert(name);
    if (name != wish) report.warnings.push_back(fmt::format("the name '{}' is taken: the clip is '{}'", wish, name));
    report.clips.push_back(name);
  }
}

}  // namespace supple
