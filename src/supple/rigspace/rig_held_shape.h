// Flesh that holds a shape other than the one it is without stress in: elasticity about the strain E_k of that shape,
//   Psi = 1/2 (E - E_k) : C0 : (E - E_k),
// E the Green strain and C0 the elasticity tensor at rest. It is St. Venant and Kirchhoff's material with another shape
// without stress. Turning the body costs nothing, and the shape is where the energy is least however it was drawn, tets
// inside out included. Loads that balance a material's forces there do neither: they do not turn with the flesh, and
// shapes that are squeezed buckle under them. Inside the room only.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/fem/elastic_term.h"
#include "supple/sim/model.h"

namespace supple {

class HeldShape : public Term {
 public:
  // InputError: stiffness damping that differs between tets.
  explicit HeldShape(const Model& model);

  std::string name() const override { return "elastic"; }
  void couple(PatternBuilder& pattern) const override { twice_->couple(pattern); }
  void add(const Kinematics& x, const Evaluation& out) const override;
  bool has_energy() const override { return true; }

  VecX strains(const VecX& u) const { return twice_->strains(u); }
  const VecX& shape() const { return shape_; }  // E_k

  // The shape from now on, without damping. Factors as those of ElasticTerm.
  void set_shape(VecX strain, double stiffness, double damping);
  // Where the shape is, for what keeps tets from being turned inside out: below kLeastVolume of the volume that a tet
  // has there it resists ever more. Tets that are flat or inside out in the shape itself are left alone.
  void keep_volumes_of(const VecX& u);
  // Damped with stress d_k C0 : D', D = E - E_k and D' = dv_du D + offset: what the flesh departs from the shape by is
  // damped, and what the shape does by itself is not.
  void set_damping(double dv_du, const VecX& offset);
  // Without the damping [J].
  double energy(const VecX& u) const;

 private:
  void set_target(const VecX& strain, double weight);
  void add_resistance(const VecX& u, const Evaluation& out) const;

  std::unique_ptr<ElasticTerm> twice_;
  VecX shape_;
  std::vector<double> least_;  // volume ratio from which a tet resists, 0: never; empty: none does
  double d_k_ = 0, stiffness_ = 1, damping_ = 1;
};

}  // namespace supple
