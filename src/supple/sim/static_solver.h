// Equilibrium under the present positions of the driven points: where the flesh would be without any dynamics.
#pragma once
#include <memory>

#include "supple/sim/stepper.h"

namespace supple {

class VertexNewton;

class StaticSolver {
 public:
  // gravity false: the equilibrium without weight.
  StaticSolver(const Model& model, Drive drive, const std::string& linear_solver = "auto", double tolerance = 1e-6,
               bool gravity = true);
  ~StaticSolver();

  struct Result {
    bool converged = false;
    VecX u;
    int newton_iterations = 0, factorizations = 0;
    std::string trouble;
  };
  // At time t, warm-started from `guess` (empty, or with tets inside out: the rest shape moved rigidly with the driven
  // points). When Newton fails the body is let down in steps that are held back by its mass. An equilibrium with tets
  // inside out is solved for once more from the rest shape, and kept only when that is no better. `converged` says
  // whether all of it failed, and u is then the best found.
  Result solve(double t, const VecX& guess);
  // Solves that follow one another closely may use one another's factor (NewtonOptions::keep_factor).
  void keep_factor() { keep_factor_ = true; }
  VecX factor_point() const;  // part of a checkpoint, with the stiffness scale of then
  void remake_factor(const VecX& u);
  // Factors of the elastic forces and of gravity in the solves to come.
  void set_scales(double stiffness, double gravity);

 private:
  std::vector<const Term*> terms() const;
  NewtonOptions options(const VecX& u, int max_iterations) const;
  void equilibrium(const VecX& u_d, Result& result);
  void let_down(const VecX& u_d, Result& result);
  VecX rigid_guess(double t) const;

  const Model& model_;
  Drive drive_;
  double tolerance_;
  bool keep_factor_ = false;
  std::unique_ptr<ElasticTerm> elastic_;
  std::unique_ptr<LoadTerm> load_;
  std::unique_ptr<SpringTerm> springs_;
  std::unique_ptr<VertexNewton> newton_;
  // For the steps held back by the mass, made when first needed.
  std::string linear_solver_;
  std::unique_ptr<InertiaTerm> inertia_;
  std::unique_ptr<VertexNewton> held_newton_;
};

// A drive that holds every driven point of the model where it is at rest.
Drive rest_drive(const Model& model);

// The rest shape moved rigidly (best fit) with points that were at `rest` and are at `now` (flat): displacements.
VecX rigid_displacement(const Points& vertices, const VecX& rest, const VecX& now);

}  // namespace supple
