#include "supple/attach/flesh_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace supple {
namespace {

constexpr double kSmallWeight = 1e-3;
constexpr double kReached = 0.5;  // sum of weights below which the skin has not reached a vertex

int nearest(const Points& points, const Vec3& x) {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < points.size(); ++i) {
    const double d = (points[i] - x).squaredNorm();
    if (d < least) {
      least = d;
      best = static_cast<int>(i);
    }
  }
  return best;
}

void add_row(const std::vector<std::pair<int, double>>& row, double sum, SkinWeights& weights) {
  for (const auto& [bone, w] : row) {
    weights.bone.push_back(bone);
    weights.weight.push_back(w / sum);
  }
  weights.first.push_back(static_cast<int>(weights.bone.size()));
}

SkinWeights extend_weights(const SkinnedPoints& skin, const Points& cage, const Extension& extension) {
  const SkinWeights& from = skin.skin;
  std::vector<int> bones(from.bone);
  std::sort(bones.begin(), bones.end());
  bones.erase(std::unique(bones.begin(), bones.end()), bones.end());
  MatX known = MatX::Zero(from.size(), static_cast<Eigen::Index>(bones.size()));
  for (int i = 0; i < from.size(); ++i) {
    for (int k = from.first[i]; k < from.first[i + 1]; ++k) {
      known(i, std::lower_bound(bones.begin(), bones.end(), from.bone[k]) - bones.begin()) += from.weight[k];
    }
  }
  SkinWeights result;
  if (bones.empty()) {
    result.first.assign(cage.size() + 1, 0);
    return result;
  }
  const MatX spread = extension(known);
  for (size_t v = 0; v < cage.size(); ++v) {
    std::vector<std::pair<int, double>> row;
    const auto values = spread.row(static_cast<Eigen::Index>(v));
    const double all = values.cwiseMax(0.0).sum();
    double kept = 0;
    for (size_t b = 0; b < bones.size() && all > kReached; ++b) {
      const double w = values[static_cast<Eigen::Index>(b)];
      if (w < kSmallWeight * all) continue;
      row.emplace_back(bones[b], w);
      kept += w;
    }
    if (row.empty()) {
      const int i = nearest(skin.rest, cage[v]);
      for (int k = i < 0 ? 0 : from.first[i]; i >= 0 && k < from.first[i + 1]; ++k) {
        row.emplace_back(from.bone[k], from.weight[k]);
        kept += from.weight[k];
      }
    }
    add_row(row, kept > 0 ? kept : 1, result);
  }
  return result;
}

std::vector<Morph> extend_morphs(const SkinnedPoints& skin, size_t n, const Extension& extension) {
  std::vector<Morph> result;
  for (const Morph& morph : skin.morphs) {
    Morph mine;
    mine.node = morph.node;
    mine.target = morph.target;
    double largest = 0;
    MatX known = MatX::Zero(static_cast<Eigen::Index>(skin.rest.size()), 3);
    for (size_t k = 0; k < morph.points.size(); ++k) {
      known.row(morph.points[k]) = morph.offsets[k];
      largest = std::max(largest, morph.offsets[k].norm());
    }
    if (largest > 0) {
      const MatX spread = extension(known);
      for (size_t v = 0; v < n; ++v) {
        const Vec3 offset = spread.row(static_cast<Eigen::Index>(v));
        if (offset.norm() < kSmallWeight * largest) continue;
        mine.points.push_back(static_cast<int>(v));
        mine.offsets.push_back(offset);
      }
    }
    result.push_back(std::move(mine));
  }
  return result;
}

}  // namespace

SkinnedPoints extend_to_cage(const SkinnedPoints& skin, const Points& cage, const Extension& extension,
                             const Extension* of_morphs) {
  SkinnedPoints result;
  result.rest = cage;
  result.skin = extend_weights(skin, cage, extension);
  result.morphs = extend_morphs(skin, cage.size(), of_morphs ? *of_morphs : extension);
  return result;
}

}  // namespace supple
