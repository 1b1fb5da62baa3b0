// What the flesh of a scene can touch: obstacles that go their own way, planes, other bodies. Read and put in place;
// contact_model.h makes a simulation of it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supple/anim/track.h"
#include "supple/contact/contact_surface.h"
#include "supple/mesh/embedding.h"
#include "supple/pipeline/setup/notes.h"

namespace supple::pipeline {

struct Obstacle {
  std::string name;
  TriMesh mesh;                        // at the first frame of the motion
  std::shared_ptr<const Track> track;  // null: it stays
};

struct OtherBody {
  std::string name;
  TetMesh tets;             // where it is at the start; of a rigid one: a single tet that moves as it does
  TriMesh surface;          // likewise, as it is drawn
  Embedding embedding;      // of the surface's vertices
  bool is_boundary = true;  // the surface is that of the tets
  bool rigid = false;
  double mass = 0;            // of a rigid one [kg]
  std::vector<double> solid;  // share of each tet that is filled
  double youngs_modulus = 0, poisson_ratio = 0, density = 0;
  std::optional<double> half_life_s, stiffness_damping;
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  // [m/s], [rad/s]
};

struct Surroundings {
  std::vector<Obstacle> obstacles;
  std::vector<ContactPlane> planes;
  std::vector<OtherBody> bodies;
  bool animated() const;  // some obstacle moves
};

// Null where nothing may touch.
std::shared_ptr<const Surroundings> load_surroundings(const SceneConfig& config, double fps, Notes& notes);

}  // namespace supple::pipeline
