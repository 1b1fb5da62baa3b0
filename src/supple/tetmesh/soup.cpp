#include "supple/tetmesh/soup.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/base/parallel.h"
#include "supple/mesh/winding_number.h"

namespace supple {

namespace {

// Points are at the same place when they round to the same: exporters lose the last digits.
std::vector<int> find_places(const Points& points) {
  const double step = 1e-7 * longest_side(points);
  std::vector<std::array<int64_t, 3>> rounded(points.size());
  const Vec3 low = bounding_box(points).low;
  for (size_t i = 0; i < points.size() && step > 0; ++i) {
    for (int a = 0; a < 3; ++a) rounded[i][a] = std::llround((points[i][a] - low[a]) / step);
  }
  std::vector<int> order(points.size()), place(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return rounded[a] != rounded[b] ? rounded[a] < rounded[b] : a < b; });
  for (size_t i = 0; i < order.size(); ++i)
    place[order[i]] = i > 0 && rounded[order[i]] == rounded[order[i - 1]] ? place[order[i - 1]] : order[i];
  return place;
}

struct HalfEdge {
  int low, high, triangle, corner;
};

class Builder {
 public:
  Builder(const TriMesh& surface, const std::vector<int>& chosen) {
    soup_.vertices = surface.vertices;
    soup_.place = find_places(surface.vertices);
    for (int t : chosen) keep(surface.triangles[t]);
    const size_t n = soup_.triangles.size();
    soup_.next.assign(n, {-1, -1, -1});
    pair_.assign(n, {0, 0, 0});
    flipped_.assign(n, 0);
    soup_.sheet.assign(n, 0);
  }

  Soup build() {
    connect();
    find_pieces();
    for (size_t i = 0; i < soup_.triangles.size(); ++i) {
      if (!flipped_[i]) continue;
      ++soup_.n_flipped;
      // Corners 1 and 2 change places, and with them edges 0 and 2.
      std::swap(soup_.triangles[i][1], soup_.triangles[i][2]);
      std::swap(soup_.next[i][0], soup_.next[i][2]);
      soup_.normals[i] = -soup_.normals[i];
    }
    find_sheets();
    for (size_t i = 0; i < soup_.sheet.size(); ++i) (soup_.sheet[i] ? soup_.has_sheet : soup_.has_solid) = true;
    for (const Piece& piece : pieces_) {
      if (!soup_.sheet[piece.triangles.front()]) soup_.volume += std::abs(piece.volume);
    }
    return std::move(soup_);
  }

 private:
  struct Piece {
    std::vector<int> triangles;
    bool closed = true;
    double volume = 0;
  };

  void keep(const Tri& t) {
    const Vec3 &a = soup_.vertices[t[0]], &b = soup_.vertices[t[1]], &c = soup_.vertices[t[2]];
    const double longest2 = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    const Vec3 twice = (b - a).cross(c - a);
    if (!(twice.norm() > 1e-10 * longest2)) {
      ++soup_.n_degenerate;
      return;
    }
    soup_.triangles.push_back(t);
    soup_.normals.push_back(twice.normalized());
    soup_.areas.push_back(0.5 * twice.norm());
    soup_.area += 0.5 * twice.norm();
  }

  // Triangles that name the same two vertices first; edges left over by the places of their ends (seams). So parts
  // that only touch along an edge stay apart.
  void connect() {
    std::vector<HalfEdge> edges;
    for (int t = 0; t < static_cast<int>(soup_.triangles.size()); ++t) {
      for (int c = 0; c < 3; ++c) {
        const auto [low, high] = std::minmax(soup_.triangles[t][c], soup_.triangles[t][(c + 1) % 3]);
        edges.push_back({low, high, t, c});
      }
    }
    edges = match(edges);
    for (HalfEdge& e : edges) {
      const auto [low, high] = std::minmax(soup_.place[e.low], soup_.place[e.high]);
      e.low = low, e.high = high;
    }
    soup_.n_open_edges = static_cast<int>(match(edges).size());
  }

  std::vector<HalfEdge> match(std::vector<HalfEdge> edges) {
    std::sort(edges.begin(), edges.end(), [](const HalfEdge& x, const HalfEdge& y) {
      return std::tie(x.low, x.high, x.triangle, x.corner) < std::tie(y.low, y.high, y.triangle, y.corner);
    });
    std::vector<HalfEdge> alone;
    for (size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
      while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high) ++end;
      if (end - begin == 1) {
        alone.push_back(edges[begin]);
        continue;
      }
      for (size_t i = begin; i < end; ++i) {
        const HalfEdge& other = edges[i + 1 < end ? i + 1 : begin];
        soup_.next[edges[i].triangle][edges[i].corner] = other.triangle;
        pair_[edges[i].triangle][edges[i].corner] = end - begin == 2;
      }
      soup_.n_nonmanifold_edges += end - begin > 2;
    }
    return alone;
  }

  // True when both triangles run along the edge in the same direction.
  bool same_direction(int t, int c, int other) const {
    const int from = soup_.place[soup_.triangles[t][c]], to = soup_.place[soup_.triangles[t][(c + 1) % 3]];
    for (int k = 0; k < 3; ++k) {
      if (soup_.place[soup_.triangles[other][k]] == from && soup_.place[soup_.triangles[other][(k + 1) % 3]] == to)
        return true;
    }
    return false;
  }

  void find_pieces() {
    const int n = static_cast<int>(soup_.triangles.size());
    std::vector<char> seen(n, 0);
    for (int start = 0; start < n; ++start) {
      if (seen[start]) continue;
      Piece piece;
      piece.triangles = {start};
      seen[start] = 1;
      for (size_t i = 0; i < piece.triangles.size(); ++i) {
        const int t = piece.triangles[i];
        for (int c = 0; c < 3; ++c) {
          const int other = soup_.next[t][c];
          piece.closed &= other >= 0 && pair_[t][c];
          if (other < 0 || !pair_[t][c] || seen[other]) continue;
          seen[other] = 1;
          flipped_[other] = flipped_[t] ^ static_cast<char>(same_direction(t, c, other));
          piece.triangles.push_back(other);
        }
      }
      turn_outwards(piece);
      pieces_.push_back(std::move(piece));
    }
  }

  void turn_outwards(Piece& piece) {
    // About its own centre, so that an open piece counts as if closed by fans to there.
    Vec3 centre = Vec3::Zero();
    double area = 0;
    for (int t : piece.triangles) centre += soup_.areas[t] * soup_.middle(t), area += soup_.areas[t];
    centre /= area;
    double kept = 0;
    for (int t : piece.triangles) {
      const double part = soup_.areas[t] * soup_.normals[t].dot(soup_.middle(t) - centre) / 3;
      piece.volume += flipped_[t] ? -part : part;
      kept += flipped_[t] ? -soup_.areas[t] : soup_.areas[t];
    }
    // Flat ones have no volume to tell: most of the piece stays as it was.
    const bool flat = std::abs(piece.volume) < 1e-6 * std::pow(area, 1.5);
    if (flat ? kept < 0 : piece.volume < 0) {
      piece.volume = -piece.volume;
      for (int t : piece.triangles) flipped_[t] ^= 1;
    }
  }

  // Mean over a piece of f(winding number just behind it).
  template <class F>
  double mean_behind(const Piece& piece, const WindingNumber& winding, F&& f) const {
    constexpr size_t kEnough = 200;
    const size_t stride = piece.triangles.size() / kEnough + 1;
    double sum = 0, area = 0;
    for (size_t i = 0; i < piece.triangles.size(); i += stride) {
      const int t = piece.triangles[i];
      sum += soup_.areas[t] * f(winding(soup_.middle(t) - 1e-5 * std::sqrt(soup_.areas[t]) * soup_.normals[t]));
      area += soup_.areas[t];
    }
    return sum / area;
  }

  WindingNumber winding_of(const std::vector<int>& triangles) const {
    std::vector<Tri> tris;
    tris.reserve(triangles.size());
    for (int t : triangles) tris.push_back(soup_.triangles[t]);
    return {soup_.vertices, tris};
  }

  // Closed pieces are solid. Open ones are when their own winding number is well above 1/2 behind them; at a flat
  // sheet it is 1/2. Of the others those that bound something together: loose triangles of one surface.
  void find_sheets() {
    constexpr double kSolid = 0.7, kMostOfIt = 0.7;
    std::vector<char> solid(pieces_.size(), 1);
    parallel_for(pieces_.size(), 16, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const Piece& piece = pieces_[i];
        if (piece.closed) continue;
        solid[i] = piece.triangles.size() >= 4 &&
                   mean_behind(piece, winding_of(piece.triangles), [](double w) { return w; }) > kSolid;
      }
    });
    std::vector<size_t> left;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (!solid[i]) left.push_back(i);
    }
    // Those that fail leave the sum, which may make others fail.
    for (bool changed = true; changed && !left.empty();) {
      std::vector<int> triangles;
      for (size_t i : left) triangles.insert(triangles.end(), pieces_[i].triangles.begin(), pieces_[i].triangles.end());
      const WindingNumber together = winding_of(triangles);
      std::vector<char> bounds(left.size());
      parallel_for(left.size(), 16, [&](size_t begin, size_t end) {
        for (size_t k = begin; k < end; ++k) {
          const auto near_one = [](double w) { return std::abs(w - 1) < 1 - kSolid ? 1.0 : 0.0; };
          bounds[k] = mean_behind(pieces_[left[k]], together, near_one) > kMostOfIt;
        }
      });
      std::vector<size_t> stay;
      for (size_t k = 0; k < left.size(); ++k) {
        if (bounds[k]) {
          stay.push_back(left[k]);
        } else {
          for (int t : pieces_[left[k]].triangles) soup_.sheet[t] = 1;
        }
      }
      changed = stay.size() < left.size();
      left = std::move(stay);
    }
  }

  Soup soup_;
  std::vector<std::array<char, 3>> pair_;  // per edge: exactly two triangles meet
  std::vector<char> flipped_;
  std::vector<Piece> pieces_;
};

}  // namespace

Soup make_soup(const TriMesh& surface, const std::vector<int>& chosen) { return Builder(surface, chosen).build(); }

}  // namespace supple
