#include "supple/sim/inverse_equilibrium.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>

#include "supple/linalg/affine_map.h"

namespace supple {

namespace {
constexpr double kFlat = 1e-3;  // a determinant of F that is not divided by
}

InverseEquilibrium::InverseEquilibrium(const Model& given, std::vector<char> still, const std::string& linear_solver)
    : given_(given), spec_(given.spec()), x_(flatten(given.mesh().vertices)) {
  for (const MaterialParameters& p : spec_.per_tet) density_.push_back(p.density);
  const AffineMap& map = given_.constraints().map();
  for (int f = 0; f < map.n_free(); ++f) {
    const int v = map.column(f).empty() ? -1 : map.column(f)[0].first;
    vertex_of_.push_back(v < 0 || still[v] ? -1 : v);
  }
  PatternBuilder builder(given_.n_vertices());
  given_.make_elastic()->couple(builder);
  if (const auto springs = given_.make_springs()) springs->couple(builder);
  pattern_ = builder.build();
  reduction_ = std::make_unique<Reduction>(map, pattern_);
  for (auto* solver : {&solver_, &spare_}) {
    *solver = make_solver(linear_solver, map.n_free());
    (*solver)->analyse(reduction_->pattern());
  }
  ok_ = linearise(x_);
}

bool InverseEquilibrium::linearise(const VecX& X) {
  BlockMatrix K(pattern_), K_free(reduction_->pattern());
  evaluate(X, VecX::Zero(given_.n_vertices()), &K);
  reduction_->apply(K, K_free);
  if (unit_ == 0) unit_ = K_free.max_abs_diagonal();
  stiffen(K_free);
  bool good = spare_->factorize(K_free) == FactorStatus::ok;
  if (!good) {
    // Perhaps something hangs by a point or an edge and turns freely.
    for (int f = 0; f < K_free.n(); ++f)
      for (int c = 0; c < 9; c += 4) K_free.block(K_free.pattern->row_start[f + 1] - 1)[c] += 1e-8 * unit_;
    good = spare_->factorize(K_free) == FactorStatus::ok;
  }
  if (good) std::swap(solver_, spare_);
  return good;
}

// r of all vertices, and K with it.
VecX InverseEquilibrium::evaluate(const VecX& X, const VecX& weight, BlockMatrix* matrix) {
  spec_.mesh.vertices = unflatten(X);
  const auto elements = make_elements(spec_);
  Mass mass(spec_.mesh, density_, spec_.mass);
  for (auto [vertex, m] : spec_.point_masses) mass.add_point(vertex, m);
  VecX r = -gravity_load(mass, spec_.gravity);
  for (Eigen::Index v = 0; v < weight.size(); ++v)
    r.segment<3>(3 * v) *= spec_.gravity_scale.size() > 0 ? weight[v] * spec_.gravity_scale[v] : weight[v];
  const VecX u = x_ - X, zero = VecX::Zero(X.size());
  ElasticTerm(elements, spec_.damping).add({u, zero, zero, 0, 0}, {.residual = &r, .matrix = matrix});
  return r;
}

VecX InverseEquilibrium::step(const VecX& X, const VecX& weight) {
  const AffineMap& map = given_.constraints().map();
  VecX r = map.restrict_(evaluate(X, weight, nullptr));
  for (size_t f = 0; f < vertex_of_.size(); ++f)
    if (vertex_of_[f] < 0) r.segment<3>(3 * static_cast<Eigen::Index>(f)).setZero();
  VecX d = map.expand(solver_->solve(r));
  if (spec_.material == MaterialModel::linear) return d;
  // Only unknowns are pulled back, so that ties hold.
  return map.expand(map.gather(pulled_back(X, d)));
}

VecX InverseEquilibrium::pulled_back(const VecX& X, const VecX& d) const {
  // Sums over the tets around each vertex of vol F and of vol, six times.
  std::vector<Mat3> F(static_cast<size_t>(given_.n_vertices()), Mat3::Zero());
  std::vector<double> volume(F.size(), 0);
  for (const Tet& tet : spec_.mesh.tets) {
    Mat3 Dm, Ds;
    for (int a = 0; a < 3; ++a) {
      Dm.col(a) = X.segment<3>(3 * tet[a + 1]) - X.segment<3>(3 * tet[0]);
      Ds.col(a) = x_.segment<3>(3 * tet[a + 1]) - x_.segment<3>(3 * tet[0]);
    }
    // det(Dm) Dm^-1 is the transposed matrix of cofactors.
    Mat3 cofactors;
    for (int a = 0; a < 3; ++a) cofactors.col(a) = Dm.col((a + 1) % 3).cross(Dm.col((a + 2) % 3));
    const Mat3 share = Ds * cofactors.transpose();
    const double six_volumes = Dm.col(0).dot(cofactors.col(0));
    for (int v : tet) F[v] += share, volume[v] += six_volumes;
  }
  VecX pulled = d;
  for (size_t v = 0; v < F.size(); ++v) {
    const auto at = 3 * static_cast<Eigen::Index>(v);
    const Mat3 mean = F[v] / volume[v];
    if (volume[v] > 0 && mean.determinant() > kFlat) pulled.segment<3>(at) = mean.inverse() * d.segment<3>(at);
  }
  return pulled;
}

// Unknowns that are not to move, or that nothing acts on, get a stiffness, so that the matrix is definite.
void InverseEquilibrium::stiffen(BlockMatrix& reduced) const {
  for (int f = 0; f < reduced.n(); ++f) {
    double* block = reduced.block(reduced.pattern->row_start[f + 1] - 1);
    for (int c = 0; c < 9; c += 4)
      if (vertex_of_[f] < 0 || block[c] == 0) block[c] += unit_;
  }
}

bool InverseEquilibrium::stable(const VecX& X, const std::vector<char>& in_question) {
  BlockMatrix K(pattern_), K_free(reduction_->pattern());
  evaluate(X, VecX::Zero(given_.n_vertices()), &K);
  if (const auto springs = given_.make_springs()) {
    const VecX zero = VecX::Zero(X.size());
    springs->add({zero, zero, zero, 0, 0}, {.matrix = &K});
  }
  reduction_->apply(K, K_free);
  const BlockPattern& pattern = *K_free.pattern;
  const auto asked = [&](int f) { return vertex_of_[f] >= 0 && in_question[vertex_of_[f]]; };
  for (int i = 0; i < K_free.n(); ++i)
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      if (!asked(i) || !asked(pattern.col[k])) std::fill(K_free.block(k), K_free.block(k) + 9, 0.0);
  stiffen(K_free);
  return spare_->factorize(K_free) == FactorStatus::ok;
}

}  // namespace supple
