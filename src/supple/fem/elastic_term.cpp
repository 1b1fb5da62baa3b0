#include "supple/fem/elastic_term.h"

#include <cmath>

#include "supple/base/parallel.h"
#include "supple/fem/material_kernels.h"

namespace supple {

using kernel::InnerBlocks;

namespace {

Mat3 to_matrix(const double* e) {
  Mat3 m;
  m << e[0], e[5], e[4], e[5], e[1], e[3], e[4], e[3], e[2];
  return m;
}

Mat3 strain_of(MaterialModel model, const Mat3& H) {
  return model == MaterialModel::linear ? kernel::small_strain(H) : kernel::green_strain(H);
}

Mat3 rest_stress(const ElementMaterial& m, const Mat3& strain) {
  return 2 * m.lame_mu * strain + m.lame_lambda * strain.trace() * Mat3::Identity();
}

// Symmetric 3x3 with its negative eigenvalues clamped.
Mat3 clamped(const Mat3& S) {
  const SymEigen3 eig = sym_eigen3(S);
  return eig.vectors * eig.values.cwiseMax(0.0).asDiagonal() * eig.vectors.transpose();
}

// All ten lower blocks from the six inner ones, added to the matrix.
void scatter(const InnerBlocks& in, const std::array<int, 10>& slot, double* values) {
  constexpr int kOuter[6] = {2, 4, 5, 7, 8, 9};  // places of 11 21 22 31 32 33 among the ten
  const double(&k)[6][9] = in.k;
  double row[3][9];  // -K_a0 = K_a1 + K_a2 + K_a3
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int e = 3 * i + j, t = 3 * j + i;
      row[0][e] = k[0][e] + k[1][t] + k[3][t];
      row[1][e] = k[1][e] + k[2][e] + k[4][t];
      row[2][e] = k[3][e] + k[4][e] + k[5][e];
    }
  double* b00 = values + 9 * static_cast<size_t>(slot[0]);
  for (int e = 0; e < 9; ++e) b00[e] += row[0][e] + row[1][e] + row[2][e];
  constexpr int kFirst[3] = {1, 3, 6};  // places of 10 20 30
  for (int a = 0; a < 3; ++a) {
    double* b = values + 9 * static_cast<size_t>(slot[kFirst[a]]);
    for (int e = 0; e < 9; ++e) b[e] -= row[a][e];
  }
  for (int p = 0; p < 6; ++p) {
    double* b = values + 9 * static_cast<size_t>(slot[kOuter[p]]);
    for (int e = 0; e < 9; ++e) b[e] += k[p][e];
  }
}

// Columns a: sum over b of K_ab d_b for relative vectors d (columns).
Mat3 multiply(const InnerBlocks& in, const Mat3& d) {
  Mat3 f = Mat3::Zero();
  for (int p = 0; p < 6; ++p) {
    const int a = kernel::kInnerRow[p], b = kernel::kInnerCol[p];
    Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> K(in.k[p]);
    f.col(a) += K * d.col(b);
    if (a != b) f.col(b) += K.transpose() * d.col(a);
  }
  return f;
}

}  // namespace

ElasticTerm::ElasticTerm(std::shared_ptr<const Elements> elements, ElementDamping damping)
    : elements_(std::move(elements)), damping_(damping) {}

void ElasticTerm::couple(PatternBuilder& pattern) const {
  for (const Element& e : elements_->list()) pattern.couple(std::span<const int>(e.v, 4));
}

Mat3 ElasticTerm::strain_rate(size_t element, const Mat3& strain, double dv_du) const {
  return dv_du * strain + to_matrix(rate_offset_.data() + 6 * element);
}

template <MaterialModel model>
void ElasticTerm::add_for(const Kinematics& x, const Evaluation& out) const {
  const auto& list = elements_->list();
  const bool viscous = damping_ == ElementDamping::viscous && rate_offset_.size() > 0;
  const bool full = damping_ == ElementDamping::full && x.dv_du > 0;
  const bool rest = damping_ == ElementDamping::rest && x.dv_du > 0;

  if (out.energy) {
    *out.energy += elements_->sum_over_clusters([&](int begin, int end) {
      double sum = 0;
      for (int i = begin; i < end; ++i) {
        const Element& e = list[i];
        const Mat3 H = elements_->gradient(e, x.u);
        double psi = kernel::stress(model, e.material, H).psi;
        if (viscous && e.material.damping > 0) {
          const Mat3 rate = strain_rate(static_cast<size_t>(i), strain_of(model, H), x.dv_du);
          psi += e.material.damping / (2 * x.dv_du) * rest_stress(e.material, rate).cwiseProduct(rate).sum();
        } else if (rest) {
          const Mat3 rate = kernel::small_strain(elements_->gradient(e, x.v));
          psi += e.material.damping / (2 * x.dv_du) * rest_stress(e.material, rate).cwiseProduct(rate).sum();
        }
        sum += e.vol * psi;
      }
      return sum;
    });
  }
  if (!out.residual && !out.matrix) return;
  if (out.matrix && slots_pattern_ != out.matrix->pattern) {
    slots_ = block_slots(*elements_, *out.matrix->pattern);
    slots_pattern_ = out.matrix->pattern;
  }

  elements_->for_each_cluster([&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Element& e = list[i];
      const ElementMaterial& m = e.material;
      const Mat3 H = elements_->gradient(e, x.u);
      const Mat3 F = model == MaterialModel::linear ? Mat3(Mat3::Identity()) : Mat3(Mat3::Identity() + H);
      const bool damped = viscous && m.damping > 0;
      Mat3 S_v;
      if (damped) S_v = m.damping * rest_stress(m, strain_rate(static_cast<size_t>(i), strain_of(model, H), x.dv_du));

      Mat3 f;  // columns: force residuals of vertices 1..3
      if (out.residual) {
        Mat3 P = kernel::stress(model, m, H).P;
        if (damped) P += F * S_v;
        if (rest) P += m.damping * rest_stress(m, kernel::small_strain(elements_->gradient(e, x.v)));
        f.noalias() = e.vol * P * e.g;
      }
      if (out.matrix || full) {
        InnerBlocks blocks{};
        kernel::add_material_blocks(model, m, H, e.g, e.vol, out.project && !full, blocks);
        if (full && m.damping > 0) {
          // r = d_k K(u) v, dr/du = d_k (dv_du K + dK/du . v), the last by a central difference of K along v.
          Mat3 d;
          for (int a = 0; a < 3; ++a) d.col(a) = x.v.segment<3>(3 * e.v[a + 1]) - x.v.segment<3>(3 * e.v[0]);
          if (out.residual) f += m.damping * multiply(blocks, d);
          if (out.matrix) {
            const Mat3 dH = d * e.g.transpose();
            const double largest = dH.cwiseAbs().maxCoeff();
            for (auto& b : blocks.k)
              for (double& value : b) value *= 1 + m.damping * x.dv_du;
            if (largest > 0 && model != MaterialModel::linear) {
              const double s = 1e-4 / largest, w = e.vol * m.damping / (2 * s);
              kernel::add_material_blocks(model, m, H + s * dH, e.g, w, false, blocks);
              kernel::add_material_blocks(model, m, H - s * dH, e.g, -w, false, blocks);
            }
          }
        }
        if (out.matrix && damped) {
          kernel::DirectTangent t;
          const double scale = m.damping * x.dv_du;
          t.c_F = scale * m.lame_lambda, t.c_T = scale * m.lame_mu;
          if (model != MaterialModel::linear) {
            t.S = out.project ? clamped(S_v) : S_v;
            t.has_S = true;
          }
          kernel::add_direct_blocks(t, F, e.g, e.vol, blocks);
        } else if (out.matrix && rest) {
          const double scale = m.damping * x.dv_du;
          kernel::add_direct_blocks({.c_F = scale * m.lame_lambda, .c_T = scale * m.lame_mu}, Mat3::Identity(), e.g,
                                    e.vol, blocks);
        }
        if (out.matrix) scatter(blocks, slots_[i], out.matrix->values.data());
      }
      if (out.residual) {
        double* r = out.residual->data();
        for (int k = 0; k < 3; ++k) {
          r[3 * e.v[0] + k] -= f(k, 0) + f(k, 1) + f(k, 2);
          r[3 * e.v[1] + k] += f(k, 0);
          r[3 * e.v[2] + k] += f(k, 1);
          r[3 * e.v[3] + k] += f(k, 2);
        }
      }
    }
  });
}

void ElasticTerm::add(const Kinematics& x, const Evaluation& out) const {
  switch (elements_->model()) {
    case MaterialModel::linear:
      return add_for<MaterialModel::linear>(x, out);
    case MaterialModel::corotational:
      return add_for<MaterialModel::corotational>(x, out);
    case MaterialModel::stvk:
      return add_for<MaterialModel::stvk>(x, out);
    case MaterialModel::invertible_stvk:
      return add_for<MaterialModel::invertible_stvk>(x, out);
    case MaterialModel::stable_neo_hookean:
      return add_for<MaterialModel::stable_neo_hookean>(x, out);
    case MaterialModel::neo_hookean_log:
      return add_for<MaterialModel::neo_hookean_log>(x, out);
  }
}

VecX ElasticTerm::strains(const VecX& u) const {
  const auto& list = elements_->list();
  VecX out(6 * static_cast<Eigen::Index>(list.size()));
  parallel_for(list.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Mat3 E = strain_of(elements_->model(), elements_->gradient(list[i], u));
      out.segment<6>(6 * static_cast<Eigen::Index>(i)) << E(0, 0), E(1, 1), E(2, 2), E(1, 2), E(0, 2), E(0, 1);
    }
  });
  return out;
}

double ElasticTerm::elastic_energy(const VecX& u) const {
  const auto& list = elements_->list();
  return elements_->sum_over_clusters([&](int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i)
      sum += list[i].vol * kernel::stress(elements_->model(), list[i].material, elements_->gradient(list[i], u)).psi;
    return sum;
  });
}

int ElasticTerm::count_inverted(const VecX& u) const {
  const auto& list = elements_->list();
  return static_cast<int>(elements_->sum_over_clusters([&](int begin, int end) {
    double count = 0;
    for (int i = begin; i < end; ++i)
      if (1 + kernel::volume_change(elements_->gradient(list[i], u)) <= 0) count += 1;
    return count;
  }));
}

double ElasticTerm::rest_stiffness_scale() const {
  VecX diagonal = VecX::Zero(3 * static_cast<Eigen::Index>(elements_->n_vertices()));
  for (const Element& e : elements_->list()) {
    InnerBlocks blocks{};
    kernel::add_direct_blocks({.c_F = e.material.lame_lambda, .c_T = e.material.lame_mu}, Mat3::Identity(), e.g, e.vol,
                              blocks);
    for (int a = 0; a < 3; ++a) {
      constexpr int kDiagonal[3] = {0, 2, 5};
      for (int k = 0; k < 3; ++k) diagonal[3 * e.v[a + 1] + k] += blocks.k[kDiagonal[a]][4 * k];
    }
  }
  return diagonal.maxCoeff();
}

}  // namespace supple
