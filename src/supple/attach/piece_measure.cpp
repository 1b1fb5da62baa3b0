#include "supple/attach/piece_measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "supple/anim/drawn_bind.h"
#include "supple/base/parallel.h"
#include "supple/mesh/closest_point.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {
namespace {

constexpr double kSharpAngle = 50;  // degrees between two faces of a machine
constexpr double kOnFloor = 0.02;   // of the height
constexpr double kApart = 0.01;     // of the size
constexpr int kRows = 50;           // of points across a triangle, at most

class Union {
 public:
  explicit Union(int n) : up_(n) { std::iota(up_.begin(), up_.end(), 0); }
  int find(int i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }
  void join(int a, int b) {
    a = find(a), b = find(b);
    up_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> up_;
};

double triangle_area(const Points& x, const Tri& t) {
  return 0.5 * (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).norm();
}

// Share of the bending of a surface, as edge length times the angle there, that is in sharp edges.
double sharpness(const Drawn& drawn, const std::vector<int>& welded, const Piece& piece) {
  const Points& x = drawn.vertices.rest;
  std::map<std::pair<int, int>, Vec3> first;
  double all = 0, sharp = 0;
  for (int t : piece.triangles) {
    const Tri& tri = drawn.triangles[t];
    const Vec3 normal = (x[tri[1]] - x[tri[0]]).cross(x[tri[2]] - x[tri[0]]);
    if (!(normal.norm() > 0)) continue;
    for (int c = 0; c < 3; ++c) {
      const int v = tri[c], w = tri[(c + 1) % 3];
      const auto [found, added] = first.insert({std::minmax(welded[v], welded[w]), normal.normalized()});
      if (added) continue;
      const double angle = std::acos(std::clamp(found->second.dot(normal.normalized()), -1.0, 1.0));
      const double bend = angle * (x[w] - x[v]).norm();
      all += bend;
      if (angle > kSharpAngle * std::numbers::pi / 180) sharp += bend;
    }
  }
  return all > 0 ? sharp / all : 0;
}

std::string node_name(const Character& character, const DrawnPrimitive& p) {
  if (!character.nodes[p.node].name.empty()) return character.nodes[p.node].name;
  return p.mesh_name.empty() ? "mesh " + std::to_string(p.mesh) : p.mesh_name;
}

void name_pieces(std::vector<Piece>& pieces) {
  std::map<std::string, int> count, number;
  for (const Piece& piece : pieces) ++count[piece.name];
  for (Piece& piece : pieces) {
    if (count[piece.name] > 1) piece.name += " " + std::to_string(++number[piece.name]);
  }
}

using Edge = std::pair<int, int>;
using Edges = std::map<Edge, int>;  // how many triangles

void count_edges(const Drawn& drawn, const std::vector<int>& welded, const Piece& piece, Edges& edges) {
  for (int t : piece.triangles) {
    for (int c = 0; c < 3; ++c) {
      const int a = welded[drawn.triangles[t][c]], b = welded[drawn.triangles[t][(c + 1) % 3]];
      if (a != b) ++edges[{std::min(a, b), std::max(a, b)}];
    }
  }
}

void add_figures(const Drawn& drawn, const std::vector<int>& welded, int n_welded, std::vector<Piece>& pieces,
                 std::vector<PieceFigures>& figures) {
  const Points& rest = drawn.vertices.rest;
  const int n = static_cast<int>(pieces.size());
  Points place(n_welded);
  for (int v = 0; v < drawn.n_vertices(); ++v) place[welded[v]] = rest[v];

  // Pieces at each welded vertex: those that meet are joined.
  std::vector<std::vector<int>> at(n_welded);
  for (int p = 0; p < n; ++p) {
    for (int v : pieces[p].vertices) {
      std::vector<int>& here = at[welded[v]];
      if (here.empty() || here.back() != p) here.push_back(p);
    }
  }
  Union body(n);
  std::vector<std::set<int>> joined(n);
  for (const std::vector<int>& here : at) {
    for (int a : here) {
      for (int b : here) {
        if (a == b) continue;
        joined[a].insert(b);
        body.join(a, b);
      }
    }
  }

  const Vec3 middle = bounding_box(rest).low + 0.5 * bounding_box(rest).size();
  std::map<int, Edges> edges;
  std::map<int, PieceFigures> bodies;
  for (int p = 0; p < n; ++p) {
    Piece& piece = pieces[p];
    piece.joined.assign(joined[p].begin(), joined[p].end());
    Points mine;
    for (int v : piece.vertices) mine.push_back(rest[v]);
    piece.size = longest_side(mine);
    figures[p].sharp = sharpness(drawn, welded, piece);
    PieceFigures& whole = bodies[body.find(p)];
    for (int t : piece.triangles) {
      const Tri& tri = drawn.triangles[t];
      piece.area += triangle_area(rest, tri);
      whole.body_volume += (rest[tri[0]] - middle).dot((rest[tri[1]] - middle).cross(rest[tri[2]] - middle)) / 6;
    }
    whole.body_area += piece.area;
    count_edges(drawn, welded, piece, edges[body.find(p)]);
  }
  for (const auto& [b, count_of] : edges) {
    for (const auto& [edge, count] : count_of) {
      if (count == 1) bodies[b].body_boundary += (place[edge.first] - place[edge.second]).norm();
    }
  }
  for (int p = 0; p < n; ++p) {
    const PieceFigures& whole = bodies[figures[p].body = body.find(p)];
    figures[p].body_area = whole.body_area;
    figures[p].body_boundary = whole.body_boundary;
    figures[p].body_volume = whole.body_boundary > 0 ? 0 : std::abs(whole.body_volume);
  }
}

}  // namespace

std::vector<Piece> split_pieces(const Character& character, const Drawn& drawn, std::vector<PieceFigures>& figures) {
  std::vector<int> welded;
  const int n_welded = weld(drawn, std::vector<char>(drawn.vertices.rest.size(), 1), welded);
  std::vector<char> morphed(drawn.vertices.rest.size(), 0);
  for (const Morph& morph : drawn.vertices.morphs) {
    for (int v : morph.points) morphed[v] = 1;
  }

  // Primitives of one node and one material together, in the order of the file.
  std::map<std::pair<int, std::string>, int> group_of;
  std::vector<std::vector<int>> groups;
  for (size_t i = 0; i < drawn.primitives.size(); ++i) {
    const DrawnPrimitive& p = drawn.primitives[i];
    const auto [found, added] = group_of.insert({{p.node, p.material}, static_cast<int>(groups.size())});
    if (added) groups.emplace_back();
    groups[found->second].push_back(static_cast<int>(i));
  }

  std::vector<Piece> pieces;
  for (const std::vector<int>& group : groups) {
    Union connected(n_welded);
    for (int i : group) {
      const DrawnPrimitive& p = drawn.primitives[i];
      for (int t = p.first_triangle; t < p.first_triangle + p.n_triangles; ++t) {
        const Tri& tri = drawn.triangles[t];
        connected.join(welded[tri[0]], welded[tri[1]]);
        connected.join(welded[tri[0]], welded[tri[2]]);
      }
    }
    std::map<int, int> piece_of;  // root of the welded vertices
    for (int i : group) {
      const DrawnPrimitive& p = drawn.primitives[i];
      for (int t = p.first_triangle; t < p.first_triangle + p.n_triangles; ++t) {
        const int root = connected.find(welded[drawn.triangles[t][0]]);
        const auto [found, added] = piece_of.insert({root, static_cast<int>(pieces.size())});
        if (added) {
          Piece piece;
          piece.node = node_name(character, p);
          piece.node_index = p.node;
          piece.mesh = p.mesh_name;
          piece.material = p.material;
          piece.name = piece.node + (p.material.empty() ? "" : "/" + p.material);
          pieces.push_back(piece);
          PieceFigures figure;
          figure.skinned =
              is_skinned(character, character.nodes[p.node], character.meshes[p.mesh].primitives[p.primitive]);
          figures.push_back(figure);
        }
        Piece& piece = pieces[found->second];
        piece.triangles.push_back(t);
        for (int v : drawn.triangles[t]) piece.vertices.push_back(v);
      }
    }
  }
  name_pieces(pieces);
  for (size_t p = 0; p < pieces.size(); ++p) {
    std::vector<int>& own = pieces[p].vertices;
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    std::map<int, double> carried;
    const SkinWeights& skin = drawn.vertices.skin;
    for (int v : own) {
      figures[p].morphs = figures[p].morphs || morphed[v];
      for (int k = skin.first[v]; k < skin.first[v + 1]; ++k) carried[skin.bone[k]] += skin.weight[k];
    }
    for (const auto& [bone, weight] : carried) {
      figures[p].one_bone = std::max(figures[p].one_bone, weight / static_cast<double>(own.size()));
    }
    pieces[p].skinned = figures[p].skinned;
  }
  add_figures(drawn, welded, n_welded, pieces, figures);
  return pieces;
}

void measure_motion(const Drawn& drawn, const std::vector<Pose>& poses, const Vec3& up, std::vector<Piece>& pieces,
                    std::vector<PieceFigures>& figures) {
  const Points& rest = drawn.vertices.rest;
  const double size = longest_side(rest);
  const VecX bound = flatten(rest);
  std::vector<double> lowest(pieces.size());
  for (const Pose& pose : poses) {
    const Points now = posed(drawn.vertices, pose);
    const RigidMotion whole = fit_rigid_motion(bound, flatten(now));
    parallel_for(pieces.size(), 1, [&](size_t begin, size_t end) {
      for (size_t p = begin; p < end; ++p) {
        const std::vector<int>& own = pieces[p].vertices;
        lowest[p] = std::numeric_limits<double>::infinity();
        VecX before(3 * static_cast<Eigen::Index>(own.size())), after(before.size());
        for (size_t i = 0; i < own.size(); ++i) {
          before.segment<3>(3 * static_cast<Eigen::Index>(i)) = rest[own[i]];
          after.segment<3>(3 * static_cast<Eigen::Index>(i)) = now[own[i]];
          lowest[p] = std::min(lowest[p], up.dot(now[own[i]]));
          if ((now[own[i]] - rest[own[i]]).norm() > 1e-4 * size) figures[p].moves = true;
          if ((now[own[i]] - whole(rest[own[i]])).norm() > kApart * size) figures[p].apart = true;
        }
        const RigidMotion motion = fit_rigid_motion(before, after);
        double most = 0;
        for (int v : own) most = std::max(most, (motion(rest[v]) - now[v]).norm());
        if (pieces[p].size > 0) pieces[p].rigid_residual = std::max(pieces[p].rigid_residual, most / pieces[p].size);
      }
    });
    const double floor = lowest.empty() ? 0 : *std::min_element(lowest.begin(), lowest.end());
    for (size_t p = 0; p < pieces.size(); ++p) figures[p].low = figures[p].low || lowest[p] <= floor + kOnFloor * size;
  }
}

PieceDistance::PieceDistance(const Drawn& drawn, const std::vector<Piece>& pieces, const std::vector<int>& members,
                             const std::vector<char>* only)
    : rest_(&drawn.vertices.rest) {
  std::vector<Box> boxes;
  for (int p : members) {
    for (int t : pieces[p].triangles) {
      const Tri& tri = drawn.triangles[t];
      if (only && !(*only)[tri[0]] && !(*only)[tri[1]] && !(*only)[tri[2]]) continue;
      triangles_.push_back(tri);
      boxes.push_back(bounding_box({(*rest_)[tri[0]], (*rest_)[tri[1]], (*rest_)[tri[2]]}));
    }
  }
  bvh_ = Bvh(std::move(boxes));
}

template <class Of>
double PieceDistance::average(const Drawn& drawn, const Piece& piece, Of&& of) const {
  double sum = 0, total = 0;
  for (int t : piece.triangles) {
    const Tri& tri = drawn.triangles[t];
    const double area = triangle_area(*rest_, tri);
    if (!(area > 0)) continue;
    total += area;
    sum += area * of((*this)(((*rest_)[tri[0]] + (*rest_)[tri[1]] + (*rest_)[tri[2]]) / 3));
  }
  return total > 0 ? sum / total : 0;
}

double PieceDistance::operator()(const Vec3& p) const {
  const auto closest = bvh_.closest(p, [&](int t) {
    const Tri& tri = triangles_[t];
    return (closest_on_triangle(p, (*rest_)[tri[0]], (*rest_)[tri[1]], (*rest_)[tri[2]]) - p).squaredNorm();
  });
  return std::sqrt(closest.distance2);
}

double PieceDistance::covered(const Drawn& drawn, const Piece& piece, double near) const {
  return average(drawn, piece, [&](double distance) { return distance <= near ? 1.0 : 0.0; });
}

double PieceDistance::mean(const Drawn& drawn, const Piece& piece) const {
  return average(drawn, piece, [](double distance) { return distance; });
}

double PieceDistance::nearest(const Drawn& drawn, const Piece& piece, double spacing) const {
  if (triangles_.empty()) return std::numeric_limits<double>::infinity();
  double nearest = std::numeric_limits<double>::infinity();
  const Points& x = *rest_;
  for (int v : piece.vertices) nearest = std::min(nearest, (*this)(x[v]));
  // A handle may go through a fist with all of its vertices far from it.
  for (int t : piece.triangles) {
    const auto& [a, b, c] = drawn.triangles[t];
    const double longest = std::max({(x[b] - x[a]).norm(), (x[c] - x[b]).norm(), (x[a] - x[c]).norm()});
    const int n = std::clamp(static_cast<int>(std::ceil(longest / spacing)), 1, kRows);
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; i + j <= n; ++j) {
        nearest = std::min(nearest, (*this)(x[a] + (x[b] - x[a]) * i / n + (x[c] - x[a]) * j / n));
      }
    }
  }
  return nearest;
}

}  // namespace supple
