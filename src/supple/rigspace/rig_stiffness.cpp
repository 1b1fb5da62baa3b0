#include "supple/rigspace/rig_stiffness.h"

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/linalg/solver.h"
#include "supple/solve/vertex_newton.h"

namespace supple {
namespace {

using Mat9 = Eigen::Matrix<double, 9, 9>;

// Elasticity alone, without what is averaged against locking: every tet is to have its own share.
class BareTets {
 public:
  BareTets(const RigBody& body, const std::vector<double>& factors) : body_(body) {
    const ModelSpec& spec = body.spec().model;
    std::vector<MaterialParameters> per_tet = spec.per_tet;
    for (size_t e = 0; e < factors.size(); ++e) per_tet[e].youngs_modulus *= factors[e];
    // With a vertex more for each handle.
    elements_ = std::make_shared<const Elements>(body.model().mesh(), spec.material, per_tet);
    elastic_ = std::make_unique<ElasticTerm>(elements_, ElementDamping::rest);
  }
  const Elements& elements() const { return *elements_; }

  // Displacements of all vertices with the interior in equilibrium; false: it was not found.
  bool balance(VecX& u, const VecX& u_d) const {
    const Model& model = body_.model();
    u = VecX::Zero(u_d.size());
    if (u_d.cwiseAbs().maxCoeff() <= 1e-12 * model.size()) return true;  // the shape without stress
    u = body_.extend(u_d);
    if (body_.n_interior() == 0) return true;
    VertexNewton newton({elastic_.get()}, body_.interior(), "auto", flatten(model.mesh().vertices));
    NewtonOptions options{.tolerance = 1e-8, .floor = 1e-12 * model.size() * elastic_->rest_stiffness_scale()};
    return newton.solve_static(u, u_d, options).converged;
  }

  // Jq, 3 rows a vertex: what the rig prescribes, and the interior by Hnn n = -Hns s.
  MatX motions(const VecX& u, const MatX& rigged) const {
    const AffineMap& inner = body_.interior();
    MatX J = MatX::Zero(u.size(), rigged.cols());
    for (size_t k = 0; k < body_.rigged().size(); ++k)
      J.middleRows<3>(3 * body_.rigged()[k]) = rigged.middleRows<3>(3 * static_cast<Eigen::Index>(k));
    if (inner.n_free() == 0) return J;
    PatternBuilder builder(elements_->n_vertices());
    elastic_->couple(builder);
    BlockMatrix K(builder.build());
    const VecX still = VecX::Zero(u.size());
    elastic_->add({.u = u, .v = still, .a = still}, {.matrix = &K, .project = true});
    const Reduction reduction(inner, K.pattern);
    BlockMatrix reduced(reduction.pattern());
    reduction.apply(K, reduced);
    const auto solver = make_solver("auto", inner.n_free());
    solver->analyse(reduction.pattern());
    if (solver->factorize(reduced) != FactorStatus::ok)
      throw InputError({"", 0, 0, "rig-space material"}, "the interior of the tets has no equilibrium",
                       "let the rig move all of the surface");
    MatX b(3 * inner.n_free(), J.cols()), n;
    parallel_for(static_cast<size_t>(J.cols()), 1, [&](size_t begin, size_t end) {
      for (auto a = static_cast<Eigen::Index>(begin); a < static_cast<Eigen::Index>(end); ++a)
        b.col(a) = -inner.restrict_(K.multiply(J.col(a)));
    });
    solver->set_tolerance(1e-12);
    solver->solve(b, n);
    for (Eigen::Index a = 0; a < J.cols(); ++a) J.col(a) += inner.expand(n.col(a));
    return J;
  }

  // d vec(F) / dp of one tet: 9 rows.
  static MatX strains(const Element& e, const MatX& J) {
    MatX d(9, J.cols());
    for (int j = 0; j < 3; ++j) {  // column j of F
      d.middleRows<3>(3 * j).setZero();
      for (int a = 0; a < 3; ++a)
        d.middleRows<3>(3 * j) += e.g(j, a) * (J.middleRows<3>(3 * e.v[a + 1]) - J.middleRows<3>(3 * e.v[0]));
    }
    return d;
  }
  Mat9 stiffness(const Element& e, const VecX& u) const {
    const Mat3 F = Mat3::Identity() + elements_->gradient(e, u);
    return e.vol * tangent(elements_->model(), e.material, F, true);
  }
  double scale() const { return elastic_->rest_stiffness_scale(); }

 private:
  const RigBody& body_;
  std::shared_ptr<const Elements> elements_;
  std::unique_ptr<ElasticTerm> elastic_;
};

// Parameters that meet resistance, their diagonal, and all pairs of them.
void find_felt(const VecX& H, const MatX& J, double stiffness, RigStiffness& out) {
  constexpr double kUnfelt = 1e-12;  // of the stiffness of a vertex times the motion squared: rounding, differences
  for (int a = 0; a < H.size(); ++a)
    if (H[a] > kUnfelt * stiffness * J.col(a).squaredNorm()) out.felt.push_back(a);
  const auto n = static_cast<int>(out.felt.size());
  out.diagonal.resize(n);
  for (int a = 0; a < n; ++a) {
    out.diagonal[a] = H[out.felt[static_cast<size_t>(a)]];
    for (int b = 0; b <= a; ++b) out.pairs.emplace_back(a, b);
  }
}

// Parameters far apart share no tet: nothing is to be fitted there.
void drop_empty_rows(RigStiffness& out) {
  constexpr double kApart = 1e-10;
  Eigen::Index kept = 0;
  for (Eigen::Index row = 0; row < out.shares.rows(); ++row)
    if (out.shares.row(row).cwiseAbs().sum() > kApart) {
      out.pairs[static_cast<size_t>(kept)] = out.pairs[static_cast<size_t>(row)];
      if (kept < row) out.shares.row(kept) = out.shares.row(row);
      ++kept;
    }
  if (kept == out.shares.rows()) return;
  out.pairs.resize(static_cast<size_t>(kept));
  out.shares = MatX(out.shares.topRows(kept));
}

}  // namespace

RigStiffness rig_stiffness(const RigBody& body, const std::vector<int>& free, const std::vector<double>& factors,
                           const VecX& p, double t, const RigStiffness* like) {
  constexpr size_t kGrain = 64;
  const VecX place = p.size() ? p : body.rig()->rest();
  const BareTets tets(body, factors), plain(body, {});
  RigStiffness out;
  VecX u;
  out.balanced = tets.balance(u, body.rigged_displacement(place, t));
  const MatX J = tets.motions(u, body.rigged_jacobian(place, t, free));

  const std::vector<Element>& list = plain.elements().list();
  const auto tet_matrix = [&](const Element& e) -> MatX {
    const MatX d = BareTets::strains(e, J);
    return d.transpose() * plain.stiffness(e, u) * d;
  };
  if (like) {
    out.felt = like->felt, out.diagonal = like->diagonal, out.pairs = like->pairs;
  } else {
    // The tets' matrices are made twice: in full they would be twice as many numbers as those that are kept.
    MatX diagonals(J.cols(), static_cast<Eigen::Index>(list.size()));
    parallel_for(list.size(), kGrain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) diagonals.col(static_cast<Eigen::Index>(i)) = tet_matrix(list[i]).diagonal();
    });
    find_felt(diagonals.rowwise().sum(), J, plain.scale(), out);
  }
  VecX over(static_cast<Eigen::Index>(out.pairs.size()));
  for (size_t row = 0; row < out.pairs.size(); ++row) {
    const auto [a, b] = out.pairs[row];
    over[static_cast<Eigen::Index>(row)] = (a == b ? 1 : std::sqrt(2)) / std::sqrt(out.diagonal[a] * out.diagonal[b]);
  }
  out.shares = MatX::Zero(static_cast<Eigen::Index>(out.pairs.size()), body.spec().model.mesh.n_tets());
  parallel_for(list.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const MatX M = tet_matrix(list[i]);
      for (size_t row = 0; row < out.pairs.size(); ++row) {
        const auto [a, b] = out.pairs[row];
        out.shares(static_cast<Eigen::Index>(row), list[i].tet) =
            M(out.felt[static_cast<size_t>(a)], out.felt[static_cast<size_t>(b)]) *
            over[static_cast<Eigen::Index>(row)];
      }
    }
  });
  if (!like) drop_empty_rows(out);
  return out;
}

}  // namespace supple
