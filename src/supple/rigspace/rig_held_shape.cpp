#include "supple/rigspace/rig_held_shape.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <utility>

#include "supple/base/error.h"

namespace supple {

namespace {

constexpr double kLeastVolume = 0.3, kFlatVolume = 0.05;
constexpr double kResistance = 5;  // of the modulus against compression

}  // namespace

// Terms of tets have a material, Psi_0 = 1/2 E : C0 : E for St. Venant and Kirchhoff's, and a viscous potential
// d / (2 dv_du) (dv_du E + o) : C0 : (dv_du E + o). With d = 1 s, dv_du = 1 / s and o = -2 E* their sum is
//   1/2 E : C0 : E + 1/2 (E - 2 E*) : C0 : (E - 2 E*) = (E - E*) : C0 : (E - E*) + E* : C0 : E*,
// twice the energy about E* and a constant.
HeldShape::HeldShape(const Model& model) {
  ModelSpec spec = model.spec();
  spec.material = MaterialModel::stvk;
  if (!spec.per_tet.empty()) d_k_ = spec.per_tet[0].stiffness_damping;
  for (MaterialParameters& m : spec.per_tet) {
    if (m.stiffness_damping != d_k_)
      throw InputError({.place = "rig"}, "stiffness damping differs between tets that hold a keyed shape",
                       "give all of them the same");
    m.stiffness_damping = 1;
    m.volume_penalty = 0;
  }
  twice_ = std::make_unique<ElasticTerm>(make_elements(spec), ElementDamping::viscous);
  twice_->let_scales_vary();
}

void HeldShape::add(const Kinematics& x, const Evaluation& out) const {
  twice_->add({x.u, x.v, x.a, 1, x.da_du, x.progress}, out);
  add_resistance(x.u, out);
}

void HeldShape::keep_volumes_of(const VecX& u) {
  const Elements& elements = twice_->elements();
  least_.assign(elements.list().size(), 0);
  for (size_t i = 0; i < least_.size(); ++i) {
    const double J = (Mat3::Identity() + elements.gradient(elements.list()[i], u)).determinant();
    if (J > kFlatVolume) least_[i] = kLeastVolume * std::min(J, 1.0);
  }
}

// k V / 2 (1 - J / J_0)^2 of tets with J < J_0, without the second derivatives of J in the matrix.
void HeldShape::add_resistance(const VecX& u, const Evaluation& out) const {
  const Elements& elements = twice_->elements();
  for (size_t i = 0; i < least_.size(); ++i) {
    if (least_[i] == 0) continue;
    const Element& e = elements.list()[i];
    const Mat3 F = Mat3::Identity() + elements.gradient(e, u);
    const double J = F.determinant(), short_of = 1 - J / least_[i];
    if (short_of <= 0) continue;
    const double k = stiffness_ * kResistance * (e.material.lame_lambda + 2 * e.material.lame_mu) * e.vol;
    if (out.energy) *out.energy += k / 2 * short_of * short_of;
    if (!out.residual && !out.matrix) continue;
    Mat3 cofactor;
    cofactor.col(0) = F.col(1).cross(F.col(2));
    cofactor.col(1) = F.col(2).cross(F.col(0));
    cofactor.col(2) = F.col(0).cross(F.col(1));
    Vec3 d[4];  // of J by the vertices
    d[0].setZero();
    for (int a = 0; a < 3; ++a) {
      d[a + 1] = cofactor * e.g.col(a);
      d[0] -= d[a + 1];
    }
    const double slope = k * short_of / least_[i], stiff = k / (least_[i] * least_[i]);
    for (int a = 0; a < 4; ++a) {
      if (out.residual) out.residual->segment<3>(3 * e.v[a]) -= slope * d[a];
      if (!out.matrix) continue;
      for (int b = 0; b <= a; ++b) {
        double* block = out.matrix->block(out.matrix->pattern->find(e.v[a], e.v[b]));
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) block[3 * r + c] += stiff * d[a][r] * d[b][c];
      }
    }
  }
}

void HeldShape::set_target(const VecX& strain, double weight) {
  twice_->set_scales(0.5 * weight, 1);
  twice_->set_strain_rate_offset(-2 * strain);
}

void HeldShape::set_shape(VecX strain, double stiffness, double damping) {
  shape_ = std::move(strain);
  stiffness_ = stiffness, damping_ = damping;
  set_target(shape_, stiffness_);
}

// 1/2 D : C0 : D + d_k / (2 a) (a D + o) : C0 : (a D + o) = (1 + d_k a) / 2 (D - D*) : C0 : (D - D*) + a constant,
// D* = -d_k o / (1 + d_k a).
void HeldShape::set_damping(double dv_du, const VecX& offset) {
  const double d_k = damping_ * d_k_, more = 1 + d_k * dv_du;
  set_target(shape_ - (d_k / more) * offset, stiffness_ * more);
}

double HeldShape::energy(const VecX& u) const {
  const VecX D = strains(u) - shape_;
  double sum = 0;
  Eigen::Index k = 0;
  const auto add = [&](double volume, const ElementMaterial& m) {
    const auto straight = D.segment<3>(k), sheared = D.segment<3>(k + 3);
    k += 6;
    const double trace = straight.sum();
    sum += volume *
           (m.lame_mu * (straight.squaredNorm() + 2 * sheared.squaredNorm()) + 0.5 * m.lame_lambda * trace * trace);
  };
  for (const Element& e : twice_->elements().list()) add(e.vol, e.material);
  for (const Patch& p : twice_->elements().patches().list()) add(p.vol, p.material);
  return stiffness_ * sum;
}

}  // namespace supple
