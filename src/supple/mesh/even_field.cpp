#include "supple/mesh/even_field.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>

#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {

namespace {

constexpr double kRelaxed = 1.7;      // times as far as to a bound of slopes, at first: fewer sweeps
constexpr int kListedEvery = 4;       // sweeps: which links are beyond their bounds
constexpr double kLeastBound = 1e-9;  // [m]
constexpr int kRounds = 8;            // of sweeps between changes of volumes
constexpr int kVolumeSteps = 5;       // of Newton's method
constexpr double kSolid = 0.05;       // three times volume over area, beside the root of the area: 0.28 for a ball

// Shares of the corners that p, a point of the triangle, is made of.
Vec3 shares(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u = b - a, v = c - a, w = p - a;
  const double uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), wu = w.dot(u), wv = w.dot(v), det = uu * vv - uv * uv;
  if (!(det > 1e-12 * uu * vv)) {  // a line: the nearest end
    const double da = (p - a).squaredNorm(), db = (p - b).squaredNorm(), dc = (p - c).squaredNorm();
    return da <= db && da <= dc ? Vec3::UnitX() : db <= dc ? Vec3::UnitY() : Vec3::UnitZ();
  }
  const double s = std::clamp((vv * wu - uv * wv) / det, 0.0, 1.0);
  const double t = std::clamp((uu * wv - uv * wu) / det, 0.0, 1 - s);
  return {1 - s - t, s, t};
}

Bvh tree_of(const Points& x, const std::vector<Tri>& triangles) {
  std::vector<Box> boxes;
  for (const Tri& t : triangles)
    boxes.push_back({x[t[0]].cwiseMin(x[t[1]]).cwiseMin(x[t[2]]), x[t[0]].cwiseMax(x[t[1]]).cwiseMax(x[t[2]])});
  return Bvh(std::move(boxes));
}

// Six times the volume, of an open part with a cone from the middle on its rims; x: where the points are.
double volume6(const Points& x, const std::vector<Tri>& triangles, const Vec3& middle) {
  double sum = 0;
  for (const Tri& t : triangles) sum += (x[t[0]] - middle).dot((x[t[1]] - middle).cross(x[t[2]] - middle));
  return sum;
}

Vec3 middle_of(const Points& x, const std::vector<int>& points) {
  Vec3 sum = Vec3::Zero();
  for (int v : points) sum += x[v];
  return sum / static_cast<double>(points.size());
}

}  // namespace

std::vector<int> connected_parts(const Points& rest, const std::vector<Tri>& triangles) {
  std::vector<int> root(rest.size());
  std::iota(root.begin(), root.end(), 0);
  const auto top = [&](int v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  const auto join = [&](int a, int b) {
    a = top(a), b = top(b);
    root[std::max(a, b)] = std::min(a, b);
  };
  std::map<std::array<double, 3>, int> places;
  for (int v = 0; v < static_cast<int>(rest.size()); ++v)
    join(v, places.try_emplace({rest[v][0], rest[v][1], rest[v][2]}, v).first->second);
  for (const Tri& t : triangles) join(t[0], t[1]), join(t[1], t[2]);
  std::vector<int> part(rest.size());
  for (int v = 0; v < static_cast<int>(rest.size()); ++v) part[v] = top(v);
  return part;
}

// |sum of weight * d| is to be within the bound.
struct EvenField::Link {
  std::array<int, 4> point{};
  std::array<double, 4> weight{};
  int n = 0;
  double bound = 0, give = 0;  // give: sum of the squared weights of free points

  Vec3 part(const Points& d) const {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < n; ++k) sum += weight[k] * d[point[k]];
    return sum;
  }
};

class EvenField::Links {
 public:
  explicit Links(const std::vector<char>& fixed) : fixed_(fixed) {}
  void add(std::initializer_list<int> points, std::initializer_list<double> weights, double bound) {
    Link link;
    for (int p : points) link.point[link.n++] = p;
    std::copy(weights.begin(), weights.end(), link.weight.begin());
    for (int k = 0; k < link.n; ++k)
      if (!fixed_[link.point[k]]) link.give += link.weight[k] * link.weight[k];
    link.bound = std::max(bound, kLeastBound);
    if (link.give > 0) all.push_back(link);
  }
  std::vector<Link> all;

 private:
  const std::vector<char>& fixed_;
};

EvenField::EvenField(EvenSurface surface, EvenRules rules) : on_(std::move(surface)), rules_(rules) {
  const size_t n = on_.rest.size();
  const auto free = [&](int v) { return !on_.fixed[v]; };
  for (const Tri& t : on_.triangles) {
    if (!free(t[0]) && !free(t[1]) && !free(t[2])) {
      fixed_triangles_.push_back(t);
      continue;
    }
    triangles_.push_back(t);
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      if (a != b && (free(a) || free(b))) edges_.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  first_.assign(n + 1, 0);
  for (const auto& [a, b] : edges_) ++first_[a + 1], ++first_[b + 1];
  for (size_t v = 0; v < n; ++v) first_[v + 1] += first_[v];
  beside_.resize(2 * edges_.size());
  std::vector<int> next(first_.begin(), first_.end() - 1);
  for (const auto& [a, b] : edges_) beside_[next[a]++] = b, beside_[next[b]++] = a;
  for (int part : on_.part) several_ = several_ || part != on_.part[0];
  body_.assign(n, -1);
  for (size_t b = 0; b < on_.bodies.size(); ++b)
    for (int v : on_.bodies[b]) body_[v] = static_cast<int>(b);
  find_solids();
}

void EvenField::find_solids() {
  std::map<int, Solid> parts;
  for (const Tri& t : on_.triangles) parts[on_.part[t[0]]].triangles.push_back(t);
  for (auto& [part, solid] : parts) {
    for (const Tri& t : solid.triangles) solid.points.insert(solid.points.end(), t.begin(), t.end());
    std::sort(solid.points.begin(), solid.points.end());
    solid.points.erase(std::unique(solid.points.begin(), solid.points.end()), solid.points.end());
    const auto gives = [&](int v) { return !on_.fixed[v] && body_[v] < 0; };
    if (std::none_of(solid.points.begin(), solid.points.end(), gives)) continue;
    double area = 0;
    for (const auto& [a, b, c] : solid.triangles)
      area += (on_.rest[b] - on_.rest[a]).cross(on_.rest[c] - on_.rest[a]).norm() / 2;
    const double volume = volume6(on_.rest, solid.triangles, middle_of(on_.rest, solid.points)) / 6;
    if (3 * std::abs(volume) > kSolid * area * std::sqrt(area)) solids_.push_back(std::move(solid));
  }
}

double EvenField::slope_of(int a, int b) const {
  return on_.steep.empty() ? rules_.slope : rules_.slope * (on_.steep[a] + on_.steep[b]) / 2;
}

// What follows from the slopes along any way to a point that is fixed: a start that is already near.
void EvenField::bring_near(const Points& x, Points& d) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::vector<double> most(x.size(), kFar);
  using Reached = std::pair<double, int>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> front;
  for (int v = 0; v < static_cast<int>(x.size()); ++v)
    if (on_.fixed[v] && first_[v] < first_[v + 1]) most[v] = 0, front.emplace(0, v);
  while (!front.empty()) {
    const auto [far, v] = front.top();
    front.pop();
    if (far > most[v]) continue;
    for (int k = first_[v]; k < first_[v + 1]; ++k) {
      const int w = beside_[k];
      const double next = far + slope_of(v, w) * (x[v] - x[w]).norm();
      if (next < most[w]) most[w] = next, front.emplace(next, w);
    }
  }
  for (size_t v = 0; v < x.size(); ++v) {
    const double length = d[v].norm();
    if (body_[v] < 0 && length > most[v]) d[v] *= most[v] / length;
  }
}

void EvenField::add_slopes(const Points& x, Links& links) const {
  const auto one_body = [&](int a, int b) { return body_[a] >= 0 && body_[a] == body_[b]; };
  for (const auto& [a, b] : edges_)
    if (!one_body(a, b)) links.add({a, b}, {1, -1}, slope_of(a, b) * (x[a] - x[b]).norm());
  for (const Tri& t : triangles_) {
    if (one_body(t[0], t[1]) && one_body(t[0], t[2])) continue;
    // The corner across the longest side.
    int k = 0;
    double longest = 0;
    for (int c = 0; c < 3; ++c) {
      const double side = (x[t[(c + 1) % 3]] - x[t[(c + 2) % 3]]).squaredNorm();
      if (side > longest) longest = side, k = c;
    }
    if (longest == 0) continue;
    const int p = t[k], a = t[(k + 1) % 3], b = t[(k + 2) % 3];
    const double s = std::clamp((x[p] - x[a]).dot(x[b] - x[a]) / longest, 0.0, 1.0);
    const double bound = rules_.altitude * (x[p] - x[a] - s * (x[b] - x[a])).norm();
    // Mostly it follows from the sides.
    const double of_sides = (1 - s) * slope_of(p, a) * (x[p] - x[a]).norm() + s * slope_of(p, b) * (x[p] - x[b]).norm();
    if (of_sides > bound) links.add({p, a, b}, {1, s - 1, -s}, bound);
  }
}

// most: of |d| anywhere. Where bounds are beyond what two points can part, there is no need of any.
void EvenField::add_contacts(const Points& x, double most, Links& links) const {
  if (!several_ || !(rules_.near > 0) || 2 * most <= rules_.sliding) return;
  const auto bound_at = [&](double distance) {
    const double share = distance / rules_.near;
    return (rules_.sliding + rules_.parting * distance) / (1 - share * share);
  };
  double reach = rules_.near, low = 0;
  for (int k = 0; k < 20; ++k) {
    const double middle = (low + reach) / 2;
    (bound_at(middle) > 2 * most ? reach : low) = middle;
  }
  const Bvh free = tree_of(x, triangles_), fixed = tree_of(x, fixed_triangles_);
  std::vector<int> found;
  const auto add = [&](int v, const Bvh& tree, const std::vector<Tri>& triangles) {
    found.clear();
    tree.within(x[v], reach * reach, [&](int t) {
      if (on_.part[triangles[t][0]] != on_.part[v]) found.push_back(t);
    });
    std::sort(found.begin(), found.end());
    for (int t : found) {
      const auto& [a, b, c] = triangles[t];
      if (body_[v] >= 0 && body_[v] == body_[a]) continue;
      const Vec3 p = closest_on_triangle(x[v], x[a], x[b], x[c]);
      const double distance = (p - x[v]).norm();
      if (!(distance < reach)) continue;
      const Vec3 s = shares(p, x[a], x[b], x[c]);
      links.add({v, a, b, c}, {1, -s[0], -s[1], -s[2]}, bound_at(distance));
    }
  };
  for (int v = 0; v < static_cast<int>(x.size()); ++v) {
    add(v, free, triangles_);
    if (!on_.fixed[v]) add(v, fixed, fixed_triangles_);
  }
}

// Projections, of those links alone that are beyond their bound.
class EvenField::Sweeps {
 public:
  Sweeps(const EvenField& field, const Points& x, const std::vector<char>& fixed, const std::vector<Link>& links,
         Points& d)
      : f_(field),
        x_(x),
        fixed_(fixed),
        links_(links),
        d_(d),
        touched_(x.size(), 0),
        asked_(x.size(), Vec3::Zero()),
        askers_(x.size(), 0),
        listed_(links.size(), -1) {
    for (size_t c = 0; c < links.size(); ++c)
      if (beyond(links[c])) active_.push_back(static_cast<int>(c));
  }

  bool within() const { return active_.empty(); }
  double worst() const {
    double most = 0;
    for (int c : active_) most = std::max(most, links_[c].part(d_).norm() / links_[c].bound - 1);
    return most;
  }

  // Until all are within; how many it took.
  int run(int most) {
    int n = 0;
    for (; n < most && !active_.empty(); ++n) {
      sweep(n < most / 2 ? kRelaxed : 1);
      go_as_bodies();
      if (n % kListedEvery == kListedEvery - 1) list_next();
    }
    if (!list_.empty()) list_next();
    return n;
  }

  // Solid parts that have changed too much are given back the least that is missing, evenly along their normals. False:
  // none has.
  bool restore_volumes() {
    bool any = false;
    for (const Solid& solid : f_.solids_) any = restore(solid) || any;
    if (any) list_next();
    return any;
  }

 private:
  bool beyond(const Link& link) const {
    const double limit = (1 + f_.rules_.tolerance) * link.bound;
    return link.part(d_).squaredNorm() > limit * limit;
  }
  bool restore(const Solid& solid) {
    Points moved(d_.size());
    const Vec3 middle = middle_of(x_, solid.points);
    const double before = volume6(x_, solid.triangles, middle), room = f_.rules_.swelling * std::abs(before);
    double wanted = 0;
    for (int step = 0; step < kVolumeSteps; ++step) {
      for (int v : solid.points) moved[v] = x_[v] + d_[v];
      const double change = volume6(moved, solid.triangles, middle) - before;
      if (step == 0 && std::abs(change) <= (1 + f_.rules_.tolerance) * room) return false;
      // The side that it comes from, also where a step goes too far.
      if (step == 0) wanted = std::copysign(room, change);
      if (std::abs(change - wanted) <= f_.rules_.tolerance * room) break;
      std::map<int, Vec3> rates;
      for (const auto& [a, b, c] : solid.triangles) {
        const Vec3 pa = moved[a] - middle, pb = moved[b] - middle, pc = moved[c] - middle;
        for (const auto& [v, rate] :
             {std::pair{a, Vec3(pb.cross(pc))}, {b, Vec3(pc.cross(pa))}, {c, Vec3(pa.cross(pb))}})
          if (!fixed_[v] && f_.body_[v] < 0) rates.try_emplace(v, Vec3::Zero()).first->second += rate;
      }
      double sum = 0;
      for (const auto& [v, rate] : rates) sum += rate.norm();
      if (!(sum > 0)) return step > 0;
      for (const auto& [v, rate] : rates) {
        const double length = rate.norm();
        if (length > 0) d_[v] -= (change - wanted) / sum / length * rate, touch(v);
      }
    }
    return true;
  }
  void touch(int v) {
    if (!touched_[v]) touched_[v] = 1, list_.push_back(v);
  }

  // All at once, each point by the mean of what its links ask for: one after the other, the sides of a mirrored field
  // would come out differently.
  void sweep(double relaxed) {
    for (int c : active_) {
      const Link& link = links_[c];
      const Vec3 part = link.part(d_);
      const double length = part.norm();
      if (length <= link.bound) continue;
      const Vec3 by = (link.n < 4 ? relaxed : 1) * (length - link.bound) / (length * link.give) * part;
      for (int i = 0; i < link.n; ++i) {
        const int v = link.point[i];
        if (fixed_[v] || link.weight[i] == 0) continue;
        asked_[v] += link.weight[i] * by, ++askers_[v], touch(v);
      }
    }
    for (int v : list_) {
      if (askers_[v] == 0) continue;
      d_[v] -= asked_[v] / askers_[v];
      asked_[v].setZero(), askers_[v] = 0;
    }
  }

  void go_as_bodies() {
    std::vector<int> bodies;
    for (int v : list_)
      if (f_.body_[v] >= 0) bodies.push_back(f_.body_[v]);
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    for (int b : bodies) {
      const std::vector<int>& points = f_.on_.bodies[b];
      VecX before(3 * static_cast<Eigen::Index>(points.size())), after = before;
      for (size_t k = 0; k < points.size(); ++k) {
        before.segment<3>(3 * static_cast<Eigen::Index>(k)) = x_[points[k]];
        after.segment<3>(3 * static_cast<Eigen::Index>(k)) = x_[points[k]] + d_[points[k]];
      }
      const RigidMotion motion = fit_rigid_motion(before, after);
      for (int v : points) d_[v] = motion(x_[v]) - x_[v], touch(v);
    }
  }

  // Links of points that moved, where they are beyond their bounds.
  void list_next() {
    if (first_.empty()) list_links();
    ++stamp_;
    active_.clear();
    for (int v : list_) {
      touched_[v] = 0;
      for (int k = first_[v]; k < first_[v + 1]; ++k) {
        const int c = of_point_[k];
        if (listed_[c] == stamp_) continue;
        listed_[c] = stamp_;
        if (beyond(links_[c])) active_.push_back(c);
      }
    }
    list_.clear();
    std::sort(active_.begin(), active_.end());
  }

  void list_links() {
    first_.assign(x_.size() + 1, 0);
    for (const Link& link : links_)
      for (int k = 0; k < link.n; ++k) ++first_[link.point[k] + 1];
    for (size_t v = 0; v < x_.size(); ++v) first_[v + 1] += first_[v];
    of_point_.resize(static_cast<size_t>(first_.back()));
    std::vector<int> next(first_.begin(), first_.end() - 1);
    for (size_t c = 0; c < links_.size(); ++c)
      for (int k = 0; k < links_[c].n; ++k) of_point_[next[links_[c].point[k]]++] = static_cast<int>(c);
  }

  const EvenField& f_;
  const Points& x_;
  const std::vector<char>& fixed_;
  const std::vector<Link>& links_;
  Points& d_;
  std::vector<int> active_, list_;  // links; points that moved
  std::vector<char> touched_;
  Points asked_;             // per point, in all...
  std::vector<int> askers_;  // ...by how many links
  std::vector<int> listed_, first_, of_point_;
  int stamp_ = 0;
};

EvenReport EvenField::apply(const Points& x, Points& d) const {
  EvenReport report;
  const auto most_of = [&] {
    double most = 0;
    for (const Vec3& v : d) most = std::max(most, v.squaredNorm());
    return std::sqrt(most);
  };
  if (most_of() == 0) return report;
  std::vector<char> fixed = on_.fixed;
  for (const std::vector<int>& body : on_.bodies)
    if (std::all_of(body.begin(), body.end(), [&](int v) { return d[v].isZero(0); }))
      for (int v : body) fixed[v] = 1;
  bring_near(x, d);
  Links links(fixed);
  add_slopes(x, links);
  add_contacts(x, most_of(), links);
  Sweeps sweeps(*this, x, fixed, links.all, d);
  report.sweeps = sweeps.run(rules_.sweeps);
  for (int round = 0; round < kRounds && sweeps.restore_volumes(); ++round)
    report.sweeps += sweeps.run(rules_.sweeps - report.sweeps);
  report.worst = sweeps.worst();
  return report;
}

}  // namespace supple
