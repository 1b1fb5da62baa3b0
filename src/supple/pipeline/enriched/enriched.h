// An animation made ready to be enriched: surface, tets around it, how soft they are, and the tets bent along with
// every frame.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "supple/enrich/blend.h"
#include "supple/enrich/detail.h"
#include "supple/enrich/fit.h"
#include "supple/pipeline/enriched/input.h"

namespace supple::pipeline {

struct EnrichSetup {
  EnrichInput input;
  TetMesh cage;                          // around the neutral surface
  std::vector<int> tet;                  // that holds each vertex of the surface
  std::vector<Eigen::Vector4d> weights;  // of its corners
  std::vector<double> softness;          // of every tet vertex; 0: it follows exactly
  std::vector<std::vector<int>> rigid;   // vertices of the surface, part by part
  FittedAnimation fit;                   // empty: not asked for
  double fit_seconds = 0;                // 0: found in the cache
  std::unique_ptr<DetailTransfer> detail;
  std::vector<std::string> warnings;

  double size() const;  // longest side of the neutral surface [m]
  std::vector<int> fixed() const;
  // Frames past the last are as the last.
  const VecX& fitted(int frame) const;  // positions of the tet vertices
  // Flat, one entry a vertex of the surface; not a number where the input has no sound place for it.
  VecX input_at(int frame) const;
  // What the input looks like, completed by the fit where it is silent.
  Points completed(int frame) const;
  // The surface for tets at x.
  Points drawn(const VecX& x, int frame, bool with_detail) const;
};

// with_fit false: for what needs no motion. InputError: what read_enrich_input refuses, nothing follows the input, ...
std::shared_ptr<EnrichSetup> set_up_enrich(const SceneConfig& config, bool with_fit = true, const Watch& watch = {});

FitOptions fit_options(const SceneConfig& config);

// Values of some vertices of the surface brought to the tets: known where a tet holds one of them, spread in between.
std::vector<double> on_tets(const EnrichSetup& setup, const PaintedValues& painted, double elsewhere);

// Distance of the fit from the input over all frames [m].
struct FitSummary {
  double rms = 0, largest_rms = 0, largest = 0;  // over the clip; of the worst frame; of the worst point
  int worst_frame = 0, flagged = 0, damped = 0, bridged = 0, iterations = 0;
};
FitSummary summary_of(const FittedAnimation& fit);

}  // namespace supple::pipeline
