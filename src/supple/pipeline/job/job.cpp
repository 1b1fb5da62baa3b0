#include "supple/pipeline/job/job.h"

#include <fmt/format.h>

#include "supple/base/error.h"
#include "supple/pipeline/job/subjects.h"
#include "supple/pipeline/setup/fingerprint.h"

namespace supple::pipeline {

StepperOptions Job::stepper_options() const {
  return {.integrator = integrator_from_name(config.solver.integrator),
          .stage_fraction = config.expert.stage_fraction,
          .tolerance = config.solver.tolerance,
          .max_newton = config.solver.max_newton,
          .linear_solver = config.solver.linear};
}

std::unique_ptr<Drawing> Job::drawing() const {
  return subject->drawing(config, body->base, *body->model, surface, shot.first_frame);
}

OutputRequest Job::output() const {
  return {.config = config, .appearance = subject->appearance(), .fps = shot.fps, .tets = &body->model->mesh()};
}

std::shared_ptr<const ReadyBody> ready_body(const SceneConfig& config, const Subject& subject) {
  auto out = std::make_shared<ReadyBody>();
  out->fps = subject.fps();
  out->body = subject.body(config, out->notes);
  if (config.material.inertia && out->body.inertia.size() == 0)
    out->body.inertia = VecX::Constant(out->body.spec.mesh.n_vertices(), *config.material.inertia);
  out->adjusted = std::make_shared<const AdjustedBody>(
      adjust(config, out->body, out->fps, subject.least_substeps(config), out->notes));
  return out;
}

Job build_job(const SceneConfig& config, bool with_motion, std::shared_ptr<const Subject> subject,
              std::shared_ptr<const ReadyBody> ready) {
  if (config.curves.present)
    throw InputError(config.locate("curves.free"), "a scene with [curves] is for supple curves",
                     "Leave the table out, or use that command.");
  Job job;
  job.config = config;
  if (!config.file.empty()) job.notes.input({config.file, config.file});
  job.subject = subject ? std::move(subject) : make_subject(config, with_motion);
  job.shot.fps = job.subject->fps();
  if (!ready) ready = ready_body(config, *job.subject);
  job.notes.inputs.insert(job.notes.inputs.end(), ready->notes.inputs.begin(), ready->notes.inputs.end());
  job.notes.warn(ready->notes.warnings);
  const AdjustedBody& adjusted = *ready->adjusted;
  job.body = ready->adjusted;
  job.surroundings = load_surroundings(config, job.shot.fps, job.notes);

  int frames = 1;
  job.shot.drive = rest_drive(*adjusted.model);
  if (with_motion) {
    ShotMotion motion = job.subject->motion({config, ready->body, adjusted, job.surroundings.get()}, job.notes);
    frames = motion.frames;
    job.shot.drive = std::move(motion.drive);
    job.shot.start = std::move(motion.start);
    job.shot.first_guess = std::move(motion.first_guess);
    job.shot.followed = std::move(motion.followed);
  }
  const auto& range = config.timeline.range;
  job.shot.first_frame = range ? (*range)[0] : 0;
  job.shot.last_frame = range ? (*range)[1] : frames - 1;
  if (with_motion && job.shot.last_frame > frames - 1)
    throw InputError(config.locate("timeline.range"),
                     fmt::format("frame {} is past the last frame {}", job.shot.last_frame, frames - 1),
                     "shorten the range, or set timeline.frames to hold the end");
  job.surface = job.subject->surface(config, adjusted.model->mesh(), job.notes);
  return job;
}

Job with_scalings(Job job, const Scalings& scalings) {
  job.body = std::make_shared<const AdjustedBody>(rescaled(job.config, *job.body, scalings));
  return job;
}

SimulationSpec simulation_spec(const Job& job) {
  const Shot& shot = job.shot;
  const Adjustment& adjustment = job.body->adjustment;
  return {.drive = shot.drive,
          .adjustment = adjustment,
          .stepper = job.stepper_options(),
          .frame = 1 / shot.fps,
          .substeps = job.body->substeps,
          .t_start = shot.start_time(),
          .t_end = shot.last_frame / shot.fps,
          .first_guess = shot.first_guess.size() > 0 ? shot.first_guess : job.body->sagged,
          .followed = adjustment.plain_inertia() && !adjustment.keyed() ? shot.followed : nullptr,
          .solve_every_step = job.config.expert.static_solves == "every-step",
          .settles_at_cuts = job.config.timeline.cuts == "settle"};
}

std::string fingerprint(const Job& job) { return fingerprint(job.config, job.notes.inputs); }

}  // namespace supple::pipeline
