#include "supple/modal/modal_basis.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"
#include "supple/linalg/eigen_pairs.h"

namespace supple {

namespace {

using Eigen::Index;
constexpr double kExact = 1e-8;     // of the shapes; frequencies are exact to the square of it
constexpr double kRounding = 1e-6;  // of the static answers: what is left is no shape
constexpr int kLoads = 12;
constexpr double kSpinsLess = 8;  // times larger must be what only spinning asks for

}  // namespace

MatX multiply(const BlockMatrix& matrix, const MatX& x) {
  MatX y(x.rows(), x.cols());
  parallel_for(static_cast<size_t>(x.cols()), 1, [&](size_t begin, size_t end) {
    for (auto c = static_cast<Index>(begin); c < static_cast<Index>(end); ++c) y.col(c) = matrix.multiply(x.col(c));
  });
  return y;
}

VecX rigid_field(const Points& nodes, const Vec3& origin, int which) {
  VecX field(3 * static_cast<Index>(nodes.size()));
  constexpr int kFirst[6] = {0, 1, 2, 0, 0, 1}, kSecond[6] = {0, 1, 2, 1, 2, 2};
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Vec3 r = nodes[i] - origin;
    Vec3 at = Vec3::Unit(which % 3);
    if (which < 3) at = at.cross(r).eval();
    if (which >= 6) {
      const Vec3 a = Vec3::Unit(kFirst[which - 6]), b = Vec3::Unit(kSecond[which - 6]);
      at = a.cross(b.cross(r));
      if (which >= 9) at += b.cross(a.cross(r));
    }
    field.segment<3>(3 * static_cast<Index>(i)) = at;
  }
  return field;
}

ModalAnalysis::ModalAnalysis(const Solid& solid, const Vec3& origin, const std::string& linear_solver)
    : solid_(solid),
      origin_(origin),
      // Many exact solves with one matrix: no work for an iterative solver.
      solver_name_(linear_solver == "cg" ? "auto" : linear_solver),
      stiffness_(free_part(solid, solid.all.stiffness)),
      mass_(free_part(solid, solid.all.mass)) {
  mass_.pattern = stiffness_.pattern;
}

ModalAnalysis::~ModalAnalysis() = default;

ModalBasis ModalAnalysis::modes(int k) {
  auto solver = make_solver(solver_name_, solid_.n_free());
  const EigenPairs pairs = lowest_eigenpairs(stiffness_, mass_, k, *solver, 0, kExact);
  if (!pairs.ok) throw std::runtime_error("the modes cannot be found: " + pairs.message);
  if (solver->stats().factorizations > 0) factor_ = std::move(solver);
  ModalBasis basis;
  basis.squares = pairs.values;
  basis.n_modes = static_cast<int>(pairs.values.size());
  basis.shapes.resize(3 * static_cast<Index>(solid_.nodes.size()), basis.n_modes);
  for (Index c = 0; c < basis.n_modes; ++c) basis.shapes.col(c) = solid_.map.expand(pairs.vectors.col(c));
  return basis;
}

LinearSolver& ModalAnalysis::factor() {
  if (!factor_) {
    factor_ = make_solver(solver_name_, solid_.n_free());
    factor_->analyse(stiffness_.pattern);
    if (factor_->factorize(stiffness_) != FactorStatus::ok)
      throw std::runtime_error("the stiffness of the flesh cannot be factorized: " + factor_->message());
  }
  return *factor_;
}

const MatX& ModalAnalysis::statics() {
  if (statics_.cols() > 0) return statics_;
  MatX loads(3 * solid_.n_free(), kLoads), answers;
  for (int j = 0; j < kLoads; ++j)
    loads.col(j) = solid_.map.restrict_(solid_.all.mass.multiply(rigid_field(solid_.nodes, origin_, j)));
  factor().solve(loads, answers);
  statics_.resize(3 * static_cast<Index>(solid_.nodes.size()), kLoads);
  for (int j = 0; j < kLoads; ++j) statics_.col(j) = solid_.map.expand(answers.col(j));
  return statics_;
}

ModalBasis ModalAnalysis::corrected(const ModalBasis& basis, const std::vector<int>& kept, double least,
                                    int most_spins) {
  ModalBasis out;
  out.n_modes = static_cast<int>(kept.size());
  out.squares.resize(out.n_modes);
  out.shapes.resize(basis.shapes.rows(), out.n_modes);
  for (int i = 0; i < out.n_modes; ++i) {
    out.squares[i] = basis.squares[kept[i]];
    out.shapes.col(i) = basis.shapes.col(kept[i]);
  }
  // Turning, pushing and spinning each beside the largest answer of their kind.
  MatX rest = statics();
  const VecX lengths = (rest.transpose() * multiply(solid_.all.mass, rest)).diagonal().cwiseSqrt();
  for (const auto& [first, count] : {std::pair(0, 3), std::pair(3, 3), std::pair(6, 6)})
    if (const double largest = lengths.segment(first, count).maxCoeff(); largest > 0)
      rest.middleCols(first, count) /= largest;
  // First what is lacking for rigid accelerations, then what spinning needs besides; of both the combinations that
  // matter.
  MatX span(rest.rows(), 0);
  for (const auto& [first, limit, most] : {std::tuple(0, least, 6), std::tuple(6, kSpinsLess * least, most_spins)}) {
    MatX lack = rest.middleCols(first, 6);
    for (int pass = 0; pass < 2; ++pass)  // twice is enough for orthogonality to rounding
      for (const MatX* known : {&out.shapes, &span})
        if (known->cols() > 0) lack -= *known * (multiply(solid_.all.mass, *known).transpose() * lack);
    const SymmetricEigen spread = symmetric_eigen(lack.transpose() * multiply(solid_.all.mass, lack));
    const double enough = std::max(limit, kRounding);
    for (Index i = 5; i > 5 - most && spread.values[i] > enough * enough; --i) {
      span.conservativeResize(Eigen::NoChange, span.cols() + 1);
      span.rightCols(1) = lack * spread.vectors.col(i) / std::sqrt(spread.values[i]);
    }
  }
  const Index n = span.cols();
  if (n == 0) return out;
  const SymmetricEigen own = symmetric_eigen(span.transpose() * multiply(solid_.all.stiffness, span));
  out.squares.conservativeResize(out.n_modes + n);
  out.squares.tail(n) = own.values;
  out.shapes.conservativeResize(Eigen::NoChange, out.n_modes + n);
  out.shapes.rightCols(n) = span * own.vectors;
  return out;
}

}  // namespace supple
