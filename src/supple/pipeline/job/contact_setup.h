// The body of a job together with all that it can touch, as one model. Analysis, searches and trials are about the
// job's own model; only what is delivered is simulated with this.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/inertia/simulation.h"
#include "supple/pipeline/job/job.h"

namespace supple::pipeline {

struct ContactSetup {
  std::unique_ptr<Model> model;            // the body's vertices and tets first
  std::shared_ptr<const Track> obstacles;  // null: they stay
  std::shared_ptr<const Track> drawn;      // where the body's points are drawn; null: where the tets carry them
  VecX velocity;                           // of other bodies' vertices at the start, flat
  std::string surface;                     // of the body: "tets" or "drawn"
  // For messages: what each point of model->contact() belongs to, a bone or region of the body where it has them.
  std::vector<std::string> names;
  std::vector<int> name_of;

  // Makes a simulation of the job's own model one of this.
  void put_into(SimulationSpec& spec) const;
};

// Null where nothing may touch. warnings: what is odd.
std::unique_ptr<ContactSetup> set_up_contact(const Job& job, std::vector<std::string>& warnings);

// Where the obstacles of the surroundings go, one after the other; null where none moves.
std::shared_ptr<const Track> obstacle_motion(const std::shared_ptr<const Surroundings>& around);

// How near surfaces come before they push [m].
double contact_thickness(const Job& job);

}  // namespace supple::pipeline
