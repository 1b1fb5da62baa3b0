// Isotropic hyperelastic materials as functions of the deformation gradient F of a tet.
//
// All have the rest linearisation of linear elasticity with the given Young's modulus and Poisson ratio.
//   mu_L = E / (2 (1 + nu)), lambda_L = E nu / ((1 + nu)(1 - 2 nu)), J = det F, I_C = |F|^2, sigma: principal
//   stretches. linear              mu_L e:e + lambda_L/2 tr(e)^2,  e = sym(F) - I corotational        mu_L |F - R|^2 +
//   lambda_L/2 (tr(R^T F) - 3)^2,  R the proper polar rotation stvk                mu_L E:E + lambda_L/2 tr(E)^2 +
//   volume term,  E = (F^T F - I)/2 invertible_stvk     as stvk without volume term, in principal stretches; below a
//   compression threshold the strain
//                       of each stretch goes on with a constant slope, so that force grows through flat and inverted
//   stable_neo_hookean  mu/2 (I_C - 3) - mu/2 log((I_C + 1)/4) + lambda/2 (J - alpha)^2 - lambda/2 (1 - alpha)^2
//                       [Smith, de Goes, Kim 2018, Eq. 14], mu = 4/3 mu_L, lambda = lambda_L + 5/6 mu_L,
//                       alpha = 1 + 3 mu / (4 lambda)
//   neo_hookean_log     mu_L/2 (I_C - 3) - mu_L log J + lambda_L/2 (log J)^2; below J = 0.1 the logarithm goes on as
//                       its second-order Taylor polynomial, so that flat and inverted tets stay finite
// Volume term of stvk: k/3 (1 - J)^3 for J < 1, k = volume_penalty (lambda_L + 2 mu_L). It leaves the rest stiffness
// alone; from volume_penalty = 0.28 on a tet squashed along one axis resists ever more instead of giving way.
#pragma once
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

enum class MaterialModel { linear, corotational, stvk, invertible_stvk, stable_neo_hookean, neo_hookean_log };

// Names as in a scene file: "linear", "corotational", "stvk", "invertible-stvk", "stable-neo-hookean", ...
const std::vector<std::string>& material_names();
MaterialModel material_from_name(const std::string& name);  // InputError with a suggestion for an unknown one
const std::string& name_of(MaterialModel model);

// What tets keep of the shear modulus where part of the material is averaged (patches.h), unless it was matched.
inline constexpr double kTetShare = 0.4;

struct MaterialParameters {
  double youngs_modulus = 2e4;   // [Pa]
  double poisson_ratio = 0.4;    // in (-1, 0.5)
  double density = 1000;         // [kg/m^3]
  double volume_penalty = 0;     // stvk only, dimensionless
  double stiffness_damping = 0;  // d_k of D = d_k K [s]
  double tet_share = kTetShare;  // in (0, 1), has a say with anti-locking only
};

// What the element kernels read.
struct ElementMaterial {
  double lame_mu = 0, lame_lambda = 0;  // of linear elasticity [Pa]
  double mu = 0, lambda = 0;            // of the model's own formula [Pa]
  double alpha = 1;                     // stable_neo_hookean
  double volume = 0;                    // k of the volume term [Pa]
  double damping = 0;                   // stiffness damping d_k [s]
};
ElementMaterial element_material(MaterialModel model, const MaterialParameters& p);

// Energy density [Pa], first Piola stress dPsi/dF and the full 9x9 tangent d vec(P) / d vec(F) (column-major vec) of
// one material point: the plain way in, for tests and tools. `project` clamps the tangent's negative eigenvalues.
double energy_density(MaterialModel model, const ElementMaterial& m, const Mat3& F);
Mat3 first_piola(MaterialModel model, const ElementMaterial& m, const Mat3& F);
Eigen::Matrix<double, 9, 9> tangent(MaterialModel model, const ElementMaterial& m, const Mat3& F, bool project);

}  // namespace supple
