// The bones and morph targets of a character as a deformer: chosen ones are parameters, the others go as its clip says.
//
// Parameters of a joint, all against its rest placement T R S, so that zero (scale: 1) is the rest pose:
//   "Tail2.rotation.x"     exponential: R_rest exp(w), w = (x, y, z) [rad]; or Euler: R_rest Rx(x) Ry(y) Rz(z)
//   "Tail2.translation.x"  added to the rest translation, along its parent's axes, in metres of the world at rest
//   "Tail2.scale.x"        a factor on the rest scale
// and of a mesh node with morph targets "Body.weights.Smile", the weight less its rest value.
// RigParameter::rest is the value of each as bound (Drawn::vertices.rest), the shape without stress: zero only where a
// joint rests as it was bound.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/rigs/deformer.h"

namespace supple {

enum class RotationParameters { exponential, euler };

struct JointChoice {
  int node = -1;
  bool rotation = true, translation = false, scale = false;
};
struct MorphChoice {
  int node = -1, target = -1;
};
struct SkeletonSpec {
  RotationParameters rotations = RotationParameters::exponential;
  std::vector<JointChoice> joints;
  std::vector<MorphChoice> morphs;
  // How the clip goes: its poses at frames of this rate from `start` on, twice continuously differentiable in between;
  // time 0 of the rig is `start`. Empty clip: the rest pose throughout.
  Clip clip;
  double start = 0, fps = 24;
  int frames = 0;
  // What comes before the first frame is what comes before the last, and what comes after the last is what comes after
  // the first: carried on where the clip travels (skeleton_deformer_clip.h).
  bool loop = false;
  // Steps, by the frame before them, over which all of the clip jumps: nothing lies between their frames.
  std::vector<int> jumps;
  // Frames that are none of the motion, which passes over them (anim/motion_cuts.h).
  std::vector<int> bridged;
};

class SkeletonDeformer final : public Deformer {
 public:
  // drawn: laid out in metres; the points are its vertices as bound (Drawn::vertices.rest), and come out in the world.
  // InputError: a joint whose node has a matrix in place of a placement, names that repeat.
  SkeletonDeformer(std::shared_ptr<const Character> character, std::shared_ptr<const Drawn> drawn, SkeletonSpec spec);
  ~SkeletonDeformer() override;

  const std::vector<RigParameter>& parameters() const override;
  int n_points() const override;
  VecX keyed(double t) const override;
  void apply(const VecX& p, double t, VecX& x) const override;
  MatX columns(const VecX& p, double t, const VecX& x, const std::vector<int>& which) const override;
  void push(const VecX& p, double t, MatX& tangents) const override;
  VecX pull(const VecX& p, double t, const VecX& f) const override;
  MatX curvature(const VecX& p, double t, const VecX& x, const std::vector<int>& which, const VecX& f) const override;
  MatX mixed(const VecX& p, double t, const std::vector<int>& which, const MatX& tangents,
             const VecX& f) const override;
  std::shared_ptr<const Deformer> for_points(const std::vector<int>& points) const override;

  const SkeletonSpec& spec() const;
  // Placements of the chosen joints (in the order of spec().joints, in file units) and weights of the chosen morphs for
  // its parameters: what becomes keys. Channels of a joint that were not chosen are as at rest. Signs of quaternions
  // are continuous in the parameters.
  struct Keys {
    std::vector<Placement> joints;
    std::vector<double> morphs;
  };
  Keys keys(const VecX& p) const;
  // Placements of all nodes at t, chosen joints as p says.
  std::vector<Placement> placements(const VecX& p, double t) const;

  struct Data;   // skeleton_deformer_data.h
  struct Bound;  // the points

 private:
  SkeletonDeformer(std::shared_ptr<const Data> data, std::shared_ptr<const Bound> bound);
  std::shared_ptr<const Data> data_;  // shared with those for some points
  std::shared_ptr<const Bound> bound_;
};

// Which joints and morph targets of a character the patterns choose (attach/pattern.h is told by the caller):
// "Tail*" chooses nodes by name with the channels given; "Tail*.rotation", "Hips.translation", "*.weights.Smile" or
// "Smile" choose those (a morph target by its mere name only where no node has it). Nodes that move nothing drawn are
// passed over; what is chosen twice is chosen once with the channels of both. `matches(pattern, text)`. InputError: a
// pattern that chooses nothing (names that are near), or a node with a matrix.
struct RigChoice {
  std::vector<JointChoice> joints;
  std::vector<MorphChoice> morphs;
};
RigChoice choose_parameters(const Character& character, const Drawn& drawn, const std::vector<std::string>& patterns,
                            const JointChoice& channels,
                            bool (*matches)(const std::string& pattern, const std::string& text));

}  // namespace supple
