#include "supple/pipeline/files/mesh_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "supple/base/error.h"
#include "supple/io/formats.h"
#include "supple/io/gltf/surface_file.h"
#include "supple/io/tets/tet_formats.h"

namespace supple::pipeline {

namespace {

void require_tet_output(const std::string& path) {
  std::string known;
  for (const FileFormat& format : file_formats()) {
    if (format.kind != FileKind::tets || !format.writes) continue;
    if (format.extension == extension(path)) return;
    known += (known.empty() ? "" : ", ") + format.extension;
  }
  throw InputError({path}, "tets cannot be written to a file of this kind", "Name a file that ends in " + known + ".");
}

std::string plural(int n, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace

MeshReport mesh_file(const MeshRequest& request) {
  require_tet_output(request.out);
  MeshReport report;
  const TriMesh surface = read_surface(request.in, report.notes);
  Cage cage;
  try {
    cage = make_cage(surface, request.cage, &report.cage);
  } catch (const InputError& e) {
    throw InputError({request.in, 0, 0, e.where().place}, e.fault(), e.advice());
  }
  report.notes.insert(report.notes.end(), report.cage.warnings.begin(), report.cage.warnings.end());
  TetWriteOptions options;
  options.notes = &report.notes;
  write_tet_mesh(request.out, cage.mesh, options);
  return report;
}

Json MeshReport::json() const {
  Json j;
  j["edge"] = cage.edge;
  j["vertices"] = cage.n_vertices;
  j["tets"] = cage.n_tets;
  j["components"] = cage.n_components;
  j["duplicated"] = cage.n_duplicated;
  j["thin"] = cage.n_thin;
  j["min_dihedral_deg"] = cage.min_dihedral_deg;
  j["max_dihedral_deg"] = cage.max_dihedral_deg;
  j["volume"] = cage.volume;
  j["solid_volume"] = cage.solid_volume;
  j["sheet"] = cage.sheet;
  j["surface"]["open_edges"] = cage.n_open_edges;
  j["surface"]["nonmanifold_edges"] = cage.n_nonmanifold_edges;
  j["surface"]["degenerate_triangles"] = cage.n_degenerate;
  j["surface"]["flipped_triangles"] = cage.n_flipped;
  j["surface"]["vertices_outside"] = cage.n_outside;
  j["notes"] = Json::list(notes);
  return j;
}

std::string MeshReport::text() const {
  const CageReport& c = cage;
  std::string s = fmt::format("{} tets, {} vertices in {}; edges up to {:.4g} m\n", c.n_tets, c.n_vertices,
                              plural(c.n_components, "piece", "pieces"), c.edge);
  s += fmt::format("dihedral angles {:.1f} to {:.1f} degrees\n", c.min_dihedral_deg, c.max_dihedral_deg);
  s += fmt::format("solid {:.4g} m^3 of {:.4g} m^3; {} less than half filled\n", c.solid_volume, c.volume,
                   plural(c.n_thin, "tet", "tets"));
  if (c.n_duplicated > 0) s += fmt::format("{} tets share their place, to keep close things apart\n", c.n_duplicated);
  if (c.sheet) s += "some of it has no inside and was given a thickness\n";
  if (c.n_open_edges + c.n_nonmanifold_edges + c.n_degenerate + c.n_flipped > 0) {
    s += fmt::format("the surface has {}, {} of more than two triangles, {} without area, {} turned around\n",
                     plural(c.n_open_edges, "open edge", "open edges"), c.n_nonmanifold_edges,
                     plural(c.n_degenerate, "triangle", "triangles"), c.n_flipped);
  }
  if (c.n_outside > 0) {
    s += fmt::format("{} beyond the tets, by {:.3g} m at most\n",
                     plural(c.n_outside, "surface vertex is", "surface vertices are"), c.max_outside);
  }
  return s;
}

}  // namespace supple::pipeline
