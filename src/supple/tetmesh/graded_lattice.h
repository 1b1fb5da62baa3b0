// Tets of a body-centred cubic lattice around a surface, halved where it is thin. Inside the tetmesh room only.
//
// A lattice tet joins the centres of two neighbouring cubes and one edge of the square between them. It is halved at
// the edge between the centres, after that always at the longest edge. All halves are of three shapes, with dihedral
// angles of 45 to 90 degrees (or 120 at most), and every tet and every face has one longest edge, so that neighbours
// agree where to cut (the bisection of Maubach 1995).
#pragma once
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "supple/base/types.h"

namespace supple {

constexpr int kMaxHalvings = 6;       // of a lattice tet: two of its edge length
constexpr int kTicks = 32;            // per cube edge: every vertex of a tet lies on a multiple of 4
constexpr int64_t kMaxCubes = 60000;  // along an axis

using Ticks = std::array<int, 3>;

// Where the cubes are.
struct CubeGrid {
  Vec3 origin = Vec3::Zero();  // of cube 0 [m]
  double edge = 0;             // [m]
  std::array<int64_t, 3> n{};
  Vec3 position(const Ticks& t) const { return origin + edge / kTicks * Vec3(t[0], t[1], t[2]); }
};

// A tet of the undivided lattice: the lower of its two cubes, the axis to the other one, and the side of the square.
struct BaseTet {
  Ticks cube{};
  int axis = 0, side = 0;                // side 0, 2: low and high along axis + 2; 3, 1: along axis + 1
  BaseTet across(int face) const;        // the neighbour opposite corner `face`
  std::array<Ticks, 4> corners() const;  // two centres, two corners; positive volume
};
int64_t key_of(const CubeGrid& grid, const BaseTet& tet);
BaseTet tet_of(const CubeGrid& grid, int64_t key);
BaseTet locate(const CubeGrid& grid, const Vec3& p);

struct LeafTet {
  std::array<int, 4> vertex{};
  int halvings = 0;
  int base = 0;  // the undivided tet that it is part of
};

// The tets that are in use, conforming at all times.
class GradedLattice {
 public:
  GradedLattice(const CubeGrid& grid, const std::vector<int64_t>& base_keys);
  const CubeGrid& grid() const { return grid_; }
  const std::vector<LeafTet>& tets() const { return tets_; }
  const std::vector<Ticks>& vertices() const { return vertices_; }
  Vec3 position(int v) const { return grid_.position(vertices_[v]); }
  std::array<Vec3, 4> corners(const LeafTet& t) const {
    return {position(t.vertex[0]), position(t.vertex[1]), position(t.vertex[2]), position(t.vertex[3])};
  }
  double volume(const LeafTet& t) const;

  // Points with a wish: tets that hold them are halved until the median wish (an edge length) of those inside is met.
  void refine(const Points& points, const std::vector<double>& wishes);

 private:
  int vertex_at(const Ticks& t);
  std::array<int, 2> edge_to_halve(const LeafTet& t) const;

  CubeGrid grid_;
  std::vector<LeafTet> tets_;
  std::vector<Ticks> vertices_;
  std::unordered_map<uint64_t, int> at_;
  std::vector<int64_t> base_keys_;
};

uint64_t pack(const Ticks& t);  // of ticks from 0 to kMaxCubes * kTicks

}  // namespace supple
