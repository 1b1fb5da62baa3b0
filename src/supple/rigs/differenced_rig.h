// Derivatives of a rig that offers none, by central differences of its evaluations: many at once where the rig allows
// it, and none twice.
#pragma once
#include <memory>
#include <vector>

#include "supple/rigs/rig_map.h"

namespace supple {

class DifferencedRig final : public RigMap {
 public:
  explicit DifferencedRig(std::shared_ptr<const RigMap> rig);
  ~DifferencedRig() override;
  const std::vector<RigParameter>& parameters() const override { return rig_->parameters(); }
  int n_points() const override { return rig_->n_points(); }
  VecX evaluate(const VecX& p, double t) const override;
  VecX keyed(double t) const override { return rig_->keyed(t); }
  bool has_derivatives() const override { return true; }
  MatX jacobian(const VecX& p, double t, const std::vector<int>& which) const override;
  MatX curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const override;
  std::shared_ptr<const RigMap> for_points(const std::vector<int>& points) const override;
  int at_once() const override { return rig_->at_once(); }

  long evaluations() const;  // of the rig beneath, so far

  // Steps of first and second differences, as shares of the parameters' units. They follow from how exact the rig is,
  // found by seven evaluations around rest when derivatives are first asked for.
  struct Steps {
    double first, second;
  };
  Steps steps() const;

 private:
  struct Memory;  // the evaluations last made
  std::shared_ptr<const RigMap> rig_;
  std::unique_ptr<Memory> memory_;
};

// The rig itself where it has derivatives, else one that takes differences.
std::shared_ptr<const RigMap> with_derivatives(std::shared_ptr<const RigMap> rig);

}  // namespace supple
