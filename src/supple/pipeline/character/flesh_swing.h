// How much of the inertial forces each region of a character's flesh feels, so that it goes as far as [[flesh]] says in
// whatever tets.
#pragma once
#include <vector>

#include "supple/attach/flesh.h"
#include "supple/scene/config.h"
#include "supple/sim/parts.h"
#include "supple/tune/giving_way.h"

namespace supple::pipeline {

// At most so many of them, evenly chosen.
std::vector<int> some_of(const std::vector<int>& vertices, size_t most);

// The median of the values that some vertices have.
double middle_of(const std::vector<double>& values, const std::vector<int>& vertices);

// The regions by the entries of [[flesh]] that they go by.
struct SwingGroups {
  std::vector<const FleshConfig*> entries;
  std::vector<std::vector<int>> vertices;  // of each entry
  std::vector<SwayRegion> regions;         // likewise
  std::vector<int> of_part;                // which entry each part goes by; -1: none, it only follows
};
// of_part: for each part the entry it goes by; null: none.
SwingGroups swing_groups(const Model& model, const Parts& parts, const std::vector<const FleshConfig*>& of_part);

// Per vertex, from one number an entry, without a crease.
VecX inertia_field(const Model& model, const Parts& parts, const SwingGroups& groups,
                   const std::vector<double>& inertia);

// What [[flesh]] swing says, a share of the reach under kBrisk, at 1 m/s^2.
double share_of_swing(double swing, const Flesh& flesh);
// How far flesh of that reach is to go where nothing says it: far enough to be seen, as far as its thickness allows.
double usual_swing(const SceneConfig& config, const Flesh& flesh, double reach);

// The inertia, per vertex, that lets every region go as far as its entry says, about the shape of the model.
VecX inertia_for_swings(const SceneConfig& config, const Flesh& flesh, const Model& model, const Parts& parts,
                        const std::vector<const FleshConfig*>& of_part);

}  // namespace supple::pipeline
