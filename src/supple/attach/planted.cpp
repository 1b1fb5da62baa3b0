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

constexpr double kNearFloor = 0.02, kSlow = 0.05;  // of the height, of the height a second
constexpr double kAlongFloor = 0.15;               // of the height a second, beside the skin that is on the floor
constexpr double kOftenEnough = 0.25;              // of the frames with skin on the floor, or it is none

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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

std::vector<char> planted_skin(const SkinnedPoints& skin, const std::vector<Pose>& poses, double fps, const Vec3& up,
                               double height) {
  const size_t n = skin.rest.size(), n_frames = poses.size();
  std::vector<char> planted(n, 0);
  if (n == 0 || n_frames < 2) return planted;
  const Vec3 axis = up.normalized();
  // Once for the floor, once for what is near it: two frames at a time rather than all in memory.
  std::vector<double> lowest(n_frames);
  parallel_for(n_frames, 4, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      lowest[f] = std::numeric_limits<double>::infinity();
      for (const Vec3& x : posed(skin, poses[f])) lowest[f] = std::min(lowest[f], axis.dot(x));
    }
  });
  // A landing may dip below the floor for a few frames: the lowest tenth of the frames is left out.
  std::vector<double> sorted(lowest);
  std::sort(sorted.begin(), sorted.end());
  const double floor = sorted[n_frames / 10];
  const double near = floor + kNearFloor * height;
  const auto on_floor = std::count_if(lowest.begin(), lowest.end(), [&](double low) { return low <= near; });
  if (static_cast<double>(on_floor) < kOftenEnough * static_cast<double>(n_frames)) return planted;

  std::vector<std::vector<int>> found(n_frames);
  parallel_for(n_frames - 1, 4, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      if (lowest[f] > near) continue;
      // In a frame that dips below the floor only what is lowest stands.
      const double low_enough = std::min(near, std::max(lowest[f], lowest[f + 1]) + kNearFloor * height);
      const Points now = posed(skin, poses[f]), next = posed(skin, poses[f + 1]);
      std::vector<int> low;
      std::vector<double> along[3];
      Points speed;
      for (size_t i = 0; i < n; ++i) {
        if (axis.dot(now[i]) > low_enough || axis.dot(next[i]) > low_enough) continue;
        low.push_back(static_cast<int>(i));
        speed.push_back((next[i] - now[i]) * fps);
        for (int c = 0; c < 3; ++c) along[c].push_back(speed.back()[c]);
      }
      if (low.empty()) continue;
      const Vec3 belt(median(along[0]), median(along[1]), median(along[2]));
      for (size_t k = 0; k < low.size(); ++k) {
        const bool still = speed[k].norm() < kSlow * height;
        const bool carried =
            std::abs(axis.dot(speed[k])) < kAlongFloor * height && (speed[k] - belt).norm() < kAlongFloor * height;
        if (still || carried) found[f].push_back(low[k]);
      }
    }
  });
  for (const auto& frame : found) {
    for (const int i : frame) planted[i] = 1;
  }
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
