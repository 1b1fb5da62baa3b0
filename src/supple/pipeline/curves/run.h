// `supple curves`: layer by layer through the shot, to curves of the rig's parameters.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supple/base/watch.h"
#include "supple/pipeline/curves/setup.h"

namespace supple::pipeline::curves {

struct LayerTotals {
  int steps = 0, iterations = 0, factorizations = 0, retries = 0, inverted_max = 0, contacts_max = 0;
  int refits = 0;       // of the material
  int unconverged = 0;  // equilibria that were not found
  double step_s = 0;    // stepping alone
  int frames = 0;       // stepped through, repetitions of a loop too
  double seconds_a_frame() const { return frames > 0 ? step_s / frames : 0; }
};

struct LayerResult {
  std::string name;
  std::vector<int> free;         // parameters of the scene's rig
  MatX curves;                   // a row a frame, a column for each of them
  std::vector<VecX> equilibria;  // of amplitude dials: all parameters at every frame
  // Of modes.
  std::optional<ParameterModes> modes;
  MatX mode_curves;  // as simulated
  // Sizes: coordinates of interior and of rigged vertices, parameters that were simulated.
  int n_interior = 0, n_rigged = 0, n_parameters = 0;
  TetMesh tets;
  int substeps = 1;
  LayerNumbers numbers;
  std::optional<MaterialFit> fit;
  VecX asked_stiffness;
  std::vector<std::string> names;  // of the free parameters
  LayerTotals totals;
  int cycles = 0;              // of a loop
  double closing_error = 0;    // how far its end is from its beginning, as a share of the swing
  double departure_rms_m = 0;  // of the surface from what is keyed
  std::vector<std::string> warnings;
};

struct CurvesResult {
  std::vector<LayerResult> layers;
  CurveSamples samples;  // what is keyed and what was found
  double total_s = 0;
};

class CurvesProgress;

// Cancelled and SimulationFailure as from steps. watch: a stage a layer, and one more for each cycle of a loop.
// progress: where it begins, and what it tells how far it has come (progress.h); null: from the beginning.
CurvesResult run_curves(const CurvesSetup& setup, const Watch& watch = {}, CurvesProgress* progress = nullptr);

// One layer as it stands, without the search for modes: a state per frame. For measurements.
LayerResult run_layer(const CurvesSetup& setup, CurvesLayer& layer, const Watch& watch = {},
                      CurvesProgress* progress = nullptr);

}  // namespace supple::pipeline::curves
