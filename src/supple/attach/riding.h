// What rides on flesh: cloth that keeps its gap to the skin below, and things that move as a whole.
#pragma once
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/attach/pieces.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

// Pieces that move by one rigid motion.
struct HardRider {
  std::vector<int> pieces;
  int node = -1;    // whose own pieces these are, all of them: node keys can carry it. -1: vertex by vertex
  int leader = -1;  // the rider whose motion it has: itself, or the one it sits on
  int above = -1;   // the rider at the nearest node above `node`
};

struct NodeKey {
  int node = -1;
  Placement local;
};

// Bound once, in the bound world. Each point near a rider of the skin, or of what is rigid and does not move, counts by
// its area, how near it is, how far it faces the same way and how far the same bones carry it.
class Riding {
 public:
  // skin: the welded soft surface in the bound world; skin_source: a drawn vertex behind each of its vertices.
  Riding(const Drawn& drawn, const std::vector<Piece>& pieces, const TriMesh& skin,
         const std::vector<int>& skin_source);

  // input: the drawn vertices as the clip poses them. displacement: one a drawn vertex; read at soft pieces, written at
  // all others: 0 at rigid and ignored ones and wherever the skin below does not move. motions: one a hard rider.
  void apply(const Points& input, Points& displacement, std::vector<RigidMotion>* motions = nullptr) const;

  const std::vector<HardRider>& hard_riders() const { return riders_; }

  // Placements of the nodes of hard riders that carry out their motions. locals and world: those of the clip at the
  // same time (node_placements, node_matrices).
  std::vector<NodeKey> node_keys(const Character& character, const std::vector<Placement>& locals,
                                 const std::vector<Affine>& world, const std::vector<RigidMotion>& motions) const;

 private:
  // Points of the skin that something follows, as weighted samples.
  struct Seat {
    std::vector<int> sample;
    std::vector<double> weight;  // sum 1
  };
  struct Sample {  // a point of a triangle of the skin
    Tri vertices;  // drawn
    Vec3 share;    // of the three
    Vec3 place, normal;
    double area = 0;
  };
  class Binder;

  bool fit(const Seat& seat, const Points& input, const Points& displacement, RigidMotion& motion) const;

  double scale_ = 1;
  std::vector<Sample> samples_;
  std::vector<char> soft_;          // per drawn vertex
  std::vector<int> cloth_;          // drawn vertices that ride on their own
  std::vector<double> cloth_free_;  // which share of the motion below they take on: 0 where they stand on the floor
  std::vector<Seat> cloth_seats_;
  std::vector<HardRider> riders_;
  std::vector<Seat> rider_seats_;
  std::vector<std::vector<int>> rider_vertices_;
};

}  // namespace supple
