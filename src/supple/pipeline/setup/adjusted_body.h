// A body adjusted: the dials of a scene (dials.h), part by part, made into a model and what goes beside it.
#pragma once
#include <memory>
#include <vector>

#include "supple/pipeline/setup/body.h"
#include "supple/pipeline/setup/dial_parts.h"
#include "supple/tune/dials.h"

namespace supple::pipeline {

// The scalings as the scene asks for them, tet by tet and vertex by vertex.
struct ScalingFields {
  std::vector<double> chi;           // per tet
  std::vector<double> damping;       // per tet: d_k after scaling [s]
  VecX mu, epsilon;                  // per vertex
  VecX authored_mu;                  // what mu would be with the sag as it is without dials
  Scalings whole;                    // their means over the free mass
  double frequency_hz = 0;           // of the body so scaled
  std::vector<Scalings> parts;       // of each part
  std::vector<double> part_damping;  // d_k of each part after scaling [s]
  std::vector<double> part_felt;     // d_k that its slowest swing feels, which may reach into other parts [s]
  std::vector<double> part_hz;       // frequency of each part after scaling [Hz]
};

// A body with its dials: what the simulation is made of.
struct AdjustedBody {
  ModelSpec base;                      // without any adjustment
  std::shared_ptr<const Model> model;  // with what of the adjustment a model can hold
  Adjustment adjustment;               // the rest of it
  ScalingFields fields;                // both as loaded
  Scalings scalings;                   // in force, of the whole body: means over the free mass
  Response baseline, adjusted;         // of the whole body
  std::vector<PartNumbers> parts;
  VecX sagged;   // without adjustment under gravity: where equilibria are looked for first
  VecX inertia;  // scale of inertial forces before the dials, per vertex; empty: 1
  VecX hanging;  // displacement that gravity shall cause: the rest shape is made for it; or empty
  double fps = 24;
  int substeps = 1, least_substeps = 1;
  double frequency_hz = 0;             // lowest natural frequency, adjusted; 0 when nothing can vibrate
  double stiffness_damping = 0;        // d_k where the frequency is lowest, adjusted [s]
  VecX swing_rate;                     // as of Body
  double swings_hz = 0;                // the fastest that its parts are to swing at; 0: as analysed
  double steps_per_s = 0;              // that are enough for it; 0: as its frequencies call for
  std::vector<FleshConfig> flesh;      // what it is like, as the scene says or as it was chosen
  VecX thickness;                      // of the flesh around each vertex [m]; empty: not known
  std::shared_ptr<const Parts> split;  // as `parts` has them
  DialMaps maps;                       // of the dials
  std::vector<MatchedShare> matched;   // as of Body

  double step() const { return 1 / (fps * substeps); }
};

// Analyses the body and turns the dials of the scene. least_substeps: that its motion asks for.
AdjustedBody adjust(const SceneConfig& config, const Body& body, double fps, int least_substeps, Notes& notes);

// The same with what was found for each of its parts, on top of the formulas. Steps and what the formulas promise stay.
AdjustedBody tuned(const SceneConfig& config, AdjustedBody body, const std::vector<Scalings>& found);

// The same with other scalings of the whole body; regions and maps keep their proportions to it. Only the model is made
// anew; substeps follow when they are "auto". With the scalings as loaded nothing changes.
AdjustedBody rescaled(const SceneConfig& config, AdjustedBody body, const Scalings& whole);

// Steps a frame as "auto" has them: kStepsPerPeriod for the fastest part that is not too light to count.
int auto_substeps(const AdjustedBody& body);
// What a body of this frequency calls for, 1 to 50.
int substeps_for(double frequency_hz, double fps);
// Steps a period that keep the integrator's error in frequency and half-life small.
inline constexpr int kStepsPerPeriod = 30;

// Scalings of the whole body for ratios to the baseline, for the half-life at the step `rescaled` will choose.
Scalings scalings_for(const SceneConfig& config, const AdjustedBody& body, const DialRatios& asked);

// The scene with every dial at 1: no looks, no maps, no keys, none of a region, no raw scalings, nothing tuned.
SceneConfig without_dials(SceneConfig config);

}  // namespace supple::pipeline
