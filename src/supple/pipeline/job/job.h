// A scene made ready to run: what is simulated, its body with the dials, and the shot.
#pragma once
#include <memory>
#include <string>

#include "supple/inertia/simulation.h"
#include "supple/pipeline/setup/subject.h"
#include "supple/pipeline/setup/surroundings.h"

namespace supple::pipeline {

// One motion, from its first frame to its last.
struct Shot {
  Drive drive;
  StartPlan start;                      // how the run begins, and whether it repeats
  int first_frame = 0, last_frame = 0;  // of the motion; the run's frame 0 is first_frame
  double fps = 24;
  VecX first_guess;  // of p at the first frame, as seen from what is driven; empty: the sagged body
  std::shared_ptr<const Track> followed;  // where the animation has all tet vertices; null: it does not say

  int n_frames() const { return last_frame - first_frame + 1; }  // samples written
  double start_time() const { return first_frame / fps; }
};

// What files and pages of a run need to know of it. All must outlive it.
struct OutputRequest {
  const SceneConfig& config;
  const Appearance& appearance;
  double fps = 24;
  const TetMesh* tets = nullptr;  // null: none are delivered
};

struct Job {
  SceneConfig config;
  std::shared_ptr<const Subject> subject;
  std::shared_ptr<const AdjustedBody> body;
  Shot shot;
  std::shared_ptr<const Surroundings> surroundings;  // what the flesh can touch; null: nothing
  DrawnSurface surface;
  Notes notes;

  const Model& model() const { return *body->model; }
  double file_scale() const { return subject->appearance().file_scale(); }
  StepperOptions stepper_options() const;
  // The job must outlive both.
  std::unique_ptr<Drawing> drawing() const;
  OutputRequest output() const;
};

// The body of a subject, adjusted as the scene says: all jobs of one scene and one frame rate can share it, whatever
// their clips.
struct ReadyBody {
  Body body;
  std::shared_ptr<const AdjustedBody> adjusted;
  double fps = 24;
  Notes notes;
};
std::shared_ptr<const ReadyBody> ready_body(const SceneConfig& config, const Subject& subject);

// Reads every file of the scene. with_motion false leaves the motion out: the driven points stay at rest (analysis).
// subject, ready: what was read and made before; null: it is now.
Job build_job(const SceneConfig& config, bool with_motion = true, std::shared_ptr<const Subject> subject = nullptr,
              std::shared_ptr<const ReadyBody> ready = nullptr);

// The same with other scalings of its body.
Job with_scalings(Job job, const Scalings& scalings);

// The job as the simulation wants it; `begin` (begin.h) begins it as the scene says.
SimulationSpec simulation_spec(const Job& job);

// Everything a run depends on, as one number: a checkpoint of another scene is refused.
std::string fingerprint(const Job& job);

}  // namespace supple::pipeline
