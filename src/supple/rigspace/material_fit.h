// Rig-space materials [rig-space physics, Eq. 6]: how stiff each parameter is to be becomes how stiff each tet is.
//
//   min over mu >= low of | H(mu) - (S H + H S) / 2 |^2 + ridge |mu - prior|^2
//   H(mu) = sum_e mu_e Jq^T K_e Jq,  H = H(1)
// with Jq the motion of all vertices when a parameter changes and the interior is in equilibrium. The least squares
// over all p^2 entries of S H are those over the symmetric half with the mean of both sides. Entries are divided by
// sqrt(H_aa H_bb), so that units of parameters do not matter.
//
// Where we depart from the paper:
// - Its ridge pulls every tet to 1, so that even all parameters twice as stiff would not be tets twice as stiff. Here
//   it pulls to what the parameters that strain the tet ask for, each by its share of energy there, and where none does
//   to 1, or to what all ask for alike. It is measured by the whole, |H|^2 over the number of tets, so that it means
//   the same on finer tets.
// - Its Jq is that of equal tets. But the interior goes around tets that have become stiff, and parameters are softer
//   than such a fit says, some by ten times. H(mu) is homogeneous in mu and its derivatives are the matrices
//   Jq^T K_e Jq of the equilibrium with mu itself, so that its fit with Jq of the field before is a step of
//   Gauss-Newton for the stiffness that parameters really have. Such passes follow, held to the field before as far as
//   needed (Levenberg-Marquardt), from a strong ridge down to the one asked for. With neither, passes with a weak ridge
//   end far from the optimum. No weaker ridge on the way makes a worse fit. What is found is a local optimum.
// - Parameters that share no tets with a very stiff one are fitted on a scale of their own: rows and the ridge of their
//   tets are weighted by the stiffest that is asked for among those with H_ab > 0.1 sqrt(H_aa H_bb).
// - No tet loses all stiffness, for vertices among such tets would have no place.
#pragma once
#include <vector>

#include "supple/rigspace/rig_body.h"

namespace supple {

struct MaterialFitOptions {
  double ridge = 0.1;
  double lowest = 0.01;  // of the softest that is asked for, or of 1 if that is less: no tet is softer
  int passes = 12;       // at most for each ridge on the way; 0: Jq of equal tets, as published
  int max_iterations = 200;
};

struct MaterialFit {
  std::vector<double> stiffness;  // mu of every tet of the mesh
  VecX asked, got;                // of each parameter: S_a, and H(mu)_aa / H_aa
  std::vector<int>
      without_effect;  // numbers among `free` of parameters that meet no resistance: rigid motions, or none
  double misfit = 0;   // |got - asked| over the matrix, relative to |asked|
  int iterations = 0;  // of the bounded least squares
  // The passes came to an end, the next promising less than 0.3 % of what is minimised, and all equilibria were found.
  // False with weak ridges, mostly: the field is usable, but a better one may exist.
  bool converged = false;
};

// free: the parameters; scale: S of each, positive. At parameters p (empty: rest) at time t with the interior in
// equilibrium. Stiffness that the body has already plays no part. InputError: a scale that is not positive.
MaterialFit fit_materials(const RigBody& body, const std::vector<int>& free, const VecX& scale,
                          const MaterialFitOptions& options = {}, const VecX& p = VecX(), double t = 0);

// How far a field is from what is asked at another place: `misfit` there. For deciding when to fit anew.
double material_misfit(const RigBody& body, const std::vector<int>& free, const VecX& scale,
                       const std::vector<double>& stiffness, const VecX& p, double t);

// The stiffness that parameters have with a field, over that without: `got` at another place.
VecX felt_stiffness(const RigBody& body, const std::vector<int>& free, const std::vector<double>& stiffness,
                    const VecX& p = VecX(), double t = 0);

}  // namespace supple
