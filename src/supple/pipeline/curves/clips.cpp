#include "supple/pipeline/curves/clips.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/anim/node_tree.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/pipeline/deliver/soft_clip.h"
#include "supple/rigs/subspace.h"

namespace supple::pipeline::curves {

namespace {

// Whether the keys of a channel are all the same. Of a spline each has a tangent, a value and a tangent.
bool stands_still(const CurveChannel& c) {
  constexpr double kSame = 1e-7;
  const std::vector<double>& v = c.keys.values;
  const auto width = static_cast<size_t>(c.width);
  const bool cubic = c.keys.interpolation == Interpolation::cubic;
  const size_t stride = cubic ? 3 * width : width, first = cubic ? width : 0;
  const double length = c.keys.times.back() - c.keys.times.front();
  for (size_t i = 0; i < v.size(); ++i) {
    const size_t in_key = i % stride;
    const bool tangent = cubic && (in_key < width || in_key >= 2 * width);
    if (std::abs(tangent ? length * v[i] : v[i] - v[first + in_key % width]) > kSame) return false;
  }
  return true;
}

// Keys of the joints and morph targets that are not as in the old clip.
class ClipMaker {
 public:
  ClipMaker(const CurvesSetup& setup, const std::vector<VecX>& parameters, double fps, KeysWritten& report)
      : setup_(setup), skeleton_(*setup.rig.skeleton), report_(report) {
    const Eigen::Index first = setup.rig.skeleton_first;
    const auto n = static_cast<Eigen::Index>(skeleton_.parameters().size());
    for (const VecX& p : parameters) keys_.push_back(skeleton_.keys(p.segment(first, n)));
    for (size_t f = 0; f < parameters.size(); ++f) times_.push_back(static_cast<double>(f) / fps);
    report_.frames = static_cast<int>(times_.size());
    const std::string& kind = setup.config.curves.key_interpolation;
    interpolation_ = kind == "cubic" ? Interpolation::cubic : Interpolation::linear;
  }

  CurvesClip make() {
    CurvesClip clip;
    const std::string& old = setup_.rig.clip;
    const std::string& wish = setup_.config.curves.clip;
    clip.name = !wish.empty() ? wish : old.empty() ? "curves" : old + " curves";
    clip.sources = setup_.rig.clip_sources;
    clip.shift = setup_.rig.time.clip_start;
    shift_ = clip.shift;
    clip_ = old;
    fill(clip);
    report_.clip = clip.name;
    return clip;
  }

  // By itself, from rest: what does not move has no keys.
  CurvesClip make_alone(const std::string& name) {
    CurvesClip clip;
    clip.name = name;
    fill(clip);
    std::erase_if(clip.channels, stands_still);
    return clip;
  }

 private:
  void fill(CurvesClip& clip) {
    const SceneConfig& config = setup_.config;
    const double error = config.curves.key_error;
    const double length = error * setup_.rig.size() / setup_.rig.character->scale;
    for (size_t j = 0; j < skeleton_.spec().joints.size(); ++j) {
      const JointChoice& joint = skeleton_.spec().joints[j];
      const auto of = [&](auto&& values) {
        std::vector<double> samples;
        for (const SkeletonDeformer::Keys& k : keys_) values(k.joints[j], samples);
        return samples;
      };
      if (joint.rotation)
        add(clip, joint.node, ChannelPath::rotation, 4, error, of([](const Placement& p, std::vector<double>& s) {
              s.insert(s.end(), {p.rotation.x(), p.rotation.y(), p.rotation.z(), p.rotation.w()});
            }));
      if (joint.translation)
        add(clip, joint.node, ChannelPath::translation, 3, length, of([](const Placement& p, std::vector<double>& s) {
              s.insert(s.end(), p.translation.data(), p.translation.data() + 3);
            }));
      if (joint.scale)
        add(clip, joint.node, ChannelPath::scale, 3, error, of([](const Placement& p, std::vector<double>& s) {
              s.insert(s.end(), p.scale.data(), p.scale.data() + 3);
            }));
    }
    add_weights(clip, error);
  }

  void add(CurvesClip& clip, int node, ChannelPath path, int width, double error, const std::vector<double>& samples) {
    const KeyMeasure measure = path == ChannelPath::rotation ? KeyMeasure::angle : KeyMeasure::distance;
    CurveChannel channel;
    channel.node = node, channel.path = path, channel.width = width;
    channel.keys = reduce_keys(times_, samples, width, error, measure, interpolation_, shift_);
    ++report_.channels;
    report_.keys += static_cast<int>(channel.keys.times.size());
    double& worst = path == ChannelPath::rotation      ? report_.angle_rad
                    : path == ChannelPath::translation ? report_.length_m
                                                       : report_.factor;
    const double unit = path == ChannelPath::translation ? setup_.rig.character->scale : 1;
    worst = std::max(worst, unit * channel.keys.largest_error);
    clip.channels.push_back(std::move(channel));
  }

  // A file has the weights of all targets of a mesh in one channel.
  void add_weights(CurvesClip& clip, double error) {
    const Character& c = setup_.rig.character->character;
    const std::vector<MorphChoice>& morphs = skeleton_.spec().morphs;
    std::vector<int> nodes;
    for (const MorphChoice& m : morphs)
      if (std::find(nodes.begin(), nodes.end(), m.node) == nodes.end()) nodes.push_back(m.node);
    for (int node : nodes) {
      size_t n = 0;
      for (const Primitive& p : c.meshes[static_cast<size_t>(c.nodes[static_cast<size_t>(node)].mesh)].primitives)
        n = std::max(n, p.targets.size());
      std::vector<double> samples;
      for (size_t f = 0; f < keys_.size(); ++f) {
        std::vector<double> weights = rest_weights(c, node, n);
        if (!clip_.empty()) {
          const NodeState state = sample_clip(c, find_clip(c, clip_), shift_ + times_[f]);
          if (const auto& own = state.weights[static_cast<size_t>(node)]; own.size() == n) weights = own;
        }
        for (size_t k = 0; k < morphs.size(); ++k)
          if (morphs[k].node == node) weights[static_cast<size_t>(morphs[k].target)] = keys_[f].morphs[k];
        samples.insert(samples.end(), weights.begin(), weights.end());
      }
      add(clip, node, ChannelPath::weights, static_cast<int>(n), error, samples);
    }
  }

  const CurvesSetup& setup_;
  const SkeletonDeformer& skeleton_;
  KeysWritten& report_;
  std::vector<SkeletonDeformer::Keys> keys_;
  std::vector<double> times_;
  Interpolation interpolation_ = Interpolation::linear;
  std::string clip_;  // whose other weights are kept; empty: those at rest
  double shift_ = 0;
};

}  // namespace

CurvesClip found_clip(const CurvesSetup& setup, const std::vector<VecX>& parameters, KeysWritten& report) {
  return ClipMaker(setup, parameters, setup.rig.time.fps, report).make();
}

SoftClip deformer_clip(const CurvesSetup& setup, const std::vector<VecX>& parameters, std::string name,
                       std::vector<int> sources) {
  const SkeletonDeformer& skeleton = *setup.rig.skeleton;
  const auto n = static_cast<Eigen::Index>(skeleton.parameters().size());
  const VecX rest = flatten(setup.rig.rest);
  const double least = 1e-9 * setup.rig.size();  // [m]: what is not moved by deformers stays out to the bit
  SoftClip clip;
  clip.name = std::move(name);
  clip.sources = std::move(sources);
  std::vector<Points> bound(parameters.size());
  for (size_t f = 0; f < parameters.size(); ++f) {
    const double t = static_cast<double>(f) / setup.rig.time.fps;
    clip.times.push_back(setup.rig.time.clip_start + t);
    const VecX p = parameters[f].segment(setup.rig.skeleton_first, n);
    const VecX surface = setup.rig.rig->evaluate(parameters[f], t);
    VecX posed = rest;
    skeleton.apply(p, t, posed);
    // The linear part of the skin at every vertex.
    MatX turned(rest.size(), 3);
    for (Eigen::Index i = 0; i < rest.size(); i += 3) turned.middleRows<3>(i) = Mat3::Identity();
    skeleton.push(p, t, turned);
    bound[f].assign(setup.rig.rest.size(), Vec3::Zero());
    for (size_t v = 0; v < bound[f].size(); ++v) {
      const auto at = 3 * static_cast<Eigen::Index>(v);
      const Vec3 away = surface.segment<3>(at) - posed.segment<3>(at);
      const Mat3 skin = turned.middleRows<3>(at);
      if (away.norm() > least && std::abs(skin.determinant()) > 1e-12) bound[f][v] = skin.inverse() * away;
    }
  }
  clip.meshes = soft_meshes(*setup.rig.character, bound);
  return clip;
}

std::vector<CurvesClip> mode_clips(const CurvesSetup& setup, const CurvesResult& result) {
  std::vector<CurvesClip> clips;
  for (const LayerResult& layer : result.layers) {
    if (!layer.modes) continue;
    const SubspaceRig rig(setup.rig.still, *layer.modes);
    const Eigen::Index n = layer.modes->U.cols(), first = rig.n_parameters() - n;
    for (Eigen::Index k = 0; k < n; ++k) {
      VecX r = rig.rest();
      const double reach = layer.mode_curves.col(k).cwiseAbs().maxCoeff();
      if (!(reach > 0)) continue;
      const VecX rest = rig.expand(r);
      r[first + k] += reach;
      KeysWritten unused;
      const std::string of = result.layers.size() > 1 ? layer.name + " " : "";
      CurvesClip clip =
          ClipMaker(setup, {rest, rig.expand(r)}, 1, unused).make_alone(fmt::format("{}mode {}", of, k + 1));
      if (!clip.channels.empty()) clips.push_back(std::move(clip));
    }
  }
  return clips;
}

}  // namespace supple::pipeline::curves
