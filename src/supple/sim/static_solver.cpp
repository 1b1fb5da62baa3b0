#include "supple/sim/static_solver.h"

#include <algorithm>

#include "supple/mesh/rigid_fit.h"

namespace supple {

// A constant force times a factor, for load steps.
class ScaledLoad : public Term {
 public:
  explicit ScaledLoad(VecX force) : force_(std::move(force)) {}
  std::string name() const override { return "load"; }
  void couple(PatternBuilder&) const override {}
  void add(const Kinematics& x, const Evaluation& out) const override {
    if (out.energy) *out.energy -= factor * force_.dot(x.u);
    if (out.residual) *out.residual -= factor * force_;
  }
  bool has_energy() const override { return true; }
  bool matrix_is_constant() const override { return true; }
  double factor = 1;

 private:
  VecX force_;
};

namespace {
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
    : model_(model), drive_(std::move(drive)), tolerance_(tolerance) {
  elastic_ = model.make_elastic();
  if (!model.spec().springs.empty()) elastic_->let_scales_vary();
  // Parts that nothing holds have no equilibrium under their weight: they keep their rest shape and place.
  VecX weight = gravity ? model.gravity_force() : VecX(VecX::Zero(3 * model.n_vertices()));
  if (!model.loose_parts().empty())
    for (int v = 0; v < model.n_vertices(); ++v)
      if (model.is_loose(v)) weight.segment<3>(3 * v).setZero();
  load_ = std::make_unique<ScaledLoad>(std::move(weight));
  std::vector<const Term*> terms = {elastic_.get(), load_.get()};
  if (!model.spec().springs.empty()) {
    springs_ = std::make_unique<SpringTerm>(model.mesh().vertices, model.spec().springs, model.spec().spring_stiffness);
    terms.push_back(springs_.get());
  }
  newton_ = std::make_unique<Newton>(terms, model.constraints().map(), linear_solver);
}

StaticSolver::~StaticSolver() = default;

VecX StaticSolver::factor_point() const { return newton_->factor_point(); }
void StaticSolver::remake_factor(const VecX& u) { newton_->remake_factor(u); }

void StaticSolver::set_scales(double stiffness, double gravity) {
  // Without springs only the ratio matters, and a constant matrix stays constant.
  if (springs_) elastic_->set_scales(stiffness, 1);
  gravity_scale_ = springs_ ? gravity : gravity / stiffness;
}

NewtonReport StaticSolver::attempt(VecX& u, const VecX& u_d, double load) {
  load_->factor = load * gravity_scale_;
  return newton_->solve_static(u, u_d,
                               {.tolerance = tolerance_,
                                .floor = model_.rounding_floor(0, u.cwiseAbs().maxCoeff()),
                                .max_iterations = 200,
                                .keep_factor = keep_factor_});
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
  if (springs_) springs_->set_targets(drive_.springs->at(t), VecX::Zero(3 * drive_.springs->n_points()));
  // A guess with tets inside out leads anywhere: the rest shape is the better start.
  const bool useful = guess.size() > 0 && (!model_.can_tangle() || model_.count_tangled(guess) == 0);
  result.u = useful ? guess : rigid_guess(t);
  equilibrium(t, u_d, result);
  if (useful && model_.can_tangle() && model_.count_tangled(result.u) > 0) {
    Result again;
    again.u = rigid_guess(t);
    equilibrium(t, u_d, again);
    again.newton_iterations += result.newton_iterations;
    again.factorizations += result.factorizations;
    if (again.converged && model_.count_tangled(again.u) < model_.count_tangled(result.u)) return again;
  }
  return result;
}

void StaticSolver::equilibrium(double t, const VecX& u_d, Result& result) {
  auto note = [&](const NewtonReport& r) {
    result.newton_iterations += r.iterations;
    result.factorizations += r.factorizations;
    result.trouble = r.trouble;
    return r.converged;
  };
  result.converged = note(attempt(result.u, u_d, 1));
  if (result.converged) return;

  // From the unloaded shape, adding the weight by and by; a load step that fails is halved.
  VecX u = rigid_guess(t);
  double load = 0, step = 0.25;
  if (!note(attempt(u, u_d, 0))) return;
  while (load < 1 && step > 1e-3) {
    VecX next = u;
    if (note(attempt(next, u_d, std::min(1.0, load + step)))) {
      load = std::min(1.0, load + step);
      u = next;
    } else {
      step /= 2;
    }
  }
  if (load == 1) {
    result.u = u;
    result.converged = true;
    result.trouble.clear();
  }
}

}  // namespace supple
