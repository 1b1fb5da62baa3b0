#include "supple/anim/key_clip.h"

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"

namespace supple {

namespace {

constexpr double kStill = 1e-12;

// The slope of a curve that keeps to its keys: none where it turns round, else the harmonic mean (Fritsch and Butland).
double slope_at(double before, double after, double left, double right) {
  if (before * after <= 0) return 0;
  const double w1 = 2 * right + left, w2 = right + 2 * left;
  return (w1 + w2) / (w1 / before + w2 / after);
}

template <class Values>
void add_channel(Clip& clip, int node, ChannelPath path, int width, int frames, double fps, const Values& values) {
  Channel c{.node = node, .path = path, .times = {}, .values = {}, .width = width};
  for (int f = 0; f < frames; ++f) {
    c.times.push_back(f / fps);
    const auto v = values(f);
    c.values.insert(c.values.end(), v.begin(), v.end());
  }
  clip.channels.push_back(std::move(c));
}

}  // namespace

KeyCurve::KeyCurve(std::vector<Key> keys) : keys_(std::move(keys)) {
  if (keys_.empty()) throw InputError({}, "a curve has no keys");
  const size_t n = keys_.size();
  for (size_t k = 0; k < n; ++k) {
    if (!std::isfinite(keys_[k].frame) || !keys_[k].value.allFinite())
      throw InputError({.place = "key " + std::to_string(k)}, "a key is not a number");
    if (k > 0 && !(keys_[k].frame > keys_[k - 1].frame))
      throw InputError({.place = "key " + std::to_string(k)}, "the frames of keys do not ascend");
  }
  in_.assign(n, Vec3::Zero());
  out_ = in_;
  const auto secant = [&](size_t k) -> Vec3 {
    return (keys_[k + 1].value - keys_[k].value) / (keys_[k + 1].frame - keys_[k].frame);
  };
  for (size_t k = 1; k < n; ++k) {
    const Vec3 before = secant(k - 1);
    if (keys_[k].ease == Ease::hit) {
      in_[k] = 2 * before;
    } else if (k + 1 < n) {
      const Vec3 after = secant(k);
      const double left = keys_[k].frame - keys_[k - 1].frame, right = keys_[k + 1].frame - keys_[k].frame;
      for (int c = 0; c < 3; ++c) in_[k][c] = slope_at(before[c], after[c], left, right);
      out_[k] = in_[k];
    }
  }
}

Vec3 KeyCurve::at(double frame) const {
  if (frame <= keys_.front().frame) return keys_.front().value;
  if (frame >= keys_.back().frame) return keys_.back().value;
  const auto next =
      std::upper_bound(keys_.begin(), keys_.end(), frame, [](double f, const Key& key) { return f < key.frame; });
  const size_t k = static_cast<size_t>(next - keys_.begin()) - 1;
  const double h = keys_[k + 1].frame - keys_[k].frame, s = (frame - keys_[k].frame) / h;
  const double s2 = s * s, s3 = s2 * s;
  return (2 * s3 - 3 * s2 + 1) * keys_[k].value + (3 * s2 - 2 * s3) * keys_[k + 1].value +
         h * ((s3 - 2 * s2 + s) * out_[k] + (s3 - s2) * in_[k + 1]);
}

Quat turned(const Vec3& degrees) {
  const Vec3 a = degrees * (M_PI / 180);
  return Eigen::AngleAxisd(a[2], Vec3::UnitZ()) * Eigen::AngleAxisd(a[1], Vec3::UnitY()) *
         Eigen::AngleAxisd(a[0], Vec3::UnitX());
}

Clip bake_clip(const Character& character, const std::string& name, int frames, double fps, const PoseFunction& pose) {
  if (frames < 1 || !(fps > 0)) throw InputError({.place = "clip " + name}, "a clip needs frames and a frame rate");
  std::vector<Placement> rest;
  for (const Node& n : character.nodes) rest.push_back(n.local);
  std::vector<std::vector<Placement>> poses(static_cast<size_t>(frames), rest);
  for (int f = 0; f < frames; ++f) pose(f, poses[f]);
  Clip clip{.name = name, .channels = {}, .start = 0, .end = (frames - 1) / fps, .sources = {}};
  for (size_t n = 0; n < rest.size(); ++n) {
    const int node = static_cast<int>(n);
    const auto ever = [&](auto&& differs) {
      return std::any_of(poses.begin(), poses.end(), [&](const auto& p) { return differs(p[n]); });
    };
    if (ever([&](const Placement& p) { return (p.translation - rest[n].translation).norm() > kStill; }))
      add_channel(clip, node, ChannelPath::translation, 3, frames, fps, [&](int f) { return poses[f][n].translation; });
    if (ever([&](const Placement& p) { return p.rotation.angularDistance(rest[n].rotation) > kStill; })) {
      Eigen::Vector4d before = rest[n].rotation.coeffs();
      add_channel(clip, node, ChannelPath::rotation, 4, frames, fps, [&](int f) {
        Eigen::Vector4d q = poses[f][n].rotation.normalized().coeffs();
        if (q.dot(before) < 0) q = -q;  // the same turn, on the near side
        return before = q;
      });
    }
    if (ever([&](const Placement& p) { return (p.scale - rest[n].scale).norm() > kStill; }))
      add_channel(clip, node, ChannelPath::scale, 3, frames, fps, [&](int f) { return poses[f][n].scale; });
  }
  return clip;
}

int add_blend_shape(Character& character, int mesh, const std::string& name, const std::vector<Points>& offsets,
                    const std::vector<Points>& normals) {
  CharacterMesh& m = character.meshes.at(static_cast<size_t>(mesh));
  const Location where{.file = character.file, .place = "blend shape " + name};
  if (offsets.size() != m.primitives.size() || (!normals.empty() && normals.size() != offsets.size()))
    throw InputError(where, "it has not as many parts as the mesh");
  for (size_t p = 0; p < m.primitives.size(); ++p) {
    Primitive& primitive = m.primitives[p];
    if (offsets[p].size() != primitive.positions.size() ||
        (!normals.empty() && normals[p].size() != primitive.positions.size()))
      throw InputError(where, "it has not one offset a vertex");
    primitive.targets.push_back(
        {.name = name, .positions = offsets[p], .normals = normals.empty() ? Points{} : normals[p]});
  }
  m.weights.resize(m.primitives[0].targets.size(), 0.0);
  return static_cast<int>(m.weights.size()) - 1;
}

void add_weights(const Character& character, int node, int frames, double fps,
                 const std::function<std::vector<double>(int frame)>& weights, Clip& clip) {
  const int mesh = character.nodes.at(static_cast<size_t>(node)).mesh;
  const size_t n = mesh < 0 ? 0 : character.meshes.at(static_cast<size_t>(mesh)).weights.size();
  if (n == 0) throw InputError({.file = character.file, .place = "clip " + clip.name}, "the node has no blend shapes");
  add_channel(clip, node, ChannelPath::weights, static_cast<int>(n), frames, fps, [&](int f) {
    std::vector<double> w = weights(f);
    if (w.size() != n) throw InputError({.place = "clip " + clip.name}, "not one weight a blend shape");
    return w;
  });
}

}  // namespace supple
