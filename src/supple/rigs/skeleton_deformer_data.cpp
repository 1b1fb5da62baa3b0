#include "supple/rigs/skeleton_deformer_data.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cctype>
#include <cmath>

#include "supple/anim/node_tree.h"
#include "supple/base/error.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/rigs/skeleton_deformer_angles.h"

namespace supple {

namespace {

constexpr double kMove = 0.1;  // of the character's size: a translation that is neither large nor small

std::string without_blanks(std::string name) {
  for (char& c : name)
    if (std::isspace(static_cast<unsigned char>(c))) c = '_';
  return name;
}

// Where a node was against its parent when the skin was bound; as at rest where that cannot be told.
Placement bound_placement(const Character& character, const Drawn& drawn, int node) {
  const Placement& rest = character.nodes[node].local;
  const int parent = character.nodes[node].parent;
  Affine local = drawn.bound_nodes[node];
  if (parent >= 0) {
    if (!invertible(drawn.bound_nodes[parent])) return rest;
    local = drawn.bound_nodes[parent].inverse() * local;
  }
  if (!invertible(local)) return rest;
  Placement bound;
  bound.translation = local.translation();
  Mat3 turn = local.linear();
  for (int axis = 0; axis < 3; ++axis) {
    bound.scale[axis] = std::copysign(turn.col(axis).norm(), rest.scale[axis]);
    turn.col(axis) /= bound.scale[axis];
  }
  if (!turn.isUnitary(1e-3) || turn.determinant() < 0) return rest;
  bound.rotation = Quat(turn).normalized();
  return bound;
}

// Files hold floats: what is bound where it is at rest is so but for rounding.
Vec3 unless_near(const Vec3& value, const Vec3& usual, double unit) {
  return (value - usual).norm() < 1e-4 * unit ? usual : value;
}

std::vector<char> subtree_of(const Character& character, const std::vector<int>& order, int top) {
  std::vector<char> inside(character.nodes.size(), 0);
  for (int n : order) {
    const int parent = character.nodes[n].parent;
    inside[n] = n == top || (parent >= 0 && inside[parent]);
  }
  return inside;
}

}  // namespace

std::string parameter_name(const Character& character, int node) {
  const std::string& name = character.nodes[node].name;
  return name.empty() ? fmt::format("node{}", node) : without_blanks(name);
}

std::string morph_name(const Character& character, const MorphChoice& choice) {
  const int mesh = character.nodes[choice.node].mesh;
  if (mesh >= 0) {
    for (const Primitive& primitive : character.meshes[mesh].primitives) {
      if (choice.target >= static_cast<int>(primitive.targets.size())) continue;
      const std::string& name = primitive.targets[choice.target].name;
      if (!name.empty()) return without_blanks(name);
    }
  }
  return std::to_string(choice.target);
}

SkeletonDeformer::Data::Data(std::shared_ptr<const Character> of, std::shared_ptr<const Drawn> as, SkeletonSpec how)
    : character(std::move(of)),
      drawn(std::move(as)),
      spec(std::move(how)),
      clip(*character, spec.clip, spec.start, spec.fps, spec.frames, spec.loop, spec.jumps, spec.bridged),
      order(parents_first(*character)),
      parameter_of_morph(drawn->vertices.morphs.size(), -1) {
  const double size = longest_side(drawn->vertices.rest);
  for (const JointChoice& choice : spec.joints) add_joint(choice, size > 0 ? size : 1);
  for (const MorphChoice& choice : spec.morphs) add_morph(choice);
}

void SkeletonDeformer::Data::add_parameter(RigParameter parameter, const Owner& owner) {
  for (const RigParameter& other : parameters) {
    if (other.name != parameter.name) continue;
    throw InputError({character->file, 0, 0, "parameter " + parameter.name}, "there are two of this name",
                     "choose every joint once, and give joints of one name names of their own in the file");
  }
  parameters.push_back(std::move(parameter));
  owners.push_back(owner);
}

void SkeletonDeformer::Data::add_parameters(int joint, JointChannel channel, const std::string& name, const Vec3& rest,
                                            double unit) {
  const char* words[] = {"rotation", "translation", "scale"};
  const Quantity quantities[] = {Quantity::angle, Quantity::length, Quantity::factor};
  const int kind = static_cast<int>(channel);
  for (int axis = 0; axis < 3; ++axis) {
    RigParameter parameter;
    parameter.name = fmt::format("{}.{}.{}", name, words[kind], "xyz"[axis]);
    parameter.quantity = quantities[kind];
    parameter.rest = rest[axis];
    parameter.unit = unit;
    Owner owner;
    owner.channel = channel;
    owner.joint = joint;
    owner.axis = axis;
    add_parameter(std::move(parameter), owner);
  }
}

void SkeletonDeformer::Data::add_joint(const JointChoice& choice, double size) {
  const int n = static_cast<int>(character->nodes.size());
  if (choice.node < 0 || choice.node >= n)
    throw InputError({character->file, 0, 0, fmt::format("node {}", choice.node)}, "there is no such node");
  const Node& node = character->nodes[choice.node];
  const Location where{character->file, 0, 0, "joint " + parameter_name(*character, choice.node)};
  if (node.matrix)
    throw InputError(where, "its placement is a matrix, which has no rotation or scale to simulate",
                     "write the file with translation, rotation and scale of this node, or choose other joints");
  if (choice.scale && !(node.local.scale.cwiseAbs().minCoeff() > 0))
    throw InputError(where, "its scale at rest is 0, of which there are no multiples",
                     "leave its scale as it is keyed");

  Joint joint;
  joint.node = choice.node;
  joint.rest = node.local;
  joint.rest.rotation.normalize();
  double metres = drawn->scale;
  if (node.parent >= 0) {
    const Mat3 above = node_matrices(*character)[node.parent].linear();
    if (std::abs(above.determinant()) > 0) metres *= std::cbrt(std::abs(above.determinant()));
  }
  joint.per_metre = 1 / metres;
  const std::vector<char> inside = subtree_of(*character, order, choice.node);
  std::copy_if(order.begin(), order.end(), std::back_inserter(joint.below), [&](int i) { return inside[i] != 0; });

  const int number = static_cast<int>(joints.size());
  const std::string name = parameter_name(*character, choice.node);
  const auto first = [&] { return static_cast<int>(parameters.size()); };
  // Without stress is the bound pose, which need not be the rest pose.
  const Placement bound = bound_placement(*character, *drawn, choice.node);
  if (choice.rotation) {
    joint.rotation = first();
    const Vec3 rest = unless_near(angles_near(joint, bound.rotation, Vec3::Zero()), Vec3::Zero(), 1);
    add_parameters(number, JointChannel::rotation, name, rest, 1);
  }
  if (choice.translation) {
    joint.translation = first();
    const Vec3 rest = (bound.translation - joint.rest.translation) / joint.per_metre;
    add_parameters(number, JointChannel::translation, name, unless_near(rest, Vec3::Zero(), size), kMove * size);
  }
  if (choice.scale) {
    joint.scale = first();
    const Vec3 rest = unless_near(bound.scale.cwiseQuotient(joint.rest.scale), Vec3::Ones(), 1);
    add_parameters(number, JointChannel::scale, name, rest, 1);
  }
  if (choice.rotation) sample_angles(joint);
  joints.push_back(std::move(joint));
}

void SkeletonDeformer::Data::add_morph(const MorphChoice& choice) {
  const std::vector<Morph>& morphs = drawn->vertices.morphs;
  const auto found = std::find_if(morphs.begin(), morphs.end(),
                                  [&](const Morph& m) { return m.node == choice.node && m.target == choice.target; });
  if (found == morphs.end())
    throw InputError({character->file, 0, 0, fmt::format("node {}", choice.node)},
                     fmt::format("nothing drawn has a morph target {} of it", choice.target));
  Owner owner;
  owner.channel = JointChannel::morph;
  owner.morph = static_cast<int>(found - morphs.begin());
  RigParameter parameter;
  parameter.name = parameter_name(*character, choice.node) + ".weights." + morph_name(*character, choice);
  parameter.rest = -drawn->at_rest[owner.morph];
  parameter_of_morph[owner.morph] = static_cast<int>(parameters.size());
  add_parameter(std::move(parameter), owner);
}

Vec3 SkeletonDeformer::Data::angles_near(const Joint& joint, const Quat& rotation, const Vec3& near) const {
  const Quat relative = (joint.rest.rotation.conjugate() * rotation).normalized();
  return spec.rotations == RotationParameters::exponential ? rotation_vector_near(relative, near)
                                                           : euler_xyz_near(relative.toRotationMatrix(), near);
}

void SkeletonDeformer::Data::sample_angles(Joint& joint) const {
  Vec3 near = Vec3::Zero();
  for (int k = 0; k < clip.n_frames(); ++k) {
    near = angles_near(joint, clip.frame(k).placements[joint.node].rotation, near);
    joint.angles.push_back(near);
  }
}

VecX SkeletonDeformer::Data::keyed(double t) const {
  const std::shared_ptr<const SkeletonClip::State> state = clip.at(t);
  const SkeletonClip::Where where = clip.where(t);
  VecX p(static_cast<Eigen::Index>(parameters.size()));
  for (const Joint& joint : joints) {
    const Placement& at = state->placements[joint.node];
    if (joint.rotation >= 0) {
      // Nearest to what lies between the frames around.
      const auto frame = [&](int k) {
        const auto [own, cycle] = clip.in_cycle(k);
        return Vec3(joint.angles[own] + cycle * (joint.angles.back() - joint.angles.front()));
      };
      const double share = clip.jumps_after(where.frame) ? 0 : where.share;
      const Vec3 near = (1 - share) * frame(where.frame) + share * frame(where.frame + 1);
      p.segment<3>(joint.rotation) = angles_near(joint, at.rotation, near);
    }
    if (joint.translation >= 0)
      p.segment<3>(joint.translation) = (at.translation - joint.rest.translation) / joint.per_metre;
    if (joint.scale >= 0) p.segment<3>(joint.scale) = at.scale.cwiseQuotient(joint.rest.scale);
  }
  for (size_t m = 0; m < parameter_of_morph.size(); ++m) {
    if (parameter_of_morph[m] < 0) continue;
    const Morph& morph = drawn->vertices.morphs[m];
    const std::vector<double>& weights = state->weights[morph.node];
    const bool animated = morph.target < static_cast<int>(weights.size());
    p[parameter_of_morph[m]] = animated ? weights[morph.target] - drawn->at_rest[m] : 0;
  }
  return p;
}

Quat SkeletonDeformer::Data::turn(const Vec3& angles) const {
  return spec.rotations == RotationParameters::exponential ? turn_of_vector(angles) : turn_of_euler_xyz(angles);
}

Placement SkeletonDeformer::Data::placement(const Joint& joint, const VecX& p, Placement otherwise) const {
  if (joint.rotation >= 0) otherwise.rotation = joint.rest.rotation * turn(p.segment<3>(joint.rotation));
  if (joint.translation >= 0)
    otherwise.translation = joint.rest.translation + joint.per_metre * p.segment<3>(joint.translation);
  if (joint.scale >= 0) otherwise.scale = joint.rest.scale.cwiseProduct(p.segment<3>(joint.scale));
  return otherwise;
}

SkeletonDeformer::Data::Now SkeletonDeformer::Data::now(const VecX& p, double t) const {
  Now now;
  now.clip = clip.at(t);
  now.locals.resize(character->nodes.size());
  for (size_t n = 0; n < now.locals.size(); ++n) {
    const Node& node = character->nodes[n];
    now.locals[n] = node.matrix ? *node.matrix : now.clip->placements[n].matrix();
  }
  for (const Joint& joint : joints)
    now.locals[joint.node] = placement(joint, p, now.clip->placements[joint.node]).matrix();
  now.worlds = chain_nodes(*character, order, now.locals);
  now.bones.reserve(drawn->bones.size());
  for (const Bone& bone : drawn->bones) {
    Affine map = now.worlds[bone.node] * bone.from_bound;
    map.matrix() *= drawn->scale;
    now.bones.push_back(map);
  }
  now.morphs = drawn->at_rest;
  for (size_t m = 0; m < now.morphs.size(); ++m) {
    const Morph& morph = drawn->vertices.morphs[m];
    const std::vector<double>& weights = now.clip->weights[morph.node];
    if (parameter_of_morph[m] >= 0) {
      now.morphs[m] += p[parameter_of_morph[m]];
    } else if (morph.target < static_cast<int>(weights.size())) {
      now.morphs[m] = weights[morph.target];
    }
  }
  return now;
}

}  // namespace supple
