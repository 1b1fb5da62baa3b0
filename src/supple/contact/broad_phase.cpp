#include "supple/contact/broad_phase.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/contact/pair_distance.h"

namespace supple {

namespace {

using Found = std::array<int, 2>;

// What query(leaf, out) appends for all leaves, sorted; the first of a found pair is below n_first.
template <class Query>
std::vector<Found> gather(int n_leaves, size_t n_first, Query&& query) {
  constexpr size_t kGrain = 16;
  std::vector<std::vector<Found>> parts((static_cast<size_t>(n_leaves) + kGrain - 1) / kGrain);
  parallel_for(n_leaves, kGrain, [&](size_t begin, size_t end) {
    std::vector<Found> part;  // of its own: neighbours in `parts` share cache lines
    for (size_t leaf = begin; leaf < end; ++leaf) query(static_cast<int>(leaf), part);
    parts[begin / kGrain] = std::move(part);
  });
  // By counting, as rows are short.
  std::vector<size_t> row(n_first + 1, 0);
  for (const auto& part : parts) {
    for (const Found& f : part) ++row[f[0] + 1];
  }
  std::partial_sum(row.begin(), row.end(), row.begin());
  std::vector<Found> all(row.back());
  std::vector<size_t> next = row;
  for (const auto& part : parts) {
    for (const Found& f : part) all[next[f[0]]++] = f;
  }
  for (size_t i = 0; i < n_first; ++i) {
    std::sort(all.begin() + static_cast<ptrdiff_t>(row[i]), all.begin() + static_cast<ptrdiff_t>(row[i + 1]));
  }
  return all;
}

// Whether the features are certainly farther apart than `reach`: along the line of their centres, which is cheap and
// settles most neighbours.
bool clearly_apart(const ContactPair& pair, const Points& x, double reach) {
  const auto& [i, j, k, l] = pair.points;
  Vec3 u;  // along that line, of any length
  double gap = 0;
  if (pair.kind == ContactPair::Kind::point_triangle) {
    const Vec3 a = x[i] - x[j], b = x[i] - x[k], c = x[i] - x[l];
    u = a + b + c;
    gap = std::min({a.dot(u), b.dot(u), c.dot(u)});
  } else {
    u = 0.5 * (x[i] + x[j] - x[k] - x[l]);
    gap = u.squaredNorm() - 0.5 * (std::abs(u.dot(x[j] - x[i])) + std::abs(u.dot(x[l] - x[k])));
  }
  return gap > 0 && gap * gap * (1 - 1e-9) > u.squaredNorm() * reach * reach;
}

bool within(const ContactPair& pair, const Points& x, double reach) {
  return !clearly_apart(pair, x, reach) && squared_distance_only(pair, x) <= reach * reach;
}

// Over all points i of the first feature and j of the second, of |v_i - v_j|^2.
struct Range {
  double least = std::numeric_limits<double>::infinity(), most = 0;
};
Range squared_differences(const ContactPair& pair, const Points& v) {
  Range range;
  for (int i = 0; i < pair.n_first(); ++i) {
    for (int j = pair.n_first(); j < 4; ++j) {
      const double s = (v[pair.points[i]] - v[pair.points[j]]).squaredNorm();
      range = {std::min(range.least, s), std::max(range.most, s)};
    }
  }
  return range;
}

// Whether the pair is within reach_of(its thickness), a rising function.
template <class ReachOf>
bool within_thickness(const ContactShape& shape, const ContactPair& pair, const Points& x, double thickness,
                      ReachOf&& reach_of) {
  if (!same_part(shape, pair)) return within(pair, x, reach_of(thickness));
  // First with a bound on the distance at rest, which settles neighbours.
  const double bound = std::min(thickness, 0.5 * std::sqrt(squared_differences(pair, shape.rest).least));
  return within(pair, x, reach_of(bound)) && within(pair, x, reach_of(pair_thickness(shape, pair, thickness)));
}

}  // namespace

BroadPhase::BroadPhase(const ContactShape& shape) : shape_(shape) {
  const int n_triangles = static_cast<int>(shape_.triangles.size());
  std::vector<Tri> ascending = shape_.triangles;
  std::vector<char> is_used(shape_.n_points, 0);
  for (Tri& t : ascending) {
    std::sort(t.begin(), t.end());
    for (int corner : t) is_used[corner] = 1;
  }
  for (int i = 0; i < shape_.n_points; ++i) {
    if (is_used[i]) used_.push_back(i);
  }
  triangle_.resize(n_triangles);
  std::iota(triangle_.begin(), triangle_.end(), 0);
  std::sort(triangle_.begin(), triangle_.end(),
            [&](int a, int b) { return ascending[a] != ascending[b] ? ascending[a] < ascending[b] : a < b; });
  for (int i : triangle_) corners_.push_back(ascending[i]);

  point_boxes_.resize(shape_.n_points);
  used_boxes_.resize(used_.size());
  edge_boxes_.resize(shape_.edges.size());
  face_boxes_.resize(corners_.size());
  place(shape_.rest, 0);
  const std::vector<char>& fixed = shape_.fixed;
  const auto tag = [&](bool still, int point) -> BoxTree::Tag {
    return {static_cast<char>(still), shape_.within_parts ? -1 : shape_.part[point]};
  };
  std::vector<BoxTree::Tag> used, edges, faces;
  for (int i : used_) used.push_back(tag(fixed[i], i));
  for (const auto& [a, b] : shape_.edges) edges.push_back(tag(fixed[a] && fixed[b], a));
  for (const auto& [a, b, c] : corners_) faces.push_back(tag(fixed[a] && fixed[b] && fixed[c], a));
  points_.build(used_boxes_, std::move(used));
  edges_.build(edge_boxes_, std::move(edges));
  faces_.build(face_boxes_, std::move(faces));
}

template <class BoxOf>
void BroadPhase::place_points(BoxOf&& box_of) {
  constexpr size_t kGrain = 1024;
  parallel_for(used_.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) used_boxes_[i] = point_boxes_[used_[i]] = box_of(used_[i]);
  });
  // The box of an edge or triangle is that of its points, also while they move along straight lines.
  parallel_for(edge_boxes_.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      edge_boxes_[i] = point_boxes_[shape_.edges[i][0]];
      edge_boxes_[i].add(point_boxes_[shape_.edges[i][1]]);
    }
  });
  parallel_for(face_boxes_.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      face_boxes_[i] = point_boxes_[corners_[i][0]];
      face_boxes_[i].add(point_boxes_[corners_[i][1]]);
      face_boxes_[i].add(point_boxes_[corners_[i][2]]);
    }
  });
}

void BroadPhase::place(const Points& x, double margin) {
  expect(static_cast<int>(x.size()) == shape_.n_points, "the position of every point");
  place_points([&](int i) { return small_box(x[i].array() - margin, x[i].array() + margin); });
}

void BroadPhase::place_swept(const Points& x, const Points& dx, double margin, double margin_share) {
  expect(static_cast<int>(x.size()) == shape_.n_points && x.size() == dx.size(),
         "the position and the motion of every point");
  // A motion that all have in common changes no distance, but makes long boxes.
  Vec3 common = Vec3::Zero();
  for (int i : used_) common += dx[i] / static_cast<double>(used_.size());
  if (!common.allFinite()) common.setZero();
  place_points([&](int i) {
    const Vec3 move = dx[i] - common, to = x[i] + move;
    const double m = margin + margin_share * move.norm();
    if (to.hasNaN() || x[i].hasNaN()) return SmallBox();
    return small_box(x[i].cwiseMin(to).array() - m, x[i].cwiseMax(to).array() + m);
  });
}

template <class Keep>
std::vector<ContactPair> BroadPhase::collect(Keep&& keep) {
  points_.refit(used_boxes_);
  edges_.refit(edge_boxes_);
  faces_.refit(face_boxes_);
  const auto face_pair = [&](const Found& f) {
    const Tri& t = corners_[f[1]];
    return ContactPair{ContactPair::Kind::point_triangle, {used_[f[0]], t[0], t[1], t[2]}};
  };
  const auto edge_pair = [&](const Found& f) {
    const auto &a = shape_.edges[f[0]], &b = shape_.edges[f[1]];
    return ContactPair{ContactPair::Kind::edge_edge, {a[0], a[1], b[0], b[1]}};
  };
  const double meets = std::pow(kMeetsAtRest * shape_.mean_edge, 2);
  const auto passes = [&](const ContactPair& pair) {
    return keep(pair) && (!same_part(shape_, pair) || squared_distance_only(pair, shape_.rest) >= meets);
  };
  // The trees leave out pairs of fixed points and of parts that do not collide with themselves; those that share a
  // point are left out here.
  const std::vector<Found> at_faces = gather(points_.n_leaves(), used_.size(), [&](int leaf, std::vector<Found>& out) {
    faces_.overlaps_with(points_, leaf, false, [&](int point, int face) {
      const int p = used_[point];
      const Tri& t = corners_[face];
      if (p != t[0] && p != t[1] && p != t[2] && passes(face_pair({point, face}))) out.push_back({point, face});
    });
  });
  const std::vector<Found> at_edges =
      gather(edges_.n_leaves(), edge_boxes_.size(), [&](int leaf, std::vector<Found>& out) {
        edges_.overlaps_within(leaf, [&](int first, int second) {
          const Found f = {std::min(first, second), std::max(first, second)};
          const auto &a = shape_.edges[f[0]], &b = shape_.edges[f[1]];
          const bool shares = a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
          if (!shares && passes(edge_pair(f))) out.push_back(f);
        });
      });
  std::vector<ContactPair> pairs;
  pairs.reserve(at_faces.size() + at_edges.size());
  for (const Found& f : at_faces) pairs.push_back(face_pair(f));
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());  // the same triangle twice
  for (const Found& f : at_edges) pairs.push_back(edge_pair(f));
  return pairs;
}

std::vector<ContactPair> BroadPhase::near(const Points& x, double reach) {
  if (!(reach >= 0)) return {};
  place(x, 0.5 * reach);
  return collect([&](const ContactPair& pair) { return within(pair, x, reach); });
}

std::vector<ContactPair> BroadPhase::near_thickness(const Points& x, double thickness, double slack) {
  if (!(thickness + slack >= 0)) return {};
  place(x, 0.5 * (thickness + slack));
  return collect([&](const ContactPair& pair) {
    return within_thickness(shape_, pair, x, thickness, [&](double t) { return t + slack; });
  });
}

// A pair comes within keep times its distance d at x only when its relative motion m exceeds (1 - keep) d. Then keep d
// is below m keep / (1 - keep), and m below the sum of what both move: each box grows by that share of its own motion.
// The nearest points move no more relative to each other than some two corners.
std::vector<ContactPair> BroadPhase::near_swept(const Points& x, const Points& dx, double reach, double keep) {
  if (!(reach >= 0) || !(keep >= 0 && keep < 1)) return {};
  place_swept(x, dx, 0.5 * reach, keep / (1 - keep));
  return collect([&](const ContactPair& pair) {
    const double motion = std::sqrt(squared_differences(pair, dx).most);
    return within(pair, x, std::max(reach + motion, motion / (1 - keep)));
  });
}

std::vector<ContactPair> BroadPhase::near_thickness_swept(const Points& x, const Points& dx, double thickness,
                                                          double keep) {
  if (!(thickness >= 0) || !(keep >= 0 && keep < 1)) return {};
  place_swept(x, dx, 0.5 * thickness, keep / (1 - keep));
  return collect([&](const ContactPair& pair) {
    const double motion = std::sqrt(squared_differences(pair, dx).most);
    return within_thickness(shape_, pair, x, thickness,
                            [&](double t) { return std::max(t + motion, motion / (1 - keep)); });
  });
}

std::vector<std::array<int, 2>> BroadPhase::edges_at_triangles(const Points& x, bool all) {
  place(x, 0);
  edges_.refit(edge_boxes_);
  faces_.refit(face_boxes_);
  return gather(edges_.n_leaves(), edge_boxes_.size(), [&](int leaf, std::vector<Found>& out) {
    faces_.overlaps_with(edges_, leaf, all, [&](int edge, int face) {
      const auto& [a, b] = shape_.edges[edge];
      const auto& [i, j, k] = corners_[face];
      if (a != i && a != j && a != k && b != i && b != j && b != k) out.push_back({edge, triangle_[face]});
    });
  });
}

}  // namespace supple
