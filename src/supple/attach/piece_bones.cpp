#include "supple/attach/piece_bones.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace supple {
namespace {

constexpr double kLimbArea = 0.02;   // of all skin: what carries less is no limb
constexpr double kTailSlender = 6;   // a tail's length over its half-thickness
constexpr double kTwinLength = 0.1;  // of the longer: lengths of two limbs that are twins
constexpr double kTwinArea = 0.5;    // of the larger: one of them may wear something
constexpr size_t kLimbBones = 3;     // bones at least of a limb of a pair
constexpr double kLiesOn = 0.25;     // weight from which skin lies on a bone

}  // namespace

PieceBones::PieceBones(const Drawn& drawn, const std::vector<Piece>& pieces)
    : drawn_(drawn),
      own_(drawn.bones.size(), 0),
      reach_(drawn.bones.size(), 0),
      children_(drawn.bones.size()),
      trunk_(drawn.bones.size(), 0),
      tail_(drawn.bones.size(), 0) {
  const Points& x = drawn.vertices.rest;
  const SkinWeights& skin = drawn.vertices.skin;
  for (const Piece& piece : pieces) {
    if (!piece.skinned) continue;
    for (const int t : piece.triangles) {
      const Tri& tri = drawn.triangles[t];
      const double third = (x[tri[1]] - x[tri[0]]).cross(x[tri[2]] - x[tri[0]]).norm() / 6;
      for (const int v : tri) {
        for (int k = skin.first[v]; k < skin.first[v + 1]; ++k) {
          own_[skin.bone[k]] += skin.weight[k] * third;
          if (skin.weight[k] < 0.5) continue;
          double& reach = reach_[skin.bone[k]];
          reach = std::max(reach, (x[v] - drawn.bones[skin.bone[k]].head).norm());
        }
      }
    }
  }
  for (const double a : own_) total_ += a;
  below_ = own_;
  for (size_t b = 0; b < own_.size(); ++b) {
    if (!(own_[b] > 0)) continue;
    const int up = above(static_cast<int>(b));
    if (up >= 0) children_[up].push_back(static_cast<int>(b));
    // A damaged file may have a ring of parents.
    int at = drawn.bones[b].parent;
    for (size_t steps = 0; at >= 0 && steps < own_.size(); ++steps, at = drawn.bones[at].parent) below_[at] += own_[b];
  }
  find_trunk();
  find_tails();
}

int PieceBones::above(int bone) const {
  int up = drawn_.bones[bone].parent;
  for (size_t steps = 0; up >= 0 && !(own_[up] > 0) && steps < own_.size(); ++steps) up = drawn_.bones[up].parent;
  return up >= 0 && own_[up] > 0 && up != bone ? up : -1;
}

void PieceBones::find_trunk() {
  // Branches of a bone: children among all bones of Drawn, also where those carry nothing themselves.
  std::vector<int> branches(own_.size(), 0);
  for (size_t b = 0; b < own_.size(); ++b) {
    const int up = drawn_.bones[b].parent;
    if (up >= 0 && below_[b] >= kLimbArea * total_) ++branches[up];
  }
  for (size_t b = 0; b < own_.size(); ++b) {
    if (branches[b] < 2) continue;
    int at = static_cast<int>(b);
    for (size_t steps = 0; at >= 0 && steps < own_.size(); ++steps, at = drawn_.bones[at].parent) trunk_[at] = 1;
  }
  // A body without limbs (a fish, a pear) is trunk all over, and any body where it begins.
  const bool limbs = std::any_of(branches.begin(), branches.end(), [](int n) { return n > 1; });
  for (size_t b = 0; b < own_.size(); ++b) {
    if (!limbs || (own_[b] > 0 && above(static_cast<int>(b)) < 0)) trunk_[b] = 1;
  }
}

void PieceBones::find_tails() {
  std::vector<Chain> chains;
  for (size_t b = 0; b < own_.size(); ++b) {
    if (!(own_[b] > 0) || !children_[b].empty()) continue;
    Chain chain;
    chain.length = reach_[b];
    for (int at = static_cast<int>(b); at >= 0 && !trunk_[at] && children_[at].size() <= 1; at = above(at)) {
      if (!chain.bones.empty()) chain.length += (drawn_.bones[chain.bones.back()].head - drawn_.bones[at].head).norm();
      chain.bones.push_back(at);
      chain.area += own_[at];
      if (chain.bones.size() > own_.size()) break;
    }
    if (!chain.bones.empty()) chains.push_back(std::move(chain));
  }
  for (const Chain& chain : chains) {
    const double half = chain.length > 0 ? chain.area / (2 * std::numbers::pi * chain.length) : 0;
    if (chain.length < kTailSlender * half) continue;
    const bool twin = std::any_of(chains.begin(), chains.end(), [&](const Chain& other) {
      return &other != &chain && other.bones.size() == chain.bones.size() &&
             std::abs(other.length - chain.length) < kTwinLength * std::max(other.length, chain.length) &&
             std::abs(other.area - chain.area) < kTwinArea * std::max(other.area, chain.area);
    });
    if (twin && (chain.bones.size() >= kLimbBones || chain.area >= kLimbArea * total_)) continue;
    for (const int b : chain.bones) tail_[b] = 1;
  }
}

int PieceBones::carrier(const std::vector<Piece>& pieces, const std::vector<int>& members) const {
  std::vector<double> carried(own_.size(), 0);
  const SkinWeights& skin = drawn_.vertices.skin;
  for (const int p : members) {
    for (const int v : pieces[p].vertices) {
      for (int k = skin.first[v]; k < skin.first[v + 1]; ++k) carried[skin.bone[k]] += skin.weight[k];
    }
  }
  const auto most = std::max_element(carried.begin(), carried.end());
  if (most == carried.end() || !(*most > 0)) return -1;
  const int bone = static_cast<int>(most - carried.begin());
  return own_[bone] > 0 ? bone : above(bone);
}

std::vector<char> PieceBones::around(int bone) const {
  std::vector<char> near(own_.size(), 0);
  near[bone] = 1;
  int up = above(bone);
  if (up >= 0) near[up] = 1;
  for (; up >= 0 && !trunk_[up] && !trunk_[bone]; up = above(up)) near[up] = 1;
  // Children of the trunk's bone, all that is below of a limb's.
  std::vector<int> front = children_[bone];
  for (size_t k = 0; k < front.size() && k < own_.size(); ++k) {
    near[front[k]] = 1;
    if (trunk_[bone]) continue;
    front.insert(front.end(), children_[front[k]].begin(), children_[front[k]].end());
  }
  const SkinWeights& skin = drawn_.vertices.skin;
  std::vector<char> result(drawn_.vertices.rest.size(), 0);
  for (size_t v = 0; v < result.size(); ++v) {
    double weight = 0;
    for (int k = skin.first[v]; k < skin.first[v + 1]; ++k) weight += near[skin.bone[k]] ? skin.weight[k] : 0;
    result[v] = weight >= kLiesOn;
  }
  return result;
}

}  // namespace supple
