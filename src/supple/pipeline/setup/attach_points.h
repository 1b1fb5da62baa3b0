// What of a character follows by the words of [attach]: vertices, what a proxy holds, and where a track takes them.
#pragma once
#include <string>
#include <vector>

#include "supple/attach/flesh.h"
#include "supple/scene/config.h"

namespace supple::pipeline {

struct AttachedPoints {
  std::vector<int> vertices;     // tet vertices that follow exactly...
  std::vector<PointTie> points;  // ...or points that are tied or held by springs
  bool moved = false;            // by a track or a rigid motion, in the order of these lists; else by the bones
  Points bound;                  // where they are as bound [m]
};

// cage: as bound. scale: units of the character's file to metres, which proxies have. InputError: vertices that are not
// there, a proxy that is open or has nothing in it.
AttachedPoints find_attached(const SceneConfig& config, const TetMesh& cage, double scale,
                             std::vector<std::string>& warnings);
void put_attached(const SceneConfig& config, const AttachedPoints& attached, FleshOptions& options);

// Where track or rigid take them, frame by frame [m]; empty when nothing but bones does. InputError: a track of other
// points, or shorter than the clip.
std::vector<VecX> attached_samples(const SceneConfig& config, const AttachedPoints& attached, double scale, double fps,
                                   int n_frames);
// A share of the way from where they are bound, along a rigid motion as far as one fits.
VecX attached_towards(const AttachedPoints& attached, const VecX& goal, double share);

}  // namespace supple::pipeline
