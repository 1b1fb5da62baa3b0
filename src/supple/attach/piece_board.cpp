#include "supple/attach/piece_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/mesh/tri_mesh.h"

namespace supple {
namespace {

constexpr double kRigid = 0.005;       // residual, of the piece's size: as small as this is rigid
constexpr double kNearlyRigid = 0.02;  // as small as this is rigid for a thing that is hard by name or on its own
constexpr double kUnseen = 0.01;       // the same, of the height: what small pieces may bend
constexpr double kSheet = 2.0;         // length of open border beside the root of the area: a square sheet has 4
constexpr double kHolds = 0.01;        // share of all area: a hard thing that lies on as much flesh as this holds it

}  // namespace

PieceBoard::PieceBoard(const Drawn& drawn_, const std::vector<PieceFigures>& figures_,
                       const std::vector<char>& decided_, std::vector<Piece>& pieces_)
    : drawn(drawn_), bones(drawn_, pieces_), figures(figures_), pieces(pieces_), said(decided_) {
  Points flesh;
  for (size_t p = 0; p < pieces.size(); ++p) {
    open.push_back(!said[p]);
    deforms = deforms || pieces[p].rigid_residual > kRigid;
    const double area = figures[p].body_area;
    pieces[p].sheet = area > 0 && figures[p].body_boundary > kSheet * std::sqrt(area);
    if (!has_flesh(static_cast<int>(p))) continue;
    flesh_area += pieces[p].area;
    flesh_moves = flesh_moves || figures[p].moves;
    if (figures[p].body == static_cast<int>(p)) flesh_volume += figures[p].body_volume;
    for (int v : pieces[p].vertices) flesh.push_back(drawn.vertices.rest[v]);
  }
  height = longest_side(flesh.empty() ? drawn.vertices.rest : flesh);
}

void PieceBoard::decide(int p, Role role, const std::string& why, bool hard, int on) {
  if (role == Role::soft || pieces[p].role == Role::soft) flesh_around_.clear();
  pieces[p].role = role;
  pieces[p].why = why;
  pieces[p].hard = hard;
  pieces[p].on = on;
  open[p] = 0;
}

bool PieceBoard::rigid(int p) const {
  if (!deforms) return !figures[p].morphs && figures[p].one_bone > 0.999;
  return pieces[p].rigid_residual < kRigid && figures[p].one_bone > 0.95;
}

bool PieceBoard::nearly_rigid(int p) const {
  return pieces[p].rigid_residual < kNearlyRigid || pieces[p].rigid_residual * pieces[p].size < kUnseen * height;
}

std::string PieceBoard::moves_as_one(int p) const {
  if (!has_flesh(p)) return "follows its node";
  if (!deforms) return "follows one bone";
  const double residual = pieces[p].rigid_residual;
  if (residual < kRigid) return "moves rigidly: " + percent(residual) + " of its size";
  return "bends by " + percent(residual * pieces[p].size / height) + " of the height";
}

double PieceBoard::gap(const PieceList& members, const PieceDistance& to) const {
  double least = std::numeric_limits<double>::infinity();
  for (int p : members) least = std::min(least, to.nearest(drawn, pieces[p], 0.5 * touch()));
  return least;
}

const PieceDistance& PieceBoard::flesh_around(int bone) {
  const auto found = flesh_around_.find(bone);
  if (found != flesh_around_.end()) return found->second;
  const std::vector<char> near = bones.around(bone);
  return flesh_around_.emplace(bone, PieceDistance(drawn, pieces, soft(), &near)).first->second;
}

bool PieceBoard::place_by_bone(const PieceList& members) {
  const int bone = bones.carrier(pieces, members);
  if (bone < 0) return false;
  const std::string on = drawn.bones[bone].name.empty() ? "its bone" : drawn.bones[bone].name;
  if (!bones.trunk(bone) && !bones.tail(bone)) {
    for (int p : members) decide(p, Role::rigid, moves_as_one(p) + ", hard on " + on);
    return true;
  }
  const PieceDistance& flesh = flesh_around(bone);
  if (gap(members, flesh) > touch()) return false;
  double lies_on = 0;
  bool holds = !bones.tail(bone);
  for (int p : members) {
    lies_on += pieces[p].area * flesh.covered(drawn, pieces[p], touch());
    holds = holds && !pieces[p].sheet;
  }
  holds = holds && lies_on > kHolds * flesh_area;
  for (int p : members) {
    if (holds) decide(p, Role::rigid, moves_as_one(p) + ", holds the flesh on " + on);
    if (!holds) decide(p, Role::rides, moves_as_one(p) + ", sits on flesh of " + on);
  }
  return true;
}

std::string percent(double share) {
  if (share < 1e-4) return "under 0.01 %";
  return share < 0.1 ? fmt::format("{:.2f} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

}  // namespace supple
