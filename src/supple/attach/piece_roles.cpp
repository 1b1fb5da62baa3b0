#include "supple/attach/piece_roles.h"

#include <algorithm>
#include <cmath>

#include "supple/attach/piece_board.h"
#include "supple/attach/piece_names.h"
#include "supple/attach/piece_nodes.h"
#include "supple/attach/piece_pairs.h"

namespace supple {
namespace {

constexpr double kPart = 0.05;     // share of all area: a part
constexpr double kDetail = 0.01;   // share of all area: a detail, which is not worth an inside of its own
constexpr double kSmall = 0.3;     // of the height: shorter than this sits on one place
constexpr double kCover = 0.04;    // of the height: as near as this lies over
constexpr double kCovered = 0.7;   // share of its area that lies over skin, for cloth
constexpr double kShell = 0.04;    // of the height: twice the volume by the area, of two walls close together
constexpr double kMachine = 0.85;  // share of all area: when as much moves as one on its bones, no flesh is left
constexpr double kOneBone = 0.9;   // of what moves as one: as much as this on one bone is a body, not parts

class FleshGuess {
 public:
  explicit FleshGuess(PieceBoard& board) : b_(board), n_(static_cast<int>(board.pieces.size())) {
    find_main_body();
    guess_hard_parts();
    guess_machine();
    guess_separate_bodies();
    guess_flesh();
    guess_cloth();
    settle_separate_bodies();
  }

 private:
  std::string flesh_word(int p) const { return b_.figures[p].skinned ? "skinned" : "moved by morph targets"; }
  bool on_its_own(int p) const { return b_.figures[p].body != main_body_; }
  double body_share(int p) const { return b_.figures[p].body_area / b_.flesh_area; }
  bool open(int p) const { return b_.open[p] && b_.has_flesh(p); }

  // The largest that bends; where nothing much does, the largest.
  void find_main_body() {
    std::map<int, bool> bends;
    for (int p = 0; p < n_; ++p) {
      if (b_.has_flesh(p)) bends[b_.figures[p].body] = bends[b_.figures[p].body] || !b_.rigid(p);
    }
    double largest = 0;
    for (const bool wanted : {true, false}) {
      for (const auto& [body, does] : bends) {
        if (does != wanted || b_.figures[body].body_area <= largest) continue;
        largest = b_.figures[body].body_area;
        main_body_ = body;
      }
      if (largest >= kBodyShare * b_.flesh_area) return;
    }
  }

  void guess_hard_parts() {
    for (int p = 0; p < n_; ++p) {
      if (!open(p) || !hard_part_by_name(b_.pieces[p])) continue;
      if (b_.pieces[p].area < kPart * b_.flesh_area && b_.nearly_rigid(p)) {
        b_.decide(p, Role::rigid, b_.moves_as_one(p) + ", hard by name");
      }
    }
  }

  // Nearly all of it is parts that move as one, on several bones: there is nothing that could be flesh.
  void guess_machine() {
    double all = 0, most = 0;
    std::map<int, double> on_bone;
    for (int p = 0; p < n_; ++p) {
      if (!b_.figures[p].skinned || !b_.rigid(p)) continue;
      all += b_.pieces[p].area;
      double& here = on_bone[b_.bones.carrier(b_.pieces, {p})];
      most = std::max(most, here += b_.pieces[p].area);
    }
    if (all < kMachine * b_.flesh_area || most > kOneBone * all) return;
    for (int p = 0; p < n_; ++p) {
      if (open(p) && b_.rigid(p)) b_.decide(p, Role::rigid, b_.moves_as_one(p) + ", a part of a machine");
    }
  }

  // Bodies beside the main one that move as one, or are details: what they do is settled when the flesh is known. A
  // large one on the trunk is a torso.
  void guess_separate_bodies() {
    for (int p = 0; p < n_; ++p) {
      if (!open(p) || !on_its_own(p)) continue;
      if (b_.rigid(p)) {
        const int bone = b_.bones.carrier(b_.pieces, {p});
        const double volume = b_.figures[p].body_volume;
        const bool thin = volume > 0 && volume < kBodyShare * b_.flesh_volume;
        if (body_share(p) > kBodyShare && !thin && (bone < 0 || b_.bones.trunk(bone))) continue;
        b_.decide(p, Role::rigid, b_.moves_as_one(p));
        separate_[b_.figures[p].body].push_back(p);
      } else if (body_share(p) < (b_.nearly_rigid(p) ? kPart : kDetail)) {
        b_.decide(p, Role::ignore, "");
        separate_[b_.figures[p].body].push_back(p);
      }
    }
  }

  // Two walls close together, as modelled clothes have.
  bool shell(int p) const {
    const PieceFigures& f = b_.figures[p];
    return f.body_volume > 0 && 2 * f.body_volume < kShell * b_.height * f.body_area;
  }

  void guess_flesh() {
    for (int p = 0; p < n_; ++p) {
      if (!open(p)) continue;
      if (on_its_own(p) && (b_.pieces[p].sheet || shell(p))) continue;  // perhaps cloth
      b_.decide(p, Role::soft, flesh_word(p));
    }
  }

  // Largest first: what lies over a shirt that turned out to be flesh lies over flesh.
  void guess_cloth() {
    PieceList order;
    for (int p = 0; p < n_; ++p) {
      if (open(p)) order.push_back(p);
    }
    std::stable_sort(order.begin(), order.end(), [&](int p, int q) { return b_.pieces[p].area > b_.pieces[q].area; });
    for (int p : order) {
      const Piece& piece = b_.pieces[p];
      const double over = PieceDistance(b_.drawn, b_.pieces, b_.soft()).covered(b_.drawn, piece, kCover * b_.height);
      const std::string kind = piece.sheet ? "an open sheet" : "a thin shell";
      if (over >= kCovered) {
        b_.decide(p, Role::rides, kind + " over flesh (" + percent(over) + " of it)", false);
      } else {
        b_.decide(p, Role::soft, piece.sheet ? kind + " with nothing soft under it" : flesh_word(p));
      }
    }
  }

  // First what one bone carries; then the rest, which may sit on that.
  void settle_separate_bodies() {
    std::vector<char> unsettled(b_.pieces.size(), 0);
    std::map<int, PieceList> left;
    for (const auto& [body, members] : separate_) {
      const bool whole = std::all_of(members.begin(), members.end(), [&](int p) { return b_.rigid(p); });
      if (whole && b_.place_by_bone(members)) continue;
      left[body] = members;
      for (int p : members) unsettled[p] = 1;
    }
    const PieceList solid = b_.decided([&](int p) { return b_.pieces[p].role == Role::rigid && !unsettled[p]; });
    const PieceDistance to_flesh(b_.drawn, b_.pieces, b_.soft()), to_solid(b_.drawn, b_.pieces, solid);
    for (const auto& [body, members] : left) {
      double from_flesh = 0, from_solid = 0;
      for (int p : members) {
        from_flesh += b_.pieces[p].area * to_flesh.mean(b_.drawn, b_.pieces[p]);
        from_solid += b_.pieces[p].area * to_solid.mean(b_.drawn, b_.pieces[p]);
      }
      // An eye and its lid are one.
      const bool part_of_solid =
          std::any_of(solid.begin(), solid.end(), [&, at = body](int p) { return b_.figures[p].body == at; });
      const bool on_solid = part_of_solid || (from_solid < from_flesh && b_.gap(members, to_solid) <= b_.touch());
      const bool on_flesh = !on_solid && b_.gap(members, to_flesh) <= b_.touch();
      for (int p : members) {
        const bool nearly = b_.nearly_rigid(p);
        const std::string why = nearly ? b_.moves_as_one(p) : "a detail";
        if (on_solid) b_.decide(p, Role::rigid, why + ", sits on something rigid");
        if (on_flesh) {
          b_.decide(p, Role::rides, why + ", sits on flesh", nearly || b_.pieces[p].size < kSmall * b_.height);
        }
        if (!on_solid && !on_flesh && !b_.rigid(p)) b_.decide(p, Role::soft, flesh_word(p));
      }
    }
  }

  PieceBoard& b_;
  int n_;
  int main_body_ = -1;
  std::map<int, PieceList> separate_;  // small bodies beside the main one, by body
};

// A hard thing on flesh that touches something solid of its own bone is fixed to that.
void spread_hardness(PieceBoard& b) {
  const auto on_one_bone = [&](int p) { return b.figures[p].one_bone > 0.95; };
  for (bool more = true; more;) {
    more = false;
    for (int p : b.decided([&](int q) { return b.pieces[q].role == Role::rides && b.pieces[q].hard; })) {
      const int bone = b.bones.carrier(b.pieces, {p});
      if (bone < 0 || b.bones.tail(bone) || !on_one_bone(p) || b.pieces[p].sheet || b.said[p]) continue;
      const PieceList solid = b.decided([&](int q) {
        return b.pieces[q].role == Role::rigid && on_one_bone(q) && b.bones.carrier(b.pieces, {q}) == bone;
      });
      if (solid.empty() || b.gap({p}, PieceDistance(b.drawn, b.pieces, solid)) > 0.5 * b.touch()) continue;
      b.decide(p, Role::rigid, b.moves_as_one(p) + ", sits on something rigid");
      more = true;
    }
  }
}

// A small hard thing that lies on a larger one of the same bone, and not on the flesh, moves with that: a pupil on an
// eyeball.
void put_riders_on_riders(PieceBoard& b) {
  const PieceList riders = b.decided([&](int p) { return b.pieces[p].role == Role::rides && b.pieces[p].hard; });
  const PieceDistance flesh(b.drawn, b.pieces, b.soft());
  for (int p : riders) {
    if (!b.pieces[p].skinned) continue;
    for (int q : riders) {
      const bool below = b.figures[q].body_area > b.figures[p].body_area && b.pieces[q].skinned;
      if (!below || b.bones.carrier(b.pieces, {p}) != b.bones.carrier(b.pieces, {q})) continue;
      const PieceDistance thing(b.drawn, b.pieces, {q});
      if (b.gap({p}, thing) > 0.5 * b.touch() || thing.mean(b.drawn, b.pieces[p]) > flesh.mean(b.drawn, b.pieces[p])) {
        continue;
      }
      b.pieces[p].on = q;
      break;
    }
  }
}

// What mirrors a piece of the other side has its role: the harder of the two.
void treat_sides_alike(PieceBoard& b) {
  const std::vector<int> other = mirrored_pieces(b.drawn, b.pieces);
  const auto hardness = [&](int p) {
    const Role role = b.pieces[p].role;
    return role == Role::rigid ? 4 : role == Role::rides ? 2 + b.pieces[p].hard : role == Role::soft;
  };
  for (size_t i = 0; i < b.pieces.size(); ++i) {
    const int p = static_cast<int>(i), q = other[i];
    if (q < 0 || b.said[p] || b.said[q] || hardness(p) >= hardness(q)) continue;
    b.decide(p, b.pieces[q].role, "as " + b.pieces[q].name + ", its mirror image", b.pieces[q].hard);
  }
}

}  // namespace

void guess_roles(const Drawn& drawn, const std::vector<PieceFigures>& figures, const std::vector<char>& decided,
                 std::vector<Piece>& pieces) {
  PieceBoard board(drawn, figures, decided, pieces);
  if (board.flesh_area > 0) {
    FleshGuess{board};
  } else {
    guess_plain_bodies(board);
  }
  guess_nodes(board);
  spread_hardness(board);
  treat_sides_alike(board);
  put_riders_on_riders(board);
}

}  // namespace supple
