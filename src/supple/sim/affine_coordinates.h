// Vertices under constraints: u = Z y + u_d, driven vertices and ties prescribed, springs pulling.
#pragma once
#include "supple/sim/coordinates.h"
#include "supple/sim/drive.h"

namespace supple {

struct AffineSolverOptions {
  double tolerance = 1e-6;
  int max_newton = 80;
  std::string linear_solver = "auto";
};

class StaticSolver;
class VertexNewton;

class AffineCoordinates final : public Coordinates {
 public:
  AffineCoordinates(const Model& model, Drive drive, AffineSolverOptions options);
  ~AffineCoordinates() override;

  const Drive& drive() const { return drive_; }
  const AffineMap& map() const { return model_.constraints().map(); }

  bool has_unknowns() const override { return map().n_free() > 0; }
  std::vector<const Term*> forces() const override;
  void set_forces(double t, const Driver::Scales* scales) override;
  VecX shape_velocity(double t) const override;
  void place(State& state) const override;
  VecX prescribed_acceleration(double t) const override { return prescribed_rate(model_, drive_, t, 2); }
  RigidVelocity leading_velocity(double t) const override;
  bool has_leading() const override { return leading_track() != nullptr; }
  RigidMotion leading_motion(double from, double to) const override;
  std::vector<double> cuts() const override;
  RigidMotion jump(double before, double cut) const override;
  const std::shared_ptr<const ContactSurface>& contact() const override { return model_.contact(); }
  const ContactSpec& contact_spec() const override { return model_.spec().contact; }
  double contact_stiffness() const override { return model_.contact_stiffness(); }
  VecX obstacles(double t) const override;
  void make_solver(std::vector<const Term*> terms, ContactTerm* contact) override;
  void use_terms(std::vector<const Term*> terms) override;
  NewtonReport solve(const StageProblem& stage, VecX& u, const VecX& v, VecX& q, const VecX& q_rate) override;
  double tie_residual() const override { return tie_residual_; }
  VecX acceleration(const State& at, const VecX& r, bool start) override;
  VecX animated(double t, int derivative) const override;
  VecX equilibrium(double t, const VecX& guess) override;
  std::string place_of(const NewtonReport& report) const override;
  std::string likely_cause() const override;
  SolverStats solver_stats() const override;
  std::string linear_solver() const override;
  double contact_seconds() const override;
  double assemble_seconds() const override;
  KeptFactor::Mark factor_mark() const override;
  void restore_factor(const KeptFactor::Mark& mark) override;

 private:
  VecX of_shape(double t, int derivative) const;
  const std::shared_ptr<const Track>& leading_track() const;
  std::unique_ptr<VertexNewton> make_newton(std::vector<const Term*> terms) const;
  VecX acceleration_by_factor(const VecX& r) const;
  VecX acceleration_by_iteration(const VecX& r) const;

  Drive drive_;
  AffineSolverOptions options_;
  std::unique_ptr<SpringTerm> springs_;
  std::unique_ptr<LoadTerm> carried_;  // what bears the weight of a drawn shape; null: strains count from rest
  ContactTerm* contact_term_ = nullptr;
  std::unique_ptr<VertexNewton> newton_, other_newton_;  // of the run; over other terms, where those are in use
  std::unique_ptr<StaticSolver> equilibrium_;
  double tie_residual_ = 0;
};

}  // namespace supple
