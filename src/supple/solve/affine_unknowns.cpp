#include "supple/solve/affine_unknowns.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/linalg/krylov.h"
#include "supple/solve/newton_rules.h"

namespace supple {

namespace {

constexpr int kKrylovLimit = 60;

void add_up(SolverStats& sum, const SolverStats& s) {
  sum.factorizations += s.factorizations, sum.solves += s.solves, sum.iterations += s.iterations;
  sum.factorize_s += s.factorize_s, sum.solve_s += s.solve_s;
}

}  // namespace

AffineUnknowns::AffineUnknowns(const AffineMap& map, const std::string& solver_name, VecX places)
    : map_(map),
      solver_name_(solver_name),
      places_(std::move(places)),
      solver_(make_solver(solver_name, map.n_free())) {}

void AffineUnknowns::couple(const std::shared_ptr<const BlockPattern>& terms, bool constant, bool roving) {
  constant_ = constant, roving_ = roving;
  base_ = std::make_unique<Reduction>(map_, terms);
  A_ = BlockMatrix(base_->pattern());
  const bool multilevel = wants_multilevel(solver_name_, map_);
  const bool keeps = roving || multilevel || solver_name_ == "auto" || solver_name_ == "supernodal";
  if (map_.n_free() > 0 && !constant && keeps) kept_ = make_kept(base_->pattern(), multilevel, map_, places_);
}

void AffineUnknowns::couple_roving(const std::shared_ptr<const BlockPattern>& pattern) {
  extra_ = std::make_unique<Reduction>(map_, pattern);
  union_ = std::make_unique<PatternUnion>(base_->pattern(), extra_->pattern());
  if (wider_) add_up(spent_, wider_->stats());
  wider_.reset();
  if (union_->pattern() != base_->pattern())
    wider_ = make_kept(union_->pattern(), wants_multilevel(solver_name_, map_), map_, places_);
}

Place AffineUnknowns::impose(const Place& from, const Place& goal) const {
  return {map_.expand(map_.gather(from.u), goal.u), from.q, from.t};
}

void AffineUnknowns::name_worst(Eigen::Index unknown, NewtonReport& report) const {
  report.worst_vertex = static_cast<int>(unknown / 3);
}

void AffineUnknowns::begin(double dv_du, double da_du, bool keep) {
  dv_du_ = dv_du, da_du_ = da_du;
  kept_fails_ = false;
  for (KeptFactor* factor : {kept_.get(), wider_.get()}) {
    if (!factor) continue;
    factor->begin(dv_du, da_du);
    if (!keep) factor->forget();
  }
}

void AffineUnknowns::take(const Iterate&, const BlockMatrix& terms, const BlockMatrix* roving) {
  if (!roving) {
    base_->apply(terms, A_);
    return;
  }
  base_->apply(terms, base_part_);
  extra_->apply(*roving, extra_part_);
  union_->add(base_part_, extra_part_, A_);
}

void AffineUnknowns::set_places(KeptFactor& factor, const VecX& u) const {
  if (factor.uses_places() && places_.size() > 0) factor.set_places(map_.gather(places_ + u));
}

void AffineUnknowns::make_factor(const VecX& u) {
  set_places(*kept_, u);
  kept_->make(A_);
  factor_u_ = u;
}

void AffineUnknowns::add_left_out(const Wanted& wanted, const VecX& y, VecX& product) const {
  VecX left_out = VecX::Zero(3 * static_cast<Eigen::Index>(map_.n()));
  wanted.left_out_product(map_.expand(y), left_out);
  product += map_.restrict_(left_out);
}

bool AffineUnknowns::by_kept(const Iterate& z, const VecX& b, const Wanted& wanted, VecX& d, NewtonReport& report) {
  KeptFactor& factor = wider_ ? *wider_ : *kept_;
  set_places(factor, z.u);
  const auto whole = [&](const VecX& y) {
    VecX product;
    factor.product()(A_, y, product);
    add_left_out(wanted, y, product);
    return product;
  };
  const int before = factor.stats().factorizations;
  const KrylovReport solved = wanted.left_out <= kIgnoredWeight ? factor.solve(A_, b, d, wanted.exactness)
                                                                : factor.solve(A_, whole, b, d, wanted.exactness);
  if (factor.stats().factorizations > before) factor_u_ = z.u;
  report.factorizations += factor.stats().factorizations - before;
  report.krylov += solved.iterations;
  return solved.ok && b.dot(d) > 0 && d.allFinite();
}

void AffineUnknowns::by_made_factor(const VecX& b, const Wanted& wanted, bool last, VecX& d, NewtonReport& report) {
  const double exact = wanted.rough ? wanted.exactness : std::clamp(1e-2 * wanted.to_do, 1e-10, 1e-4);
  solver_->set_tolerance(exact);
  bool ok = true;
  const auto symmetric = [&](const VecX& f) {
    MatX y;
    ok = solver_->solve(f, y).ok && ok;
    return VecX(y.col(0));
  };
  if (wanted.rough || wanted.left_out <= kIgnoredWeight) {
    d = symmetric(b);
  } else {
    const auto whole = [&](const VecX& y) {
      VecX product = A_.multiply(y);
      add_left_out(wanted, y, product);
      return product;
    };
    report.krylov += flexible_gmres(whole, symmetric, b, d, exact, kKrylovLimit).iterations;
  }
  if (!(ok || last) || !d.allFinite()) d.setZero();
}

bool AffineUnknowns::by_factor(const VecX& b, const Wanted& wanted, bool last, VecX& d, NewtonReport& report) {
  if (!analysed_) solver_->analyse(base_->pattern());
  analysed_ = true;
  ++report.factorizations;
  if (solver_->factorize(A_) != FactorStatus::ok) return false;
  if (constant_) factor_dv_ = dv_du_, factor_da_ = da_du_;
  by_made_factor(b, wanted, last || wanted.rough, d, report);
  return true;
}

bool AffineUnknowns::direction(const Iterate& z, const VecX& b, const Wanted& wanted, double& share, VecX& d,
                               NewtonReport& report) {
  if (has_factor()) {
    by_made_factor(b, wanted, true, d, report);
    return true;
  }
  if (share == 0 && kept_ && !kept_fails_ && by_kept(z, b, wanted, d, report)) return true;
  // In double precision from here on, where couplings stay.
  kept_fails_ = !roving_ && !wanted.rough;
  const auto attempt = [&](bool last) {
    return roving_ ? by_kept(z, b, wanted, d, report) : by_factor(b, wanted, last, d, report);
  };
  if (share == 0) {
    if (!roving_ && attempt(false)) return true;
    share = more(share);
  }
  std::swap(A_, projected_);
  wanted.project();
  std::swap(A_, projected_);
  ++report.projected;
  const BlockMatrix exact = roving_ ? A_ : BlockMatrix();
  double before = 0;
  const auto blended = [&](double part) {
    // From one blend to the next, which needs no third matrix, where couplings stay.
    const BlockMatrix& from = roving_ ? exact : A_;
    const double more_of_it = roving_ ? part : (part - before) / (1 - before);
    for (size_t k = 0; k < A_.values.size(); ++k)
      A_.values[k] = from.values[k] + more_of_it * (projected_.values[k] - from.values[k]);
    before = part;
    return attempt(part == 1);
  };
  if (with_more_projection(share, blended)) return true;
  const BlockMatrix base = A_;
  return with_lifted_diagonal(base.max_abs_diagonal(), [&](double lift) {
    A_.values = base.values;
    lift_diagonal(A_, lift);
    return attempt(true);
  });
}

Way AffineUnknowns::way(const Iterate& z, const VecX& d, const VecX* jump, const Place*) const {
  Way out{.d = d, .step = map_.expand(d)};
  if (jump) out.step += *jump, out.advance = 1 - z.progress;
  return out;
}

Iterate AffineUnknowns::along(const Iterate& from, const Way& way, double s) const {
  Iterate z;
  z.u = from.u + s * way.step;
  z.progress = s == 1 ? 1 : from.progress + s * way.advance;
  return z;
}

SolverStats AffineUnknowns::stats() const {
  SolverStats sum = solver_->stats();
  add_up(sum, spent_);
  if (kept_) add_up(sum, kept_->stats());
  if (wider_) add_up(sum, wider_->stats());
  return sum;
}

}  // namespace supple
