#include "supple/tetmesh/stuffing.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/tetmesh/stencil.h"

namespace supple {

namespace {
constexpr double kMaxTets = 20e6;

double checked(const SignedDistance& f, const Vec3& p) {
  const double value = f(p);
  if (std::isnan(value))
    refuse_lattice("the signed distance is NaN at " + point_text(p), "check the shape for bad coordinates");
  return value;
}

bool has_good_angles(const std::array<Vec3, 4>& q) {
  // Outward face normals; the dihedral angle is the supplement of the angle between two.
  std::array<Vec3, 4> n;
  for (size_t i = 0; i < 4; ++i) {
    const Vec3 &a = q[(i + 1) % 4], &b = q[(i + 2) % 4], &c = q[(i + 3) % 4];
    n[i] = (b - a).cross(c - a).normalized();
    if (n[i].dot(q[i] - a) > 0) n[i] = -n[i];
  }
  static const double low = -std::cos(kLatticeMinDihedral * std::numbers::pi / 180);
  static const double high = -std::cos(kLatticeMaxDihedral * std::numbers::pi / 180);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = i + 1; j < 4; ++j) {
      if (!(n[i].dot(n[j]) > low && n[i].dot(n[j]) < high)) return false;
    }
  }
  return true;
}

// A margin of one cube around the bounds, so that the outermost vertices must be outside.
BccLattice make_lattice(const Box& bounds, double edge) {
  const Vec3 size = bounds.size();
  const Vec3 cubes = (size / edge).array().ceil() + 2;
  if (!(cubes.prod() <= static_cast<double>(kLatticeMaxCells))) {
    double workable = edge;
    while (!(((size / workable).array().ceil() + 2).prod() <= static_cast<double>(kLatticeMaxCells))) workable *= 1.05;
    refuse_lattice(
        fmt::format("an edge of {:g} m needs {:.3g} cells, more than {}", edge, cubes.prod(), kLatticeMaxCells),
        fmt::format("use an edge of {:.3g} m or more", workable));
  }
  BccLattice lattice;
  lattice.edge = edge;
  for (size_t a = 0; a < 3; ++a) lattice.n[a] = static_cast<int64_t>(cubes[static_cast<Eigen::Index>(a)]);
  lattice.origin = 0.5 * (bounds.low + bounds.high - edge * cubes);
  return lattice;
}

// A crossing edge from an inside to an outside vertex; the cut is `t` of the way.
struct Cut {
  int64_t in, out;
  bool is_long;
  double t = 0;
  bool alive = true;
  StencilVertex key() const { return {std::min(in, out), std::max(in, out)}; }
};

class Stuffing {
 public:
  Stuffing(const SignedDistance& f, const Box& bounds, double edge) : f_(f), lattice_(make_lattice(bounds, edge)) {}

  TetMesh mesh(LatticeReport& report) {
    report.edge = lattice_.edge;
    report.n_cells = static_cast<long>(lattice_.n_cells());
    classify();
    require_inside_bounds();
    report.n_lost_near = count_lost();
    find_cuts();
    report.n_warped = warp();
    report.n_thin = count_thin();
    return collect(report);
  }

 private:
  enum Mark : int8_t { outside_near = -2, outside = -1, surface = 0, inside = 1, bad = 2 };

  size_t n_vertices() const { return static_cast<size_t>(lattice_.n_vertices()); }
  static constexpr size_t kGrain = 4096;

  void classify() {
    mark_.resize(n_vertices());
    parallel_for(mark_.size(), kGrain, [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) {
        const double d = f_(lattice_.position(static_cast<int64_t>(v)));
        mark_[v] = std::isnan(d)              ? bad
                   : d < 0                    ? inside
                   : d == 0                   ? surface
                   : d < 0.25 * lattice_.edge ? outside_near
                                              : outside;
      }
    });
    const auto nan = std::find(mark_.begin(), mark_.end(), static_cast<int8_t>(bad));
    if (nan != mark_.end()) checked(f_, lattice_.position(nan - mark_.begin()));
    const auto n_inside = static_cast<double>(std::count(mark_.begin(), mark_.end(), static_cast<int8_t>(inside)));
    if (6 * n_inside > kMaxTets) {
      const double factor = std::cbrt(6 * n_inside / kMaxTets);
      refuse_lattice(fmt::format("an edge of {:g} m gives about {:.3g} tets, more than {:.3g}", lattice_.edge,
                                 6 * n_inside, kMaxTets),
                     fmt::format("use an edge of {:.3g} m or more", 1.05 * factor * lattice_.edge));
    }
  }

  void require_inside_bounds() const {
    for (size_t v = 0; v < mark_.size(); ++v) {
      if (mark_[v] < surface) continue;
      const auto c = lattice_.half_edges(static_cast<int64_t>(v));
      for (size_t a = 0; a < 3; ++a) {
        if (c[a] <= 1 || c[a] >= 2 * lattice_.n[a] - 1) {
          refuse_lattice(
              "the shape reaches beyond its bounds at " + point_text(lattice_.position(static_cast<int64_t>(v))),
              "enlarge the bounds");
        }
      }
    }
  }

  // body(neighbour, direction) for the neighbours within the lattice.
  template <class Body>
  void for_neighbours(int64_t v, const Body& body) const {
    const auto c = lattice_.half_edges(v);
    for (int d = 0; d < BccLattice::kDirections; ++d) {
      const auto step = BccLattice::direction(d);
      const BccLattice::Index other{c[0] + step[0], c[1] + step[1], c[2] + step[2]};
      if (lattice_.contains(other)) body(lattice_.vertex(other), d);
    }
  }

  bool has_inside_neighbour(int64_t v) const {
    bool found = false;
    for_neighbours(v, [&](int64_t w, int) { found = found || mark_[static_cast<size_t>(w)] == inside; });
    return found;
  }

  int count_lost() const {
    const double n = parallel_sum(mark_.size(), kGrain, [&](size_t begin, size_t end) {
      double lost = 0;
      for (size_t v = begin; v < end; ++v) {
        if (mark_[v] != outside_near) continue;
        lost += !has_inside_neighbour(static_cast<int64_t>(v));
      }
      return lost;
    });
    return static_cast<int>(n);
  }

  int count_thin() const {
    return static_cast<int>(
        std::count_if(moved_out_.begin(), moved_out_.end(), [&](int64_t v) { return !has_inside_neighbour(v); }));
  }

  void find_cuts() {
    std::vector<std::vector<Cut>> parts((mark_.size() + kGrain - 1) / kGrain);
    parallel_for(mark_.size(), kGrain, [&](size_t begin, size_t end) {
      auto& part = parts[begin / kGrain];
      for (size_t v = begin; v < end; ++v) {
        if (mark_[v] != inside) continue;
        for_neighbours(static_cast<int64_t>(v), [&](int64_t w, int d) {
          if (mark_[static_cast<size_t>(w)] < 0) part.push_back({static_cast<int64_t>(v), w, BccLattice::is_long(d)});
        });
      }
    });
    for (const auto& part : parts) cuts_.insert(cuts_.end(), part.begin(), part.end());
    parallel_for(cuts_.size(), 64, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) cuts_[i].t = find_root(cuts_[i]);
    });
  }

  // False position with the Illinois change, and every third step a bisection, which alone copes with jumps.
  double find_root(const Cut& cut) const {
    const Vec3 a = lattice_.position(cut.in), b = lattice_.position(cut.out);
    double lo = 0, hi = 1, f_lo = checked(f_, a), f_hi = checked(f_, b);
    const double scale = std::abs(f_lo) + std::abs(f_hi);
    const double small = std::isfinite(scale) ? 1e-15 * scale : 0;
    int last = 0;
    for (int step = 1; step < 200 && hi - lo > 1e-13; ++step) {
      double t = lo - f_lo * (hi - lo) / (f_hi - f_lo);
      if (step % 3 == 0 || !(t > lo && t < hi)) t = 0.5 * (lo + hi);
      const double value = checked(f_, a + t * (b - a));
      if (std::abs(value) <= small) return t;
      const int now = value < 0 ? -1 : 1;
      if (now < 0) {
        lo = t, f_lo = value;
        if (last == now) f_hi *= 0.5;
      } else {
        hi = t, f_hi = value;
        if (last == now) f_lo *= 0.5;
      }
      last = now;
    }
    return 0.5 * (lo + hi);
  }

  // Moves every vertex that is too near a cut to the nearest one, in the order of the vertices; the cuts of its edges
  // are gone then, so that a later vertex may stay.
  int warp() {
    struct End {
      int64_t vertex;
      size_t cut;
    };
    std::vector<End> ends;
    for (size_t i = 0; i < cuts_.size(); ++i) {
      ends.push_back({cuts_[i].in, i});
      ends.push_back({cuts_[i].out, i});
    }
    std::stable_sort(ends.begin(), ends.end(), [](const End& x, const End& y) { return x.vertex < y.vertex; });
    for (size_t begin = 0, end = 0; begin < ends.size(); begin = end) {
      const int64_t v = ends[begin].vertex;
      const Cut* nearest = nullptr;
      double best = std::numeric_limits<double>::infinity();
      for (end = begin; end < ends.size() && ends[end].vertex == v; ++end) {
        const Cut& cut = cuts_[ends[end].cut];
        const double t = cut.in == v ? cut.t : 1 - cut.t;
        const double distance = t * (cut.is_long ? 1 : BccLattice::kShortOverLong);
        if (cut.alive && t < (cut.is_long ? kAlphaLong : kAlphaShort) && distance < best)
          nearest = &cut, best = distance;
      }
      if (!nearest) continue;
      warped_.emplace_back(v, cut_position(*nearest));
      if (nearest->in == v) moved_out_.push_back(v);
      mark_[static_cast<size_t>(v)] = surface;
      for (size_t i = begin; i < end; ++i) cuts_[ends[i].cut].alive = false;
    }
    std::erase_if(cuts_, [](const Cut& c) { return !c.alive; });
    std::sort(cuts_.begin(), cuts_.end(), [](const Cut& x, const Cut& y) { return x.key() < y.key(); });
    return static_cast<int>(warped_.size());
  }

  Vec3 cut_position(const Cut& cut) const {
    const Vec3 a = lattice_.position(cut.in), b = lattice_.position(cut.out);
    return a + cut.t * (b - a);
  }

  size_t cut_index(const StencilVertex& v) const {
    const auto found = std::lower_bound(cuts_.begin(), cuts_.end(), v,
                                        [](const Cut& c, const StencilVertex& key) { return c.key() < key; });
    return static_cast<size_t>(found - cuts_.begin());
  }

  Vec3 position(const StencilVertex& v) const {
    if (v.b >= 0) return cut_position(cuts_[cut_index(v)]);
    const auto found =
        std::lower_bound(warped_.begin(), warped_.end(), v.a, [](const auto& w, int64_t key) { return w.first < key; });
    return found != warped_.end() && found->first == v.a ? found->second : lattice_.position(v.a);
  }

  // A tet with all corners on the surface. The paper drops them all, and with them plates about an edge thick whose
  // vertices have all moved to one side or the other; those that span the inside with good angles are kept here.
  bool is_bridge(const StencilTet& tet) const {
    std::array<Vec3, 4> q;
    for (size_t c = 0; c < 4; ++c) q[c] = position(tet[c]);
    if (!(tet_volume(q[0], q[1], q[2], q[3]) > 0) || !has_good_angles(q)) return false;
    const Vec3 middle = 0.25 * (q[0] + q[1] + q[2] + q[3]);
    if (!(f_(middle) < 0)) return false;
    // Halfway to each face too.
    return std::all_of(q.begin(), q.end(), [&](const Vec3& corner) { return f_((7 * middle - corner) / 6) < 0; });
  }

  // Two neighbouring cubes and one edge of the square between them make a lattice tet.
  void cut_cube(int64_t i, int64_t j, int64_t k, std::vector<StencilTet>& result) const {
    static constexpr std::array<std::array<int64_t, 2>, 5> ring{{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}};
    const std::array<int64_t, 3> cube{i, j, k};
    for (size_t u = 0; u < 3; ++u) {
      if (cube[u] + 1 >= lattice_.n[u]) continue;
      auto next = cube;
      ++next[u];
      const size_t v = (u + 1) % 3, w = (u + 2) % 3;
      const auto corner = [&](const std::array<int64_t, 2>& r) {
        auto c = next;
        c[v] += r[0];
        c[w] += r[1];
        return lattice_.corner(c[0], c[1], c[2]);
      };
      for (size_t m = 0; m < 4; ++m) {
        const std::array<int64_t, 4> tet{lattice_.centre(i, j, k), lattice_.centre(next[0], next[1], next[2]),
                                         corner(ring[m]), corner(ring[m + 1])};
        std::array<Side, 4> side{};
        for (size_t c = 0; c < 4; ++c) {
          const int8_t mark = mark_[static_cast<size_t>(tet[c])];
          side[c] = mark < 0 ? Side::outside : mark == 0 ? Side::surface : Side::inside;
        }
        if (std::count(side.begin(), side.end(), Side::surface) == 4) {
          const StencilTet whole{{{tet[0], -1}, {tet[1], -1}, {tet[2], -1}, {tet[3], -1}}};
          if (is_bridge(whole)) result.push_back(whole);
        } else {
          cut_tet(lattice_, tet, side, result);
        }
      }
    }
  }

  TetMesh collect(LatticeReport& report) const {
    std::vector<std::vector<StencilTet>> slabs(static_cast<size_t>(lattice_.n[0]));
    parallel_for(slabs.size(), 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        for (int64_t j = 0; j < lattice_.n[1]; ++j) {
          for (int64_t k = 0; k < lattice_.n[2]; ++k) cut_cube(static_cast<int64_t>(i), j, k, slabs[i]);
        }
      }
    });
    // Vertices in the order of their first use, so that neighbours stay near in memory.
    TetMesh mesh;
    std::vector<int> of_lattice(n_vertices(), -1), of_cut(cuts_.size(), -1);
    for (const auto& slab : slabs) {
      for (const StencilTet& t : slab) {
        Tet tet{};
        for (size_t c = 0; c < 4; ++c) {
          int& index = t[c].b >= 0 ? of_cut[cut_index(t[c])] : of_lattice[static_cast<size_t>(t[c].a)];
          if (index < 0) {
            index = mesh.n_vertices();
            mesh.vertices.push_back(position(t[c]));
          }
          tet[c] = index;
        }
        mesh.tets.push_back(tet);
      }
    }
    report.n_cut = static_cast<int>(std::count_if(of_cut.begin(), of_cut.end(), [](int i) { return i >= 0; }));
    report.n_vertices = mesh.n_vertices();
    report.n_tets = mesh.n_tets();
    return mesh;
  }

  const SignedDistance& f_;
  BccLattice lattice_;
  std::vector<int8_t> mark_;
  std::vector<Cut> cuts_;                         // after warp(): sorted by key
  std::vector<std::pair<int64_t, Vec3>> warped_;  // sorted by vertex
  std::vector<int64_t> moved_out_;                // of these, the ones that were inside
};
}  // namespace

void refuse_lattice(const std::string& what, const std::string& advice) {
  throw InputError({"", 0, 0, "tet lattice"}, what, advice);
}

std::string point_text(const Vec3& p) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", p.x(), p.y(), p.z()); }

TetMesh stuff(const SignedDistance& f, const Box& bounds, double edge, LatticeReport& report) {
  report = {};
  return Stuffing(f, bounds, edge).mesh(report);
}

}  // namespace supple
