// How much of the inertial forces each region of a character's flesh feels, so that it goes as far as [[flesh]] says in
// whatever tets.
#pragma once
#include <vector>

#include "supple/attach/flesh.h"
#include "supple/attach/soft_skin.h"
#include "supple/scene/config.h"
#include "supple/sim/parts.h"
#include "supple/tune/giving_way.h"

namespace supple::pipeline {

// At most so many of them, evenly chosen.
std::vector<int> some_of(const std::vector<int>& vertices, size_t most);

// The regions by the entries of [[flesh]] that they go by.
struct SwingGroups {
  std::vector<const FleshConfig*> entries;
  std::vector<std::vector<int>> vertices;  // of each entry
  std::vector<std::vector<int>> points;    // likewise, of the skin that was given: what it is judged by
  std::vector<std::vector<int>> watched;   // some of those points, evenly
  std::vector<SwayRegion> regions;         // of each entry, with what is watched of it
  std::vector<int> of_part;                // which entry each part goes by; -1: none, it only follows
};
// of_part: for each part the entry it goes by; null: none. Flesh that moves nothing of the skin has none.
SwingGroups swing_groups(const Model& model, const SoftSkin& skin, const Parts& parts,
                         const std::vector<const FleshConfig*>& of_part);

// Per vertex, from one number an entry, without a crease.
VecX inertia_field(const Model& model, const Parts& parts, const SwingGroups& groups,
                   const std::vector<double>& inertia);

// What [[flesh]] swing says, a share of the reach under kBrisk, at 1 m/s^2.
double share_of_swing(double swing, const Flesh& flesh);
// How far flesh of that reach is to go where nothing says it: far enough to be seen, as far as its thickness allows.
double usual_swing(const SceneConfig& config, const Flesh& flesh, double reach);

// The inertia that lets every entry swing so far. given: what is said of it instead, NaN: nothing; empty: of none.
std::vector<double> inertia_for_swings(const GivingWay& way, const Flesh& flesh, const std::vector<double>& swing,
                                       std::vector<double> given = {});
// Likewise, per vertex, as far as the entries say, about the shape of the model.
VecX inertia_for_swings(const SceneConfig& config, const Flesh& flesh, const Model& model, const SoftSkin& skin,
                        const Parts& parts, const std::vector<const FleshConfig*>& of_part);

}  // namespace supple::pipeline
