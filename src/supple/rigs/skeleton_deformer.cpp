#include "supple/rigs/skeleton_deformer.h"

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/rigs/skeleton_deformer_data.h"

namespace supple {

namespace {

constexpr size_t kPointsAtOnce = 2048;

}  // namespace

SkeletonDeformer::SkeletonDeformer(std::shared_ptr<const Character> character, std::shared_ptr<const Drawn> drawn,
                                   SkeletonSpec spec)
    : data_(std::make_shared<const Data>(std::move(character), std::move(drawn), std::move(spec))),
      bound_(std::make_shared<const Bound>(*data_, data_->drawn->vertices.skin, data_->drawn->vertices.morphs)) {}

SkeletonDeformer::SkeletonDeformer(std::shared_ptr<const Data> data, std::shared_ptr<const Bound> bound)
    : data_(std::move(data)), bound_(std::move(bound)) {}

SkeletonDeformer::~SkeletonDeformer() = default;

const std::vector<RigParameter>& SkeletonDeformer::parameters() const { return data_->parameters; }
int SkeletonDeformer::n_points() const { return bound_->n_points; }
const SkeletonSpec& SkeletonDeformer::spec() const { return data_->spec; }
VecX SkeletonDeformer::keyed(double t) const { return data_->keyed(t); }

void SkeletonDeformer::apply(const VecX& p, double t, VecX& x) const {
  expect(x.size() == 3 * bound_->n_points, "the coordinates of every point");
  const Data::Now now = data_->now(p, t);
  x = bound_->shaped(x, now.morphs);
  const SkinWeights& skin = bound_->skin;
  parallel_for(static_cast<size_t>(bound_->n_points), kPointsAtOnce, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Eigen::Ref<Vec3> at = x.segment<3>(3 * static_cast<Eigen::Index>(i));
      Vec3 sum = Vec3::Zero();
      for (int k = skin.first[i]; k < skin.first[i + 1]; ++k) sum += skin.weight[k] * (now.bones[skin.bone[k]] * at);
      at = sum;
    }
  });
}

void SkeletonDeformer::push(const VecX& p, double t, MatX& tangents) const {
  const Data::Now now = data_->now(p, t);
  parallel_for(static_cast<size_t>(bound_->n_points), kPointsAtOnce, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Mat3 A = bound_->blended(static_cast<int>(i), now.bones).leftCols<3>();
      for (Eigen::Index c = 0; c < tangents.cols(); ++c) {
        auto d = tangents.col(c).segment<3>(3 * static_cast<Eigen::Index>(i));
        d = (A * d).eval();
      }
    }
  });
}

VecX SkeletonDeformer::pull(const VecX& p, double t, const VecX& f) const {
  const Data::Now now = data_->now(p, t);
  VecX pulled(f.size());
  for (int i = 0; i < bound_->n_points; ++i) {
    pulled.segment<3>(3 * i) = bound_->blended(i, now.bones).leftCols<3>().transpose() * f.segment<3>(3 * i);
  }
  return pulled;
}

std::shared_ptr<const Deformer> SkeletonDeformer::for_points(const std::vector<int>& points) const {
  SkinWeights skin;
  std::vector<std::vector<int>> places(static_cast<size_t>(bound_->n_points));  // of each point among those kept
  for (size_t i = 0; i < points.size(); ++i) {
    expect(points[i] >= 0 && points[i] < bound_->n_points, "a point that exists");
    for (int k = bound_->skin.first[points[i]]; k < bound_->skin.first[points[i] + 1]; ++k) {
      skin.bone.push_back(bound_->skin.bone[k]);
      skin.weight.push_back(bound_->skin.weight[k]);
    }
    skin.first.push_back(static_cast<int>(skin.bone.size()));
    places[points[i]].push_back(static_cast<int>(i));
  }
  std::vector<Morph> morphs;
  for (const Morph& morph : bound_->morphs) {
    Morph kept;
    kept.node = morph.node;
    kept.target = morph.target;
    for (size_t k = 0; k < morph.points.size(); ++k) {
      for (int place : places[morph.points[k]]) {
        kept.points.push_back(place);
        kept.offsets.push_back(morph.offsets[k]);
      }
    }
    morphs.push_back(std::move(kept));
  }
  return std::shared_ptr<const Deformer>(
      new SkeletonDeformer(data_, std::make_shared<const Bound>(*data_, std::move(skin), std::move(morphs))));
}

SkeletonDeformer::Keys SkeletonDeformer::keys(const VecX& p) const {
  Keys keys;
  for (const Data::Joint& joint : data_->joints) keys.joints.push_back(data_->placement(joint, p, joint.rest));
  for (const MorphChoice& choice : data_->spec.morphs) {
    const std::vector<Morph>& morphs = data_->drawn->vertices.morphs;
    for (size_t m = 0; m < morphs.size(); ++m) {
      if (morphs[m].node != choice.node || morphs[m].target != choice.target) continue;
      keys.morphs.push_back(data_->drawn->at_rest[m] + p[data_->parameter_of_morph[m]]);
      break;
    }
  }
  return keys;
}

std::vector<Placement> SkeletonDeformer::placements(const VecX& p, double t) const {
  std::vector<Placement> all = data_->clip.at(t)->placements;
  for (const Data::Joint& joint : data_->joints) all[joint.node] = data_->placement(joint, p, all[joint.node]);
  return all;
}

}  // namespace supple
