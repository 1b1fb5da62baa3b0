#include "supple/rigspace/rig_newton.h"

#include <fmt/format.h>

#include <utility>

#include "supple/base/error.h"
#include "supple/rigspace/rig_unknowns.h"

namespace supple {

namespace {

std::vector<int> checked(std::vector<int> free, const RigMap& rig) {
  std::vector<char> seen(static_cast<size_t>(rig.n_parameters()), 0);
  for (int a : free) {
    if (a < 0 || a >= rig.n_parameters())
      throw InputError({.place = "rig"}, fmt::format("parameter {} is free, but the rig has {}", a, rig.n_parameters()),
                       "");
    if (std::exchange(seen[static_cast<size_t>(a)], 1))
      throw InputError({.place = "rig"},
                       fmt::format("parameter '{}' is free twice", rig.parameters()[static_cast<size_t>(a)].name),
                       "name it once");
  }
  return free;
}

}  // namespace

RigNewton::RigNewton(const RigBody& body, std::vector<const Term*> terms, std::vector<int> free, RovingTerm* roving,
                     RigSolver solver, const std::string& linear_solver)
    : Newton(std::move(terms),
             std::make_unique<RigUnknowns>(body, checked(std::move(free), *body.rig()), solver, linear_solver),
             roving) {}

NewtonReport RigNewton::solve(VecX& u, VecX& p, double t, double dv_du, const VecX& v_offset, double da_du,
                              const VecX& a_offset, const NewtonOptions& options) {
  Place place{u, p, t};
  NewtonReport report = solve(place, place, {dv_du, v_offset, da_du, a_offset}, options);
  u = std::move(place.u), p = std::move(place.q);
  return report;
}

VecX RigNewton::kept() const { return static_cast<const RigUnknowns&>(unknowns()).kept(); }
void RigNewton::restore(const VecX& numbers) { static_cast<RigUnknowns&>(unknowns()).restore(numbers); }

NewtonReport RigNewton::solve_static(VecX& u, VecX& p, double t, const NewtonOptions& options) {
  const VecX zero = VecX::Zero(u.size());
  return solve(u, p, t, 0, zero, 0, zero, options);
}

RigNewton::Derivatives RigNewton::derivatives(const Place& place, const StageMotion& motion) {
  Iterate z = at(unknowns().impose(place, place), motion);
  evaluate(z, true, true, false);
  VecX gradient = unknowns().reduce(z, z.r);
  unknowns().take(z, full_, nullptr);
  // In plain parameters.
  VecX unit = VecX::Ones(gradient.size());
  unit.tail(z.length.size()) = z.length;
  Derivatives out{gradient.cwiseProduct(unit), MatX(unit.size(), unit.size())};
  for (Eigen::Index i = 0; i < unit.size(); ++i)
    out.hessian.col(i) = unit[i] * unknowns().multiply(VecX::Unit(unit.size(), i)).cwiseProduct(unit);
  return out;
}

}  // namespace supple
