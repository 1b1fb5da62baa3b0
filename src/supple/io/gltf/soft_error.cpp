#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "supple/anim/weight_track.h"
#include "supple/base/index.h"
#include "supple/base/parallel.h"
#include "supple/io/gltf/soft_parts.h"

namespace supple {

namespace {

using Eigen::Index;
using Eigen::MatrixXf;

// Weights of our targets at the frames of a span, as an animation of the document has them; all 0 without a channel.
MatrixXf weights_in(const GlbDocument& doc, size_t animation, const SoftBasis& basis, const SoftSpan& span,
                    const std::vector<double>& times) {
  MatrixXf out = MatrixXf::Zero(span.count, basis.n_targets);
  if (basis.n_targets == 0) return out;
  const OrderedJson& json = doc.json()["animations"][animation];
  for (const OrderedJson& channel : json["channels"]) {
    const OrderedJson& target = channel["target"];
    if (target.value("path", "") != "weights" || target.value("node", -1) != span.node) continue;
    const OrderedJson& sampler = json["samplers"][channel["sampler"].get<size_t>()];
    WeightTrack track;
    track.width = basis.n_old + basis.n_targets;
    if (sampler.value("interpolation", "LINEAR") == "CUBICSPLINE") track.interpolation = Interpolation::cubic;
    track.times = doc.array(sampler["input"].get<int>()).floats();
    track.values = doc.array(sampler["output"].get<int>()).floats();
    for (Index f = 0; f < span.count; ++f) {
      const auto t = static_cast<double>(static_cast<float>(times[static_cast<size_t>(f)]));
      out.row(f) = track.at(t).tail(basis.n_targets).cast<float>().transpose();
    }
  }
  return out;
}

// Our targets of a primitive.
std::vector<std::vector<float>> targets_in(const GlbDocument& doc, const SoftBasis& basis, int primitive) {
  const OrderedJson& json = doc.json()["meshes"][at(basis.mesh)]["primitives"][at(primitive)];
  std::vector<std::vector<float>> targets;
  for (int k = 0; k < basis.n_targets; ++k)
    targets.push_back(doc.array(json["targets"][at(basis.n_old + k)]["POSITION"].get<int>()).floats());
  return targets;
}

double error_of(const SoftSpan& span, const MatrixXf& weights, int primitive, const std::vector<float>& base,
                const std::vector<std::vector<float>>& targets) {
  const SoftMesh& motion = *span.motion;
  const auto entry = static_cast<size_t>(std::find(motion.primitives.begin(), motion.primitives.end(), primitive) -
                                         motion.primitives.begin());
  const bool moves = entry < motion.primitives.size();
  return parallel_max(base.size() / 3, 64, [&](size_t begin, size_t end) {
    double largest = 0;
    MatrixXf x(span.count, 3);
    for (size_t v = begin; v < end; ++v) {
      for (Index axis = 0; axis < 3; ++axis) {
        const size_t i = 3 * v + static_cast<size_t>(axis);
        x.col(axis).setConstant(base[i]);
        for (size_t k = 0; k < targets.size(); ++k)
          if (targets[k][i] != 0) x.col(axis) += targets[k][i] * weights.col(static_cast<Index>(k));
      }
      const Vec3 rest(base[3 * v], base[3 * v + 1], base[3 * v + 2]);
      for (Index f = 0; f < span.count; ++f) {
        const auto frame = static_cast<size_t>(f);
        const auto vertex = static_cast<Index>(v);
        Vec3 wanted = rest;
        if (moves) wanted += motion.positions[entry][frame].segment<3>(3 * vertex);
        double error = (x.row(f).transpose().cast<double>() - wanted).norm();
        if (moves && !motion.stretch.empty()) error *= static_cast<double>(motion.stretch[entry][frame][vertex]);
        largest = std::max(largest, error);
      }
    }
    return largest;
  });
}

}  // namespace

std::vector<double> errors_in(const GlbDocument& doc, const std::vector<SoftBasis>& bases,
                              const std::vector<SoftClip>& clips, const std::vector<AddedClip>& added) {
  std::vector<double> errors(clips.size(), 0.0);
  for (const SoftBasis& basis : bases) {
    std::vector<MatrixXf> weights;
    for (const SoftSpan& span : basis.spans) {
      const auto clip =
          std::find_if(added.begin(), added.end(), [&](const AddedClip& a) { return a.clip == span.clip; });
      weights.push_back(clip == added.end()
                            ? MatrixXf::Zero(span.count, basis.n_targets)
                            : weights_in(doc, clip->animation, basis, span, clips[at(span.clip)].times));
    }
    for (const int p : basis.primitives) {
      const std::vector<float> base = base_positions(doc, basis.mesh, p);
      const std::vector<std::vector<float>> targets = targets_in(doc, basis, p);
      for (size_t s = 0; s < weights.size(); ++s) {
        double& worst = errors[at(basis.spans[s].clip)];
        worst = std::max(worst, error_of(basis.spans[s], weights[s], p, base, targets));
      }
    }
  }
  return errors;
}

}  // namespace supple
