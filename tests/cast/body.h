// Bodies of the cast: bones with round flesh around them, skinned by shape, moved by functions of time.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/demos/shapes/rig.h"

namespace supple::cast {

// Joints have names while a body is made; in the character every name is made up.
struct BodyPlan {
  demos::Rig rig;
  struct Round {
    Vec3 a, b;
    double ra, rb;
  };
  std::vector<Round> rounds;
  std::vector<SignedDistance> lumps;                      // shape beside that of the bones
  double edge = 0.05, fillet = 0.05;                      // [m]
  bool mirrored = true;                                   // in x = 0, to the bit
  std::function<double(const Vec3& x, int joint)> alone;  // 0..1: a place that goes with one joint
  std::vector<demos::Ornament> pieces;                    // of the skin's mesh, each on one joint
  struct Held {                                           // a mesh of its own on a joint's node
    std::string joint;
    TriMesh mesh;
  };
  std::vector<Held> held;

  // A bone with flesh of these radii around its ends; a pair: the other side's as well (names NAME_l, NAME_r).
  void bone(const std::string& name, const std::string& parent, const Vec3& place, const Vec3& tip, double ra,
            double rb);
  void pair(const std::string& name, const std::string& parent, const Vec3& place, const Vec3& tip, double ra,
            double rb);
  // A joint that carries no flesh.
  void joint(const std::string& name, const std::string& parent, const Vec3& place);
  // A thing of its own on a joint.
  void piece(const std::string& joint, const TriMesh& mesh);
  // The same on the other side: parts and pieces that have one are given for x > 0.
  void pieces_on_both_sides(const std::string& joint, const TriMesh& mesh);

  double distance(const Vec3& x) const;
  demos::RiggedSkin skin() const;
  Character character() const;  // without clips
};

TriMesh mirrored(const TriMesh& mesh);
TriMesh block(const Vec3& low, const Vec3& high, int cells = 2);  // a box, cut into cells a side
TriMesh disc(const Vec3& centre, const Vec3& axis, double radius, double depth);
TriMesh half_egg(const Vec3& centre, const Vec3& radii, const Vec3& towards);  // open at its back

// A pose in the making.
class BodyPose {
 public:
  explicit BodyPose(const demos::Rig& rig) : turns(static_cast<size_t>(rig.size()), Quat::Identity()), rig_(rig) {}
  std::vector<Quat> turns;    // against the parents
  Vec3 shift = Vec3::Zero();  // of the root [m]

  void turn(const std::string& joint, const Vec3& degrees);
  // NAME_l as given and NAME_r in its mirror image.
  void turn_both(const std::string& joint, const Vec3& degrees);
  void turn_side(const std::string& joint, bool left, const Vec3& degrees);
  // A leg of three joints whose last one comes to `shift` from where it is at rest, turned there by `degrees` in the
  // world. pole: where the middle joint points.
  void step(const std::array<std::string, 3>& joints, const Vec3& shift, const Vec3& degrees, const Vec3& pole);
  void apply(std::vector<Placement>& nodes) const;

 private:
  const demos::Rig& rig_;
};

struct Action {
  int frames = 25;  // keys
  double fps = 24;
  bool cycle = true;                                   // the last key is the first one
  std::function<void(double s, BodyPose& pose)> pose;  // s: 0 at the first key, 1 at the last
};
// Adds a clip; its name is made up.
void add_action(const BodyPlan& plan, const Action& action, Character& character);

// A node above all joints with this scale: what is drawn is as large.
void scale_root(Character& character, const Vec3& scale);
// All of a clip goes straight on besides.
void carry_root(Character& character, int clip, const Vec3& velocity);  // [units/s]

}  // namespace supple::cast
