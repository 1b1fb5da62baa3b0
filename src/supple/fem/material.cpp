#include "supple/fem/material.h"

#include "supple/base/error.h"
#include "supple/fem/lane_scalars.h"
#include "supple/fem/material_kernels.h"

namespace supple {

const std::vector<std::string>& material_names() {
  static const std::vector<std::string> names = {"linear",          "corotational",       "stvk",
                                                 "invertible-stvk", "stable-neo-hookean", "neo-hookean-log"};
  return names;
}

MaterialModel material_from_name(const std::string& name) {
  const auto& names = material_names();
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<MaterialModel>(i);
  const std::string near = nearest_word(name, names.data(), names.data() + names.size());
  std::string all;
  for (const auto& n : names) all += (all.empty() ? "" : ", ") + n;
  throw InputError({.place = "material model"}, "unknown material '" + name + "'",
                   near.empty() ? "known: " + all : "did you mean '" + near + "'? known: " + all);
}

const std::string& name_of(MaterialModel model) { return material_names()[static_cast<size_t>(model)]; }

ElementMaterial element_material(MaterialModel model, const MaterialParameters& p) {
  const double E = p.youngs_modulus, nu = p.poisson_ratio;
  ElementMaterial m;
  m.lame_mu = E / (2 * (1 + nu));
  m.lame_lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
  m.mu = m.lame_mu;
  m.lambda = m.lame_lambda;
  m.damping = p.stiffness_damping;
  if (model == MaterialModel::stable_neo_hookean) {
    m.mu = 4.0 / 3.0 * m.lame_mu;
    m.lambda = m.lame_lambda + 5.0 / 6.0 * m.lame_mu;
    m.alpha = 1 + 0.75 * m.mu / m.lambda;
  }
  if (model == MaterialModel::stvk) m.volume = p.volume_penalty * (m.lame_lambda + 2 * m.lame_mu);
  return m;
}

namespace {

kernel::Stress stress_at(MaterialModel model, const ElementMaterial& material, const Mat3& F) {
  const LaneMaterial m = broadcast(material);
  const LaneMatrix H = broadcast(F - Mat3::Identity());
  kernel::Stretched s;
  if (kernel::needs_stretches(model)) s = kernel::stretched(model, m, H, true);
  return kernel::stress(model, m, H, s, true);
}

}  // namespace

double energy_density(MaterialModel model, const ElementMaterial& m, const Mat3& F) {
  return stress_at(model, m, F).psi[0];
}

Mat3 first_piola(MaterialModel model, const ElementMaterial& m, const Mat3& F) {
  return extract(stress_at(model, m, F).P, 0);
}

Eigen::Matrix<double, 9, 9> tangent(MaterialModel model, const ElementMaterial& m, const Mat3& F, bool project_it) {
  // Column (l, k) is dP for a unit dF; in the same vec order the matrix is symmetric.
  Eigen::Matrix<double, 9, 9> D;
  for (int k = 0; k < 9; ++k) {
    Mat3 dF = Mat3::Zero();
    dF(k % 3, k / 3) = 1;
    const LaneMatrix dP = kernel::stress_differential(model, broadcast(m), broadcast(F), broadcast(dF), project_it);
    D.col(k) = extract(dP, 0).reshaped();
  }
  return D;
}

}  // namespace supple
