// Which features of the surfaces are near each other: trees of boxes and exact filters.
#pragma once
#include <array>
#include <vector>

#include "supple/contact/box_tree.h"
#include "supple/contact/contact_shape.h"

namespace supple {

// Keeps a copy of the shape (with what is fixed by then) and trees that follow the points. Lists are sorted, have no
// duplicates, depend on the arguments only and have the same bits for any number of threads. Positions and
// displacements come one a point; where they are NaN a pair may be listed or not.
//
// Pairs are those that may collide and do not meet at rest: see pair_thickness.
class BroadPhase {
 public:
  explicit BroadPhase(const ContactShape& shape);
  const ContactShape& shape() const { return shape_; }

  // All pairs no farther apart than `reach` at x.
  std::vector<ContactPair> near(const Points& x, double reach);
  // All pairs no farther apart than their pair_thickness plus `slack` at x: without neighbours on the same surface,
  // which `near` is full of where edges are shorter than the reach.
  std::vector<ContactPair> near_thickness(const Points& x, double thickness, double slack = 0);
  // All pairs that come within `reach`, or within `keep` (in [0, 1)) times their distance at x, anywhere on the way
  // from x to x + dx, and some more: those that pass bounds on boxes and on the relative motion.
  std::vector<ContactPair> near_swept(const Points& x, const Points& dx, double reach, double keep = 0);
  // Likewise with each pair's own thickness as reach.
  std::vector<ContactPair> near_thickness_swept(const Points& x, const Points& dx, double thickness, double keep = 0);

  // Edges and triangles {edge, triangle} of the shape that share no point and whose boxes meet at x, in order; `all`:
  // also those that never collide.
  std::vector<std::array<int, 2>> edges_at_triangles(const Points& x, bool all);

 private:
  void place(const Points& x, double margin);
  void place_swept(const Points& x, const Points& dx, double margin, double margin_share);
  template <class BoxOf>
  void place_points(BoxOf&& box_of);
  template <class Keep>
  std::vector<ContactPair> collect(Keep&& keep);

  ContactShape shape_;
  std::vector<int> used_;           // points of triangles, ascending
  std::vector<Tri> corners_;        // of the triangles, each ascending, in lexicographic order
  std::vector<int> triangle_;       // of the shape, for each of corners_
  BoxTree points_, edges_, faces_;  // over used_, shape_.edges and corners_
  std::vector<SmallBox> point_boxes_, used_boxes_, edge_boxes_, face_boxes_;
};

}  // namespace supple
