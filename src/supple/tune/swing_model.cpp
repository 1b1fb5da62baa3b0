#include "supple/tune/swing_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"
#include "supple/linalg/solver.h"
#include "supple/sim/linear_body.h"
#include "supple/tune/swing_rule.h"

namespace supple {

namespace {

constexpr double kAlike = 1e-8;  // of the largest: directions that add nothing to a basis
constexpr int kRounds = 30;
constexpr double kMet = 0.005, kGently = 0.7, kLargestStep = 4;
constexpr double kLeastInertia = 0.02;  // what follows its equilibrium alone follows it through every snap

MatX times(const BlockMatrix& A, const MatX& X) {
  MatX Y(X.rows(), X.cols());
  parallel_for(static_cast<size_t>(X.cols()), 1, [&](size_t begin, size_t end) {
    for (auto c = static_cast<Eigen::Index>(begin); c < static_cast<Eigen::Index>(end); ++c)
      Y.col(c) = A.multiply(X.col(c));
  });
  return Y;
}

void make_unit(MatX& X) {
  for (Eigen::Index c = 0; c < X.cols(); ++c)
    if (const double l = X.col(c).norm(); l > 0) X.col(c) /= l;
}

std::vector<double> shares_of(const MatX& z) {
  std::vector<double> lengths;
  lengths.reserve(static_cast<size_t>(z.rows() / 3 * z.cols()));
  for (Eigen::Index f = 0; f < z.cols(); ++f)
    for (Eigen::Index i = 0; i < z.rows(); i += 3) lengths.push_back(z.col(f).segment<3>(i).norm());
  return lengths;
}

}  // namespace

// Modes of the small model, as shapes of all vertices; frequency_ along with them.
MatX SwingModel::ritz_basis(const Model& model, const VecX& hanging, const std::vector<SwingRegion>& regions,
                            const std::string& linear_solver) {
  const AffineMap& map = model.constraints().map();
  if (map.n_free() == 0 || regions.empty()) return {};
  const auto solver = make_solver(linear_solver == "cg" ? "auto" : linear_solver, map.n_free());
  LinearBody body = linear_body(model, hanging);
  solver->analyse(body.stiffness.pattern);
  if (solver->factorize(body.stiffness) != FactorStatus::ok) {
    // About to fall over where it hangs.
    body = linear_body(model);
    solver->analyse(body.stiffness.pattern);
    if (solver->factorize(body.stiffness) != FactorStatus::ok) return {};
  }
  MatX pulls(3 * map.n_free(), static_cast<Eigen::Index>(3 * regions.size()));
  for (size_t r = 0; r < regions.size(); ++r)
    for (int axis = 0; axis < 3; ++axis) {
      VecX even = VecX::Zero(3 * model.n_vertices());
      for (int v = 0; v < model.n_vertices(); ++v) even[3 * v + axis] = regions[r].weight[v];
      pulls.col(static_cast<Eigen::Index>(3 * r) + axis) = map.restrict_(model.mass()->multiply(even));
    }
  MatX first, second;
  if (!solver->solve(pulls, first).ok) return {};
  make_unit(first);
  if (!solver->solve(times(body.mass, first), second).ok) return {};
  make_unit(second);
  MatX X(first.rows(), 2 * first.cols());
  X << first, second;

  const MatX MX = times(body.mass, X);
  const SymmetricEigen gram = symmetric_eigen(MatX(X.transpose() * MX));
  Eigen::Index alike = 0;
  while (alike < gram.values.size() && gram.values[alike] <= kAlike * gram.values[gram.values.size() - 1]) ++alike;
  const Eigen::Index n = gram.values.size() - alike;
  if (n == 0) return {};
  const MatX Q = X * gram.vectors.rightCols(n) * gram.values.tail(n).cwiseSqrt().cwiseInverse().asDiagonal();
  const SymmetricEigen modes = symmetric_eigen(MatX(Q.transpose() * times(body.stiffness, Q)));
  const MatX free = Q * modes.vectors;
  MatX shapes(3 * model.n_vertices(), n);
  for (Eigen::Index k = 0; k < n; ++k) {
    shapes.col(k) = map.expand(free.col(k));
    frequency_.push_back(std::sqrt(std::max(modes.values[k], 1e-12)) / (2 * std::numbers::pi));
  }
  return shapes;
}

SwingModel::SwingModel(const Model& model, const VecX& hanging, const std::vector<SwingRegion>& regions,
                       const std::vector<int>& vertices, const CarriedPoints& carried,
                       const std::vector<double>& thickness, bool repeats, const std::string& linear_solver)
    : fps_(carried.fps), repeats_(repeats) {
  const MatX shapes = ritz_basis(model, hanging, regions, linear_solver);
  if (!ok()) return;
  const std::vector<VecX> thrown = local_accelerations(carried);
  MatX g(static_cast<Eigen::Index>(3 * vertices.size()), static_cast<Eigen::Index>(thrown.size()));
  for (size_t f = 0; f < thrown.size(); ++f) g.col(static_cast<Eigen::Index>(f)) = thrown[f];

  std::vector<double> damping(frequency_.size(), 0);
  for (const SwingRegion& r : regions) {
    MatX weighted = shapes;
    for (Eigen::Index k = 0; k < shapes.cols(); ++k) {
      for (int v = 0; v < model.n_vertices(); ++v) weighted.col(k).segment<3>(3 * v) *= r.weight[v];
      weighted.col(k) = model.mass()->multiply(weighted.col(k));
    }
    MatX felt(g.rows(), shapes.cols());
    for (size_t i = 0; i < vertices.size(); ++i)
      felt.middleRows(static_cast<Eigen::Index>(3 * i), 3) = weighted.middleRows(3 * vertices[i], 3);
    force_.push_back(felt.transpose() * g);
    const double beta = 2 * std::numbers::ln2 / (r.half_life_s * std::pow(2 * std::numbers::pi * r.frequency_hz, 2));
    for (size_t k = 0; k < damping.size(); ++k)
      damping[k] += beta * weighted.col(static_cast<Eigen::Index>(k)).dot(shapes.col(static_cast<Eigen::Index>(k)));
    MatX shown(static_cast<Eigen::Index>(3 * r.watched.size()), shapes.cols());
    for (size_t i = 0; i < r.watched.size(); ++i)
      shown.middleRows(static_cast<Eigen::Index>(3 * i), 3) =
          shapes.middleRows(3 * r.watched[i], 3) / thickness[static_cast<size_t>(r.watched[i])];
    shown_.push_back(std::move(shown));
  }
  for (size_t k = 0; k < damping.size(); ++k) {
    const double rate = 0.5 * damping[k] * std::pow(2 * std::numbers::pi * frequency_[k], 2);
    half_life_.push_back(rate > 0 ? std::numbers::ln2 / rate : std::numeric_limits<double>::infinity());
  }
}

std::vector<double> SwingModel::swings(const std::vector<double>& inertia) const {
  std::vector<double> out(shown_.size(), 0);
  if (!ok() || force_.empty() || force_[0].cols() == 0) return out;
  MatX f = MatX::Zero(force_[0].rows(), force_[0].cols());
  for (size_t r = 0; r < force_.size(); ++r) f += inertia[r] * force_[r];
  MatX a(f.rows(), f.cols());
  for (Eigen::Index k = 0; k < f.rows(); ++k) {
    const double w = 2 * std::numbers::pi * frequency_[static_cast<size_t>(k)];
    double z = -f(k, 0) / (w * w), rate = 0;
    const SwingRule rule(frequency_[static_cast<size_t>(k)], half_life_[static_cast<size_t>(k)], 1 / fps_);
    for (int pass = repeats_ ? 0 : 1; pass < 2; ++pass) {
      a(k, 0) = z;
      for (Eigen::Index t = 1; t < f.cols(); ++t) {
        rule.step(z, rate, f(k, t - 1), f(k, t));
        a(k, t) = z;
      }
    }
  }
  parallel_for(out.size(), 1, [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) out[r] = percentile(shares_of(shown_[r] * a), 0.99);
  });
  return out;
}

std::vector<double> SwingModel::inertia_for(const std::vector<double>& wanted, const std::vector<double>& most,
                                            const std::vector<double>& fixed) const {
  std::vector<double> inertia(wanted.size(), 1);
  const auto is_fixed = [&](size_t r) { return std::isfinite(fixed[r]); };
  for (size_t r = 0; r < inertia.size(); ++r) inertia[r] = is_fixed(r) ? fixed[r] : std::min(1.0, most[r]);
  if (!ok()) return inertia;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> now = swings(inertia);
    double farthest = 0;
    for (size_t r = 0; r < inertia.size(); ++r) {
      if (is_fixed(r) || !(now[r] > 0)) continue;
      const double step = std::clamp(std::pow(wanted[r] / now[r], kGently), 1 / kLargestStep, kLargestStep);
      const double next = std::clamp(inertia[r] * step, std::min(kLeastInertia, most[r]), most[r]);
      farthest = std::max(farthest, std::abs(std::log(next / inertia[r])));
      inertia[r] = next;
    }
    if (farthest < kMet) break;
  }
  return inertia;
}

}  // namespace supple
