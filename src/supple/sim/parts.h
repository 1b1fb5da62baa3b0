// One character is many oscillators. The free flesh in pieces that vibrate on their own: connected through tets that
// are not driven, and cut further where regions are to behave each in its own way.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "supple/sim/analysis.h"

namespace supple {

struct Part {
  std::string name;
  std::vector<int> vertices;  // free ones, ascending
  std::vector<int> tets;      // ascending; every tet with a free vertex is in one part
  double mass = 0;            // of the vertices [kg]
  int group = -1;             // which of the groups asked for, -1: none
  int twin = -1;              // of that group: the other side, index of groups
  double frequency_hz = 0;    // lowest, everything outside the part held; 0: nothing vibrates
  double sag_m = std::numeric_limits<double>::quiet_NaN();  // rms over the part's mass; NaN: no equilibrium
  bool shared = false;  // too small or one too many: a collection with the numbers of the heaviest part
};

struct Parts {
  std::vector<Part> list;              // heaviest first, the shared one last
  std::vector<int> of_vertex, of_tet;  // index in `list`; -1: driven, or all its vertices are
  double frequency_hz = 0;             // of the whole body
  VecX sagged;                         // displacement under gravity; empty: none, or not found
  double sag_m = std::numeric_limits<double>::quiet_NaN();
  std::string trouble;  // why there is no frequency
  std::vector<std::string> warnings;
};

// Which tets are to be apart. group: per tet, an index of names or -1; empty: no groups.
struct PartGroups {
  std::vector<int> group;
  std::vector<std::string> names;
  std::vector<int> twin;  // per group: the one on the other side that swings as it does, -1: none; empty: no twins
};

inline constexpr int kLargestPartCount = 64;  // analysed one by one
inline constexpr int kSmallestPart = 4;       // free vertices

// The pieces alone, without numbers. Pieces of fewer than kSmallestPart free vertices go to the heaviest piece of the
// same connected flesh, else to the shared part.
Parts split_into_parts(const Model& model, const PartGroups& groups = {});
// With frequencies and sag. A part's frequency is that of its slowest swing with everything around it held.
// hanging: a displacement close to the equilibrium under gravity. With it frequencies are those about that equilibrium,
// without it those about the rest shape. A single part costs no more than natural_modes and gravity_sag of the model.
Parts analyse_parts(const Model& model, const PartGroups& groups = {}, const std::string& linear_solver = "auto",
                    double tolerance = 1e-8, const VecX& hanging = VecX());

// How a part swings: the lowest mode of the whole body about u (empty: the rest shape) with more than half of its
// energy there. Twins swing together, and the energy of both counts.
struct PartSwing {
  double frequency_hz = 0;  // 0: no mode is mostly there
  VecX shape;               // unit modal mass
  Eigen::Index mode = -1;   // which of all
};
// all: filled with the lowest modes of the body, those among which the swings were found.
std::vector<PartSwing> part_swings(const Model& model, const Parts& parts, const std::string& linear_solver = "auto",
                                   const VecX& u = VecX(), Modes* all = nullptr);
// Values of parts on vertices without a crease between them: the mean of the tets around, then of the neighbours.
// Driven vertices get those of the parts around them, or that of the first part; they are no bridge between parts.
VecX smooth_on_vertices(const TetMesh& mesh, const Parts& parts, const std::vector<double>& of_part);

// Lowest frequency above zero [Hz], past the rigid motions of parts that nothing holds; 0: none, and why.
double lowest_frequency(const Model& model, const std::string& linear_solver = "auto", std::string* trouble = nullptr,
                        const VecX& u = VecX());

// The tets around some free vertices as a model of its own: all other vertices held where they are. kept: the number
// each of its vertices has in the whole.
Model held_around(const Model& model, const std::vector<int>& vertices, std::vector<int>* kept = nullptr);

}  // namespace supple
