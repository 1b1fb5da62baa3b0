// A scene of `supple curves` made ready to run: rig, tets, keys, and each layer with its body, material and dials.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supple/pipeline/curves/body.h"
#include "supple/pipeline/curves/keys.h"
#include "supple/rigs/subspace.h"
#include "supple/rigspace/material_fit.h"
#include "supple/rigspace/rig_response.h"
#include "supple/tune/dials.h"

namespace supple::pipeline::curves {

inline constexpr int kMostCurveCycles = 10;  // of a loop, until one is like the one before

struct CurvesSetup {
  SceneConfig config;
  CurvesRig rig;
  CurvesTets tets;
  CurveSamples keys;  // of curves.keys
  std::vector<LayerPlan> plans;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> inputs;  // file as written, hash

  double step_h(int substeps) const { return 1 / (rig.time.fps * substeps); }
};
// InputError: what make_curves_rig and make_curves_tets refuse, handles out of range, ...
std::shared_ptr<const CurvesSetup> set_up_curves(const SceneConfig& config);

// What the flesh of a layer does, before and after the dials.
struct LayerNumbers {
  Response baseline, adjusted;
  DialRatios asked;
  Scalings scalings;
  double youngs_modulus = 0;     // [Pa] before the dials
  double stiffness_damping = 0;  // d_k after them [s]
  DampingChoice::Limit damping_limit = DampingChoice::Limit::none;
};

struct CurvesLayer {
  std::string name;
  std::shared_ptr<const RigMap> rig;           // that of the scene, or with modes in place of what is free
  std::shared_ptr<const SubspaceRig> reduced;  // the latter; null: the former
  std::vector<int> free;                       // of `rig`
  std::vector<int> base_free;                  // of the scene's
  KeyedParameters keyed, base_keyed;           // of `rig`, and of the scene's
  CroppedTets tets;
  std::unique_ptr<RigBody> body;
  VecX stiffness;                          // S of base_free; empty: nothing is asked for
  std::optional<MaterialFit> fit;          // at rest
  std::function<VecX(double t)> targets;   // of the handles; null without
  std::shared_ptr<const Track> obstacles;  // null: still
  RigStepOptions options;
  int substeps = 1;
  LayerNumbers numbers;
  std::vector<std::string> warnings;
};
// found: what is keyed: setup.keys, and what earlier layers found. modes: null: none.
CurvesLayer make_layer(const CurvesSetup& setup, size_t layer, const CurveSamples& found,
                       const ParameterModes* modes = nullptr);

// The body of a layer with other factors on its tets, under its rig or another one.
std::unique_ptr<RigBody> with_stiffness(const CurvesLayer& layer, std::vector<double> stiffness,
                                        const std::shared_ptr<const RigMap>& rig);

}  // namespace supple::pipeline::curves
