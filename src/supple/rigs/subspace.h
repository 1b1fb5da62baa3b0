// High-level parameters [rig-space physics, section 6]: modes of curves, p = p_rest + U r, as a rig of their own.
//
// Parameters are compared in their units, so that radians and metres can be of one mode. There is no mean: r = 0 is
// rest, as in the paper, or, where the flesh holds what is keyed, what is keyed at that time: p = p_keyed(t) + U r.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "supple/rigs/rig_map.h"

namespace supple {

struct ParameterModes {
  std::vector<std::string> parameters;  // names, one a row of U
  MatX U;                               // in values of the parameters; rows over their units: orthonormal columns
  VecX units;                           // of the parameters
  VecX energy;                          // share of each mode in the curves it was made from, descending
  double left_out = 0;                  // rms of what they leave of the curves, over the rms of the curves
  int n_modes() const { return static_cast<int>(U.cols()); }
};
// samples: one row a time, one column a parameter, as differences from what r = 0 is. units: of the parameters,
// positive. At most n modes, fewer where the samples have not so many. The largest entry of a mode, in units, is
// positive.
ParameterModes learn_modes(const std::vector<std::string>& names, const MatX& samples, const VecX& units, int n);

// r of the modes that come nearest to samples: one row a time, one column a mode.
MatX mode_amplitudes(const ParameterModes& modes, const MatX& samples);
// The samples with what they have of mode k multiplied by scale[k] (1 where there is no such entry); what is of no mode
// stays.
MatX scale_modes(const ParameterModes& modes, const MatX& samples, const std::vector<double>& scale);

// The rig with modes in place of some of its parameters: first the others, in order, then "mode.1", "mode.2", ...
class SubspaceRig final : public RigMap {
 public:
  // about: all parameters of the rig beneath at t, which r = 0 stands for; null: rest.
  // InputError: parameters of the modes that the rig has not (a suggestion), or that it has by the name of a mode.
  SubspaceRig(std::shared_ptr<const RigMap> rig, const ParameterModes& modes, const std::string& prefix = "mode",
              std::function<VecX(double t)> about = {});
  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return rig_->n_points(); }
  VecX evaluate(const VecX& p, double t) const override;
  VecX keyed(double t) const override;  // of the modes: the nearest
  bool has_derivatives() const override { return rig_->has_derivatives(); }
  MatX jacobian(const VecX& p, double t, const std::vector<int>& which) const override;
  MatX curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const override;
  std::shared_ptr<const RigMap> for_points(const std::vector<int>& points) const override;
  int at_once() const override { return rig_->at_once(); }

  // All parameters of the rig beneath. t: as in evaluate; it matters only where the modes are about what is keyed.
  VecX expand(const VecX& p, double t = 0) const;
  // The nearest, for all parameters of the rig beneath.
  VecX reduce(const VecX& p, double t = 0) const;

 private:
  // d (parameters of the rig beneath) / d (`which` of ours): those that change, and how.
  struct Chain {
    std::vector<int> changed;
    MatX by;  // changed x which
  };
  Chain chain(const std::vector<int>& which) const;
  VecX about(double t) const { return about_ ? about_(t) : rest_; }

  std::shared_ptr<const RigMap> rig_;
  std::vector<RigParameter> parameters_;
  std::vector<int> kept_, replaced_;  // parameters of the rig beneath
  MatX U_;                            // replaced x modes, in plain values
  MatX nearest_;                      // modes x replaced: of differences from `about`
  VecX rest_;                         // of the rig beneath
  std::function<VecX(double t)> about_;
};

}  // namespace supple
