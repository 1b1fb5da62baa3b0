// The surfaces that take part in contact: one list of points, their triangles and edges, and which pairs may collide.
#pragma once
#include <array>
#include <vector>

#include "supple/contact/contact_pair.h"

namespace supple {

struct ContactShape {
  int n_points = 0;
  std::vector<Tri> triangles;             // without those that name a point twice
  std::vector<std::array<int, 2>> edges;  // of the triangles, each once as (smaller, larger), in lexicographic order
  Points rest;
  std::vector<int> part;     // of each point: connected by triangles; a point of no triangle is a part of its own
  std::vector<char> fixed;   // the motion of the point is prescribed; none is until the caller says so
  std::vector<double> area;  // [m^2] a third of the triangles around the point, at rest
  double mean_edge = 0;      // [m] at rest
  bool within_parts = true;  // a part may collide with itself
  std::vector<int> shell;    // of each point: connected by triangles
  // Shells {smaller, larger} that are drawn through one another: they never collide with each other. In order.
  std::vector<std::array<int, 2>> drawn_through;
};

// InputError for indices out of range and positions that are not finite. Points of no triangle are kept, so that
// indices stay, but never collide: they may be the inside of a body.
ContactShape make_contact_shape(Points rest, std::vector<Tri> triangles);

// A pair of one part nearer than this share of the mean edge at rest: there the drawing meets itself.
constexpr double kMeetsAtRest = 1e-6;

// How near the pair may come before it is pushed apart; 0: it never collides. That is so when it shares a point, when
// all its points are fixed, when it is of one part and parts do not collide with themselves or meet there at rest, and
// when its shells are drawn through one another.
// Within one part it is at most half the distance at rest, so that nothing pushes there.
double pair_thickness(const ContactShape& shape, const ContactPair& pair, double thickness);

bool same_part(const ContactShape& shape, const ContactPair& pair);
bool are_drawn_through(const ContactShape& shape, int point, int other);
// The first two reasons alone: what can be known without positions.
bool may_collide(const ContactShape& shape, const ContactPair& pair);

}  // namespace supple
