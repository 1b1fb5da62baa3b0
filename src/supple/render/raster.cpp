#include "supple/render/raster.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/parallel.h"

namespace supple {

namespace {
using Vec2 = Eigen::Vector2d;
constexpr int kBandRows = 16;

// A triangle, or a piece of one cut at the near plane, on the picture.
struct Piece {
  int mesh, triangle;
  std::array<Vec2, 3> at;             // [sample] y down
  std::array<double, 3> nearness, w;  // w: 1 / depth in perspective, else 1
  std::array<Vec3, 3> weights;        // of the triangle's corners at the corners of the piece
};

struct ClipCorner {
  Vec3 e, weights;
};

// Cuts off what is nearer than `near`.
std::vector<ClipCorner> clip(const std::array<Vec3, 3>& e, double near) {
  std::vector<ClipCorner> out;
  for (size_t i = 0; i < 3; ++i) {
    const size_t j = (i + 1) % 3;
    const bool in_i = e[i].z() >= near, in_j = e[j].z() >= near;
    const Vec3 wi = Vec3::Unit(static_cast<int>(i)), wj = Vec3::Unit(static_cast<int>(j));
    if (in_i) out.push_back({e[i], wi});
    if (in_i != in_j) {
      const double t = (near - e[i].z()) / (e[j].z() - e[i].z());
      out.push_back({e[i] + t * (e[j] - e[i]), wi + t * (wj - wi)});
      out.back().e.z() = near;
    }
  }
  return out;
}

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

void add_pieces(const RenderMesh& mesh, int mesh_index, const View& view, int width, int height,
                std::vector<Piece>& pieces) {
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<Vec3, 3> e;
    bool finite = true;
    for (size_t c = 0; c < 3; ++c) {
      e[c] = view.eye_space(mesh.vertices[static_cast<size_t>(mesh.triangles[t][c])]);
      finite = finite && e[c].allFinite();
    }
    if (!finite) continue;
    const auto corners = clip(e, view.near());
    for (size_t k = 2; k < corners.size(); ++k) {
      Piece piece{mesh_index, static_cast<int>(t), {}, {}, {}, {}};
      const std::array<size_t, 3> fan{0, k - 1, k};
      for (size_t c = 0; c < 3; ++c) {
        const ClipCorner& corner = corners[fan[c]];
        const Vec2 p = view.project(corner.e);
        piece.at[c] = {0.5 * (p.x() + 1) * width, 0.5 * (1 - p.y()) * height};
        piece.nearness[c] = nearness_of(view, corner.e.z());
        piece.w[c] = view.perspective() ? 1 / corner.e.z() : 1;
        piece.weights[c] = corner.weights;
      }
      pieces.push_back(piece);
    }
  }
}

// Of one piece in sample rows [begin, end): put(index of the sample, weights of the corners, nearness, on a line).
template <class Put>
void draw(const Piece& p, const RenderMesh& mesh, double half_line, int width, int begin, int end, const Put& put) {
  const auto& [a, b, c] = p.at;
  const double area = cross(b - a, c - a);
  if (!(std::abs(area) > 1e-12)) return;
  const double x_low = std::min({a.x(), b.x(), c.x()}), x_high = std::max({a.x(), b.x(), c.x()});
  const double y_low = std::min({a.y(), b.y(), c.y()}), y_high = std::max({a.y(), b.y(), c.y()});
  const int x0 = static_cast<int>(std::clamp(std::ceil(x_low - 0.5), 0.0, static_cast<double>(width)));
  const int x1 = static_cast<int>(std::clamp(std::floor(x_high - 0.5) + 1, 0.0, static_cast<double>(width)));
  const int y0 = std::max(begin, static_cast<int>(std::clamp(std::ceil(y_low - 0.5), 0.0, static_cast<double>(end))));
  const int y1 = static_cast<int>(std::clamp(std::floor(y_high - 0.5) + 1, 0.0, static_cast<double>(end)));
  if (x0 >= x1 || y0 >= y1) return;
  // Distance [sample] to the line of edge i is weight i times the height above it.
  std::array<double, 3> height{};
  if (half_line > 0)
    height = {std::abs(area) / (c - b).norm(), std::abs(area) / (a - c).norm(), std::abs(area) / (b - a).norm()};
  const double side = area < 0 ? -1 : 1;
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) {
      const Vec2 q(x + 0.5, y + 0.5);
      std::array<double, 3> l{cross(c - b, q - b), cross(a - c, q - c), cross(b - a, q - a)};
      if (side * l[0] < 0 || side * l[1] < 0 || side * l[2] < 0) continue;
      for (double& w : l) w /= area;
      const bool line = half_line > 0 &&
                        (l[0] * height[0] < half_line || l[1] * height[1] < half_line || l[2] * height[2] < half_line);
      if (!line && !mesh.fill) continue;
      const double nearness = l[0] * p.nearness[0] + l[1] * p.nearness[1] + l[2] * p.nearness[2];
      put(static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x), l, nearness, line);
    }
  }
}

// Whether the picture is left out there.
bool cut_out(const RenderMesh& m, int triangle, const Vec3& weights) {
  if (m.looks.empty()) return false;
  const RenderLook& look = m.looks[static_cast<size_t>(m.look[static_cast<size_t>(triangle)])];
  if (!look.picture || look.cut_out <= 0) return false;
  return look.picture->at(uv_of(m, triangle, weights[1], weights[2]))[3] < look.cut_out;
}

// Every sample that a piece covers: put(piece, ...) as above, in the order of the pieces at each sample.
template <class Put>
void draw_all(const std::vector<RenderMesh>& meshes, const View& view, int width, int height, double line_scale,
              const Put& put) {
  std::vector<Piece> pieces;
  for (size_t m = 0; m < meshes.size(); ++m) add_pieces(meshes[m], static_cast<int>(m), view, width, height, pieces);
  // Pieces by the bands of rows they touch, in their own order.
  const int n_bands = (height + kBandRows - 1) / kBandRows;
  std::vector<std::vector<size_t>> bands(static_cast<size_t>(n_bands));
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto& at = pieces[i].at;
    const double low = std::min({at[0].y(), at[1].y(), at[2].y()}), high = std::max({at[0].y(), at[1].y(), at[2].y()});
    if (!(high >= 0 && low <= height)) continue;
    const int first = static_cast<int>(std::max(low, 0.0)) / kBandRows;
    const int last = static_cast<int>(std::min(high, static_cast<double>(height))) / kBandRows;
    for (int k = first; k <= std::min(last, n_bands - 1); ++k) bands[static_cast<size_t>(k)].push_back(i);
  }
  parallel_for(bands.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      const int y0 = static_cast<int>(k) * kBandRows, y1 = std::min(height, y0 + kBandRows);
      for (size_t i : bands[k]) {
        const Piece& p = pieces[i];
        const RenderMesh& mesh = meshes[static_cast<size_t>(p.mesh)];
        draw(p, mesh, 0.5 * mesh.line_width * line_scale, width, y0, y1,
             [&](size_t at, const std::array<double, 3>& l, double nearness, bool line) {
               put(p, at, l, nearness, line);
             });
      }
    }
  });
}
}  // namespace

double nearness_of(const View& view, double depth) { return view.perspective() ? 1 / depth : -depth; }

std::vector<Sample> rasterise(const std::vector<RenderMesh>& meshes, const View& view, int width, int height,
                              double line_scale) {
  std::vector<Sample> samples(static_cast<size_t>(width) * static_cast<size_t>(height));
  draw_all(meshes, view, width, height, line_scale,
           [&](const Piece& p, size_t at, const std::array<double, 3>& l, double nearness, bool line) {
             Sample& s = samples[at];
             // The first of equally near pieces stays.
             if (s.mesh >= 0 && !(nearness > s.nearness)) return;
             const double w0 = l[0] * p.w[0], w1 = l[1] * p.w[1], w2 = l[2] * p.w[2];
             const Vec3 weights = (w0 * p.weights[0] + w1 * p.weights[1] + w2 * p.weights[2]) / (w0 + w1 + w2);
             if (!line && cut_out(meshes[static_cast<size_t>(p.mesh)], p.triangle, weights)) return;
             s = {p.mesh, p.triangle, nearness, weights[1], weights[2], line};
           });
  return samples;
}

std::vector<double> nearest(const std::vector<RenderMesh>& meshes, const View& view, int width, int height) {
  std::vector<double> samples(static_cast<size_t>(width) * static_cast<size_t>(height),
                              -std::numeric_limits<double>::infinity());
  draw_all(meshes, view, width, height, 1,
           [&](const Piece&, size_t at, const std::array<double, 3>&, double nearness, bool) {
             samples[at] = std::max(samples[at], nearness);
           });
  return samples;
}

}  // namespace supple
