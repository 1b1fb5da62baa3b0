// A scene made ready to run: files read, model built, motion resampled, numbers that depend on the model settled.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/mesh/embedding.h"
#include "supple/scene/adjust.h"
#include "supple/scene/character_setup.h"
#include "supple/scene/config.h"
#include "supple/scene/start.h"
#include "supple/sim/analysis.h"

namespace supple {

// What is drawn: a surface carried by the tets, or their boundary.
struct DrawnSurface {
  TriMesh mesh;         // rest shape; of a character: everything drawn, in the order of its file
  Embedding embedding;  // one entry a vertex; of a character: none
};

struct Job {
  SceneConfig config;
  ModelSpec base;                // the body without any adjustment
  std::unique_ptr<Model> model;  // with what of the adjustment a model can hold
  Adjustment adjustment;         // the rest of it
  ScalingFields fields;          // both as loaded
  Scalings scalings;             // in force, of the whole body: means over the free mass
  Response baseline, adjusted;   // of the whole body
  VecX sagged;                   // the body without adjustment under gravity: where equilibria are looked for first
  std::vector<PartNumbers> parts;
  Drive drive;
  std::shared_ptr<const Track> followed;                    // of what is enriched: where the fit has all tet vertices
  std::shared_ptr<const struct Surroundings> surroundings;  // what the flesh can touch; null: nothing
  StartPlan start;                                          // how the run begins, and whether it repeats
  std::shared_ptr<const struct EnrichSetup> enrich;         // of an animation that is enriched; null: of none
  // Of a character; null: the body is that of a tet file, or of what is enriched.
  std::shared_ptr<const CharacterSetup> character;
  ClipFrames clip;
  std::vector<FleshConfig> flesh;  // what its flesh is like, as the scene says or as it was chosen
  VecX inertia;                    // scale of inertial forces before the dials, per vertex; empty: 1
  VecX half_life;                  // before the dials, per vertex [s]; empty: as [material] says
  VecX hanging;                    // displacement that gravity shall cause: the rest shape is made for it; or empty
  VecX first_guess;                // of p at the first frame, as seen from the driven points; empty: `sagged`
  DrawnSurface surface;
  int first_frame = 0, last_frame = 0;  // of the motion; the run's frame 0 is first_frame
  double fps = 24;
  int substeps = 1;
  double stiffness_damping = 0;  // d_k where the frequency is lowest, adjusted [s]
  double swings_hz = 0;          // of what is enriched: the fastest that its parts are to swing at
  double frequency_hz = 0;       // lowest natural frequency, adjusted; 0 when nothing can vibrate
  std::vector<std::pair<std::string, std::string>> inputs;  // file as written, hash
  std::vector<std::string> warnings;

  int n_frames() const { return last_frame - first_frame + 1; }  // samples written
  double start_time() const { return first_frame / fps; }
  double step() const { return 1 / (fps * substeps); }
  double file_scale() const;  // units of the file that is drawn, and delivered again, to metres
  StepperOptions stepper_options() const;
};

// Reads every file of the scene. with_motion false leaves the motion out: the driven points stay at rest (analysis).
// character: one that was set up before, for another clip of the same scene.
// enrich: likewise an animation with its fit.
Job build_job(const SceneConfig& config, bool with_motion = true,
              std::shared_ptr<const CharacterSetup> character = nullptr,
              std::shared_ptr<const EnrichSetup> enrich = nullptr);

// Fills in job.surface, for the model that is there.
void load_surface(Job& job);

// Positions of the drawn surface for displacements u of the tets; of a character: on top of how it is bound.
Points surface_points(const Job& job, const VecX& u);

// What a body of this frequency calls for, 1 to 50.
int substeps_for(double frequency_hz, double fps);
// Steps a period that keep the integrator's error in frequency and half-life small.
inline constexpr int kStepsPerPeriod = 30;

}  // namespace supple
