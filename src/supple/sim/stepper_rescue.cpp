// How the stepper gets flesh out of equilibria with tets inside out.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "supple/mesh/rigid_fit.h"
#include "supple/sim/stepper.h"

namespace supple {

namespace {
// Of a and not of b, both of them lists of tets.
std::vector<int> without(std::vector<int> a, std::vector<int> b) {
  std::vector<int> rest;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  return rest;
}
}  // namespace

void Stepper::watch_tangles(State& state, double h, StepReport& report) {
  coordinates_->use_terms({});
  // What departs from a drawn shape is pulled back to it by its own material.
  if (!model_.can_tangle() || coordinates_->follows_shape()) return;
  int tangled = model_.count_tangled(state.u);
  // What the equilibrium has inside out, bones that fold the flesh do; it is not ours to undo.
  if (tangled > 0 && state.p.size() > 0)
    tangled = static_cast<int>(without(model_.tangled_tets(state.u), model_.tangled_tets(state.p)).size());
  else if (const VecX there = tangled > 0 ? drawn(state.u, state.t) : VecX(); there.size() > 0)
    tangled = static_cast<int>(without(model_.tangled_tets(state.u), model_.tangled_tets(there)).size());
  const bool holding = state.untangling_s > kHeadStart && state.untangling_s <= kHeadStart + kStiffenEvery;
  if (tangled == 0 && !holding) {
    state.tangled_s = state.untangling_s = 0;
    state.goal.resize(0);
    return;
  }
  state.tangled_s += h;
  const bool wreck = tangled > kTangledShare * model_.mesh().n_tets();
  if ((state.tangled_s <= kTangledFor && !wreck && !holding) || state.untangling_s >= kUntangleAtMost) return;
  if (wreck) state.untangling_s = std::max(state.untangling_s, kHeadStart);
  state.untangling_s += h;
  find_goal(state, state.t + h);
  report.untangling = rescue(state, state.t + h, wreck || holding);
}

VecX Stepper::drawn(const VecX& others, double t) const {
  VecX x = coordinates_->animated(t, 0);
  if (x.size() == 0) return x;
  VecX u = others;
  u.head(x.size()) = x - flatten(model_.mesh().vertices).head(x.size());
  return u;
}

// The equilibrium that the flesh follows, where it is known. Else found once a tangle, from the rest shape; from then
// on it goes along with the driven points.
void Stepper::find_goal(State& state, double t) {
  if (state.p.size() > 0) {
    state.goal = state.p + (t - state.t) * state.p_rate;
    state.goal_t = t;
    return;
  }
  if (const VecX there = drawn(VecX::Zero(state.u.size()), t); there.size() > 0) {
    state.goal = there;
    state.goal_t = t;
    return;
  }
  if (state.goal.size() == 0) {
    state.goal = coordinates_->equilibrium(t, VecX());
  } else if (coordinates_->has_leading()) {
    const RigidMotion motion = coordinates_->leading_motion(state.goal_t, t);
    for (int i = 0; i < model_.n_vertices(); ++i) {
      const Vec3& rest = model_.mesh().vertices[i];
      state.goal.segment<3>(3 * i) = motion(rest + state.goal.segment<3>(3 * i)) - rest;
    }
    // One with tets inside out is solved no further: that would start from the rest shape, at every step anew.
    if (model_.count_tangled(state.goal) == 0) state.goal = coordinates_->equilibrium(t, state.goal);
  }
  state.goal_t = t;
}

bool Stepper::rescue(const State& state, double t, bool everywhere) {
  const TetMesh& mesh = model_.mesh();
  State goal = state;
  goal.t = t;
  goal.u = state.goal;
  VecX along = state.p.size() > 0 ? state.p_rate : reference_velocity(goal, t);
  if (state.p.size() == 0)
    if (const VecX v = coordinates_->animated(t, 1); v.size() > 0) along.head(v.size()) = v;

  // The vertices of tangled tets and of the tets two rings around them, or all.
  std::vector<char> pulled(mesh.vertices.size(), everywhere);
  if (!everywhere) {
    const std::vector<int> tangled = without(model_.tangled_tets(state.u), model_.tangled_tets(goal.u));
    if (tangled.empty()) return false;
    for (int t_index : tangled)
      for (int v : mesh.tets[t_index]) pulled[v] = 1;
    for (int ring = 0; ring < 2; ++ring) {
      const std::vector<char> before = pulled;
      for (const Tet& tet : mesh.tets)
        if (before[tet[0]] || before[tet[1]] || before[tet[2]] || before[tet[3]])
          for (int v : tet) pulled[v] = 1;
    }
  }
  // A spring at a vertex is a tie with all its weight on one corner of a tet.
  std::vector<PointTie> ties;
  std::vector<double> stiffness, damping;
  Points targets, velocities;
  const double k = kWeakest * model_.stiffness_scale() * std::pow(10, state.untangling_s / kStiffenEvery);
  for (const Tet& tet : mesh.tets)
    for (int c = 0; c < 4; ++c) {
      const int v = tet[c];
      // What nothing holds has no place to be pulled to.
      if (!pulled[v] || v >= model_.n_own() || model_.is_loose(v)) continue;
      pulled[v] = 0;
      ties.push_back({tet, Eigen::Vector4d::Unit(c)});
      stiffness.push_back(k);
      damping.push_back(2 * std::sqrt(k * model_.mass()->per_vertex()[v]));
      targets.push_back(mesh.vertices[v] + goal.u.segment<3>(3 * v));
      velocities.push_back(along.segment<3>(3 * v));
    }
  if (ties.empty()) return false;
  rescue_ = std::make_unique<SpringTerm>(mesh.vertices, ties, stiffness, damping);
  rescue_->set_targets(flatten(targets), flatten(velocities));
  std::vector<const Term*> list = terms();
  list.push_back(rescue_.get());
  coordinates_->use_terms(std::move(list));
  return true;
}

}  // namespace supple
