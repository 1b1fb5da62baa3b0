// Rigs put together of deformers, one after the other: s = D_k(... D_2(D_1(X; p_1); p_2) ...; p_k).
//
// Every deformer offered here maps each point by an affine map of its own, y_i = A_i(p, t) x_i + b_i(p, t), with what
// binds points to it (weights, coordinates) fixed at rest. That is what makes exact derivatives of any pile cheap.
#pragma once
#include <memory>
#include <vector>

#include "supple/rigs/rig_map.h"

namespace supple {

class Deformer {
 public:
  virtual ~Deformer() = default;
  virtual const std::vector<RigParameter>& parameters() const = 0;
  virtual int n_points() const = 0;
  virtual VecX keyed(double t) const;  // rest values unless it has an animation of its own

  // x, flat: where the points are before; on return after.
  virtual void apply(const VecX& p, double t, VecX& x) const = 0;
  // d y / d p of the parameters `which` (numbers among its own), for points at x before.
  virtual MatX columns(const VecX& p, double t, const VecX& x, const std::vector<int>& which) const = 0;
  // Whether A_i = 1 for all parameters: it adds to where the points are and does nothing else.
  virtual bool adds_only() const { return false; }
  // Tangents of x become those of y, column by column: A_i on each point. Default: A = 1.
  virtual void push(const VecX& p, double t, MatX& tangents) const;
  // A^T f. Default: A = 1.
  virtual VecX pull(const VecX& p, double t, const VecX& f) const;
  // f . d^2 y / dp_a dp_b for a, b of `which`. Default: zero (linear in its parameters).
  virtual MatX curvature(const VecX& p, double t, const VecX& x, const std::vector<int>& which, const VecX& f) const;
  // f . (dA / dp_a) d for a of `which` and each column d of tangents of x: |which| rows. Default: zero.
  virtual MatX mixed(const VecX& p, double t, const std::vector<int>& which, const MatX& tangents, const VecX& f) const;

  // The same for some points only.
  virtual std::shared_ptr<const Deformer> for_points(const std::vector<int>& points) const = 0;
};

class DeformerStack final : public RigMap {
 public:
  // InputError: numbers of points that differ, names of parameters that repeat.
  DeformerStack(const Points& rest, std::vector<std::shared_ptr<const Deformer>> deformers);

  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return static_cast<int>(rest_.size()) / 3; }
  VecX evaluate(const VecX& p, double t) const override;
  VecX keyed(double t) const override;
  bool has_derivatives() const override { return true; }
  MatX jacobian(const VecX& p, double t, const std::vector<int>& which) const override;
  MatX curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const override;
  std::shared_ptr<const RigMap> for_points(const std::vector<int>& points) const override;

  const std::vector<std::shared_ptr<const Deformer>>& deformers() const { return deformers_; }

 private:
  VecX rest_;  // flat
  std::vector<std::shared_ptr<const Deformer>> deformers_;
  std::vector<int> first_;
  std::vector<RigParameter> parameters_;
};

}  // namespace supple
