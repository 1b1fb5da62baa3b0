#include "supple/pipeline/character/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "supple/base/parallel.h"
#include "supple/render/render.h"

namespace supple::pipeline {

namespace {

double free_share(const Flesh& flesh) {
  const auto n = std::count_if(flesh.softness.begin(), flesh.softness.end(), [](double s) { return s > 0; });
  return flesh.softness.empty() ? 0 : static_cast<double>(n) / static_cast<double>(flesh.softness.size());
}

// Of the skin, by area, what departs: the same for any tets.
double soft_share_of_skin(const CharacterSetup& c) {
  double soft = 0, all = 0;
  for (const Tri& t : c.skin.triangles) {
    const Vec3& a = c.skin.vertices[t[0]];
    const double area = (c.skin.vertices[t[1]] - a).cross(c.skin.vertices[t[2]] - a).norm();
    all += area;
    for (const int v : t)
      if (!c.flesh.still_skin[v]) soft += area / 3;
  }
  return all > 0 ? soft / all : 0;
}

}  // namespace

Json character_json(const CharacterSetup& c) {
  Json j;
  j["scale"] = c.scale;
  j["size_m"] = c.size();
  Json clips(Json::Array{});
  for (const Clip& clip : c.character.clips) clips.push_back(clip.name);
  j["clips"] = clips;
  Json pieces(Json::Array{});
  for (const Piece& p : c.pieces) {
    Json one;
    one["name"] = p.name, one["mesh"] = p.mesh, one["material"] = p.material;
    one["role"] = to_string(p.role), one["why"] = p.why;
    one["vertices"] = p.vertices.size(), one["rigid_residual"] = p.rigid_residual;
    pieces.push_back(one);
  }
  j["pieces"] = pieces;
  Json& t = j["tets"];
  const CageReport& r = c.cage_report;
  t["edge_m"] = r.edge, t["tets"] = r.n_tets, t["vertices"] = r.n_vertices, t["components"] = r.n_components;
  t["duplicated"] = r.n_duplicated, t["thin"] = r.n_thin, t["outside"] = r.n_outside,
  t["max_outside_m"] = r.max_outside;
  t["min_dihedral_deg"] = r.min_dihedral_deg, t["max_dihedral_deg"] = r.max_dihedral_deg;
  t["volume_m3"] = r.volume, t["solid_volume_m3"] = r.solid_volume;
  t["open_edges"] = r.n_open_edges, t["nonmanifold_edges"] = r.n_nonmanifold_edges;
  Json& f = j["flesh"];
  f["free_share"] = free_share(c.flesh);
  f["soft_share_of_skin"] = soft_share_of_skin(c);
  f["planted"] = c.flesh.n_planted, f["morphed"] = c.flesh.n_morphed, f["beside_rigid"] = c.flesh.n_beside_rigid;
  f["thin_layer"] = c.flesh.n_thin_layer;
  f["follows_only"] = c.flesh.follows_only.empty() ? Json(Json::Array{}) : Json::list(c.flesh.follows_only);
  Json regions(Json::Array{});
  for (const FleshRegion& region : c.flesh.regions) {
    Json one;
    one["name"] = region.name, one["half_thickness_m"] = region.half_thickness, one["free_vertices"] = region.n_free;
    one["trailing"] = region.trailing;
    regions.push_back(one);
  }
  f["regions"] = regions;
  return j;
}

PageTable piece_table(const CharacterSetup& c) {
  PageTable table{.title = "Pieces", .note = "", .head = {"piece", "role", "vertices", "why"}, .rows = {}};
  for (const Piece& p : c.pieces)
    table.rows.push_back({p.name, to_string(p.role), std::to_string(p.vertices.size()), p.why});
  return table;
}

std::vector<std::string> character_lines(const CharacterSetup& c) {
  std::vector<std::string> lines;
  std::istringstream table(pieces_table(c.pieces));
  for (std::string line; std::getline(table, line);) lines.push_back(line);
  const CageReport& r = c.cage_report;
  lines.push_back(
      fmt::format("{} tets of up to {:.3g} m in {} pieces around {} vertices; {:.0f} % of the tet vertices are flesh",
                  r.n_tets, r.edge, r.n_components, c.skin.n_vertices(), 100 * free_share(c.flesh)));
  return lines;
}

Image softness_picture(const CharacterSetup& c) {
  RenderMesh m;
  m.vertices = c.drawn.vertices.rest;
  m.triangles = c.drawn.triangles;
  const Points warm = softness_colors(c.flesh.skin_softness);
  m.colors.assign(m.vertices.size(), Vec3(0.75, 0.75, 0.72));
  for (size_t v = 0; v < m.colors.size(); ++v)
    if (c.skin_of[v] >= 0) m.colors[v] = warm[c.skin_of[v]];
  const std::array<Vec3, 3> directions{Vec3(0.1, -0.1, -1), Vec3(-1, -0.1, 0.1), Vec3(0.2, -0.15, 1)};
  std::vector<Image> views(directions.size());
  parallel_for(views.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k)
      views[k] = render({m}, fit_camera(bounding_box(m.vertices), directions[k], 0.9), {.width = 360, .height = 400});
  });
  return film_strip(views);
}

}  // namespace supple::pipeline
