#include "supple/tetmesh/soup.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/base/parallel.h"
#include "supple/mesh/winding_number.h"

namespace supple {

namespace {

std::vector<int> find_places(const Points& points) {
  std::vector<int> order(points.size()), place(points.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&](int a, int b) {
    const Vec3 &p = points[a], &q = points[b];
    if (p.x() != q.x()) return p.x() < q.x();
    if (p.y() != q.y()) return p.y() < q.y();
    return p.z() != q.z() ? p.z() < q.z() : a < b;
  };
  std::sort(order.begin(), order.end(), less);
  for (size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i > 0 && points[order[i]] == points[order[i - 1]] ? place[order[i - 1]] : order[i];
  }
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

  // How solid the back of a piece is: 0.5 where the winding number steps from 0 to 1, 0 where from -1/2 to 1/2.
  double solidity(const Piece& piece, const WindingNumber& winding) const {
    constexpr size_t kEnough = 200;
    const size_t stride = piece.triangles.size() / kEnough + 1;
    double sum = 0, area = 0;
    for (size_t i = 0; i < piece.triangles.size(); i += stride) {
      const int t = piece.triangles[i];
      const double w = winding(soup_.middle(t) - 1e-5 * std::sqrt(soup_.areas[t]) * soup_.normals[t]);
      sum += soup_.areas[t] * std::abs(w - std::floor(w) - 0.5);
      area += soup_.areas[t];
    }
    return sum / area;
  }

  WindingNumber winding_of(const std::vector<int>& triangles) const {
    std::vector<Tri> tris;
    for (int t : triangles) tris.push_back(soup_.triangles[t]);
    return {soup_.vertices, tris};
  }

  // Closed pieces are solid. Open ones are when their own winding number says so, and of the others those that bound
  // something together.
  void find_sheets() {
    constexpr double kSolid = 0.2;
    std::vector<double> own(pieces_.size(), 0.5);
    parallel_for(pieces_.size(), 16, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const Piece& piece = pieces_[i];
        if (!piece.closed) own[i] = piece.triangles.size() < 4 ? 0 : solidity(piece, winding_of(piece.triangles));
      }
    });
    std::vector<int> left;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (own[i] < kSolid) left.insert(left.end(), pieces_[i].triangles.begin(), pieces_[i].triangles.end());
    }
    if (left.empty()) return;
    const WindingNumber together = winding_of(left);
    parallel_for(pieces_.size(), 16, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        if (own[i] >= kSolid || solidity(pieces_[i], together) >= kSolid) continue;
        for (int t : pieces_[i].triangles) soup_.sheet[t] = 1;
      }
    });
  }

  Soup soup_;
  std::vector<std::array<char, 3>> pair_;  // per edge: exactly two triangles meet
  std::vector<char> flipped_;
  std::vector<Piece> pieces_;
};

}  // namespace

Soup make_soup(const TriMesh& surface, const std::vector<int>& chosen) { return Builder(surface, chosen).build(); }

}  // namespace supple
