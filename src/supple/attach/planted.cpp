#include "supple/attach/planted.h"

#include <algorithm>
#include <limits>
#include <map>

#include "supple/attach/piece_bones.h"
#include "supple/base/parallel.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"

namespace supple {
namespace {

constexpr double kNearFloor = 0.025;   // of the height
constexpr double kRises = 0.1;         // of the height a second, up or down: what does so does not stand
constexpr double kOftenEnough = 0.25;  // of the frames with skin on the floor, or it is none
constexpr size_t kRarely = 4;          // what is on the floor in one clip of so many only has fallen there
constexpr size_t kMostPairs = 4000, kMostOfClip = 240;  // of frames that are looked at, of all clips and of one

// How high points are in a pose.
void heights(const SkinnedPoints& points, const Pose& pose, const Vec3& axis, std::vector<double>& result) {
  std::vector<Eigen::RowVector4d> rows;
  for (const Affine& map : pose.bones) {
    rows.emplace_back();
    rows.back() << axis.transpose() * map.linear(), axis.dot(map.translation());
  }
  const Points* at = &points.rest;
  Points morphed;
  for (size_t m = 0; m < points.morphs.size(); ++m) {
    if (pose.morphs[m] == 0) continue;
    if (morphed.empty()) morphed = points.rest;
    at = &morphed;
    const Morph& morph = points.morphs[m];
    for (size_t k = 0; k < morph.points.size(); ++k) morphed[morph.points[k]] += pose.morphs[m] * morph.offsets[k];
  }
  result.assign(at->size(), 0);
  const SkinWeights& w = points.skin;
  for (size_t i = 0; i < at->size(); ++i) {
    for (int k = w.first[i]; k < w.first[i + 1]; ++k) {
      const Eigen::RowVector4d& row = rows[w.bone[k]];
      result[i] += w.weight[k] * (row.head<3>().dot((*at)[i]) + row[3]);
    }
  }
}

// Skin that is on the floor somewhere in the clip and neither rises nor falls there; false: the clip has no floor.
bool on_floor(const SkinnedPoints& skin, const Pose* poses, const ClipPoses& clip, size_t most, const Vec3& axis,
              double height, std::vector<char>& result) {
  const auto n_pairs = static_cast<size_t>(clip.count - 1);
  const size_t stride = std::max<size_t>(1, (n_pairs + most - 1) / most), n = (n_pairs + stride - 1) / stride;
  std::vector<double> lowest(n);
  parallel_for(n, 4, [&](size_t begin, size_t end) {
    std::vector<double> now;
    for (size_t k = begin; k < end; ++k) {
      heights(skin, poses[k * stride], axis, now);
      lowest[k] = *std::min_element(now.begin(), now.end());
    }
  });
  // A landing may dip below the floor for a few frames: the lowest tenth of the frames is left out.
  std::vector<double> sorted(lowest);
  std::sort(sorted.begin(), sorted.end());
  const double near = sorted[n / 10] + kNearFloor * height;
  const auto often = std::count_if(lowest.begin(), lowest.end(), [&](double low) { return low <= near; });
  if (static_cast<double>(often) < kOftenEnough * static_cast<double>(n)) return false;

  std::vector<std::vector<int>> found(n);
  parallel_for(n, 4, [&](size_t begin, size_t end) {
    std::vector<double> now, next;
    for (size_t k = begin; k < end; ++k) {
      if (lowest[k] > near) continue;
      heights(skin, poses[k * stride], axis, now);
      heights(skin, poses[k * stride + 1], axis, next);
      // In a frame that dips below the floor only what is lowest stands.
      const double low = *std::min_element(next.begin(), next.end());
      const double low_enough = std::min(near, std::max(lowest[k], low) + kNearFloor * height);
      for (size_t i = 0; i < now.size(); ++i) {
        if (now[i] > low_enough || next[i] > low_enough) continue;
        if (std::abs(next[i] - now[i]) * clip.fps < kRises * height) found[k].push_back(static_cast<int>(i));
      }
    }
  });
  result.assign(skin.rest.size(), 0);
  for (const auto& frame : found) {
    for (const int i : frame) result[i] = 1;
  }
  return true;
}

}  // namespace

SkinnedPoints skin_points(const Drawn& drawn, const std::vector<int>& source) {
  SkinnedPoints result;
  const SkinWeights& from = drawn.vertices.skin;
  for (const int v : source) {
    result.rest.push_back(drawn.vertices.rest[v]);
    result.skin.bone.insert(result.skin.bone.end(), from.bone.begin() + from.first[v],
                            from.bone.begin() + from.first[v + 1]);
    result.skin.weight.insert(result.skin.weight.end(), from.weight.begin() + from.first[v],
                              from.weight.begin() + from.first[v + 1]);
    result.skin.first.push_back(static_cast<int>(result.skin.bone.size()));
  }
  for (const Morph& morph : drawn.vertices.morphs) {
    std::vector<int> place(drawn.vertices.rest.size(), -1);
    for (size_t k = 0; k < morph.points.size(); ++k) place[morph.points[k]] = static_cast<int>(k);
    Morph mine;
    mine.node = morph.node;
    mine.target = morph.target;
    for (size_t i = 0; i < source.size(); ++i) {
      if (place[source[i]] < 0) continue;
      mine.points.push_back(static_cast<int>(i));
      mine.offsets.push_back(morph.offsets[place[source[i]]]);
    }
    result.morphs.push_back(std::move(mine));
  }
  return result;
}

std::vector<char> planted_skin(const SkinnedPoints& skin, const std::vector<Pose>& poses,
                               const std::vector<ClipPoses>& clips, const Vec3& up, double height) {
  std::vector<char> planted(skin.rest.size(), 0), there;
  if (skin.rest.empty() || clips.empty()) return planted;
  const size_t most = std::clamp<size_t>(kMostPairs / clips.size(), 20, kMostOfClip);
  std::vector<size_t> often(planted.size(), 0);
  size_t n_floors = 0;
  for (const ClipPoses& clip : clips) {
    if (clip.count < 2) continue;
    if (!on_floor(skin, poses.data() + clip.first, clip, most, up.normalized(), height, there)) continue;
    ++n_floors;
    for (size_t i = 0; i < there.size(); ++i) often[i] += there[i];
  }
  for (size_t i = 0; i < planted.size(); ++i) planted[i] = often[i] * kRarely > n_floors;
  return planted;
}

std::vector<char> morphed_skin(const SkinnedPoints& skin, const std::vector<Pose>& poses, double height) {
  std::vector<double> moved(skin.rest.size(), 0);
  for (size_t m = 0; m < skin.morphs.size(); ++m) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Pose& pose : poses) {
      if (m >= pose.morphs.size()) continue;
      low = std::min(low, pose.morphs[m]);
      high = std::max(high, pose.morphs[m]);
    }
    if (!(high > low)) continue;
    const Morph& morph = skin.morphs[m];
    for (size_t k = 0; k < morph.points.size(); ++k) moved[morph.points[k]] += (high - low) * morph.offsets[k].norm();
  }
  std::vector<char> result(moved.size(), 0);
  for (size_t i = 0; i < moved.size(); ++i) result[i] = moved[i] > 1e-3 * height;
  return result;
}

std::vector<char> skin_beside_rigid(const Drawn& drawn, const std::vector<Piece>& pieces, const Points& skin,
                                    const std::vector<int>& source, double reach) {
  // By bone: what a hand holds makes the hand hard, and not the hip that it hangs beside.
  const PieceBones bones(drawn, pieces);
  std::map<int, std::vector<Tri>> things;
  for (size_t p = 0; p < pieces.size(); ++p) {
    if (pieces[p].role != Role::rigid) continue;
    std::vector<Tri>& here = things[bones.carrier(pieces, {static_cast<int>(p)})];
    for (const int k : pieces[p].triangles) here.push_back(drawn.triangles[k]);
  }
  std::vector<char> beside(skin.size(), 0);
  const Points& x = drawn.vertices.rest;
  for (const auto& [bone, triangles] : things) {
    const std::vector<char> around = bone >= 0 ? bones.around(bone) : std::vector<char>(x.size(), 1);
    std::vector<Box> boxes;
    for (const Tri& t : triangles) boxes.push_back(bounding_box({x[t[0]], x[t[1]], x[t[2]]}));
    const Bvh tree(std::move(boxes));
    parallel_for(skin.size(), 256, [&, &list = triangles](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        if (beside[i] || !around[source[i]]) continue;
        const auto hit = tree.closest(
            skin[i],
            [&](int k) {
              const Tri& t = list[k];
              return (skin[i] - closest_on_triangle(skin[i], x[t[0]], x[t[1]], x[t[2]])).squaredNorm();
            },
            reach * reach);
        beside[i] = hit.item >= 0;
      }
    });
  }
  return beside;
}

}  // namespace supple
