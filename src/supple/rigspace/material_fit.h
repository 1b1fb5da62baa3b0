// Rig-space materials [rig-space physics, Eq. 6]: how stiff each parameter is to be becomes how stiff each tet is.
//
//   min over mu >= low of | sum_e mu_e Jq^T K_e Jq - (S H + H S) / 2 |^2 + ridge |mu - prior|^2
//   H = sum_e Jq^T K_e Jq
// with Jq the motion of all vertices when a parameter changes and the interior is in equilibrium. The least squares
// over all p^2 entries of S H are those over the symmetric half with the mean of both sides. Entries are divided by
// sqrt(H_aa H_bb), so that units of parameters do not matter.
//
// Where we depart from the paper: its ridge pulls every tet to 1, so that even all parameters twice as stiff would not
// be tets twice as stiff. Here it pulls to what the parameters that strain the tet ask for, each by its share of
// energy there, and where none does to 1, or to what all ask for alike. And no tet loses all stiffness, for vertices
// among such tets would have no place. The ridge is measured by the whole, |H|^2 over the number of tets, so that it
// means the same on finer tets. It must not be much weaker than 0.01: single tets then become so stiff or soft that the
// interior goes around them, and parameters do not get the stiffness that the fit says (felt_stiffness).
#pragma once
#include <vector>

#include "supple/rigspace/rig_body.h"

namespace supple {

struct MaterialFitOptions {
  double ridge = 0.1;
  double lowest = 0.01;  // of the softest that is asked for, or of 1 if that is less: no tet is softer
  int max_iterations = 200;
};

struct MaterialFit {
  std::vector<double> stiffness;  // mu of every tet of the mesh
  VecX asked, got;                // of each parameter: S_a, and (sum_e mu_e H_e)_aa / H_aa
  std::vector<int>
      without_effect;  // numbers among `free` of parameters that meet no resistance: rigid motions, or none
  double misfit = 0;   // |got - asked| over the matrix, relative to |asked|
  int iterations = 0;
  bool converged = false;
};

// free: the parameters; scale: S of each, positive. At parameters p (empty: rest) at time t with the interior in
// equilibrium. Stiffness that the body has already plays no part. InputError: a scale that is not positive.
MaterialFit fit_materials(const RigBody& body, const std::vector<int>& free, const VecX& scale,
                          const MaterialFitOptions& options = {}, const VecX& p = VecX(), double t = 0);

// How far a field is from what is asked at another place: `misfit` there. For deciding when to fit anew.
double material_misfit(const RigBody& body, const std::vector<int>& free, const VecX& scale,
                       const std::vector<double>& stiffness, const VecX& p, double t);

// The stiffness that parameters really have with a field, over that without: H(mu)_aa / H_aa, the interior in
// equilibrium with the field. 1 for those that meet no resistance.
VecX felt_stiffness(const RigBody& body, const std::vector<int>& free, const std::vector<double>& stiffness,
                    const VecX& p = VecX(), double t = 0);

}  // namespace supple
