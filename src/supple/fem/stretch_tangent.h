// The tangent of an isotropic material in the frame of the singular value decomposition F = U diag(sigma) V^T.
//
// There dP/dF falls apart [Smith, de Goes, Kim 2019, "Analytic eigensystems for isotropic distortion energies"]:
// the diagonal of dF meets the 3x3 Hessian of Psi(sigma); each pair of off-diagonal entries (i, j) meets a 2x2 block
// with eigenvalue (Psi_i - Psi_j) / (sigma_i - sigma_j) on its symmetric and (Psi_i + Psi_j) / (sigma_i + sigma_j) on
// its antisymmetric part. Clamping those nine numbers is the projection to positive semidefinite.
#pragma once
#include "supple/fem/material.h"
#include "supple/linalg/svd3.h"

namespace supple {

// Pair k couples the two axes other than k.
struct StretchTangent {
  double psi = 0;
  Vec3 d_psi = Vec3::Zero();    // Psi_i
  Mat3 stretch = Mat3::Zero();  // Psi_ij
  Vec3 symmetric = Vec3::Zero(), antisymmetric = Vec3::Zero();
};

// Values for any signed stretches; `with_tangent` false fills psi and d_psi only.
StretchTangent stretch_tangent(MaterialModel model, const ElementMaterial& m, const Vec3& sigma, bool with_tangent);
void project(StretchTangent& t);

// dP for a given dF.
Mat3 apply(const StretchTangent& t, const Svd3& svd, const Mat3& dF);

}  // namespace supple
