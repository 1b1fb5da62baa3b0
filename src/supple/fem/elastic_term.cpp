#include "supple/fem/elastic_term.h"

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/fem/element_kernels.h"

namespace supple {

ElasticTerm::ElasticTerm(std::shared_ptr<const Elements> elements, ElementDamping damping)
    : elements_(std::move(elements)), damping_(damping) {}

void ElasticTerm::couple(PatternBuilder& pattern) const {
  for (const Element& e : elements_->list()) pattern.couple(std::span<const int>(e.v, 4));
  elements_->patches().couple(pattern);
}

void ElasticTerm::follow_shape() {
  expect(damping_ == ElementDamping::viscous, "viscous damping");
  shape_ = std::make_unique<DrawnShape>(elements_);
}

VecX ElasticTerm::departure(const VecX& u) const { return shape_ ? VecX(u - shape_->y()) : u; }

ElementWork ElasticTerm::work_at(const VecX& departure) const {
  const Patches& patches = elements_->patches();
  return {.list = elements_->list().data(),
          .model = elements_->model(),
          .damping = damping_,
          .u = departure.data(),
          .v = nullptr,
          .stiffness_scale = stiffness_scale_,
          .damping_scale = damping_scale_,
          .patches = patches.list().data(),
          .patch_vertices = patches.vertices().data(),
          .patch_gradients = shape_ ? shape_->patch_gradients().data() : patches.gradients().data(),
          .shapes = shape_ ? shape_->tets().data() : nullptr,
          .patch_shapes = shape_ ? shape_->patches().data() : nullptr};
}

void ElasticTerm::add(const Kinematics& x, const Evaluation& out) const {
  const VecX u = departure(x.u);
  ElementWork work = work_at(u);
  work.v = x.v.data();
  work.dv_du = x.dv_du;
  if (rate_offset_.size() > 0) {
    work.rate_offset = rate_offset_.data();
    work.patch_rate_offset = rate_offset_.data() + 6 * elements_->list().size();
  }
  work.project = out.project;
  if (out.energy) *out.energy += energy(work, true);
  if (!out.residual && !out.matrix) return;
  if (out.residual) work.residual = out.residual->data();
  if (out.matrix) {
    if (slots_pattern_ != out.matrix->pattern) {
      slots_ = block_slots(*elements_, *out.matrix->pattern);
      patch_slots_ = elements_->patches().block_slots(*out.matrix->pattern);
      slots_pattern_ = out.matrix->pattern;
    }
    work.values = out.matrix->values.data();
    work.slots = slots_.data();
    work.patch_slots = patch_slots_.data();
  }
  const ElementKernels& kernels = element_kernels();
  elements_->clusters().for_each([&](int begin, int end) { kernels.add(work, begin, end); });
  elements_->patches().clusters().for_each([&](int begin, int end) { kernels.add_patches(work, begin, end); });
}

double ElasticTerm::energy(const ElementWork& work, bool with_damping) const {
  const ElementKernels& kernels = element_kernels();
  const double tets =
      elements_->clusters().sum([&](int begin, int end) { return kernels.energy(work, with_damping, begin, end); });
  return tets + elements_->patches().clusters().sum(
                    [&](int begin, int end) { return kernels.patch_energy(work, with_damping, begin, end); });
}

VecX ElasticTerm::strains(const VecX& u) const {
  const size_t n_tets = elements_->list().size(), n_patches = elements_->patches().list().size();
  VecX strains(6 * static_cast<Eigen::Index>(n_tets + n_patches));
  const VecX d = departure(u);
  const ElementWork work = work_at(d);
  double *tet = strains.data(), *patch = tet + 6 * n_tets;
  elements_->clusters().for_each([&](int begin, int end) { element_kernels().strain(work, tet, begin, end); });
  elements_->patches().clusters().for_each(
      [&](int begin, int end) { element_kernels().patch_strain(work, patch, begin, end); });
  return strains;
}

double ElasticTerm::elastic_energy(const VecX& u) const {
  const VecX d = departure(u);
  return energy(work_at(d), false);
}

int ElasticTerm::count_inverted(const VecX& u) const {
  const VecX d = departure(u);
  const ElementWork work = work_at(d);
  return static_cast<int>(elements_->clusters().sum(
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
  const Patches& patches = elements_->patches();
  for (const Patch& p : patches.list())
    for (int k = p.first; k < p.first + p.count; ++k) {
      const Vec3 g = Eigen::Map<const Vec3>(patches.gradients().data() + 3 * k);
      const double mu = p.material.lame_mu, lambda = p.material.lame_lambda;
      diagonal.segment<3>(3 * patches.vertices()[k]) +=
          p.vol * ((lambda + mu) * g.cwiseAbs2() + Vec3::Constant(mu * g.squaredNorm()));
    }
  return diagonal.maxCoeff();
}

}  // namespace supple
