#include "supple/contact/contact_term.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/contact/pair_distance.h"
#include "supple/contact/time_of_impact.h"

namespace supple {

namespace {
constexpr double kKeep = 0.1;  // share of its distance that one step may not take from a pair
constexpr double kInTheWay = 0.5, kBarred = 0.1;
// Points inside others are led out within about this time, at this many thicknesses a second at least.
constexpr double kWayOut = 0.25;  // [s]
constexpr double kSlowest = 10;
constexpr double kLedFor = 0.5, kRingEvery = 0.1;  // [s]
constexpr int kMostRings = 12;
constexpr size_t kTermPairs = 64;  // of a chunk
}  // namespace

ContactTerm::ContactTerm(std::shared_ptr<const ContactSurface> surface, ContactOptions options)
    : surface_(std::move(surface)),
      options_(options),
      broad_(surface_->shape()),
      tangles_(surface_->shape(), 0.5 * options.thickness) {
  obstacles_from_ = obstacles_to_ = surface_->obstacle_rest();
}

Points ContactTerm::places(const VecX& u, double progress) const {
  return surface_->places(u, obstacles_from_ + progress * (obstacles_to_ - obstacles_from_));
}

Points ContactTerm::motion(const VecX& du, double advance) const {
  return surface_->motion(du, advance * (obstacles_to_ - obstacles_from_));
}

double ContactTerm::plane_gap(const PlanePoint& p, const Points& x) const {
  const ContactPlane& plane = surface_->planes()[static_cast<size_t>(p.plane)];
  return plane.normal.dot(x[static_cast<size_t>(p.point)]) - plane.offset;
}

bool ContactTerm::is_released(const ContactPair& pair) const {
  if (!released_points_.empty())
    for (int p : pair.points)
      if (released_points_[static_cast<size_t>(p)]) return true;
  return std::binary_search(released_pairs_.begin(), released_pairs_.end(), pair);
}

void ContactTerm::begin_step(const VecX& u, const VecX& obstacles, double stiffness, const ContactHistory& history) {
  stiffness_ = stiffness;
  obstacles_from_ = obstacles_to_ = obstacles;
  start_ = places(u, 1);
  last_.clear();
  slides_.clear();
  coupled_.clear();
  ++couplings_;
  released_pairs_ = history.let_go;
  release_tangled(history);
}

// Points that have been tangled for long are hooked on others that are not themselves: those are let go too, ring by
// ring, and nothing leads out what leading did not get out.
void ContactTerm::release_tangled(const ContactHistory& history) {
  std::vector<char> before;
  for (double t : history.tangled_for) before.push_back(t > 0);
  Tangles tangles = tangles_.find(broad_, start_, before);
  released_points_ = std::move(tangles.released);
  pushes_ = std::move(tangles.pushes);
  tangled_for_.resize(0);
  if (released_points_.empty()) return;
  const auto n = static_cast<size_t>(surface_->n_points());
  tangled_for_ = VecX::Constant(surface_->n_points(), -1);  // -1: not tangled
  std::vector<int> rings(n, 0), front;
  for (size_t i = 0; i < n; ++i) {
    if (!released_points_[i]) continue;
    const auto k = static_cast<Eigen::Index>(i);
    tangled_for_[k] = history.tangled_for.size() > 0 ? std::max(0.0, history.tangled_for[k]) : 0;
    rings[i] = std::min(kMostRings, static_cast<int>(tangled_for_[k] / kRingEvery));
    if (rings[i] > 0) front.push_back(static_cast<int>(i));
  }
  std::erase_if(pushes_, [&](const Push& p) { return tangled_for_[p.point] > kLedFor; });
  if (front.empty()) return;
  if (around_.empty()) {
    around_.resize(n);
    for (const auto& [a, b] : surface_->shape().edges) {
      around_[static_cast<size_t>(a)].push_back(b);
      around_[static_cast<size_t>(b)].push_back(a);
    }
  }
  // Widest first, so that every point gets the most rings that reach it.
  for (int left = kMostRings; left > 0; --left)
    for (size_t f = 0; f < front.size(); ++f) {
      if (rings[static_cast<size_t>(front[f])] != left) continue;
      for (int next : around_[static_cast<size_t>(front[f])]) {
        if (rings[static_cast<size_t>(next)] >= left - 1 && released_points_[static_cast<size_t>(next)]) continue;
        released_points_[static_cast<size_t>(next)] = 1;
        rings[static_cast<size_t>(next)] = std::max(rings[static_cast<size_t>(next)], left - 1);
        if (left > 1) front.push_back(next);
      }
    }
}

void ContactTerm::begin_stage(const VecX& u, const VecX& obstacles, double slip_time, double weight) {
  obstacles_from_ = obstacles_to_;
  obstacles_to_ = obstacles;
  obstacles_move_ = obstacles_from_ != obstacles_to_;
  slip_time_ = slip_time;
  weight_ = weight;
  swept_ = false;
  find_leads(start_);
  look(u, 0);
  find_slides(places(u, 0));
}

void ContactTerm::find_leads(const Points& x) {
  leads_.clear();
  auto led = [&](Lead lead, double depth) {
    const double speed = std::max(depth / kWayOut, kSlowest * options_.thickness);
    // Out, and a little beyond.
    lead.gap = -depth;
    lead.goal = std::min(0.5 * options_.thickness, speed * slip_time_ - depth);
    leads_.push_back(lead);
  };
  for (const Push& p : pushes_)
    led({.points = {p.point, p.corners[0], p.corners[1], p.corners[2]},
         .weights = {1, -p.weights[0], -p.weights[1], -p.weights[2]},
         .normal = p.normal,
         .area = surface_->shape().area[static_cast<size_t>(p.point)]},
        p.depth);
  for (int k = 0; k < static_cast<int>(surface_->planes().size()); ++k)
    for (int i = 0; i < surface_->n_points(); ++i) {
      const PlanePoint p{i, k};
      if (surface_->shape().fixed[static_cast<size_t>(i)]) continue;
      const double gap = plane_gap(p, x);
      if (gap > 0) continue;
      const ContactPlane& plane = surface_->planes()[static_cast<size_t>(k)];
      led({.points = {i, -1, -1, -1},
           .weights = {1, 0, 0, 0},
           .normal = plane.normal,
           .offset = plane.offset,
           .area = surface_->shape().area[static_cast<size_t>(i)]},
          -gap);
    }
}

// Of the pairs given, those that may push; active_only: those that push at x.
void ContactTerm::keep_near(const std::vector<ContactPair>& pairs, const Points& x, bool active_only) {
  const ContactShape& shape = surface_->shape();
  std::vector<Pair> kept(pairs.size());
  parallel_for(pairs.size(), kTermPairs, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (is_released(pairs[i])) continue;
      const double thickness = pair_thickness(shape, pairs[i], options_.thickness);
      if (thickness <= 0) continue;
      if (active_only && squared_distance_only(pairs[i], x) >= thickness * thickness) continue;
      // A large feature (a floor of two triangles) touches a small one as far as that reaches.
      const auto& p = pairs[i].points;
      auto area = [&](int first, int last) {
        double sum = 0;
        for (int c = first; c < last; ++c) sum += shape.area[static_cast<size_t>(p[static_cast<size_t>(c)])];
        return sum / (last - first);
      };
      const int n = pairs[i].n_first();
      kept[i] = {pairs[i], thickness, std::min(area(0, n), area(n, 4))};
    }
  });
  std::erase_if(kept, [](const Pair& p) { return p.thickness <= 0; });
  near_ = std::move(kept);
}

void ContactTerm::look(const VecX& u, double progress) {
  Points x = places(u, progress);
  if (!swept_ && x == last_) return;
  if (swept_) {
    std::erase_if(near_, [&](const Pair& p) {
      return is_released(p.pair) || squared_distance_only(p.pair, x) >= p.thickness * p.thickness;
    });
  } else {
    keep_near(broad_.near_thickness(x, options_.thickness), x, true);
  }
  swept_ = false;
  near_planes_.clear();
  for (int k = 0; k < static_cast<int>(surface_->planes().size()); ++k)
    for (int i = 0; i < surface_->n_points(); ++i) {
      const PlanePoint p{i, k};
      const bool held = !surface_->shape().fixed[static_cast<size_t>(i)] && plane_gap(p, start_) > 0;
      if (held && plane_gap(p, x) < options_.thickness) near_planes_.push_back(p);
    }
  const size_t before = coupled_.size();
  for (const Pair& p : near_) coupled_.push_back(p.pair.points);
  for (const PlanePoint& p : near_planes_) coupled_.push_back({p.point, -1, -1, -1});
  for (const Lead& l : leads_) coupled_.push_back(l.points);
  for (const Slide& s : slides_) coupled_.push_back(s.points);
  last_ = std::move(x);
  if (coupled_.size() == before) return;
  std::sort(coupled_.begin(), coupled_.end());
  coupled_.erase(std::unique(coupled_.begin(), coupled_.end()), coupled_.end());
  if (coupled_.size() != before) ++couplings_;
}

void ContactTerm::couple(PatternBuilder& pattern) const {
  std::vector<int> vertices;
  for (const Quad& points : coupled_) {
    vertices.clear();
    for (int p : points) {
      if (p < 0) continue;
      const ContactAnchor& a = surface_->anchors()[static_cast<size_t>(p)];
      vertices.insert(vertices.end(), a.vertex.begin(), a.vertex.begin() + a.n);
    }
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    pattern.couple(vertices);
  }
}

double ContactTerm::safe_step(const Kinematics& x, const VecX& du, double advance) {
  const Points at = places(x.u, x.progress), d = motion(du, advance);
  keep_near(broad_.near_thickness_swept(at, d, options_.thickness, kKeep), at, false);
  swept_ = true;
  double s = 1 - parallel_max(near_.size(), kTermPairs, [&](size_t begin, size_t end) {
               double most = 0;
               for (size_t i = begin; i < end; ++i) most = std::max(most, 1 - safe_share(near_[i].pair, at, d, kKeep));
               return most;
             });
  near_planes_.clear();
  for (int k = 0; k < static_cast<int>(surface_->planes().size()); ++k)
    for (int i = 0; i < surface_->n_points(); ++i) {
      const PlanePoint p{i, k};
      if (surface_->shape().fixed[static_cast<size_t>(i)] || plane_gap(p, start_) <= 0) continue;
      const double gap = plane_gap(p, at);
      const double closing = -surface_->planes()[static_cast<size_t>(k)].normal.dot(d[static_cast<size_t>(i)]);
      if (gap - std::max(0.0, closing) < options_.thickness) near_planes_.push_back(p);
      if (closing > (1 - kKeep) * gap) s = std::min(s, (1 - kKeep) * gap / closing);
    }
  return std::isfinite(s) ? s : 0;
}

bool ContactTerm::let_go(const Kinematics& x, const VecX& du, double advance) {
  const Points at = places(x.u, x.progress), d = motion(du, advance);
  std::vector<ContactPair> barring, any;
  for (const Pair& p : near_) {
    const double s = safe_share(p.pair, at, d, kKeep);
    if (s < kBarred) any.push_back(p.pair);
    const bool driven = std::any_of(p.pair.points.begin(), p.pair.points.end(),
                                    [&](int i) { return surface_->shape().fixed[static_cast<size_t>(i)] != 0; });
    if (s < kInTheWay && driven) barring.push_back(p.pair);
  }
  const std::vector<ContactPair>& gone = barring.empty() ? any : barring;
  released_pairs_.insert(released_pairs_.end(), gone.begin(), gone.end());
  std::sort(released_pairs_.begin(), released_pairs_.end());
  released_pairs_.erase(std::unique(released_pairs_.begin(), released_pairs_.end()), released_pairs_.end());
  return !gone.empty();
}

ContactHistory ContactTerm::history(const VecX& u, double h) const {
  const Points x = places(u, 1);
  ContactHistory out;
  for (const ContactPair& p : released_pairs_)
    if (const double thickness = pair_thickness(surface_->shape(), p, options_.thickness);
        squared_distance_only(p, x) < thickness * thickness)
      out.let_go.push_back(p);
  if (tangled_for_.size() > 0) out.tangled_for = (tangled_for_.array() >= 0).select(tangled_for_.array() + h, 0);
  return out;
}

std::vector<ContactPair> ContactTerm::nearest_pairs(int effort) const {
  constexpr double kShares[] = {0.03, 0.3, 1};
  const double share = kShares[std::clamp(effort, 0, 2)];
  std::vector<ContactPair> nearest;
  for (const Pair& p : near_)
    if (std::sqrt(squared_distance_only(p.pair, last_)) < share * p.thickness) nearest.push_back(p.pair);
  return nearest;
}

ContactCount ContactTerm::count(const VecX& u) const {
  const Points x = places(u, 1);
  ContactCount c;
  auto gap = [&](double share) {
    if (share >= 1) return;
    ++c.pairs;
    c.least_gap = std::min(c.least_gap, share);
  };
  for (const Pair& p : near_) gap(std::sqrt(squared_distance_only(p.pair, x)) / p.thickness);
  for (const PlanePoint& p : near_planes_) gap(plane_gap(p, x) / options_.thickness);
  c.tangled = static_cast<int>((tangled_for_.array() >= 0).count());
  for (const Lead& l : leads_) c.deepest = std::max(c.deepest, -l.gap);
  for (size_t i = 0; i < released_points_.size(); ++i)
    if (tangled_for_[static_cast<Eigen::Index>(i)] >= 0 && !surface_->body().empty())
      c.bodies.push_back(surface_->body()[i]);
  std::sort(c.bodies.begin(), c.bodies.end());
  c.bodies.erase(std::unique(c.bodies.begin(), c.bodies.end()), c.bodies.end());
  c.let_go = static_cast<int>(released_pairs_.size());
  return c;
}

}  // namespace supple
