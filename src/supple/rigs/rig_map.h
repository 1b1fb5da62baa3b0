// A rig as a black box: parameters in, places of surface points out [rig-space physics, Eq. 1]. All that is simulated,
// fitted and learnt in rig space knows rigs by this alone.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

enum class Quantity { angle, length, factor };  // [rad], [m], a plain number: weights and scales

struct RigParameter {
  std::string name;  // "Tail2.rotation.x", "belly.1.0.2.y", "Face.Smile": no two alike, no blanks
  Quantity quantity = Quantity::factor;
  double rest = 0;  // its value in the shape that is without stress
  double unit = 1;  // a change that is neither large nor small for it: differences are taken over a share of this
};

class RigMap {
 public:
  virtual ~RigMap() = default;
  virtual const std::vector<RigParameter>& parameters() const = 0;
  virtual int n_points() const = 0;
  // Where the points are, flat [m], for all parameters. t [s]: when, for what the rig animates by itself.
  virtual VecX evaluate(const VecX& p, double t) const = 0;
  // What the rig's own animation says of the parameters at t: keys, or rest values.
  virtual VecX keyed(double t) const;

  // Whether the two below are offered. Where they are not, DifferencedRig (differenced_rig.h) makes them.
  virtual bool has_derivatives() const { return false; }
  // Columns d s / d p of the parameters `which`.
  virtual MatX jacobian(const VecX& p, double t, const std::vector<int>& which) const;
  // Sum over the coordinates of f_i d^2 s_i / dp_a dp_b, for a and b of `which`: all that a Hessian needs of the second
  // derivatives.
  virtual MatX curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const;

  // The same rig for some of its points only, in this order, where that is less work; null: it is not.
  virtual std::shared_ptr<const RigMap> for_points(const std::vector<int>& points) const;
  // How many evaluations may go on at once; 0: any number.
  virtual int at_once() const { return 0; }

  int n_parameters() const { return static_cast<int>(parameters().size()); }
  VecX rest() const;
};

}  // namespace supple
