// A body before any dial: tets, materials, what holds it, and what it is to be like.
#pragma once
#include <vector>

#include "supple/pipeline/setup/notes.h"
#include "supple/scene/config.h"
#include "supple/sim/matched_share.h"
#include "supple/sim/model.h"

namespace supple::pipeline {

struct Body {
  ModelSpec spec;                     // damping: what is given directly, 0 where it comes from a half-life
  std::vector<char> damping_given;    // per tet
  std::vector<double> damping_map;    // per tet, already in what is given
  Points attached;                    // rest positions of what follows the animation: driven vertices, springs, ties
  std::vector<int> followers;         // vertices of loose parts, the last of spec.driven
  std::vector<int> spring_vertices;   // those the first of spec.springs hold
  VecX inertia;                       // scale of inertial forces before the dials, per vertex; empty: 1
  VecX half_life;                     // before the dials, per vertex [s]; empty: as [material] says
  VecX hanging;                       // displacement that gravity shall cause: the rest shape is made for it; or empty
  VecX thickness;                     // of the flesh around each vertex [m]; empty: not known
  VecX swing_rate;                    // 2 pi the slowest frequency of the flesh around, per vertex [1/s]; or empty
  double swings_hz = 0;               // the fastest that its parts are to swing at; 0: as analysed
  double steps_per_s = 0;             // that are enough for it; 0: as its frequencies call for
  bool frequencies_met = false;       // its stiffness was made for the frequencies [Hz] that the scene gives
  bool may_only_follow = false;       // to have nothing free is as it was asked for
  std::vector<FleshConfig> flesh;     // what it is like, as the scene says or as it was chosen
  std::vector<MatchedShare> matched;  // of each part, where anti-locking was matched
};

// The region of tets that only follow.
inline constexpr const char* kCoreRegion = "(core)";

// Material, integrator and world; and one set of parameters a tet with what of their damping is given.
void set_model_options(const SceneConfig& config, ModelSpec& spec);
void set_materials(const SceneConfig& config, Body& body, Notes& notes);
// Stiffness and mass by the share of each tet that is solid, where the mesh knows it.
void apply_fill(ModelSpec& spec);

}  // namespace supple::pipeline
