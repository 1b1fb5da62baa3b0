// Bodies cut open, to be looked into.
#include <algorithm>
#include <cmath>

#include "supple/demos/figures/enrich_figure_bench.h"

namespace supple::demos {

namespace {

const Vec3 kFlesh(0.55, 0.16, 0.13), kWrong(0.95, 0.75, 0.05);

// A line of the cut, seen from beyond it: y up.
struct Line {
  Eigen::Vector2d from, to;  // z, y
};

struct Corner {
  Vec3 position, color;
};

// What is kept of a triangle as a fan, and the line in which it meets the plane.
void clip(const std::array<Corner, 3>& t, double at, std::vector<Corner>& kept, std::vector<Line>& lines) {
  kept.clear();
  Line line;
  int ends = 0;
  for (size_t c = 0; c < 3; ++c) {
    const Corner &a = t[c], &b = t[(c + 1) % 3];
    const bool in = a.position.x() < at, next_in = b.position.x() < at;
    if (in) kept.push_back(a);
    if (in == next_in) continue;
    // From the inner end, so that both triangles of an edge find the same point.
    const Corner &inner = in ? a : b, &outer = in ? b : a;
    const double share = (at - inner.position.x()) / (outer.position.x() - inner.position.x());
    const Corner cut{inner.position + share * (outer.position - inner.position),
                     inner.color + share * (outer.color - inner.color)};
    kept.push_back(cut);
    // It leaves the kept half at one end of the line and comes back at the other.
    (in ? line.from : line.to) = Eigen::Vector2d(cut.position.z(), cut.position.y());
    ++ends;
  }
  if (ends == 2) lines.push_back(line);
}

void add_strip(double x, double y, double height, double z0, double z1, const Vec3& color, RenderMesh& face) {
  const int first = static_cast<int>(face.vertices.size());
  for (const auto& [z, up] : {std::pair(z0, y), std::pair(z0, y + height), std::pair(z1, y + height), std::pair(z1, y)})
    face.vertices.emplace_back(x, up, z), face.colors.push_back(color), face.normals.emplace_back(1, 0, 0);
  face.triangles.push_back({first, first + 1, first + 2});
  face.triangles.push_back({first, first + 2, first + 3});
}

}  // namespace

CutBody cut_open(const RenderMesh& mesh, double at, double strip) {
  CutBody out;
  out.shell = mesh;
  out.shell.vertices.clear(), out.shell.triangles.clear(), out.shell.normals.clear(), out.shell.colors.clear();
  const Points normals = vertex_normals(mesh.vertices, mesh.triangles);
  // Smooth shading survives the cut where triangles are whole: those keep their vertices.
  std::vector<int> kept_as(mesh.vertices.size(), -1);
  const auto color_of = [&](size_t v) -> Vec3 { return mesh.colors.empty() ? mesh.color : mesh.colors[v]; };
  const auto add = [&](const Corner& c, const Vec3& normal) {
    out.shell.vertices.push_back(c.position), out.shell.colors.push_back(c.color), out.shell.normals.push_back(normal);
    return static_cast<int>(out.shell.vertices.size()) - 1;
  };
  std::vector<Line> lines;
  std::vector<Corner> kept;
  for (const Tri& t : mesh.triangles) {
    std::array<Corner, 3> corners;
    for (size_t c = 0; c < 3; ++c) {
      const auto v = static_cast<size_t>(t[c]);
      corners[c] = {mesh.vertices[v], color_of(v)};
    }
    clip(corners, at, kept, lines);
    if (kept.size() < 3) continue;
    const bool whole = kept.size() == 3 && std::all_of(corners.begin(), corners.end(),
                                                       [&](const Corner& c) { return c.position.x() < at; });
    std::vector<int> ids;
    const Vec3 flat =
        (corners[1].position - corners[0].position).cross(corners[2].position - corners[0].position).stableNormalized();
    for (size_t c = 0; c < kept.size(); ++c) {
      if (!whole) {
        ids.push_back(add(kept[c], flat));
        continue;
      }
      int& id = kept_as[static_cast<size_t>(t[c])];
      if (id < 0) id = add(kept[c], normals[static_cast<size_t>(t[c])]);
      ids.push_back(id);
    }
    for (size_t c = 2; c < ids.size(); ++c) out.shell.triangles.push_back({ids[0], ids[c - 1], ids[c]});
  }

  out.face.smooth = true;
  if (lines.empty()) return out;
  double low = lines[0].from[1], high = low;
  for (const Line& l : lines) low = std::min({low, l.from[1], l.to[1]}), high = std::max({high, l.from[1], l.to[1]});
  const auto rows = static_cast<size_t>(std::ceil((high - low) / strip));
  // Where each row meets lines: z, and by how much the winding changes. Outlines go up on the side of larger z.
  std::vector<std::vector<std::pair<double, int>>> crossed(rows);
  for (const Line& l : lines) {
    const bool up = l.to[1] > l.from[1];
    const double bottom = up ? l.from[1] : l.to[1], top = up ? l.to[1] : l.from[1];
    // Rows whose middle is within [bottom, top).
    const auto row_at = [&](double y) {
      return static_cast<size_t>(std::clamp(std::ceil((y - low) / strip - 0.5), 0.0, static_cast<double>(rows)));
    };
    for (size_t r = row_at(bottom); r < row_at(top); ++r) {
      const double y = low + (static_cast<double>(r) + 0.5) * strip;
      const double share = (y - l.from[1]) / (l.to[1] - l.from[1]);
      crossed[r].emplace_back(l.from[0] + share * (l.to[0] - l.from[0]), up ? -1 : 1);
    }
  }
  for (size_t r = 0; r < rows; ++r) {
    std::sort(crossed[r].begin(), crossed[r].end());
    int winding = 0;
    for (size_t k = 0; k + 1 < crossed[r].size(); ++k) {
      winding += crossed[r][k].second;
      const double z0 = crossed[r][k].first, z1 = crossed[r][k + 1].first;
      if (winding == 0 || z1 <= z0) continue;
      const bool right = winding == 1;
      (right ? out.flesh_area : out.wrong_area) += strip * (z1 - z0);
      add_strip(at, low + static_cast<double>(r) * strip, strip, z0, z1, right ? kFlesh : kWrong, out.face);
    }
  }
  return out;
}

}  // namespace supple::demos
