#include "supple/attach/piece_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "supple/mesh/tri_mesh.h"

namespace supple {
namespace {

// Parts of a body that are hard, and things that are worn or carried.
constexpr std::array<std::string_view, 22> kHardBody = {
    "eye",        "eyeball", "pupil", "iris",   "sclera", "cornea", "tooth", "teeth", "fang", "tusk", "nail",
    "fingernail", "toenail", "horn",  "antler", "hoof",   "hoove",  "claw",  "talon", "beak", "bone", "skull"};
constexpr std::array<std::string_view, 26> kHardWorn = {
    "glass",  "glasse", "goggle", "helmet", "hat",    "crown", "mask",  "buckle", "clasp",
    "button", "plate",  "armor",  "armour", "shield", "sword", "axe",   "knife",  "dagger",
    "gun",    "weapon", "staff",  "mug",    "ring",   "bell",  "watch", "coal"};

constexpr double kRigid = 0.005;       // residual, of the piece's size: as small as this is rigid
constexpr double kNearlyRigid = 0.02;  // as small as this is rigid for a thing that is hard by name or on its own
constexpr double kUnseen = 0.01;       // the same, of the height: what small pieces may bend
constexpr double kBody = 0.15;         // share of all area (or volume): as large as this is a body, not a part
constexpr double kPart = 0.05;         // share of all area: a part
constexpr double kDetail = 0.01;       // share of all area: a detail, which is not worth an inside of its own
constexpr double kSmall = 0.3;         // of the height: shorter than this sits on one place
constexpr double kTouch = 0.02;        // of the height: as near as this is touching
constexpr double kCover = 0.04;        // of the height: as near as this lies over
constexpr double kCovered = 0.7;       // share of its area that lies over skin, for cloth
constexpr double kSheet = 2.0;         // length of open border beside the root of the area: a square sheet has 4
constexpr double kShell = 0.04;        // of the height: twice the volume by the area, of two walls close together

template <size_t n>
bool named(const Piece& piece, const std::array<std::string_view, n>& list) {
  for (const std::string* name : {&piece.node, &piece.mesh, &piece.material}) {
    for (const std::string& word : name_words(*name)) {
      if (std::find(list.begin(), list.end(), word) != list.end()) return true;
    }
  }
  return false;
}

std::string percent(double share) {
  if (share < 1e-4) return "under 0.01 %";
  return share < 0.1 ? fmt::format("{:.2f} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

class Guess {
 public:
  Guess(const Drawn& drawn, const std::vector<PieceFigures>& figures, const std::vector<char>& decided,
        std::vector<Piece>& pieces)
      : drawn_(drawn), figures_(figures), pieces_(pieces), open_(pieces.size(), 0) {
    Points flesh;
    for (size_t p = 0; p < pieces.size(); ++p) {
      open_[p] = !decided[p];
      deforms_ = deforms_ || pieces[p].rigid_residual > kRigid;
      const double area = figures[p].body_area;
      pieces[p].sheet = area > 0 && figures[p].body_boundary > kSheet * std::sqrt(area);
      if (!has_flesh(p)) continue;
      flesh_area_ += pieces[p].area;
      flesh_moves_ = flesh_moves_ || figures[p].moves;
      if (figures[p].body == static_cast<int>(p)) flesh_volume_ += figures[p].body_volume;
      if (main_body_ < 0 || area > figures[main_body_].body_area) main_body_ = figures[p].body;
      for (int v : pieces[p].vertices) flesh.push_back(drawn.vertices.rest[v]);
    }
    height_ = longest_side(flesh.empty() ? drawn.vertices.rest : flesh);
  }

  void run() {
    if (flesh_area_ > 0) {
      guess_hard_parts();
      guess_separate_bodies();
      guess_flesh();
      guess_cloth();
      settle_separate_bodies();
    } else {
      guess_plain_bodies();
    }
    guess_nodes();
  }

 private:
  void decide(size_t p, Role role, const std::string& why, bool hard = true, int on = -1) {
    pieces_[p].role = role;
    pieces_[p].why = why;
    pieces_[p].hard = hard;
    pieces_[p].on = on;
    open_[p] = 0;
  }
  template <class Which>
  std::vector<int> decided(Which which) const {
    std::vector<int> list;
    for (size_t p = 0; p < pieces_.size(); ++p) {
      if (!open_[p] && which(pieces_[p])) list.push_back(static_cast<int>(p));
    }
    return list;
  }
  std::vector<int> soft() const {
    return decided([](const Piece& piece) { return piece.role == Role::soft; });
  }
  // Skinned or morphed: what flesh may be in. The rest follows nodes.
  bool has_flesh(size_t p) const { return figures_[p].skinned || figures_[p].morphs; }
  std::string flesh_word(size_t p) const { return figures_[p].skinned ? "skinned" : "moved by morph targets"; }
  bool on_its_own(size_t p) const { return figures_[p].body != main_body_; }
  double body_share(size_t p) const { return figures_[p].body_area / flesh_area_; }
  std::string moves_as_one(size_t p) const {
    if (!deforms_) return "follows one bone";
    const double residual = pieces_[p].rigid_residual;
    if (residual < kRigid) return "moves rigidly: " + percent(residual) + " of its size";
    return "bends by " + percent(residual * pieces_[p].size / height_) + " of the height";
  }

  // Does it move as one? Where nothing in the clip deforms the weights have to say; and to stand still in this clip is
  // not to be rigid.
  bool rigid(size_t p) const {
    if (!deforms_) return !figures_[p].morphs && figures_[p].one_bone > 0.999;
    return pieces_[p].rigid_residual < kRigid && figures_[p].one_bone > 0.95;
  }
  bool nearly_rigid(size_t p) const {
    return pieces_[p].rigid_residual < kNearlyRigid || pieces_[p].rigid_residual * pieces_[p].size < kUnseen * height_;
  }

  void guess_hard_parts() {
    for (size_t p = 0; p < pieces_.size(); ++p) {
      if (!open_[p] || !has_flesh(p) || !named(pieces_[p], kHardBody)) continue;
      if (pieces_[p].area < kPart * flesh_area_ && nearly_rigid(p)) {
        decide(p, Role::rigid, moves_as_one(p) + ", hard by name");
      }
    }
  }

  // Bodies beside the main one that move as one, or are details: what they do is settled when the flesh is known.
  void guess_separate_bodies() {
    for (size_t p = 0; p < pieces_.size(); ++p) {
      if (!open_[p] || !has_flesh(p) || !on_its_own(p)) continue;
      const bool thin = figures_[p].body_volume > 0 && figures_[p].body_volume < kBody * flesh_volume_;
      if (body_share(p) > kBody && !thin) continue;
      if (rigid(p)) {
        decide(p, Role::rigid, moves_as_one(p));
        if (body_share(p) < kPart) separate_.push_back(p);
      } else if (body_share(p) < (nearly_rigid(p) ? kPart : kDetail)) {
        decide(p, Role::ignore, "");
        separate_.push_back(p);
      }
    }
  }

  // Two walls close together, as modelled clothes have.
  bool shell(size_t p) const {
    return figures_[p].body_volume > 0 && 2 * figures_[p].body_volume < kShell * height_ * figures_[p].body_area;
  }

  void guess_flesh() {
    for (size_t p = 0; p < pieces_.size(); ++p) {
      if (!open_[p] || !has_flesh(p)) continue;
      if (on_its_own(p) && (pieces_[p].sheet || shell(p))) continue;  // perhaps cloth
      decide(p, Role::soft, flesh_word(p));
    }
  }

  // Largest first: what lies over a shirt that turned out to be flesh lies over flesh.
  void guess_cloth() {
    std::vector<size_t> order;
    for (size_t p = 0; p < pieces_.size(); ++p) {
      if (open_[p] && has_flesh(p)) order.push_back(p);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return pieces_[a].area > pieces_[b].area; });
    for (size_t p : order) {
      const double over = PieceDistance(drawn_, pieces_, soft()).covered(drawn_, pieces_[p], kCover * height_);
      const std::string kind = pieces_[p].sheet ? "an open sheet" : "a thin shell";
      if (over >= kCovered) {
        decide(p, Role::rides, kind + " over flesh (" + percent(over) + " of it)", false);
      } else {
        decide(p, Role::soft, pieces_[p].sheet ? kind + " with nothing soft under it" : flesh_word(p));
      }
    }
  }

  void settle_separate_bodies() {
    const PieceDistance skin(drawn_, pieces_, soft());
    // Rigid parts that things may sit on.
    std::vector<char> separate(pieces_.size(), 0);
    for (size_t p : separate_) separate[p] = 1;
    std::vector<int> hard_parts;
    for (int p : decided([](const Piece& piece) { return piece.role == Role::rigid; })) {
      if (!separate[p]) hard_parts.push_back(p);
    }
    const PieceDistance hard_part(drawn_, pieces_, hard_parts);
    std::vector<std::pair<double, double>> gap(pieces_.size());  // of the body, to flesh and to hard parts
    std::vector<double> nearest(pieces_.size(), std::numeric_limits<double>::infinity());
    for (size_t p : separate_) {
      const int body = figures_[p].body;
      nearest[body] = std::min(nearest[body], skin.nearest(drawn_, pieces_[p]));
      gap[body].first += pieces_[p].area * skin.mean(drawn_, pieces_[p]);
      gap[body].second += pieces_[p].area * hard_part.mean(drawn_, pieces_[p]);
    }
    for (size_t p : separate_) {
      const int body = figures_[p].body;
      const bool provisional = pieces_[p].role == Role::ignore;
      const std::string why = nearly_rigid(p) ? moves_as_one(p) : "a detail";
      if (nearest[body] <= kTouch * height_ && gap[body].first <= gap[body].second) {
        decide(p, Role::rides, why + ", sits on flesh", nearly_rigid(p) || pieces_[p].size < kSmall * height_);
      } else if (nearest[body] <= kTouch * height_) {
        decide(p, Role::rigid, why + ", sits on something rigid");
      } else if (provisional) {
        decide(p, Role::soft, flesh_word(p));
      }
    }
  }

  // Only nodes move, or nothing does: large closed things are bodies.
  void guess_plain_bodies() {
    double largest = 0;
    for (size_t p = 0; p < pieces_.size(); ++p) largest = std::max(largest, figures_[p].body_area);
    for (size_t p = 0; p < pieces_.size(); ++p) {
      const bool hard = named(pieces_[p], kHardBody) || named(pieces_[p], kHardWorn);
      if (!open_[p] || pieces_[p].sheet || hard || figures_[p].body_area < kBody * largest) continue;
      decide(p, Role::soft, "a large closed piece of a file without skins");
    }
  }

  // What follows its node and nothing else, node by node: on flesh, on something that rides, or on nothing.
  void guess_nodes() {
    std::map<int, std::vector<size_t>> nodes;
    for (size_t p = 0; p < pieces_.size(); ++p) {
      if (open_[p]) nodes[pieces_[p].node_index].push_back(p);
    }
    const PieceDistance skin(drawn_, pieces_, soft());
    for (auto node = nodes.begin(); node != nodes.end();) {
      double gap = std::numeric_limits<double>::infinity();
      for (size_t p : node->second) gap = std::min(gap, skin.nearest(drawn_, pieces_[p]));
      const bool rides = gap <= kTouch * height_;
      const bool still = flesh_moves_ && !figures_[node->second[0]].moves;
      for (size_t p : node->second) {
        if (rides && still) decide(p, Role::ignore, "stands still");
        if (rides && !still) decide(p, Role::rides, "follows its node, which touches flesh");
      }
      node = rides ? nodes.erase(node) : std::next(node);
    }
    for (bool more = true; more;) {
      more = false;
      for (auto node = nodes.begin(); node != nodes.end();) {
        const int on = rider_touched(node->second);
        for (size_t p : node->second) {
          if (on >= 0) decide(p, Role::rides, "follows its node, which touches " + pieces_[on].name, true, on);
        }
        more = more || on >= 0;
        node = on >= 0 ? nodes.erase(node) : std::next(node);
      }
    }
    for (const auto& [node, members] : nodes) {
      for (size_t p : members) decide(p, Role::ignore, "follows its node and touches no flesh");
    }
  }
  int rider_touched(const std::vector<size_t>& members) const {
    const auto riders = decided([](const Piece& piece) { return piece.role == Role::rides && piece.hard; });
    for (int rider : riders) {
      const PieceDistance thing(drawn_, pieces_, {rider});
      for (size_t p : members) {
        if (thing.nearest(drawn_, pieces_[p]) <= 0.5 * kTouch * height_) return rider;
      }
    }
    return -1;
  }

  const Drawn& drawn_;
  const std::vector<PieceFigures>& figures_;
  std::vector<Piece>& pieces_;
  std::vector<char> open_;        // not decided yet
  std::vector<size_t> separate_;  // pieces of small bodies beside the main one
  double flesh_area_ = 0, flesh_volume_ = 0, height_ = 0;
  int main_body_ = -1;
  bool deforms_ = false, flesh_moves_ = false;
};

}  // namespace

std::vector<std::string> name_words(const std::string& name) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (word.size() > 2 && word.back() == 's') word.pop_back();
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  char before = 0;
  for (char c : name) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (!std::isalpha(u)) {
      end_word();
    } else {
      if (std::isupper(u) && std::islower(static_cast<unsigned char>(before))) end_word();
      word += static_cast<char>(std::tolower(u));
    }
    before = c;
  }
  end_word();
  return words;
}

void guess_roles(const Drawn& drawn, const std::vector<PieceFigures>& figures, const std::vector<char>& decided,
                 std::vector<Piece>& pieces) {
  Guess(drawn, figures, decided, pieces).run();
}

}  // namespace supple
