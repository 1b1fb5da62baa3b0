#include "supple/scene/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/io/obj.h"
#include "supple/scene/enrich_body.h"
#include "supple/scene/enrich_setup.h"
#include "supple/scene/load_body.h"
#include "supple/scene/load_character.h"
#include "supple/scene/load_maps.h"
#include "supple/scene/load_motion.h"
#include "supple/scene/solid_surface.h"
#include "supple/scene/surroundings.h"

namespace supple {

void load_surface(Job& job) {
  if (job.character) {
    const Drawn& drawn = job.character->drawn;
    job.surface.mesh.vertices = drawn.vertices.rest;
    job.surface.mesh.triangles = drawn.triangles;
    job.surface.mesh.normals = drawn.normals;
    return;
  }
  if (job.enrich) {
    const EnrichSetup& s = *job.enrich;
    job.surface.mesh = s.input.surface;
    job.surface.embedding = {.tet = s.tet, .weights = s.weights};
    return;
  }
  const TetMesh& mesh = job.model->mesh();
  if (job.config.surface.file.empty()) {
    job.surface.mesh = boundary_surface(mesh, job.surface.embedding);
    return;
  }
  note_input(job, job.config.surface.file);
  job.surface.mesh = read_obj(job.config.surface.file.path);
  for (Vec3& x : job.surface.mesh.vertices) x *= job.config.surface.scale.value_or(1);
  if (job.surface.mesh.triangles.empty())
    throw InputError({.file = job.config.surface.file.text}, "the surface has no faces");
  job.surface.embedding = embed(mesh, job.surface.mesh.vertices);
  if (job.surface.embedding.n_outside > 0)
    job.warnings.push_back(fmt::format("{}: {} of {} vertices lie outside the tets, by up to {:.3g} m",
                                       job.config.surface.file.text, job.surface.embedding.n_outside,
                                       job.surface.mesh.n_vertices(), job.surface.embedding.max_distance));
}

double Job::file_scale() const { return character ? character->scale : enrich ? enrich->input.scale : 1; }

StepperOptions Job::stepper_options() const {
  return {.integrator = integrator_from_name(config.solver.integrator),
          .stage_fraction = config.expert.stage_fraction,
          .tolerance = config.solver.tolerance,
          .max_newton = config.solver.max_newton,
          .linear_solver = config.solver.linear};
}

int substeps_for(double frequency_hz, double fps) {
  return std::clamp(static_cast<int>(std::ceil(kStepsPerPeriod * frequency_hz / fps - 1e-9)), 1, 50);
}

Job build_job(const SceneConfig& config, bool with_motion, std::shared_ptr<const CharacterSetup> character,
              std::shared_ptr<const EnrichSetup> enrich) {
  if (config.curves.present)
    throw InputError(config.locate("curves.free"), "a scene with [curves] is for supple curves",
                     "Leave the table out, or use that command.");
  Job job;
  job.config = config;
  job.fps = config.timeline.fps.value_or(24);
  if (!config.file.empty()) note_input(job, {config.file, config.file});
  job.character = std::move(character);
  job.enrich = std::move(enrich);
  Body body = config.enrich.present    ? enrich_body(job, with_motion)
              : config.has_character() ? character_body(job)
                                       : load_body(job);
  if (config.material.inertia && !job.character)
    job.inertia = VecX::Constant(body.spec.mesh.n_vertices(), *config.material.inertia);
  adjust_body(job, body);

  job.surroundings = load_surroundings(job);

  int frames = 1;
  std::shared_ptr<const Track> motion;
  if (with_motion) motion = load_motion(job, body, frames);
  job.drive = rest_drive(*job.model);
  const ModelSpec& spec = body.spec;
  if (motion && (job.character || job.enrich))
    split_drive(body, motion, job.drive);
  else if (motion)
    (!spec.springs.empty() ? job.drive.springs : !spec.ties.empty() ? job.drive.ties : job.drive.vertices) = motion;
  if (motion && job.enrich) {
    job.drive.spring_factors = enrich_spring_factors(job, body);
    job.drive.animation = job.followed;
  }
  job.first_frame = config.timeline.range ? (*config.timeline.range)[0] : 0;
  job.last_frame = config.timeline.range ? (*config.timeline.range)[1] : frames - 1;
  if (with_motion && job.last_frame > frames - 1)
    throw InputError(config.locate("timeline.range"),
                     fmt::format("frame {} is past the last frame {}", job.last_frame, frames - 1),
                     "shorten the range, or set timeline.frames to hold the end");
  load_surface(job);
  return job;
}

Points surface_points(const Job& job, const VecX& u) {
  if (job.character) {
    const CharacterSetup& c = *job.character;
    VecX from_bound = u;
    if (!c.flesh.at_rest.empty()) from_bound += flatten(job.model->mesh().vertices) - flatten(c.cage.mesh.vertices);
    const VecX moved = blended(c.blend, from_bound);
    Points points = c.drawn.vertices.rest;
    for (size_t v = 0; v < points.size(); ++v)
      if (c.skin_of[v] >= 0) points[v] += moved.segment<3>(3 * c.skin_of[v]);
    return points;
  }
  return embedded_points(job.surface.embedding, job.model->mesh().tets, flatten(job.model->mesh().vertices) + u);
}

}  // namespace supple
