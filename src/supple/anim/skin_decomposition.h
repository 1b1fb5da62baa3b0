// Soft motion as bones: a few helper joints and new skin weights that carry soft vertices where a simulation had them
// (after Le and Deng 2012, smooth skinning decomposition with rigid bones; here under a skin that stays).
//
// A helper hangs under one of the artist's bones and takes its weight from that bone alone: the other bones of a vertex
// keep theirs. So with all helpers at rest every pose looks as the artist made it, in other clips too.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/drawn.h"

namespace supple {

// Vertices over frames; several clips may follow each other.
struct SoftMotion {
  Points rest;                             // bound world [m]
  SkinWeights skin;                        // the artist's, one a vertex
  std::vector<std::vector<Affine>> bones;  // [frame][bone] bound world -> world: Pose::bones
  std::vector<Points> targets;             // [frame][vertex] where they should be, world
  std::vector<Points> morphed;             // [frame][vertex] rest with the artist's morph targets; empty: rest
};

// Soft vertices that share helpers. No vertex is in two regions.
struct SoftRegion {
  std::string name;
  std::vector<int> bones;     // that may carry helpers: the driving bone; more where flesh reaches over several
  std::vector<int> vertices;  // of the motion
  int max_helpers = 8;        // fewer when the error is met earlier
};

// Errors are lengths between a vertex and its target. A region is good enough when rms and largest error are within
// their shares of its largest displacement, or the largest is within its share of the character. All 0: all helpers.
struct DecompositionOptions {
  double rms_share = 0.02;
  double max_share = 0.1;
  double size_share = 2e-4;
  double size = 0;  // of the character [m]; 0: longest side of the rest positions
  // Weights of other bones that may go where a helper needs one of the four places, if that moves the vertex by less
  // than half of what the helper is for.
  double drop_below = 0.1;
  int fit_frames = 48;  // frames and vertices, the most telling ones, that the fit looks at; errors are of all
  int fit_vertices = 1500;
  int rounds = 12;  // of weights and motions by turns, with the last helper
};

// A joint under a bone. In the bound world, relative to the bone, it takes x to head + R (x - head) + shift.
struct HelperJoint {
  std::string name;  // "belly_soft.1"
  int region = -1;
  int bone = -1;
  Vec3 head = Vec3::Zero();  // where it is at rest: amid what it carries
  double reach = 0;          // farthest vertex it carries from there [m]
  std::vector<Quat> rotations;
  Points shifts;  // one a frame; rotations do not change sign from frame to frame
};

struct RegionFit {
  std::string name;
  int helpers = 0;
  double rms = 0, max = 0;              // errors [m] over all vertices and frames
  double peak = 0;                      // largest displacement asked for [m]
  double rms_share = 0, max_share = 0;  // of the peak
  bool met = true;
  int trimmed = 0;            // vertices that lost weights to keep to four bones
  double trimmed_weight = 0;  // the most that one lost
};

struct SkinDecomposition {
  int n_bones = 0;  // of the artist; helper h is bone n_bones + h of `skin`
  std::vector<HelperJoint> helpers;
  SkinWeights skin;  // of all vertices; those that no helper moves as they were, the others with four at most
  std::vector<RegionFit> regions;
};

// InputError when the lists do not fit each other, numbers are not finite or a vertex is in two regions.
SkinDecomposition decompose_skin(const SoftMotion& motion, const std::vector<SoftRegion>& regions,
                                 const DecompositionOptions& options = {});

// Where the new skin has the vertices at a frame.
Points decomposed(const SoftMotion& motion, const SkinDecomposition& result, int frame);

}  // namespace supple
