// Figures of pieces that their roles are guessed from. Inside the room only.
#pragma once
#include <vector>

#include "supple/attach/pieces.h"
#include "supple/mesh/bvh.h"

namespace supple {

// A body is a piece with all that it is joined to, directly or not.
struct PieceFigures {
  int body = 0;
  double body_area = 0;      // [m^2]
  double body_boundary = 0;  // length of the edges with one triangle [m]
  double body_volume = 0;    // enclosed, where there is no boundary [m^3]
  double one_bone = 0;       // mean weight on the bone that carries most of the piece, 0..1
  bool skinned = false;      // by a skin, not by its node alone
  bool morphs = false;       // a morph target moves it
  bool moves = false;        // some pose takes it elsewhere
  bool apart = false;        // and not as all of the character together
  bool low = false;          // some pose has it within 2 % of the height of the lowest point of all
  double sharp = 0;          // share of its bending that is in sharp edges: 1 for a box, 0 for a ball
};

// Connected pieces with everything that their own triangles say: names, vertices, joined, size, area; figures beside.
std::vector<Piece> split_pieces(const Character& character, const Drawn& drawn, std::vector<PieceFigures>& figures);

// Residuals of the best rigid motions, whether pieces move at all and whether they reach the floor, over the poses.
void measure_motion(const Drawn& drawn, const std::vector<Pose>& poses, const Vec3& up, std::vector<Piece>& pieces,
                    std::vector<PieceFigures>& figures);

// Distances to the triangles of some pieces, at rest. only: per drawn vertex, of the triangles those with such a
// vertex.
class PieceDistance {
 public:
  PieceDistance(const Drawn& drawn, const std::vector<Piece>& pieces, const std::vector<int>& members,
                const std::vector<char>* only = nullptr);
  double operator()(const Vec3& p) const;  // infinite when there are none
  // Share of a piece's area that is nearer than `near`; mean over its area; the smallest distance of points of it that
  // are `spacing` apart at most.
  double covered(const Drawn& drawn, const Piece& piece, double near) const;
  double mean(const Drawn& drawn, const Piece& piece) const;
  double nearest(const Drawn& drawn, const Piece& piece, double spacing) const;

 private:
  template <class Of>
  double average(const Drawn& drawn, const Piece& piece, Of&& of) const;

  const Points* rest_;
  std::vector<Tri> triangles_;
  Bvh bvh_;
};

}  // namespace supple
