// The pieces while their roles are found: what is decided, and what all rules ask. Inside the room only.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "supple/attach/piece_bones.h"
#include "supple/attach/piece_measure.h"

namespace supple {

using PieceList = std::vector<int>;

constexpr double kBodyShare = 0.15;   // of all area (or volume): as large as this is a body, not a part
constexpr double kTouchShare = 0.02;  // of the height: as near as this is touching

struct PieceBoard {
  PieceBoard(const Drawn& drawn, const std::vector<PieceFigures>& figures, const std::vector<char>& decided,
             std::vector<Piece>& pieces);

  void decide(int p, Role role, const std::string& why, bool hard = true, int on = -1);
  template <class Which>
  PieceList decided(Which which) const {
    PieceList list;
    for (size_t p = 0; p < pieces.size(); ++p) {
      if (!open[p] && which(static_cast<int>(p))) list.push_back(static_cast<int>(p));
    }
    return list;
  }
  PieceList soft() const {
    return decided([&](int p) { return pieces[p].role == Role::soft; });
  }

  // Skinned or morphed: what flesh may be in. The rest follows nodes, and so does what a skeleton's bone carries whole.
  bool has_flesh(int p) const { return figures[p].skinned || (figures[p].morphs && bones.carrier(pieces, {p}) < 0); }
  // Does it move as one? Where nothing in the clips deforms the weights have to say; and to stand still in them is not
  // to be rigid.
  bool rigid(int p) const;
  bool nearly_rigid(int p) const;
  std::string moves_as_one(int p) const;  // in words
  double touch() const { return kTouchShare * height; }
  double gap(const PieceList& members, const PieceDistance& to) const;

  // A hard thing that one bone carries. On a limb or a head it is as hard as that; on the trunk where it lies on much
  // flesh (a breastplate, a backpack), and rides where it lies on little (a buckle); on a tail it rides. False: it
  // touches no flesh where it hangs, or no bone carries it.
  bool place_by_bone(const PieceList& members);

  const Drawn& drawn;
  const PieceBones bones;
  const std::vector<PieceFigures>& figures;
  std::vector<Piece>& pieces;
  std::vector<char> open;        // not decided yet
  const std::vector<char> said;  // decided before any guess
  double flesh_area = 0, flesh_volume = 0, height = 0;
  bool deforms = false, flesh_moves = false;

 private:
  const PieceDistance& flesh_around(int bone);

  std::map<int, PieceDistance> flesh_around_;  // by bone, of what is soft so far
};

std::string percent(double share);

}  // namespace supple
