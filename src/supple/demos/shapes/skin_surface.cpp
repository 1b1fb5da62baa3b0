#include "supple/demos/shapes/skin_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "supple/base/parallel.h"
#include "supple/demos/shapes/lattice_surface.h"

namespace supple::demos {

namespace {

using Edge = std::pair<int, int>;
Edge skin_edge(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

constexpr size_t kGrain = 256;
constexpr int kRounds = 3, kRelaxations = 6;
constexpr double kSplit = 1.35;         // of the wanted length: longer edges are halved
constexpr double kCollapse = 0.62;      // shorter ones vanish
constexpr double kSameDirection = 0.5;  // cosine between normals across an edge that may be flipped
constexpr double kSnap = 0.3;           // of an edge: borders so near to a vertex go through it

class Surfacer {
 public:
  Surfacer(const SignedDistance& f, const Box& bounds, const SurfaceOptions& options) : f_(f), options_(options) {
    mesh_ = lattice_surface(f, bounds, options.lattice > 0 ? options.lattice : options.edge);
    for (int round = 0; round < kRounds; ++round) {
      split_long();
      collapse_short();
      for (int k = 0; k < kRelaxations; ++k) {
        flip();
        relax();
      }
    }
  }

  SkinSurface finish() {
    SkinSurface out;
    out.materials.push_back(options_.material);
    material_.assign(mesh_.triangles.size(), 0);
    for (const auto& [name, paint] : options_.paints) {
      out.materials.push_back(name);
      paint_inside(paint, static_cast<int>(out.materials.size()) - 1);
    }
    mesh_.normals.assign(mesh_.vertices.size(), Vec3::Zero());
    parallel_for(mesh_.vertices.size(), kGrain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) mesh_.normals[i] = gradient(f_, mesh_.vertices[i]).normalized();
    });
    out.mesh = std::move(mesh_);
    out.triangle_material = std::move(material_);
    return out;
  }

 private:
  Vec3 onto(Vec3 x) const {
    for (int k = 0; k < 4; ++k) {
      const Vec3 g = gradient(f_, x);
      const double g2 = g.squaredNorm();
      if (g2 < 0.04) break;
      Vec3 step = f_(x) / g2 * g;
      const double longest = 0.5 * options_.edge;
      if (step.norm() > longest) step *= longest / step.norm();
      x -= step;
    }
    return x;
  }
  double wanted(const Vec3& x) const { return options_.edge * (options_.finer ? options_.finer(x) : 1); }

  // Every edge that is too long gets its midpoint, and its triangles are cut accordingly.
  void split_long() {
    for (int pass = 0; pass < 3; ++pass) {
      std::map<Edge, int> middle;
      for (const Tri& t : mesh_.triangles) {
        for (int c = 0; c < 3; ++c) {
          const Vec3 &a = mesh_.vertices[t[c]], &b = mesh_.vertices[t[(c + 1) % 3]];
          if ((a - b).norm() > kSplit * wanted((a + b) / 2)) middle.try_emplace(skin_edge(t[c], t[(c + 1) % 3]), -1);
        }
      }
      if (middle.empty()) return;
      for (auto& [edge, v] : middle) {
        v = mesh_.n_vertices();
        mesh_.vertices.push_back(onto((mesh_.vertices[edge.first] + mesh_.vertices[edge.second]) / 2));
      }
      cut_edges(middle);
    }
  }

  // Triangles of which one, two or three edges have a new vertex.
  void cut_edges(const std::map<Edge, int>& middle) {
    std::vector<Tri> cut;
    std::vector<int> material;
    for (size_t i = 0; i < mesh_.triangles.size(); ++i) {
      Tri t = mesh_.triangles[i];
      std::array<int, 3> m;
      int n = 0;
      for (int c = 0; c < 3; ++c) {
        const auto it = middle.find(skin_edge(t[c], t[(c + 1) % 3]));
        m[c] = it == middle.end() ? -1 : it->second;
        n += m[c] >= 0;
      }
      // Turned so that the first edge has one, and of two the third has none.
      while (n > 0 && n < 3 && (m[0] < 0 || (n == 2 && m[2] >= 0))) {
        std::rotate(t.begin(), t.begin() + 1, t.end());
        std::rotate(m.begin(), m.begin() + 1, m.end());
      }
      std::vector<Tri> parts;
      if (n == 0) parts = {t};
      if (n == 1) parts = {{t[0], m[0], t[2]}, {m[0], t[1], t[2]}};
      if (n == 2) {
        parts = {{m[0], t[1], m[1]}};
        const auto length = [&](int a, int b) { return (mesh_.vertices[a] - mesh_.vertices[b]).norm(); };
        if (length(t[0], m[1]) < length(m[0], t[2])) {
          parts.insert(parts.end(), {{t[0], m[0], m[1]}, {t[0], m[1], t[2]}});
        } else {
          parts.insert(parts.end(), {{t[0], m[0], t[2]}, {m[0], m[1], t[2]}});
        }
      }
      if (n == 3) parts = {{t[0], m[0], m[2]}, {m[0], t[1], m[1]}, {m[2], m[1], t[2]}, {m[0], m[1], m[2]}};
      cut.insert(cut.end(), parts.begin(), parts.end());
      if (!material_.empty()) material.insert(material.end(), parts.size(), material_[i]);
    }
    mesh_.triangles = std::move(cut);
    material_ = std::move(material);
  }

  // Edges that are too short become one vertex each, as long as the surface keeps its shape and stays a surface.
  void collapse_short() {
    for (int pass = 0; pass < 4; ++pass) {
      const auto around = vertex_neighbours(mesh_.n_vertices(), mesh_.triangles);
      std::vector<std::vector<int>> fan(mesh_.vertices.size());
      for (size_t i = 0; i < mesh_.triangles.size(); ++i) {
        for (int v : mesh_.triangles[i]) fan[v].push_back(static_cast<int>(i));
      }
      std::vector<std::pair<double, Edge>> edges;
      for (int a = 0; a < mesh_.n_vertices(); ++a) {
        for (int b : around[a]) {
          const Vec3 &x = mesh_.vertices[a], &y = mesh_.vertices[b];
          if (a < b && (x - y).norm() < kCollapse * wanted((x + y) / 2)) edges.push_back({(x - y).norm(), {a, b}});
        }
      }
      if (edges.empty()) return;
      std::sort(edges.begin(), edges.end());
      std::vector<int> to(mesh_.vertices.size());
      for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<int>(i);
      std::vector<char> touched(mesh_.vertices.size(), 0);
      for (const auto& [length, edge] : edges) {
        const auto [a, b] = edge;
        if (touched[a] || touched[b]) continue;
        std::vector<int> common;
        std::set_intersection(around[a].begin(), around[a].end(), around[b].begin(), around[b].end(),
                              std::back_inserter(common));
        if (common.size() != 2 || around[common[0]].size() <= 3 || around[common[1]].size() <= 3) continue;
        const Vec3 middle = onto((mesh_.vertices[a] + mesh_.vertices[b]) / 2);
        if (!keeps_shape(fan[a], a, b, middle) || !keeps_shape(fan[b], b, a, middle)) continue;
        to[b] = a;
        mesh_.vertices[a] = middle;
        for (int v : around[a]) touched[v] = 1;
        for (int v : around[b]) touched[v] = 1;
      }
      compact(to);
    }
  }
  bool keeps_shape(const std::vector<int>& fan, int moved, int gone, const Vec3& x) const {
    for (int i : fan) {
      const Tri& t = mesh_.triangles[i];
      if (std::find(t.begin(), t.end(), gone) != t.end()) continue;
      Vec3 p[3];
      for (int c = 0; c < 3; ++c) p[c] = t[c] == moved ? x : mesh_.vertices[t[c]];
      const Vec3 before = normal(t), after = (p[1] - p[0]).cross(p[2] - p[0]);
      if (after.dot(before) <= kSameDirection * after.norm() * before.norm()) return false;
      for (int c = 0; c < 3; ++c) {
        if ((p[c] - p[(c + 1) % 3]).norm() > kSplit * wanted((p[c] + p[(c + 1) % 3]) / 2)) return false;
      }
    }
    return true;
  }
  void compact(const std::vector<int>& to) {
    std::vector<int> place(to.size(), -1);
    Points kept;
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] != static_cast<int>(i)) continue;
      place[i] = static_cast<int>(kept.size());
      kept.push_back(mesh_.vertices[i]);
    }
    std::vector<Tri> triangles;
    for (const Tri& t : mesh_.triangles) {
      const Tri n = {place[to[t[0]]], place[to[t[1]]], place[to[t[2]]]};
      if (n[0] != n[1] && n[1] != n[2] && n[2] != n[0]) triangles.push_back(n);
    }
    mesh_.vertices = std::move(kept);
    mesh_.triangles = std::move(triangles);
  }

  Vec3 normal(const Tri& t) const {
    const Points& x = mesh_.vertices;
    return (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]);
  }
  double angle_at(int v, int a, int b) const {
    const Vec3 p = mesh_.vertices[a] - mesh_.vertices[v], q = mesh_.vertices[b] - mesh_.vertices[v];
    return std::atan2(p.cross(q).norm(), p.dot(q));
  }

  // Edges whose opposite angles sum to more than half a turn are replaced by the other diagonal.
  void flip() {
    std::map<Edge, std::array<int, 2>> sides;
    for (size_t i = 0; i < mesh_.triangles.size(); ++i) {
      for (int c = 0; c < 3; ++c) {
        auto& s =
            sides.try_emplace(skin_edge(mesh_.triangles[i][c], mesh_.triangles[i][(c + 1) % 3]), std::array{-1, -1})
                .first->second;
        (s[0] < 0 ? s[0] : s[1]) = static_cast<int>(i);
      }
    }
    std::vector<char> touched(mesh_.triangles.size(), 0);
    std::set<Edge> added;
    for (const auto& [edge, s] : sides) {
      if (s[1] < 0 || touched[s[0]] || touched[s[1]]) continue;
      Tri &one = mesh_.triangles[s[0]], &two = mesh_.triangles[s[1]];
      const auto opposite = [&, edge = edge](const Tri& t) {
        for (int v : t) {
          if (v != edge.first && v != edge.second) return v;
        }
        return -1;
      };
      const int c = opposite(one), d = opposite(two);
      if (c < 0 || d < 0 || c == d || sides.count(skin_edge(c, d)) || added.count(skin_edge(c, d))) continue;
      if (angle_at(c, edge.first, edge.second) + angle_at(d, edge.first, edge.second) < M_PI + 1e-6) continue;
      // one is (a, b, c) in its own order, two has b, a.
      int a = edge.first, b = edge.second;
      for (int k = 0; k < 3; ++k) {
        if (one[k] == b && one[(k + 1) % 3] == a) std::swap(a, b);
      }
      const Tri first = {a, d, c}, second = {d, b, c};
      const Vec3 n = normal(one) + normal(two), n1 = normal(first), n2 = normal(second);
      if (normal(one).normalized().dot(normal(two).normalized()) < kSameDirection) continue;
      if (n1.dot(n) <= kSameDirection * n1.norm() * n.norm() || n2.dot(n) <= kSameDirection * n2.norm() * n.norm()) {
        continue;
      }
      one = first;
      two = second;
      touched[s[0]] = touched[s[1]] = 1;
      added.insert(skin_edge(c, d));
    }
  }

  // Every vertex towards the middle of its triangles, along the surface.
  void relax() {
    Points sum(mesh_.vertices.size(), Vec3::Zero());
    std::vector<double> weight(mesh_.vertices.size(), 0);
    for (const Tri& t : mesh_.triangles) {
      const double area = normal(t).norm();
      const Vec3 middle = (mesh_.vertices[t[0]] + mesh_.vertices[t[1]] + mesh_.vertices[t[2]]) / 3;
      // Small wanted edges draw vertices, by the size that their triangles should have.
      const double w = area / std::pow(wanted(middle), 2);
      for (int v : t) sum[v] += w * middle, weight[v] += w;
    }
    Points moved = mesh_.vertices;
    parallel_for(moved.size(), kGrain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        if (!(weight[i] > 0)) continue;
        const Vec3 g = gradient(f_, moved[i]).normalized();
        Vec3 step = 0.6 * (sum[i] / weight[i] - moved[i]);
        step -= step.dot(g) * g;
        moved[i] = onto(moved[i] + step);
      }
    });
    mesh_.vertices = std::move(moved);
  }

  // The triangles inside of `paint` get the material, cut along its border.
  void paint_inside(const SignedDistance& paint, int index) {
    std::vector<double> value(mesh_.vertices.size());
    for (size_t i = 0; i < value.size(); ++i) value[i] = paint(mesh_.vertices[i]);
    const auto crossing = [&](int a, int b) {
      return (value[a] < 0 && value[b] > 0) || (value[a] > 0 && value[b] < 0);
    };
    for (const Tri& t : mesh_.triangles) {
      for (int c = 0; c < 3; ++c) {
        const int a = t[c], b = t[(c + 1) % 3];
        if (!crossing(a, b)) continue;
        const double s = value[a] / (value[a] - value[b]);
        const int near = s < 0.5 ? a : b;
        if (std::min(s, 1 - s) > kSnap) continue;
        mesh_.vertices[near] = onto(mesh_.vertices[a] + s * (mesh_.vertices[b] - mesh_.vertices[a]));
        value[near] = 0;
      }
    }
    std::map<Edge, int> middle;
    for (const Tri& t : mesh_.triangles) {
      for (int c = 0; c < 3; ++c) {
        if (crossing(t[c], t[(c + 1) % 3])) middle.try_emplace(skin_edge(t[c], t[(c + 1) % 3]), -1);
      }
    }
    for (auto& [edge, v] : middle) {
      const auto [a, b] = edge;
      const double s = value[a] / (value[a] - value[b]);
      v = mesh_.n_vertices();
      mesh_.vertices.push_back(onto(mesh_.vertices[a] + s * (mesh_.vertices[b] - mesh_.vertices[a])));
      value.push_back(0);
    }
    cut_edges(middle);
    for (size_t i = 0; i < mesh_.triangles.size(); ++i) {
      const Tri& t = mesh_.triangles[i];
      const double sum = value[t[0]] + value[t[1]] + value[t[2]];
      if (sum < 0 ||
          (sum == 0 && paint((mesh_.vertices[t[0]] + mesh_.vertices[t[1]] + mesh_.vertices[t[2]]) / 3) < 0)) {
        material_[i] = index;
      }
    }
  }

  const SignedDistance& f_;
  const SurfaceOptions& options_;
  TriMesh mesh_;
  std::vector<int> material_;  // a triangle; empty before painting
};

}  // namespace

Vec3 gradient(const SignedDistance& f, const Vec3& p, double step) {
  Vec3 g;
  for (int k = 0; k < 3; ++k) {
    const Vec3 d = step * Vec3::Unit(k);
    g[k] = (f(p + d) - f(p - d)) / (2 * step);
  }
  return g;
}

std::vector<std::vector<int>> vertex_neighbours(int n_vertices, const std::vector<Tri>& triangles) {
  std::vector<std::vector<int>> around(static_cast<size_t>(n_vertices));
  for (const Tri& t : triangles) {
    for (int c = 0; c < 3; ++c) {
      around[t[c]].push_back(t[(c + 1) % 3]);
      around[t[c]].push_back(t[(c + 2) % 3]);
    }
  }
  for (auto& list : around) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return around;
}

void diffuse(const std::vector<std::vector<int>>& neighbours, int passes, MatX& rows) {
  for (int pass = 0; pass < passes; ++pass) {
    MatX next = rows;
    for (size_t i = 0; i < neighbours.size(); ++i) {
      if (neighbours[i].empty()) continue;
      Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
      for (int n : neighbours[i]) sum += rows.row(n);
      next.row(static_cast<Eigen::Index>(i)) =
          0.5 * rows.row(static_cast<Eigen::Index>(i)) + 0.5 / static_cast<double>(neighbours[i].size()) * sum;
    }
    rows = std::move(next);
  }
}

SkinSurface skin_surface(const SignedDistance& f, const Box& bounds, const SurfaceOptions& options) {
  return Surfacer(f, bounds, options).finish();
}

}  // namespace supple::demos
