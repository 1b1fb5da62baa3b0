// The body of a scene as its files give it: tets, materials, what holds it.
#pragma once
#include <vector>

#include "supple/sim/model.h"

namespace supple {

struct Job;
struct SceneConfig;

struct Body {
  ModelSpec spec;                    // damping: what is given directly, 0 where it comes from a half-life
  std::vector<char> damping_given;   // per tet
  std::vector<double> damping_map;   // per tet, already in what is given
  Points attached;                   // rest positions of the points of [attach]
  std::vector<int> followers;        // vertices of loose parts, the last of spec.driven
  std::vector<int> spring_vertices;  // of a character: those the first of spec.springs hold
};

// Reads the files; warnings and inputs go to the job.
Body load_body(Job& job);

// Of that: material, integrator and world, and one set of parameters a tet with what of their damping is given.
void set_model_options(const SceneConfig& config, ModelSpec& spec);
void set_materials(Job& job, Body& body);

}  // namespace supple
