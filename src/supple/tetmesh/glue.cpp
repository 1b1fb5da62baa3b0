#include "supple/tetmesh/glue.h"

#include <algorithm>
#include <numeric>

namespace supple {

namespace {

using Face = std::array<int, 3>;

class Gluing {
 public:
  Gluing(const GradedLattice& lattice, const std::vector<TetContents>& contents, bool keep_apart)
      : lattice_(lattice), contents_(contents), keep_apart_(keep_apart) {
    first_.push_back(0);
    for (const TetContents& c : contents) first_.push_back(first_.back() + c.n_bits);
    parent_.resize(4 * static_cast<size_t>(first_.back()));
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  Glued run() {
    join_across_faces();
    merge_equal();
    assemble();
    return std::move(out_);
  }

 private:
  int root(int node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void join(int a, int b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  void join_across_faces() {
    struct Side {
      Face face;
      int tet, opposite;
    };
    std::vector<Side> sides;
    for (int t = 0; t < static_cast<int>(contents_.size()); ++t) {
      if (contents_[t].n_bits == 0) continue;
      const auto& v = lattice_.tets()[t].vertex;
      for (int c = 0; c < 4; ++c) {
        Face face{v[(c + 1) % 4], v[(c + 2) % 4], v[(c + 3) % 4]};
        std::sort(face.begin(), face.end());
        sides.push_back({face, t, c});
      }
    }
    std::sort(sides.begin(), sides.end(),
              [](const Side& x, const Side& y) { return x.face != y.face ? x.face < y.face : x.tet < y.tet; });
    for (size_t i = 0; i + 1 < sides.size(); ++i) {
      if (sides[i].face == sides[i + 1].face)
        join_sides(sides[i].tet, sides[i].opposite, sides[i + 1].tet, sides[i + 1].opposite);
    }
  }

  void join_bits(int s, int s_bit, int t, int t_bit, int s_opposite) {
    for (int c = 0; c < 4; ++c) {
      if (c == s_opposite) continue;
      const int v = lattice_.tets()[s].vertex[c];
      for (int d = 0; d < 4; ++d) {
        if (lattice_.tets()[t].vertex[d] == v) join(4 * (first_[s] + s_bit) + c, 4 * (first_[t] + t_bit) + d);
      }
    }
  }

  void join_sides(int s, int s_opposite, int t, int t_opposite) {
    const TetContents &x = contents_[s], &y = contents_[t];
    if (!keep_apart_ || (!x.crossed && !y.crossed)) return join_bits(s, 0, t, 0, s_opposite);
    const SampleGrid& grid = SampleGrid::get();
    // Solid points on the face.
    std::array<int, 4> in_t{};  // corner of t at each corner of s
    for (int c = 0; c < 4; ++c) {
      for (int d = 0; d < 4; ++d) {
        if (lattice_.tets()[s].vertex[c] == lattice_.tets()[t].vertex[d]) in_t[c] = d;
      }
    }
    std::vector<std::array<int, 2>> links;
    for (int p : grid.on_face[s_opposite]) {
      std::array<int, 4> quarters{};
      for (int c = 0; c < 4; ++c) {
        if (c != s_opposite) quarters[in_t[c]] = grid.share[p][c];
      }
      const int x_bit = x.crossed ? x.point_bit[p] : 0, y_bit = y.crossed ? y.point_bit[grid.index(quarters)] : 0;
      if (x_bit >= 0 && y_bit >= 0) links.push_back({x_bit, y_bit});
    }
    // Triangles that pass through the face.
    for (size_t i = 0, j = 0; i < x.triangle.size() && j < y.triangle.size();) {
      if (x.triangle[i] < y.triangle[j]) {
        ++i;
      } else if (x.triangle[i] > y.triangle[j]) {
        ++j;
      } else {
        if ((x.faces[i] >> s_opposite & 1) || (y.faces[j] >> t_opposite & 1)) links.push_back({x.bit[i], y.bit[j]});
        ++i, ++j;
      }
    }
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    for (const auto& [x_bit, y_bit] : links) join_bits(s, x_bit, t, y_bit, s_opposite);
  }

  std::array<int, 4> roots(int bit) { return {root(4 * bit), root(4 * bit + 1), root(4 * bit + 2), root(4 * bit + 3)}; }

  void merge_equal() {
    same_as_.resize(first_.back());
    std::iota(same_as_.begin(), same_as_.end(), 0);
    fill_.assign(first_.back(), 0);
    for (size_t t = 0; t < contents_.size(); ++t) {
      for (int b = first_[t]; b < first_[t + 1]; ++b) {
        for (int a = first_[t]; a < b && same_as_[b] == b; ++a) {
          if (roots(a) == roots(b)) same_as_[b] = same_as_[a];
        }
        fill_[same_as_[b]] = std::min(1.0, fill_[same_as_[b]] + contents_[t].fill[b - first_[t]]);
      }
    }
  }

  // Faces (by the corner opposite) that each bit has to give up, as bits 0..3.
  std::vector<unsigned> crowded_faces() {
    struct Side {
      Face face;
      int tet, bit, opposite;
    };
    std::vector<Side> sides;
    // Only tets of several bits can be in each other's way.
    for (int t = 0; t < static_cast<int>(contents_.size()); ++t) {
      if (contents_[t].n_bits < 2) continue;
      for (int b = first_[t]; b < first_[t + 1]; ++b) {
        if (same_as_[b] != b) continue;
        const auto r = roots(b);
        for (int c = 0; c < 4; ++c) {
          Face face{r[(c + 1) % 4], r[(c + 2) % 4], r[(c + 3) % 4]};
          std::sort(face.begin(), face.end());
          sides.push_back({face, t, b, c});
        }
      }
    }
    // The fullest keeps the face.
    std::sort(sides.begin(), sides.end(), [&](const Side& x, const Side& y) {
      if (x.face != y.face) return x.face < y.face;
      if (x.tet != y.tet) return x.tet < y.tet;
      return fill_[x.bit] != fill_[y.bit] ? fill_[x.bit] > fill_[y.bit] : x.bit < y.bit;
    });
    std::vector<unsigned> give_up(first_.back(), 0);
    for (size_t i = 1; i < sides.size(); ++i) {
      if (sides[i].face == sides[i - 1].face && sides[i].tet == sides[i - 1].tet)
        give_up[sides[i].bit] |= 1u << sides[i].opposite;
    }
    return give_up;
  }

  void assemble() {
    const std::vector<unsigned> give_up = crowded_faces();
    std::vector<int> number(parent_.size(), -1);
    TetMesh& mesh = out_.mesh;
    out_.first_bit = first_;
    out_.tets_of.resize(first_.back());
    std::vector<double>& fill = mesh.tet_maps["fill"];
    for (int t = 0; t < static_cast<int>(contents_.size()); ++t) {
      for (int b = first_[t]; b < first_[t + 1]; ++b) {
        if (same_as_[b] != b) continue;
        const auto r = roots(b);
        Tet tet;
        for (int c = 0; c < 4; ++c) {
          int& n = number[r[c]];
          if (n < 0) {
            n = mesh.n_vertices();
            mesh.vertices.push_back(lattice_.position(lattice_.tets()[t].vertex[c]));
          }
          tet[c] = n;
        }
        for (const Tet& piece : without_faces(tet, give_up[b])) {
          out_.tets_of[b].push_back(mesh.n_tets());
          mesh.tets.push_back(piece);
          fill.push_back(fill_[b]);
          out_.lattice_tet.push_back(t);
        }
      }
    }
    for (size_t b = 0; b < same_as_.size(); ++b) {
      if (same_as_[b] != static_cast<int>(b)) out_.tets_of[b] = out_.tets_of[same_as_[b]];
    }
  }

  // The tet, cut so that none of the given faces is a face of it any more.
  std::vector<Tet> without_faces(const Tet& tet, unsigned faces) {
    std::vector<Tet> pieces = {tet};
    for (int f = 0; f < 4; ++f) {
      if (!(faces >> f & 1)) continue;
      Face face{tet[(f + 1) % 4], tet[(f + 2) % 4], tet[(f + 3) % 4]};
      TetMesh& mesh = out_.mesh;
      const int middle = mesh.n_vertices();
      mesh.vertices.push_back((mesh.vertices[face[0]] + mesh.vertices[face[1]] + mesh.vertices[face[2]]) / 3);
      std::vector<Tet> then;
      for (const Tet& piece : pieces) {
        const auto has = [&](int v) { return std::find(piece.begin(), piece.end(), v) != piece.end(); };
        if (!has(face[0]) || !has(face[1]) || !has(face[2])) {
          then.push_back(piece);
          continue;
        }
        for (int v : face) {
          Tet part = piece;
          *std::find(part.begin(), part.end(), v) = middle;
          then.push_back(part);
        }
      }
      pieces = std::move(then);
    }
    return pieces;
  }

  const GradedLattice& lattice_;
  const std::vector<TetContents>& contents_;
  bool keep_apart_;
  std::vector<int> first_, parent_;  // nodes: corner c of bit b is 4 b + c
  std::vector<int> same_as_;         // the bit whose tet each bit shares
  std::vector<double> fill_;
  Glued out_;
};

}  // namespace

Glued glue(const GradedLattice& lattice, const std::vector<TetContents>& contents, bool keep_apart) {
  return Gluing(lattice, contents, keep_apart).run();
}

}  // namespace supple
