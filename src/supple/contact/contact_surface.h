// Where the surfaces in contact are: every point of them is carried by vertices of the model, or prescribed, or both.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "supple/contact/contact_shape.h"

namespace supple {

// A point at sum of weight x vertex position, plus what is prescribed. Without vertices it is an obstacle's.
struct ContactAnchor {
  int n = 0;
  std::array<int, 4> vertex{};
  std::array<double, 4> weight{};

  static ContactAnchor at(int v) { return {1, {v, 0, 0, 0}, {1, 0, 0, 0}}; }
};

// All below has a normal of length 1 and is out of bounds.
struct ContactPlane {
  Vec3 normal = Vec3::UnitY();
  double offset = 0;  // points x with normal.x = offset lie on it [m]
};

struct ContactSpec {
  std::vector<ContactAnchor> anchors;  // one a point
  std::vector<Tri> triangles;          // of points, outwards
  std::vector<int> body;               // of each point: what it belongs to; obstacles have numbers of their own
  std::vector<std::string> bodies;     // their names
  Points obstacle_rest;                // of the points without vertices, in their order: where they are at the start
  std::vector<ContactPlane> planes;
  bool self = true;       // bodies collide with themselves
  double thickness = 0;   // [m] how near surfaces come before they push; 0: no contact at all
  double friction = 0;    // Coulomb's coefficient
  double stiffness = 0;   // [Pa] pressure scale of the barrier; 0: from the material and the weights
  double slip_speed = 0;  // [m/s] below it friction sticks, as far as it can; 0: 0.1 % of the size a second
  double amplitude = 1;   // of what hits by other bodies do beyond their lasting push

  bool on() const { return thickness > 0 && (!triangles.empty() || !planes.empty()); }
};

class ContactSurface {
 public:
  // rest: of the model's vertices; driven: per vertex, whether its motion is prescribed. InputError for anchors that
  // name no vertex.
  ContactSurface(const ContactSpec& spec, const Points& rest, const std::vector<char>& driven);

  const ContactShape& shape() const { return shape_; }
  const std::vector<ContactAnchor>& anchors() const { return anchors_; }
  const std::vector<int>& body() const { return body_; }
  const std::vector<ContactPlane>& planes() const { return planes_; }
  int n_points() const { return shape_.n_points; }
  int n_obstacle_points() const { return static_cast<int>(obstacle_.size()); }

  // Places at displacement u of the model's vertices, obstacle points at `obstacles` (flat). That may go on with one
  // more vector for every point, which is added to where its vertices carry it.
  Points places(const VecX& u, const VecX& obstacles) const;
  // How they move with du and with the obstacles.
  Points motion(const VecX& du, const VecX& obstacles_move) const;
  VecX obstacle_rest() const;

 private:
  ContactShape shape_;
  std::vector<ContactAnchor> anchors_;
  std::vector<int> body_, obstacle_;  // obstacle_: the points without vertices
  std::vector<ContactPlane> planes_;
  Points carried_rest_;  // of each point, by its vertices at rest
};

}  // namespace supple
