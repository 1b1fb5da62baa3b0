#include "supple/sim/static_solver.h"

#include <algorithm>
#include <cmath>

#include "supple/mesh/rigid_fit.h"
#include "supple/solve/vertex_newton.h"

namespace supple {

namespace {
// Newton iterations: of the first attempt; of one step that is held back; of all those.
constexpr int kNewtonAlone = 100, kHeldStep = 20, kHeldBack = 400;

std::shared_ptr<const Track> still(const VecX& x) {
  if (x.size() == 0) return nullptr;
  return make_function_track(static_cast<int>(x.size() / 3),
                             [x](double, int derivative) { return derivative == 0 ? x : VecX(VecX::Zero(x.size())); });
}
}  // namespace

Drive rest_drive(const Model& model) {
  Points driven;
  for (int v : model.spec().driven) driven.push_back(model.mesh().vertices[v]);
  auto points = [&](const std::vector<PointTie>& list) {
    Points x;
    for (const PointTie& tie : list) x.push_back(model.rest_point(tie));
    return flatten(x);
  };
  return {still(flatten(driven)), still(points(model.spec().ties)), still(points(model.spec().springs))};
}

VecX rigid_displacement(const Points& vertices, const VecX& rest, const VecX& now) {
  const RigidMotion motion = fit_rigid_motion(rest, now);
  VecX u(3 * static_cast<Eigen::Index>(vertices.size()));
  for (size_t i = 0; i < vertices.size(); ++i)
    u.segment<3>(3 * static_cast<Eigen::Index>(i)) = motion(vertices[i]) - vertices[i];
  return u;
}

StaticSolver::StaticSolver(const Model& model, Drive drive, const std::string& linear_solver, double tolerance,
                           bool gravity)
    : model_(model), drive_(std::move(drive)), tolerance_(tolerance), linear_solver_(linear_solver) {
  elastic_ = model.make_elastic();
  if (!model.spec().springs.empty()) elastic_->let_scales_vary();
  // Parts that nothing holds have no equilibrium under their weight: they keep their rest shape and place.
  VecX weight = gravity ? model.gravity_force() : VecX(VecX::Zero(3 * model.n_vertices()));
  if (!model.loose_parts().empty())
    for (int v = 0; v < model.n_vertices(); ++v)
      if (model.is_loose(v)) weight.segment<3>(3 * v).setZero();
  load_ = std::make_unique<LoadTerm>(std::move(weight));
  inertia_ = std::make_unique<InertiaTerm>(model.mass(), 0);
  springs_ = model.make_springs();
  if (springs_ && drive_.spring_factors) springs_->let_strengths_vary();
  newton_ =
      std::make_unique<VertexNewton>(terms(), model.constraints().map(), linear_solver, flatten(model.mesh().vertices));
}

StaticSolver::~StaticSolver() = default;

VecX StaticSolver::factor_point() const { return newton_->factor_point(); }
void StaticSolver::remake_factor(const VecX& u) { newton_->remake_factor(u); }

void StaticSolver::set_scales(double stiffness, double gravity) {
  // Without springs only the ratio matters, and a constant matrix stays constant.
  if (springs_) elastic_->set_scales(stiffness, 1);
  load_->set_scale(springs_ ? gravity : gravity / stiffness);
}

std::vector<const Term*> StaticSolver::terms() const {
  std::vector<const Term*> list = {elastic_.get(), load_.get()};
  if (springs_) list.push_back(springs_.get());
  return list;
}

NewtonOptions StaticSolver::options(const VecX& u, int max_iterations) const {
  return {.tolerance = tolerance_,
          .floor = model_.rounding_floor(0, u.cwiseAbs().maxCoeff()),
          .max_iterations = max_iterations,
          .keep_factor = keep_factor_,
          .follow_beyond = kFollowBeyond * model_.mean_edge()};
}

VecX StaticSolver::rigid_guess(double t) const {
  const Track* track = drive_.vertices ? drive_.vertices.get() : drive_.ties ? drive_.ties.get() : nullptr;
  if (!track) return VecX::Zero(3 * model_.n_vertices());
  const Drive rest = rest_drive(model_);
  return rigid_displacement(model_.mesh().vertices, (drive_.vertices ? rest.vertices : rest.ties)->at(0), track->at(t));
}

StaticSolver::Result StaticSolver::solve(double t, const VecX& guess) {
  Result result;
  const VecX u_d = prescribed(model_, drive_, t);
  if (springs_) put_springs(drive_, t, *springs_, true);
  // It may be the answer already.
  if (guess.size() > 0) {
    result.u = guess;
    result.converged = newton_->solve_static(result.u, u_d, options(guess, 0)).converged;
    if (result.converged) return result;
  }
  // A guess with tets inside out leads anywhere: the rest shape is the better start.
  const bool useful = guess.size() > 0 && (!model_.can_tangle() || model_.count_tangled(guess) == 0);
  result.u = useful ? guess : rigid_guess(t);
  equilibrium(u_d, result);
  if (useful && model_.can_tangle() && model_.count_tangled(result.u) > 0) {
    Result again;
    again.u = rigid_guess(t);
    equilibrium(u_d, again);
    again.newton_iterations += result.newton_iterations;
    again.factorizations += result.factorizations;
    if (again.converged && model_.count_tangled(again.u) < model_.count_tangled(result.u)) return again;
  }
  return result;
}

void StaticSolver::equilibrium(const VecX& u_d, Result& result) {
  const NewtonReport r = newton_->solve_static(result.u, u_d, options(result.u, kNewtonAlone));
  result.newton_iterations += r.iterations;
  result.factorizations += r.factorizations;
  result.trouble = r.trouble;
  result.converged = r.converged;
  if (!r.converged) let_down(u_d, result);
}

// A part that hangs by a thread turns almost freely, far, and along a curve, which Newton's straight steps can only
// creep along. Each step here minimises the potential plus |u - u_last|_M^2 / (2 tau^2), which holds such motions back
// enough for Newton to converge at once; tau grows as long as it does.
void StaticSolver::let_down(const VecX& u_d, Result& result) {
  if (!held_newton_) {
    std::vector<const Term*> list = terms();
    list.push_back(inertia_.get());
    held_newton_ = std::make_unique<VertexNewton>(list, model_.constraints().map(), linear_solver_,
                                                  flatten(model_.mesh().vertices));
  }
  // What a solve finds must not depend on when the last one was held back.
  held_newton_->remake_factor(VecX());
  const VecX zero = VecX::Zero(result.u.size());
  // From about the period of a single tet; where a millionth of that does not help nothing will.
  const double start = 10 * std::sqrt(model_.mass()->max_diagonal() / model_.stiffness_scale());
  double tau = start;
  for (int spent = 0; spent < kHeldBack && tau > 1e-6 * start && !result.converged;) {
    VecX u = result.u;
    const double m = 1 / (tau * tau);
    NewtonReport r = held_newton_->solve(u, u_d, 0, zero, m, VecX(-m * result.u), options(u, kHeldStep));
    // Progress also when the step itself has not converged: the potential falls from iterate to iterate.
    result.u = u;
    spent += std::max(r.iterations, 1);
    result.newton_iterations += r.iterations;
    result.factorizations += r.factorizations;
    if (!r.converged)
      tau /= 3;
    else if (r.iterations <= kHeldStep / 3)
      tau *= 3;
    if (!r.converged) continue;
    // Is it the equilibrium without the mass as well?
    r = newton_->solve_static(u, u_d, options(u, 0));
    result.converged = r.converged;
    result.trouble = r.trouble;
  }
}

}  // namespace supple
