#include "supple/demos/shapes/conforming_tets.h"

#include <algorithm>

#include "supple/demos/shapes/lattice_surface.h"
#include "supple/demos/shapes/tet_relaxation.h"

namespace supple::demos {

namespace {

constexpr int kDraws = 30;

// In two loops: in one, GCC 12 leaves both conversions out where it handles two coordinates at a time.
Points in_single_precision(const Points& x) {
  std::vector<float> flat;
  for (const Vec3& p : x)
    for (int c = 0; c < 3; ++c) flat.push_back(static_cast<float>(p[c]));
  Points out;
  for (size_t i = 0; i < x.size(); ++i) out.emplace_back(flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]);
  return out;
}

// Vertices of the boundary first, those that no tet has left out.
ConformingBody in_order(const TetMesh& mesh) {
  ConformingBody out;
  std::vector<int> source;
  out.surface = boundary_surface(mesh, &source);
  const Points single = in_single_precision(mesh.vertices);
  std::vector<int> place(mesh.vertices.size(), -1);
  const auto add = [&](int v) {
    place[v] = out.tets.n_vertices();
    out.tets.vertices.push_back(single[v]);
  };
  for (int v : source) add(v);
  out.surface.vertices = out.tets.vertices;
  for (Tet t : mesh.tets) {
    for (int& v : t) {
      if (place[v] < 0) add(v);
      v = place[v];
    }
    out.tets.tets.push_back(t);
  }
  out.surface.normals = vertex_normals(out.surface.vertices, out.surface.triangles);
  return out;
}

}  // namespace

ConformingBody conforming_tets(const SignedDistance& f, const SignedDistance& fat, const Box& bounds,
                               const ConformingOptions& o) {
  const Box box{bounds.low + o.shift, bounds.high + o.shift};
  TetMesh mesh = mesh_signed_distance(fat ? fat : f, box, {.edge = o.edge});
  open_pinches(mesh);
  mesh = in_order(mesh).tets;
  TetRelaxation work(mesh, f);
  for (int k = 0; k < kDraws; ++k) {
    const double left = work.draw_in();
    work.relax(2);
    if (left < 1e-3 * o.edge) break;
  }
  work.relax(10);
  const ConformingBody so_far = in_order(mesh);
  work.halve(std::max(0, o.interior - so_far.n_interior()));
  work.relax(10);
  return in_order(mesh);
}

ConformingBody conforming_tets(TetMesh mesh, int interior) {
  mesh = in_order(mesh).tets;
  TetRelaxation work(mesh, {});
  work.halve(std::max(0, interior - in_order(mesh).n_interior()));
  work.relax(20);
  return in_order(mesh);
}

}  // namespace supple::demos
