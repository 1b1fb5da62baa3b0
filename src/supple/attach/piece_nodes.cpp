#include "supple/attach/piece_nodes.h"

#include <algorithm>

#include "supple/attach/piece_names.h"

namespace supple {
namespace {

constexpr double kMadeSharp = 1.0 / 3;  // of the bending in sharp edges: as much as this is made, not grown

class Nodes {
 public:
  explicit Nodes(PieceBoard& board) : b_(board) {
    for (size_t p = 0; p < b_.pieces.size(); ++p) {
      if (b_.open[p]) nodes_[b_.pieces[p].node_index].push_back(static_cast<int>(p));
    }
    place_what_is_held();
    place_on_flesh();
    while (place_on_riders()) {
    }
    for (const auto& [node, members] : nodes_) decide(members, Role::ignore, "follows its node and touches no flesh");
  }

 private:
  void decide(const PieceList& members, Role role, const std::string& why, int on = -1) {
    for (int p : members) b_.decide(p, role, why, true, on);
  }
  bool stands_still(const PieceList& members) const { return b_.flesh_moves && !b_.figures[members[0]].moves; }

  void place_what_is_held() {
    std::erase_if(nodes_,
                  [&](const auto& node) { return !stands_still(node.second) && b_.place_by_bone(node.second); });
  }

  void place_on_flesh() {
    const PieceDistance flesh(b_.drawn, b_.pieces, b_.soft());
    std::erase_if(nodes_, [&](const auto& node) {
      const PieceList& members = node.second;
      if (b_.gap(members, flesh) > b_.touch()) return false;
      if (stands_still(members)) {
        decide(members, Role::ignore, "stands still");
      } else if (b_.bones.carrier(b_.pieces, members) >= 0) {
        decide(members, Role::ignore, "follows its node and touches flesh of other bones only");
      } else {
        decide(members, Role::rides, "follows its node, which touches flesh");
      }
      return true;
    });
  }

  bool place_on_riders() {
    return std::erase_if(nodes_, [&](const auto& node) {
             const int on = rider_touched(node.second);
             if (on < 0) return false;
             decide(node.second, Role::rides, "follows its node, which touches " + b_.pieces[on].name, on);
             return true;
           }) > 0;
  }

  // What hangs on another limb is not carried by touching it.
  int rider_touched(const PieceList& members) const {
    const PieceList riders = b_.decided(
        [&](int p) { return b_.pieces[p].role == Role::rides && b_.pieces[p].hard && hang_together(p, members[0]); });
    for (int rider : riders) {
      if (b_.gap(members, PieceDistance(b_.drawn, b_.pieces, {rider})) <= 0.5 * b_.touch()) return rider;
    }
    return -1;
  }
  // One is above the other, or both hang on the same node.
  bool hang_together(int p, int q) const {
    const int x = bone_of(p), y = bone_of(q);
    if (x < 0 || y < 0) return false;
    return above(x, y) || above(y, x) || b_.drawn.bones[x].parent == b_.drawn.bones[y].parent;
  }
  int bone_of(int p) const {
    const SkinWeights& skin = b_.drawn.vertices.skin;
    const int v = b_.pieces[p].vertices[0];
    return skin.first[v] < skin.first[v + 1] ? skin.bone[skin.first[v]] : -1;
  }
  bool above(int x, int y) const {
    // A damaged file may have a ring of parents.
    for (size_t steps = 0; y >= 0 && y != x && steps < b_.drawn.bones.size(); ++steps) y = b_.drawn.bones[y].parent;
    return x == y;
  }

  PieceBoard& b_;
  std::map<int, PieceList> nodes_;  // what is open
};

}  // namespace

void guess_plain_bodies(PieceBoard& b) {
  double largest = 0, area = 0, sharp = 0;
  for (const PieceFigures& figure : b.figures) largest = std::max(largest, figure.body_area);
  PieceList bodies;
  bool apart = false;
  for (size_t p = 0; p < b.pieces.size(); ++p) {
    const Piece& piece = b.pieces[p];
    const bool hard = hard_part_by_name(piece) || worn_by_name(piece);
    if (!b.open[p] || piece.sheet || hard || b.figures[p].body_area < kBodyShare * largest) continue;
    bodies.push_back(static_cast<int>(p));
    area += piece.area;
    sharp += piece.area * b.figures[p].sharp;
    apart = apart || b.figures[p].apart;
  }
  const bool machine = bodies.size() > 1 && apart && sharp > kMadeSharp * area;
  for (int p : bodies) {
    if (machine) b.decide(p, Role::rigid, "follows its node, a part of a machine");
    if (!machine) b.decide(p, Role::soft, "a large closed piece of a file without skins");
  }
}

void guess_nodes(PieceBoard& board) { Nodes{board}; }

}  // namespace supple
