// What the skeleton deformer is made of, shared by its sources. Symbols:
//   L_n   local matrix of node n, T R S          W_n   its world matrix, W_parent L_n       [file units]
//   C_nm  from the space of node m to that of n above it: the product of the L below n down to m's own
//   B_k   bound world -> the space of bone k's node
//   y_i = s sum_k w_ik W_k B_k (x_i + sum_m weight_m offset_mi), s = metres a file unit
// so by a parameter a of joint n, with D_a = s W_parent(n) dL_n / da,
//   dy_i / da = D_a z_in,   z_in = sum over bones k below n of w_ik C_nk B_k x~_i   (homogeneous: the weight is carried
//   along). Inside the room only.
#pragma once
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "supple/rigs/rotations.h"
#include "supple/rigs/skeleton_deformer.h"
#include "supple/rigs/skeleton_deformer_clip.h"

namespace supple {

using Mat34 = Eigen::Matrix<double, 3, 4>;

enum class JointChannel { rotation, translation, scale, morph };

struct SkeletonDeformer::Data {
  struct Joint {
    int node = -1;
    int rotation = -1, translation = -1, scale = -1;  // its first parameter of each; -1: as the clip says
    Placement rest;                                   // file units
    double per_metre = 1;                             // units of its parent's space a metre, at rest
    std::vector<Vec3> angles;                         // what the clip says of its rotation, one a frame
    std::vector<int> below;                           // nodes in its subtree, itself first, parents first
  };
  struct Owner {  // of a parameter
    JointChannel channel = JointChannel::rotation;
    int joint = -1, axis = 0;  // or
    int morph = -1;            // of Drawn::vertices.morphs
  };

  Data(std::shared_ptr<const Character> character, std::shared_ptr<const Drawn> drawn, SkeletonSpec spec);

  std::shared_ptr<const Character> character;
  std::shared_ptr<const Drawn> drawn;
  SkeletonSpec spec;
  SkeletonClip clip;
  std::vector<int> order;  // nodes, parents first
  std::vector<Joint> joints;
  std::vector<RigParameter> parameters;
  std::vector<Owner> owners;            // one a parameter
  std::vector<int> parameter_of_morph;  // one a morph of Drawn; -1: as the clip says

  Placement placement(const Joint& joint, const VecX& p, Placement otherwise) const;
  Quat turn(const Vec3& angles) const;
  VecX keyed(double t) const;

  // The pose for parameters at a time.
  struct Now {
    std::shared_ptr<const SkeletonClip::State> clip;
    std::vector<Affine> locals, worlds;  // of all nodes, file units
    std::vector<Affine> bones;           // bound world -> world [m]
    std::vector<double> morphs;          // weights
  };
  Now now(const VecX& p, double t) const;

 private:
  void add_joint(const JointChoice& choice, double size);
  void add_morph(const MorphChoice& choice);
  void add_parameters(int joint, JointChannel channel, const std::string& name, const Vec3& rest, double unit);
  void add_parameter(RigParameter parameter, const Owner& owner);
  void sample_angles(Joint& joint) const;
  Vec3 angles_near(const Joint& joint, const Quat& rotation, const Vec3& near) const;
};

struct SkeletonDeformer::Bound {
  int n_points = 0;
  SkinWeights skin;           // bones of Drawn
  std::vector<Morph> morphs;  // one a morph of Drawn, possibly of no point
  struct Under {
    std::vector<int> bones;   // of Drawn, that carry a point and are below the joint
    std::vector<int> slot;    // of each bone of Drawn: which of these; -1: none
    std::vector<int> points;  // that any of these carries
  };
  std::vector<Under> under;  // one a joint

  Bound(const Data& data, SkinWeights weights, std::vector<Morph> targets);
  // Points with their morph targets.
  VecX shaped(const VecX& x, const std::vector<double>& weights) const;
  Mat34 blended(int point, const std::vector<Affine>& bones) const;
};

// A name as part of a parameter's: blanks become "_", nodes without a name are called after their number.
std::string parameter_name(const Character& character, int node);
std::string morph_name(const Character& character, const MorphChoice& choice);

}  // namespace supple
