#include "supple/sim/static_solver.h"

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
  volume_ = model.make_nodal_volume();
  load_ = std::make_unique<ScaledLoad>(gravity ? model.gravity_force() : VecX(VecX::Zero(3 * model.n_vertices())));
  std::vector<const Term*> terms = {elastic_.get(), load_.get()};
  if (volume_) terms.push_back(volume_.get());
  if (!model.spec().springs.empty()) {
    springs_ = std::make_unique<SpringTerm>(model.mesh().vertices, model.spec().springs, model.spec().spring_stiffness);
    terms.push_back(springs_.get());
  }
  newton_ = std::make_unique<Newton>(terms, model.constraints().map(), linear_solver);
}

StaticSolver::~StaticSolver() = default;

NewtonReport StaticSolver::attempt(VecX& u, const VecX& u_d, double load) {
  load_->factor = load;
  return newton_->solve_static(
      u, u_d,
      {.tolerance = tolerance_, .floor = model_.rounding_floor(0, u.cwiseAbs().maxCoeff()), .max_iterations = 200});
}

StaticSolver::Result StaticSolver::solve(double t, const VecX& guess) {
  Result result;
  const VecX u_d = prescribed(model_, drive_, t);
  if (springs_) springs_->set_targets(drive_.springs->at(t), VecX::Zero(3 * drive_.springs->n_points()));
  auto rigid = [&] {
    const Track* track = drive_.vertices ? drive_.vertices.get() : drive_.ties ? drive_.ties.get() : nullptr;
    if (!track) return VecX(VecX::Zero(3 * model_.n_vertices()));
    VecX rest(3 * track->n_points());
    for (int i = 0; i < track->n_points(); ++i) {
      Vec3 x = Vec3::Zero();
      if (drive_.vertices) {
        x = model_.mesh().vertices[model_.spec().driven[i]];
      } else {
        const PointTie& tie = model_.spec().ties[i];
        for (int c = 0; c < 4; ++c) x += tie.weights[c] * model_.mesh().vertices[tie.vertices[c]];
      }
      rest.segment<3>(3 * i) = x;
    }
    return rigid_displacement(model_.mesh().vertices, rest, track->at(t));
  };
  auto note = [&](const NewtonReport& r) {
    result.newton_iterations += r.iterations;
    result.factorizations += r.factorizations;
    result.trouble = r.trouble;
    return r.converged;
  };

  result.u = guess.size() ? guess : rigid();
  result.converged = note(attempt(result.u, u_d, 1));
  if (result.converged) return result;

  // From the unloaded shape, adding the weight by and by; a load step that fails is halved.
  VecX u = rigid();
  double load = 0, step = 0.25;
  if (!note(attempt(u, u_d, 0))) return result;
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
  return result;
}

}  // namespace supple
