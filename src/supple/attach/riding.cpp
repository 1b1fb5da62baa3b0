#include "supple/attach/riding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "supple/base/parallel.h"
#include "supple/linalg/svd3.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"

namespace supple {
namespace {

constexpr double kSpacing = 0.015;  // of the size of the skin: samples at most so far apart
constexpr double kReach = 0.045;    // of the size: how far beyond the nearest sample skin counts
constexpr double kStrange = 0.02;   // what skin counts that other bones carry
constexpr double kFadeIn = 0.05;    // of the size: cloth this far from where it stands on the floor moves freely

}  // namespace

// Finds the seats of riders.
class Riding::Binder {
 public:
  Binder(const Drawn& drawn, const std::vector<Piece>& pieces, Riding& riding, const TriMesh& skin,
         const std::vector<int>& source)
      : drawn_(drawn),
        riding_(riding),
        size_(longest_side(skin.vertices)),
        by_node_(drawn.vertices.rest.size(), 0),
        has_samples_(drawn.bones.size(), 0) {
    const Points normals = vertex_normals(skin.vertices, skin.triangles);
    for (const Tri& t : skin.triangles) {
      const std::array<Vec3, 3> facing = {normals[t[0]], normals[t[1]], normals[t[2]]};
      add_samples({source[t[0]], source[t[1]], source[t[2]]}, facing);
    }
    add_solid_ground(pieces);
    std::vector<Box> boxes;
    for (const Sample& s : riding.samples_) boxes.push_back({s.place, s.place});
    bvh_ = Bvh(std::move(boxes));
    for (const Piece& piece : pieces) {
      for (int v : piece.vertices) by_node_[v] = !piece.skinned;
    }
  }

  // Of one vertex.
  Seat seat(int vertex) const {
    const Vec3& x = drawn_.vertices.rest[vertex];
    const auto distance2 = [&](int s) { return (riding_.samples_[s].place - x).squaredNorm(); };
    const Bvh::Closest closest = bvh_.closest(x, distance2);
    if (closest.item < 0) return {};
    const double near = closest.distance2, far = std::pow(std::sqrt(near) + kReach * size_, 2);
    const Vec3& facing = riding_.samples_[closest.item].normal;
    const std::vector<std::pair<int, double>> bones = carriers(vertex);
    Seat seat;
    bvh_.within(x, far, [&](int s) {
      const Sample& sample = riding_.samples_[s];
      const double fall = 1 - (distance2(s) - near) / (far - near), alike = sample.normal.dot(facing);
      if (fall > 0 && alike > 0) add(seat, s, sample.area * fall * fall * alike * (kStrange + shared(s, bones)));
    });
    return normalised(seat, closest.item);
  }

  // Of several vertices that move as one: skin near any of their triangles.
  Seat seat(const std::vector<int>& vertices, const std::vector<Tri>& triangles) const {
    const Points& rest = drawn_.vertices.rest;
    std::vector<Box> boxes;
    for (const Tri& t : triangles) boxes.push_back(bounding_box({rest[t[0]], rest[t[1]], rest[t[2]]}));
    const Bvh thing(std::move(boxes));
    std::map<int, double> bones_sum;
    for (int v : vertices) {
      for (const auto& [bone, w] : carriers(v)) bones_sum[bone] += w / static_cast<double>(vertices.size());
    }
    const std::vector<std::pair<int, double>> bones(bones_sum.begin(), bones_sum.end());

    // Samples by their distance to the box of the thing: beyond the reach of the nearest none has to be looked at.
    const Box box = bounding_box_of(triangles);
    std::vector<std::pair<double, int>> order;
    for (int s = 0; s < static_cast<int>(riding_.samples_.size()); ++s) {
      order.push_back({std::sqrt(Bvh::distance_squared(riding_.samples_[s].place, box)), s});
    }
    std::sort(order.begin(), order.end());
    std::vector<std::pair<double, int>> found;
    double near = std::numeric_limits<double>::infinity();
    int nearest = -1;
    for (const auto& [at_least, s] : order) {
      if (at_least > near + kReach * size_) break;
      const Vec3& p = riding_.samples_[s].place;
      const auto squared = [&](int t) {
        const Tri& tri = triangles[t];
        return (closest_on_triangle(p, rest[tri[0]], rest[tri[1]], rest[tri[2]]) - p).squaredNorm();
      };
      const Bvh::Closest closest = thing.closest(p, squared, std::pow(near + kReach * size_, 2));
      if (closest.item < 0) continue;
      found.push_back({std::sqrt(closest.distance2), s});
      if (found.back().first < near) near = found.back().first, nearest = s;
    }
    if (nearest < 0) return {};
    Seat seat;
    for (const auto& [distance, s] : found) {
      const double fall = 1 - (distance - near) / (kReach * size_);
      if (fall > 0) add(seat, s, riding_.samples_[s].area * fall * fall * (kStrange + shared(s, bones)));
    }
    return normalised(seat, nearest);
  }

 private:
  Box bounding_box_of(const std::vector<Tri>& triangles) const {
    Points corners;
    for (const Tri& t : triangles) {
      for (int v : t) corners.push_back(drawn_.vertices.rest[v]);
    }
    return bounding_box(corners);
  }

  // What is rigid carries as well, and does not move.
  void add_solid_ground(const std::vector<Piece>& pieces) {
    const Points& rest = drawn_.vertices.rest;
    for (const Piece& piece : pieces) {
      if (piece.role != Role::rigid) continue;
      for (int k : piece.triangles) {
        const Tri& t = drawn_.triangles[k];
        const Vec3 normal = (rest[t[1]] - rest[t[0]]).cross(rest[t[2]] - rest[t[0]]).normalized();
        if (!riding_.soft_[t[0]] && !riding_.soft_[t[1]] && !riding_.soft_[t[2]])
          add_samples(t, {normal, normal, normal});
      }
    }
  }

  // A triangle of drawn vertices cut into rows of small ones, a sample in the middle of each.
  void add_samples(const Tri& t, const std::array<Vec3, 3>& normals) {
    const Points& x = drawn_.vertices.rest;
    const Vec3 &a = x[t[0]], &b = x[t[1]], &c = x[t[2]];
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    const double area = 0.5 * (b - a).cross(c - a).norm();
    if (!(area > 0)) return;
    const SkinWeights& skin = drawn_.vertices.skin;
    for (int v : t) {
      for (int k = skin.first[v]; k < skin.first[v + 1]; ++k) has_samples_[skin.bone[k]] = 1;
    }
    const auto n = static_cast<int>(std::clamp(std::ceil(longest / (kSpacing * size_)), 1.0, 200.0));
    const auto put = [&](double u, double v) {
      Sample sample;
      sample.vertices = t;
      sample.share = {1 - (u + v) / n, u / n, v / n};
      sample.place = sample.share[0] * a + sample.share[1] * b + sample.share[2] * c;
      sample.normal = sample.share[0] * normals[0] + sample.share[1] * normals[1] + sample.share[2] * normals[2];
      sample.area = area / (n * n);
      riding_.samples_.push_back(sample);
    };
    for (int i = 0; i < n; ++i) {
      for (int j = 0; i + j < n; ++j) {
        put(i + 1.0 / 3, j + 1.0 / 3);
        if (i + j + 1 < n) put(i + 2.0 / 3, j + 2.0 / 3);
      }
    }
  }

  // Bones of a vertex; what follows its node goes by the nearest bone above that carries what it may sit on.
  std::vector<std::pair<int, double>> carriers(int vertex) const {
    const SkinWeights& skin = drawn_.vertices.skin;
    std::vector<std::pair<int, double>> bones;
    for (int k = skin.first[vertex]; k < skin.first[vertex + 1]; ++k) {
      int bone = by_node_[vertex] ? drawn_.bones[skin.bone[k]].parent : skin.bone[k];
      // A damaged file may have a ring of parents.
      for (size_t steps = 0; by_node_[vertex] && bone >= 0 && !has_samples_[bone] && steps < has_samples_.size();
           ++steps) {
        bone = drawn_.bones[bone].parent;
      }
      if (bone >= 0) bones.push_back({bone, skin.weight[k]});
    }
    return bones;
  }

  // How far the same bones carry a sample of the skin, 0..1.
  double shared(int s, const std::vector<std::pair<int, double>>& bones) const {
    const SkinWeights& skin = drawn_.vertices.skin;
    double sum = 0;
    for (const auto& [bone, weight] : bones) {
      double own = 0;
      for (int c = 0; c < 3; ++c) {
        const int v = riding_.samples_[s].vertices[c];
        for (int k = skin.first[v]; k < skin.first[v + 1]; ++k) {
          if (skin.bone[k] == bone) own += riding_.samples_[s].share[c] * skin.weight[k];
        }
      }
      sum += std::min(own, weight);
    }
    return std::min(sum, 1.0);
  }

  static void add(Seat& seat, int sample, double weight) {
    if (!(weight > 0)) return;
    seat.sample.push_back(sample);
    seat.weight.push_back(weight);
  }
  static Seat normalised(Seat seat, int nearest) {
    if (seat.sample.empty()) add(seat, nearest, 1);
    // In the order of the samples, not of the tree.
    std::vector<size_t> order(seat.sample.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return seat.sample[a] < seat.sample[b]; });
    const double sum = std::accumulate(seat.weight.begin(), seat.weight.end(), 0.0);
    Seat sorted;
    for (size_t i : order) add(sorted, seat.sample[i], seat.weight[i] / sum);
    return sorted;
  }

  const Drawn& drawn_;
  Riding& riding_;
  double size_;
  Bvh bvh_;
  std::vector<char> by_node_;      // drawn vertices that no skin moves
  std::vector<char> has_samples_;  // bones that carry what is sat on
};

namespace {

// How freely cloth moves: not at all where it stands on the floor.
std::vector<double> freedom(const Drawn& drawn, const std::vector<Piece>& pieces, double size) {
  const Points& x = drawn.vertices.rest;
  std::vector<double> share(x.size(), 1);
  for (const Piece& piece : pieces) {
    if (piece.role != Role::rides || piece.hard || piece.planted.empty()) continue;
    std::vector<Box> boxes;
    for (int v : piece.planted) boxes.push_back({x[v], x[v]});
    const Bvh standing(std::move(boxes));
    for (int v : piece.vertices) {
      const auto near = standing.closest(x[v], [&](int k) { return (x[piece.planted[k]] - x[v]).squaredNorm(); });
      const double t = std::min(1.0, std::sqrt(near.distance2) / (kFadeIn * size));
      share[v] = std::min(share[v], t * t * (3 - 2 * t));
    }
  }
  return share;
}

}  // namespace

namespace {

// Hard riders: pieces of one node that no skin moves are one, so are joined pieces.
std::vector<HardRider> group_hard(const Drawn& drawn, const std::vector<Piece>& pieces) {
  std::map<int, int> of_node;
  std::vector<int> group(pieces.size(), -1);
  std::vector<HardRider> riders;
  const auto rides_hard = [&](int p) { return pieces[p].role == Role::rides && pieces[p].hard; };
  for (int p = 0; p < static_cast<int>(pieces.size()); ++p) {
    if (!rides_hard(p) || group[p] >= 0) continue;
    if (!pieces[p].skinned && of_node.count(pieces[p].node_index)) {
      group[p] = of_node[pieces[p].node_index];
      riders[group[p]].pieces.push_back(p);
      continue;
    }
    group[p] = static_cast<int>(riders.size());
    riders.push_back({{p}, -1, group[p], -1});
    if (!pieces[p].skinned) of_node[pieces[p].node_index] = group[p];
    for (size_t i = 0; pieces[p].skinned && i < riders[group[p]].pieces.size(); ++i) {
      for (int q : pieces[riders[group[p]].pieces[i]].joined) {
        if (!rides_hard(q) || group[q] >= 0 || !pieces[q].skinned) continue;
        group[q] = group[p];
        riders[group[p]].pieces.push_back(q);
      }
    }
  }
  // Node keys carry a rider that is all that its node shows.
  for (auto& [node, g] : of_node) {
    bool whole = true;
    for (const Piece& piece : pieces) {
      whole = whole && (piece.node_index != node || (piece.role == Role::rides && piece.hard && !piece.skinned));
    }
    if (whole) riders[g].node = node;
  }
  for (size_t g = 0; g < riders.size(); ++g) {
    int leader = static_cast<int>(g);
    for (size_t steps = 0; steps < riders.size(); ++steps) {
      const int on = pieces[riders[leader].pieces[0]].on;
      if (on < 0 || group[on] < 0) break;
      leader = group[on];
    }
    riders[g].leader = leader;
  }
  // The rider above, along the bones: a node that shows something is one.
  for (HardRider& rider : riders) {
    if (rider.node < 0) continue;
    int bone = -1;
    for (size_t b = 0; b < drawn.bones.size(); ++b) {
      if (drawn.bones[b].node == rider.node) bone = static_cast<int>(b);
    }
    for (bone = bone < 0 ? -1 : drawn.bones[bone].parent; bone >= 0 && rider.above < 0;
         bone = drawn.bones[bone].parent) {
      for (size_t g = 0; g < riders.size(); ++g) {
        if (riders[g].node == drawn.bones[bone].node && &riders[g] != &rider) rider.above = static_cast<int>(g);
      }
    }
  }
  return riders;
}

}  // namespace

Riding::Riding(const Drawn& drawn, const std::vector<Piece>& pieces, const TriMesh& skin,
               const std::vector<int>& skin_source)
    : scale_(drawn.scale), soft_(drawn.vertices.rest.size(), 0), riders_(group_hard(drawn, pieces)) {
  for (const Piece& piece : pieces) {
    for (int v : piece.vertices) {
      if (piece.role == Role::soft) soft_[v] = 1;
      if (piece.role == Role::rides && !piece.hard) cloth_.push_back(v);
    }
  }
  // A vertex of several pieces (soft and not) is flesh.
  std::sort(cloth_.begin(), cloth_.end());
  cloth_.erase(std::unique(cloth_.begin(), cloth_.end()), cloth_.end());
  std::erase_if(cloth_, [&](int v) { return soft_[v] != 0; });

  const std::vector<double> free = freedom(drawn, pieces, longest_side(skin.vertices));
  for (int v : cloth_) cloth_free_.push_back(free[v]);
  const Binder binder(drawn, pieces, *this, skin, skin_source);
  cloth_seats_.resize(cloth_.size());
  parallel_for(cloth_.size(), 64, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) cloth_seats_[i] = binder.seat(cloth_[i]);
  });
  for (size_t g = 0; g < riders_.size(); ++g) {
    std::vector<int> vertices;
    std::vector<Tri> triangles;
    for (int p : riders_[g].pieces) {
      for (int v : pieces[p].vertices) {
        if (!soft_[v]) vertices.push_back(v);
      }
      for (int t : pieces[p].triangles) triangles.push_back(drawn.triangles[t]);
    }
    rider_vertices_.push_back(vertices);
    rider_seats_.push_back(riders_[g].leader == static_cast<int>(g) ? binder.seat(vertices, triangles) : Seat{});
  }
}

// The rigid motion of the seat that is best by weighted least squares; false, and none, where nothing of it moves.
bool Riding::fit(const Seat& seat, const Points& input, const Points& displacement, RigidMotion& motion) const {
  motion = {};
  const auto at = [&](int s, const Points& field) -> Vec3 {
    const Sample& sample = samples_[s];
    return sample.share[0] * field[sample.vertices[0]] + sample.share[1] * field[sample.vertices[1]] +
           sample.share[2] * field[sample.vertices[2]];
  };
  bool moves = false;
  Vec3 shift = Vec3::Zero();
  for (size_t i = 0; i < seat.sample.size(); ++i) {
    const Vec3 d = at(seat.sample[i], displacement);
    moves = moves || !d.isZero(0);
    shift += seat.weight[i] * d;
    motion.from += seat.weight[i] * at(seat.sample[i], input);
  }
  if (!moves) {
    motion.from.setZero();
    return false;
  }
  motion.to = motion.from + shift;
  Mat3 A = Mat3::Zero();
  for (size_t i = 0; i < seat.sample.size(); ++i) {
    const Vec3 before = at(seat.sample[i], input) - motion.from;
    const Vec3 after = before + at(seat.sample[i], displacement) - shift;
    A += seat.weight[i] * after * before.transpose();
  }
  const Svd3 svd = svd3(A);
  // Samples in a line leave the turn about it open.
  if (svd.sigma[1] > 1e-6 * svd.sigma[0]) motion.R = svd.U * svd.V.transpose();
  return true;
}

void Riding::apply(const Points& input, Points& displacement, std::vector<RigidMotion>* motions) const {
  for (size_t v = 0; v < displacement.size(); ++v) {
    if (!soft_[v]) displacement[v].setZero();
  }
  std::vector<Vec3> moved(cloth_.size(), Vec3::Zero());
  parallel_for(cloth_.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      RigidMotion motion;
      if (fit(cloth_seats_[i], input, displacement, motion))
        moved[i] = cloth_free_[i] * (motion(input[cloth_[i]]) - input[cloth_[i]]);
    }
  });
  std::vector<RigidMotion> fitted(riders_.size());
  std::vector<char> moves(riders_.size(), 0);
  for (size_t g = 0; g < riders_.size(); ++g) {
    if (riders_[g].leader == static_cast<int>(g)) moves[g] = fit(rider_seats_[g], input, displacement, fitted[g]);
  }
  for (size_t g = 0; g < riders_.size(); ++g) {
    fitted[g] = fitted[riders_[g].leader];
    if (!moves[riders_[g].leader]) continue;
    for (int v : rider_vertices_[g]) displacement[v] = fitted[g](input[v]) - input[v];
  }
  for (size_t i = 0; i < cloth_.size(); ++i) displacement[cloth_[i]] = moved[i];
  if (motions) *motions = std::move(fitted);
}

std::vector<NodeKey> Riding::node_keys(const Character& character, const std::vector<Placement>& locals,
                                       const std::vector<Affine>& world,
                                       const std::vector<RigidMotion>& motions) const {
  const auto affine = [&](const RigidMotion& motion) {  // in the file's units
    Affine map;
    map.linear() = motion.R;
    map.translation() = (motion.to - motion.R * motion.from) / scale_;
    return map;
  };
  std::vector<NodeKey> keys;
  for (size_t g = 0; g < riders_.size(); ++g) {
    const HardRider& rider = riders_[g];
    if (rider.node < 0) continue;
    NodeKey key{rider.node, locals[rider.node]};
    const auto still = [](const RigidMotion& m) { return m.from == m.to && m.R == Mat3::Identity(); };
    if (still(motions[g]) && (rider.above < 0 || still(motions[rider.above]))) {
      keys.push_back(key);
      continue;
    }
    // Seen from the node above, which may have moved itself: change = (its motion x its world)^-1 x motion x its world.
    Affine change = affine(motions[g]);
    if (rider.above >= 0) change = affine(motions[rider.above]).inverse() * change;
    const int parent = character.nodes[rider.node].parent;
    if (parent >= 0) change = world[parent].inverse() * change * world[parent];
    if (!change.matrix().allFinite()) change.setIdentity();
    key.local.translation = change * key.local.translation;
    key.local.rotation = (Quat(polar3(change.linear()).R) * key.local.rotation).normalized();
    keys.push_back(key);
  }
  return keys;
}

}  // namespace supple
