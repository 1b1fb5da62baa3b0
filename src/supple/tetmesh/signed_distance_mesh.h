// Tets for the inside of any function that is negative inside: a body-centred cubic lattice whose vertices near the
// surface are moved onto it and whose remaining crossing tets are cut. The idea is "Isosurface Stuffing" (Labelle and
// Shewchuk 2007), with lattice tets of one size.
#pragma once
#include <functional>

#include "supple/mesh/tet_mesh.h"

namespace supple {

// Negative inside, positive outside. Only the sign and the place where it changes matter, so a mere inside test
// (-1 / +1) will do; a true distance also lets the mesher notice lost thin parts. Called from several threads.
using SignedDistance = std::function<double(const Vec3&)>;

// Give one of the two.
struct LatticeOptions {
  double edge = 0;  // [m] the longer of the two edge lengths of lattice tets; the shorter is 0.866 of it
  int count = 0;    // target number of tets: the edge is searched until it is met within 10 %; fewer than about
                    // a thousand may be missed by more, as the count then moves in steps
};

struct LatticeReport {
  double edge = 0;   // [m] in force
  long n_cells = 0;  // of the lattice, two vertices a cell
  int n_vertices = 0, n_tets = 0;
  int n_warped = 0;  // lattice vertices moved onto the surface
  int n_cut = 0;     // vertices added where lattice edges cross the surface
  int n_tries = 0;   // lattices built in search of the count
  // Signs of parts too thin for the lattice. Inside vertices moved onto the surface that have no inside neighbour left:
  // parts about an edge thick, which may have holes. And outside vertices within edge / 4 of the surface without an
  // inside neighbour, where f is a distance: parts that are lost (very sharp corners count too).
  int n_thin = 0, n_lost_near = 0;
  double volume = 0;  // [m^3]
  double min_dihedral_deg = 0, max_dihedral_deg = 0;
};

// Dihedral angles of every tet lie within these, whatever the function [deg].
constexpr double kLatticeMinDihedral = 10.7, kLatticeMaxDihedral = 164.8;
constexpr long kLatticeMaxCells = 50'000'000;

// The inside of f, which must lie within `bounds`. All components are kept. Boundary vertices lie on the surface f = 0.
// Sharp edges and corners of the surface are cut off within an edge length; parts are whole from 1.5 edges of
// thickness on, thinner ones may have holes or vanish.
// The same bits for any number of threads. Throws InputError: both or neither option given, a lattice of more than
// kLatticeMaxCells, NaN from f, f negative beyond the bounds, nothing inside.
TetMesh mesh_signed_distance(const SignedDistance& f, const Box& bounds, const LatticeOptions& options,
                             LatticeReport* report = nullptr);

}  // namespace supple
