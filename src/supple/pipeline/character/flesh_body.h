// The flesh of a character as a body: what holds it, what it is made of, at which frequency it swings.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/attach/flesh.h"
#include "supple/pipeline/setup/body.h"
#include "supple/sim/parts.h"

namespace supple::pipeline {

// Driven vertices, springs, materials with the share of each tet that is solid, stiffness by thickness but for a
// factor.
Body flesh_body(const SceneConfig& config, const TetMesh& cage, const Flesh& flesh, Notes& notes);

// Springs as strong beside the flesh around them as their vertices are hard.
void set_springs(const Flesh& flesh, Body& body);

// Each piece so many times as stiff, springs with it.
void scale_pieces(const Parts& pieces, const std::vector<double>& factors, const Flesh& flesh, Body& body);

// The slowest swing of a piece about the bound shape, all else held.
struct PieceSwing {
  double frequency_hz = 0;    // 0: nothing swings
  double half_thickness = 0;  // of the body, where that swing has its energy [m]
  double in_tets = 1;         // share of its stiffness that is of tets, which are damped, and not of springs
};
std::vector<PieceSwing> piece_swings(const Model& bound, const Flesh& flesh, const Parts& pieces,
                                     const std::string& linear_solver);

// One stiffness factor for each connected piece, so that its slowest swing has the frequency wanted. About the bound
// shape, which is what the flesh is without stress in; with `authored` the rest shape is made such that gravity brings
// it to the shape given, and the frequency is that of swings about it.
struct Calibration {
  std::vector<double> frequency_hz;  // reached, one a piece; 0: nothing swings
  std::vector<std::string> warnings;
  std::shared_ptr<const Model> model;  // of the body so made
};
// pieces: of the body, by split_into_parts. wanted: 0 leaves a piece as it is.
Calibration calibrate(Body& body, const Flesh& flesh, const Parts& pieces, const std::vector<double>& wanted,
                      bool authored, const std::string& linear_solver);

}  // namespace supple::pipeline
