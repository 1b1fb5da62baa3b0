#include "supple/attach/mirror.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/attach/extend_samples.h"
#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"

namespace supple {
namespace {

constexpr double kSamples = 800;    // of the skin
constexpr double kAway = 0.006;     // of the diagonal: an image this near to skin is skin
constexpr double kAgree = 0.5;      // of the skin that must have an image
constexpr double kLies = 0.1;       // of the skin that a plane lying flat must have more of than an upright one
constexpr double kSwaps = 0.1;      // how much it counts, beside skin that agrees, that other bones carry the image
constexpr double kLookFrom = 0.06;  // of the diagonal that planes are looked for within at first
constexpr int kDirections = 48, kBest = 6, kRounds = 14;

struct Plane {
  Vec3 normal = Vec3::Zero();
  double offset = 0;
};

class MirrorFinder {
 public:
  MirrorFinder(const TriMesh& skin, const Vec3& up, const SkinWeights& weights)
      : skin_(skin), up_(up), diagonal_(bounding_box(skin.vertices).size().norm()) {
    for (size_t v = 0; v + 1 < weights.first.size(); ++v) {
      const auto begin = weights.weight.begin() + weights.first[v], end = weights.weight.begin() + weights.first[v + 1];
      carrier_.push_back(begin == end ? -1 : weights.bone[std::max_element(begin, end) - weights.weight.begin()]);
    }
    std::vector<Box> boxes;
    for (const Tri& t : skin.triangles) {
      Box b{skin.vertices[t[0]], skin.vertices[t[0]]};
      for (const int v : t) b.low = b.low.cwiseMin(skin.vertices[v]), b.high = b.high.cwiseMax(skin.vertices[v]);
      boxes.push_back(b);
    }
    tree_ = Bvh(std::move(boxes));
    double area = 0;
    for (const double a : vertex_areas(skin)) area += a;
    for (const SkinSample& s : sample_skin(skin, std::sqrt(2 * area / kSamples))) {
      at_.push_back(position(skin, s));
      of_.push_back(s.triangle);
      weight_.push_back(s.area / area);
    }
  }

  Mirror find() const {
    Mirror best;
    if (at_.empty()) return best;
    std::vector<std::pair<double, Plane>> list;
    for (const Plane& p : candidates()) {
      const std::vector<Hit> hits = images(p);
      list.emplace_back(soft_share(hits) + kSwaps * swapped(hits, kLookFrom), p);
    }
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (list.size() > kBest) list.resize(kBest);
    double most = 0;
    for (const auto& [share, start] : list) {
      const Plane p = refined(start);
      const std::vector<Hit> hits = images(p);
      const double alike = share_of(hits) - kLies * std::abs(p.normal.dot(up_));
      const double agree = alike + kSwaps * swapped(hits, kAway);
      if (alike < kAgree + 1e-6 || agree < most + 1e-6) continue;
      most = agree;
      best.normal = p.normal, best.offset = p.offset;
    }
    if (best.found()) find_images(best);
    return best;
  }

 private:
  // Planes through the middle of the skin: across the world's axes, across its own, and all around.
  std::vector<Plane> candidates() const {
    Vec3 middle = Vec3::Zero();
    for (size_t i = 0; i < at_.size(); ++i) middle += weight_[i] * at_[i];
    Mat3 moment = Mat3::Zero();
    for (size_t i = 0; i < at_.size(); ++i) moment += weight_[i] * (at_[i] - middle) * (at_[i] - middle).transpose();
    const Mat3 axes = symmetric_eigen3(moment).vectors;
    std::vector<Vec3> normals;
    for (int k = 0; k < 3; ++k) normals.push_back(Vec3::Unit(k));
    for (int k = 0; k < 3; ++k) normals.push_back(axes.col(k));
    for (int k = 0; k < kDirections; ++k) {
      const double z = (k + 0.5) / kDirections, turn = std::numbers::pi * (1 + std::sqrt(5.0)) * k;
      const double r = std::sqrt(1 - z * z);
      normals.emplace_back(r * std::cos(turn), r * std::sin(turn), z);
    }
    std::vector<Plane> planes;
    for (const Vec3& n : normals) planes.push_back({n, n.dot(middle)});
    return planes;
  }

  struct Hit {
    Vec3 at = Vec3::Zero();
    double away = 0;
    int triangle = -1;
  };
  Hit nearest(const Vec3& x) const {
    const auto point = [&](int k) {
      const Tri& t = skin_.triangles[k];
      return closest_on_triangle(x, skin_.vertices[t[0]], skin_.vertices[t[1]], skin_.vertices[t[2]]);
    };
    const auto hit = tree_.closest(x, [&](int k) { return (point(k) - x).squaredNorm(); });
    return {point(hit.item), std::sqrt(hit.distance2), hit.item};
  }
  static Vec3 reflected(const Plane& p, const Vec3& x) { return x + 2 * (p.offset - p.normal.dot(x)) * p.normal; }

  std::vector<Hit> images(const Plane& p) const {
    std::vector<Hit> hits(at_.size());
    parallel_for(at_.size(), 64, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) hits[i] = nearest(reflected(p, at_[i]));
    });
    return hits;
  }
  double soft_share(const std::vector<Hit>& hits) const {
    double sum = 0;
    for (size_t i = 0; i < hits.size(); ++i) {
      const double t = hits[i].away / (kLookFrom * diagonal_);
      sum += weight_[i] / (1 + t * t);
    }
    return sum;
  }
  double share_of(const std::vector<Hit>& hits) const {
    double sum = 0;
    for (size_t i = 0; i < hits.size(); ++i) sum += hits[i].away < kAway * diagonal_ ? weight_[i] : 0;
    return sum;
  }
  // What makes left of right makes other bones of bones. Arms held out and a round trunk are the same in front and
  // behind, too.
  double swapped(const std::vector<Hit>& hits, double away) const {
    if (carrier_.empty()) return 0;
    double sum = 0;
    for (size_t i = 0; i < hits.size(); ++i)
      if (hits[i].away < away * diagonal_ && carrier(of_[i]) != carrier(hits[i].triangle)) sum += weight_[i];
    return sum;
  }
  int carrier(int triangle) const { return carrier_[skin_.triangles[triangle][0]]; }

  // With p and q from the middle of both, |mirror(p) - q|^2 = |p - q|^2 + 4 (n.p)(n.q): n is the direction in which the
  // pairs are the most opposed. Pairs that are far from each other count less and less.
  Plane refined(Plane plane) const {
    for (int round = 0; round < kRounds; ++round) {
      const double share = static_cast<double>(round) / (kRounds - 1);
      const double reach = diagonal_ * (kLookFrom + (0.5 * kAway - kLookFrom) * share);
      const std::vector<Hit> hits = images(plane);
      std::vector<double> counts(hits.size());
      Vec3 middle = Vec3::Zero();
      double all = 0;
      for (size_t i = 0; i < hits.size(); ++i) {
        const double t = hits[i].away / reach;
        counts[i] = weight_[i] / ((1 + t * t) * (1 + t * t));
        middle += counts[i] * 0.5 * (at_[i] + hits[i].at);
        all += counts[i];
      }
      if (!(all > 0)) break;
      middle /= all;
      Mat3 opposed = Mat3::Zero();
      for (size_t i = 0; i < hits.size(); ++i) {
        opposed += counts[i] * (at_[i] - middle) * (hits[i].at - middle).transpose();
      }
      const SymmetricEigen3 e = symmetric_eigen3(0.5 * (opposed + opposed.transpose()));
      const Vec3 n = e.vectors.col(0);
      plane.normal = n.dot(plane.normal) < 0 ? Vec3(-n) : n;
      plane.offset = plane.normal.dot(middle);
    }
    return plane;
  }

  void find_images(Mirror& m) const {
    m.image.assign(skin_.vertices.size(), -1);
    std::vector<Box> boxes;
    for (const Vec3& x : skin_.vertices) boxes.push_back({x, x});
    const Bvh vertices(std::move(boxes));
    parallel_for(m.image.size(), 128, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const Vec3 x = m.of(skin_.vertices[i]);
        if (nearest(x).away > kAway * diagonal_) continue;
        // Of all vertices: the nearest triangle may be of another layer.
        m.image[i] = vertices.closest(x, [&](int k) { return (skin_.vertices[k] - x).squaredNorm(); }).item;
      }
    });
  }

  const TriMesh& skin_;
  const Vec3 up_;
  std::vector<int> carrier_;  // per vertex, the bone that carries most of it; empty: nobody said
  const double diagonal_;
  Bvh tree_;
  Points at_;                   // samples
  std::vector<int> of_;         // their triangles
  std::vector<double> weight_;  // of all skin
};

}  // namespace

Mirror find_mirror(const TriMesh& skin, const Vec3& up, const SkinWeights& weights) {
  if (skin.triangles.empty()) return {};
  return MirrorFinder(skin, up, weights).find();
}

}  // namespace supple
