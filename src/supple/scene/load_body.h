// The body of a scene as its files give it: tets, materials, what holds it.
#pragma once
#include <vector>

#include "supple/sim/model.h"

namespace supple {

struct Job;

struct Body {
  ModelSpec spec;                   // damping: what is given directly, 0 where it comes from a half-life
  std::vector<char> damping_given;  // per tet
  std::vector<double> damping_map;  // per tet, already in what is given
  Points attached;                  // rest positions of the points of [attach]
  std::vector<int> followers;       // vertices of loose parts, the last of spec.driven
};

// Reads the files; warnings and inputs go to the job.
Body load_body(Job& job);

}  // namespace supple
