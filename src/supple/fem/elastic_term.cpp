#include "supple/fem/elastic_term.h"

#include "supple/base/parallel.h"
#include "supple/fem/element_kernels.h"

namespace supple {

ElasticTerm::ElasticTerm(std::shared_ptr<const Elements> elements, ElementDamping damping)
    : elements_(std::move(elements)), damping_(damping) {}

void ElasticTerm::couple(PatternBuilder& pattern) const {
  for (const Element& e : elements_->list()) pattern.couple(std::span<const int>(e.v, 4));
}

ElementWork ElasticTerm::work_at(const VecX& u) const {
  return {
      .list = elements_->list().data(), .model = elements_->model(), .damping = damping_, .u = u.data(), .v = nullptr};
}

void ElasticTerm::add(const Kinematics& x, const Evaluation& out) const {
  ElementWork work = work_at(x.u);
  work.v = x.v.data();
  work.dv_du = x.dv_du;
  if (rate_offset_.size() > 0) work.rate_offset = rate_offset_.data();
  work.project = out.project;
  if (out.energy)
    *out.energy += elements_->sum_over_clusters(
        [&](int begin, int end) { return element_kernels().energy(work, true, begin, end); });
  if (!out.residual && !out.matrix) return;
  if (out.residual) work.residual = out.residual->data();
  if (out.matrix) {
    if (slots_pattern_ != out.matrix->pattern) {
      slots_ = block_slots(*elements_, *out.matrix->pattern);
      slots_pattern_ = out.matrix->pattern;
    }
    work.values = out.matrix->values.data();
    work.slots = slots_.data();
  }
  elements_->for_each_cluster([&](int begin, int end) { element_kernels().add(work, begin, end); });
}

VecX ElasticTerm::strains(const VecX& u) const {
  VecX strains(6 * static_cast<Eigen::Index>(elements_->list().size()));
  const ElementWork work = work_at(u);
  elements_->for_each_cluster([&](int begin, int end) { element_kernels().strain(work, strains.data(), begin, end); });
  return strains;
}

double ElasticTerm::elastic_energy(const VecX& u) const {
  const ElementWork work = work_at(u);
  return elements_->sum_over_clusters(
      [&](int begin, int end) { return element_kernels().energy(work, false, begin, end); });
}

int ElasticTerm::count_inverted(const VecX& u) const {
  const ElementWork work = work_at(u);
  return static_cast<int>(elements_->sum_over_clusters(
      [&](int begin, int end) { return static_cast<double>(element_kernels().inverted(work, begin, end)); }));
}

double ElasticTerm::rest_stiffness_scale() const {
  // Diagonal entries of K_aa = vol ((lambda + mu) g_a g_a^T + mu |g_a|^2 I).
  VecX diagonal = VecX::Zero(3 * static_cast<Eigen::Index>(elements_->n_vertices()));
  for (const Element& e : elements_->list()) {
    const double mu = e.material.lame_mu, lambda = e.material.lame_lambda;
    for (int a = 0; a < 4; ++a) {
      const Vec3 g = a == 0 ? Vec3(-e.g.rowwise().sum()) : Vec3(e.g.col(a - 1));
      diagonal.segment<3>(3 * e.v[a]) += e.vol * ((lambda + mu) * g.cwiseAbs2() + Vec3::Constant(mu * g.squaredNorm()));
    }
  }
  return diagonal.maxCoeff();
}

}  // namespace supple
