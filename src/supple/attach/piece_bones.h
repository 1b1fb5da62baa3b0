// Where in the skeleton things hang: on the trunk, on a limb or a head, on a tail. By what bones carry and how they
// branch, never by name. Inside the room only.
#pragma once
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/attach/pieces.h"

namespace supple {

class PieceBones {
 public:
  PieceBones(const Drawn& drawn, const std::vector<Piece>& pieces);

  // The bone of Drawn that carries most of these pieces; of what only its node moves, the nearest above that carries
  // skin. -1: none.
  int carrier(const std::vector<Piece>& pieces, const std::vector<int>& members) const;
  // Limbs or a head branch off it or below it. All else is a limb, an end of one, a head or a tail.
  bool trunk(int bone) const { return trunk_[bone] != 0; }
  // Of a slender chain that is no limb: a tail, an ear, a strand of hair.
  bool tail(int bone) const { return tail_[bone] != 0; }
  // 1 for each drawn vertex that lies where a thing on these bones has its place: on the bone's own limb, from the
  // trunk to the tips, or next to it. Of a thing on the trunk: on its bone and the nearest around.
  std::vector<char> around(int bone) const;

 private:
  struct Chain {
    std::vector<int> bones;  // from the leaf up
    double length = 0, area = 0;
  };
  int above(int bone) const;  // the nearest ancestor that carries skin
  void find_trunk();
  void find_tails();

  const Drawn& drawn_;
  std::vector<double> own_, below_;         // area of skin by weight [m^2]: on the bone, and with all bones below
  std::vector<double> reach_;               // how far from its head what it carries goes [m]
  std::vector<std::vector<int>> children_;  // that carry skin
  std::vector<char> trunk_, tail_;
  double total_ = 0;
};

}  // namespace supple
