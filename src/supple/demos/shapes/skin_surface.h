// A smooth triangle surface of a body that is given as a function.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "supple/mesh/tri_mesh.h"
#include "supple/tetmesh/signed_distance_mesh.h"

namespace supple::demos {

struct SurfaceOptions {
  double edge = 0.02;                        // [m] wanted
  double lattice = 0;                        // [m] of the first guess, which must see every part; 0: edge
  std::function<double(const Vec3&)> finer;  // 0..1 of it: how fine in places; none: 1 everywhere
  std::vector<std::pair<std::string, SignedDistance>> paints;  // materials: inside, negative; later ones win
  std::string material = "skin";                               // of the rest
};

// For SurfaceOptions::finer: 1, and near some places less.
struct Fineness {
  double over = 0.1;  // [m] from a place's border to where it no longer counts
  double value = 1;
  void towards(double distance, double to) {
    value = std::min(value, to + (1 - to) * std::clamp(distance / over, 0.0, 1.0));
  }
};

// Closed and facing outwards; triangles of one material meet those of the next along the border of its function.
struct SkinSurface {
  TriMesh mesh;  // with normals
  std::vector<std::string> materials;
  std::vector<int> triangle_material;
};

// The surface f = 0 within the bounds. Vertices lie on it, and normals are those of f.
SkinSurface skin_surface(const SignedDistance& f, const Box& bounds, const SurfaceOptions& options);

Vec3 gradient(const SignedDistance& f, const Vec3& p, double step = 1e-4);

// Vertices that share an edge, ascending.
std::vector<std::vector<int>> vertex_neighbours(int n_vertices, const std::vector<Tri>& triangles);
// `passes` times half of the way to the mean over the neighbours; one row a vertex.
void diffuse(const std::vector<std::vector<int>>& neighbours, int passes, MatX& rows);

}  // namespace supple::demos
