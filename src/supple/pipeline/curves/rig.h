// The rig of a scene: a character's joints and morph targets, deformers of a surface, both, or another program; and
// which of its parameters are free.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/anim/motion_cuts.h"
#include "supple/io/curve_files.h"
#include "supple/pipeline/character/character.h"
#include "supple/rigs/rig_map.h"
#include "supple/rigs/skeleton_deformer.h"
#include "supple/scene/config.h"

namespace supple::pipeline::curves {

// When frames are. Frame 0 of the run is `first` of the motion, and time 0 of the rig.
struct CurvesTimeline {
  double fps = 24;
  int first = 0, n_frames = 1;
  double clip_start = 0;  // [s] of frame 0 of the run in the clip's own time
  bool loop = false;
  // Where all that is keyed is cut, by frames of the run; and the steps over which it jumps as one, by the frame before
  // them: those the flesh is carried over.
  MotionCuts found;
  std::vector<int> jumps;
  std::vector<double> cuts(int cycles) const;  // when, over so many of a loop's [s]
  std::string why;                             // "its last pose is 0.2 m from the first"
};

struct CurvesRig {
  std::shared_ptr<CharacterSetup> character;  // read and laid out; null: of a plain surface
  std::string clip;                           // its name; empty: none
  std::vector<int> clip_sources;              // animations of the file
  std::shared_ptr<const SkeletonDeformer> skeleton;
  int skeleton_first = 0;  // parameter of the rig that is the skeleton's first
  std::shared_ptr<const RigMap> rig;
  // Without the clip: what is analysed with it does not depend on which clip there is. Where there is none, the rig.
  std::shared_ptr<const RigMap> still;
  Points rest;                 // points in the shape without stress [m]
  std::vector<Tri> triangles;  // of points
  bool boundary = false;       // the points are boundary vertices of the tets of the scene, in their order
  CurvesTimeline time;
  std::vector<std::vector<int>> free;  // parameters of each layer, ascending
  CurveTable keys;                     // of [curves]; no names: none
  std::vector<std::string> warnings;

  double size() const;
  std::vector<int> all_free() const;  // of all layers, ascending
};

// everything: all joints, channels and morph targets are parameters, and nothing need be free: for lists.
// InputError: files that are missing or damaged, patterns that match nothing, nothing free, ...
CurvesRig make_curves_rig(const SceneConfig& config, bool everything = false);

// What the scene calls a layer.
struct LayerPlan {
  std::string name, key;  // key: where its patterns stand, for errors
  std::vector<std::string> patterns;
  double frequency_hz = 2;
  int modes = 0;
};
std::vector<LayerPlan> layer_plans(const SceneConfig& config);

// The deformers of [[curves.deformer]] in one space ("rest" or "world"), for points at rest.
std::vector<std::shared_ptr<const Deformer>> make_deformers(const SceneConfig& config, const std::string& space,
                                                            const Points& rest, double scale);

}  // namespace supple::pipeline::curves
