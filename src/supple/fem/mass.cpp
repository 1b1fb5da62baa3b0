#include "supple/fem/mass.h"

#include "supple/base/expect.h"

namespace supple {

Mass::Mass(const TetMesh& mesh, const std::vector<double>& density, MassKind kind) : kind_(kind) {
  expect(density.size() == mesh.tets.size(), "one density for each tet");
  const int n = mesh.n_vertices();
  lumped_ = VecX::Zero(n);
  if (kind == MassKind::consistent) {
    PatternBuilder builder(n);
    for (const Tet& t : mesh.tets) builder.couple(std::span<const int>(t));
    pattern_ = builder.build();
    values_.assign(static_cast<size_t>(pattern_->size()), 0.0);
  }
  for (size_t i = 0; i < mesh.tets.size(); ++i) {
    const Tet& t = mesh.tets[i];
    const double m = density[i] * std::abs(tet_volume(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]],
                                                      mesh.vertices[t[3]]));
    total_ += m;
    for (int v : t) lumped_[v] += m / 4;
    if (kind == MassKind::consistent)
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
          if (t[b] <= t[a]) values_[static_cast<size_t>(pattern_->find(t[a], t[b]))] += m / (a == b ? 10 : 20);
  }
}

VecX Mass::multiply(const VecX& x) const {
  VecX y(x.size());
  const Eigen::Index n = lumped_.size();
  if (kind_ == MassKind::lumped) {
    for (Eigen::Index i = 0; i < n; ++i) y.segment<3>(3 * i) = lumped_[i] * x.segment<3>(3 * i);
    return y;
  }
  y.setZero();
  for (int i = 0; i < n; ++i)
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k) {
      const int j = pattern_->col[k];
      y.segment<3>(3 * i) += values_[k] * x.segment<3>(3 * j);
      if (j != i) y.segment<3>(3 * j) += values_[k] * x.segment<3>(3 * i);
    }
  return y;
}

void Mass::add_to(BlockMatrix& matrix, double scale) const {
  const BlockPattern& p = *matrix.pattern;
  auto add = [&](int slot, double m) {
    double* b = matrix.block(slot);
    b[0] += scale * m, b[4] += scale * m, b[8] += scale * m;
  };
  for (int i = 0; i < p.n; ++i) {
    if (kind_ == MassKind::lumped) {
      add(p.row_start[i + 1] - 1, lumped_[i]);  // the diagonal ends its row
      continue;
    }
    int slot = p.row_start[i];
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k) {
      while (p.col[slot] != pattern_->col[k]) ++slot;
      add(slot, values_[k]);
    }
  }
}

void Mass::couple(PatternBuilder& pattern) const {
  if (kind_ == MassKind::lumped) return;
  for (int i = 0; i < pattern_->n; ++i)
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k) pattern.couple(i, pattern_->col[k]);
}

double Mass::max_diagonal() const {
  if (kind_ == MassKind::lumped) return lumped_.size() ? lumped_.maxCoeff() : 0;
  double largest = 0;
  for (int i = 0; i < pattern_->n; ++i) largest = std::max(largest, values_[pattern_->row_start[i + 1] - 1]);
  return largest;
}

void Mass::add_point(int vertex, double mass) {
  lumped_[vertex] += mass;
  total_ += mass;
  if (kind_ == MassKind::consistent) values_[pattern_->row_start[vertex + 1] - 1] += mass;
}

InertiaTerm::InertiaTerm(std::shared_ptr<const Mass> mass, double mass_damping)
    : mass_(std::move(mass)), damping_(mass_damping) {}

void InertiaTerm::add(const Kinematics& x, const Evaluation& out) const {
  if (x.da_du <= 0) return;  // a static solve
  VecX slip;
  if (damping_ > 0) {
    slip = x.v;
    if (v_ref_.size() > 0) slip -= v_ref_;
  }
  if (out.energy || out.residual) {
    const VecX Ma = mass_->multiply(x.a);
    VecX Ms;
    if (damping_ > 0) Ms = mass_->multiply(slip);
    if (out.residual) {
      *out.residual += Ma;
      if (damping_ > 0) *out.residual += damping_ * Ms;
    }
    if (out.energy) {
      *out.energy += 0.5 / x.da_du * x.a.dot(Ma);
      if (damping_ > 0) *out.energy += 0.5 * damping_ / x.dv_du * slip.dot(Ms);
    }
  }
  if (out.matrix) mass_->add_to(*out.matrix, x.da_du + damping_ * x.dv_du);
}

void LoadTerm::add(const Kinematics& x, const Evaluation& out) const {
  if (out.energy) *out.energy -= scale_ * force_.dot(x.u);
  if (out.residual) *out.residual -= scale_ * force_;
}

VecX gravity_load(const Mass& mass, const Vec3& g) {
  VecX load(3 * mass.per_vertex().size());
  for (Eigen::Index i = 0; i < mass.per_vertex().size(); ++i) load.segment<3>(3 * i) = mass.per_vertex()[i] * g;
  return load;
}

}  // namespace supple
