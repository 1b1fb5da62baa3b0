// A body adjusted: the dials of a scene (dials.h), part by part, made into a model and what goes beside it.
#pragma once
#include <vector>

#include "supple/scene/config.h"
#include "supple/scene/dials.h"

namespace supple {

struct Body;
struct Job;

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

// Analyses the body, then fills in of the job: base, model, adjustment, fields, scalings, baseline, adjusted, parts,
// frequency_hz, stiffness_damping, substeps.
void adjust_body(Job& job, const Body& body);

// The job with other scalings of the whole body; regions and maps keep their proportions to it. Only the model is made
// anew; substeps follow when they are "auto". With job.scalings as loaded nothing changes.
void apply_scalings(Job& job, const Scalings& whole);

// Steps a frame as "auto" has them: kStepsPerPeriod for the fastest part that is not too light to count.
int auto_substeps(const Job& job);

// Scalings of the whole body for ratios to the baseline, for the half-life at the step apply_scalings will choose.
Scalings scalings_for(const Job& job, const DialRatios& asked);

// The scene with every dial at 1: no maps, no keys, none of a region, no raw scalings.
SceneConfig without_dials(SceneConfig config);

}  // namespace supple
