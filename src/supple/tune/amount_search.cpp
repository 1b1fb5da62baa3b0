#include "supple/tune/amount_search.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace supple {

namespace {

constexpr double kLargestStep = 2.1;  // of a log(scale), a factor of eight
constexpr double kLeastSlope = 0.1;   // what hardly grows is driven no further at once than this lets it
constexpr double kRidge = 1e-3;       // what is nearly the same for all parts is shared among them
constexpr double kStands = 0.9;       // of the miss: less progress than that, twice, and no more can be done
constexpr double kBeside = 0.02;      // of what weighs less: near enough
constexpr double kNever = -27.0;      // log of a value that is none

using Eigen::Index;

VecX logs(const std::vector<double>& x) {
  VecX out(static_cast<Index>(x.size()));
  for (size_t i = 0; i < x.size(); ++i)
    out[static_cast<Index>(i)] = x[i] > 0 ? std::max(std::log(x[i]), kNever) : kNever;
  return out;
}

// The step that brings J step nearest to r while low <= step <= high.
VecX bounded_step(const MatX& J, const VecX& r, const VecX& low, const VecX& high) {
  const Index n = r.size();
  VecX step = VecX::Zero(n);
  std::vector<char> fixed(static_cast<size_t>(n), 0);
  for (Index round = 0; round <= n; ++round) {
    std::vector<Index> free;
    VecX left = r;
    for (Index j = 0; j < n; ++j) {
      if (fixed[static_cast<size_t>(j)])
        left -= J.col(j) * step[j];
      else
        free.push_back(j);
    }
    if (free.empty()) return step;
    MatX A(n, static_cast<Index>(free.size()));
    for (size_t k = 0; k < free.size(); ++k) A.col(static_cast<Index>(k)) = J.col(free[k]);
    MatX N = A.transpose() * A;
    N.diagonal().array() += kRidge * std::max(N.diagonal().maxCoeff(), 1e-12);
    const VecX x = N.ldlt().solve(A.transpose() * left);
    bool within = true;
    for (size_t k = 0; k < free.size(); ++k) {
      const Index j = free[k];
      step[j] = std::clamp(x[static_cast<Index>(k)], low[j], high[j]);
      if (step[j] != x[static_cast<Index>(k)]) fixed[static_cast<size_t>(j)] = 1, within = false;
    }
    if (within) break;
  }
  return step;
}

// What one trial taught: a change `step` of the scales changed values by `change`.
void learn(MatX& J, const MatX& given, const VecX& step, const VecX& change) {
  if (step.norm() < 1e-3) return;
  for (Index i = 0; i < J.rows(); ++i) {
    const VecX by = given.row(i).transpose().cwiseAbs2().cwiseProduct(step);
    const double size = by.dot(step);
    if (size > 1e-12) J.row(i) += (change[i] - J.row(i).dot(step)) / size * by.transpose();
    if (given(i, i) > 0) J(i, i) = std::clamp(J(i, i), kLeastSlope, 4.0);
  }
}

}  // namespace

AmountSearchResult search_amounts(const std::vector<double>& target, const AmountFunction& value,
                                  const AmountSearchOptions& o) {
  const auto n = static_cast<Index>(target.size());
  AmountSearchResult out;
  const MatX given = o.coupling.size() > 0 ? o.coupling : MatX(MatX::Identity(n, n));
  MatX J = given;
  const VecX wanted = logs(target);
  VecX weight = VecX::Ones(n);
  for (Index i = 0; i < n && !o.weight.empty(); ++i) weight[i] = o.weight[static_cast<size_t>(i)];
  VecX x = VecX::Zero(n), best_x = x, last_x, last_y;
  double least = std::numeric_limits<double>::infinity();
  int standing = 0;
  std::string trouble;
  while (static_cast<int>(out.trials.size()) < o.max_runs) {
    std::vector<double> scale;
    for (Index i = 0; i < n; ++i) scale.push_back(std::exp(x[i]));
    AmountTrial trial = value(scale);
    trial.scale = scale;
    out.trials.push_back(trial);
    if (!trial.ok) {
      trouble = trial.trouble;
      // Back half-way to what went well, or to far less.
      x = out.best < 0 ? VecX(x.array() - kLargestStep / 2) : VecX(0.5 * (x + best_x));
      last_x.resize(0);
      if (++standing > 3) break;
      continue;
    }
    const VecX y = logs(trial.value), r = wanted - y;
    const double miss = weight.cwiseProduct(r).norm();
    std::vector<char> close;
    for (Index i = 0; i < n; ++i)
      close.push_back(std::abs(trial.value[static_cast<size_t>(i)] / target[static_cast<size_t>(i)] - 1) <=
                      (weight[i] < 1 ? std::max(o.tolerance, kBeside) : o.tolerance));
    out.met = std::all_of(close.begin(), close.end(), [](char c) { return c != 0; });
    if (last_x.size() > 0) learn(J, given, x - last_x, y - last_y);
    standing = miss < kStands * least ? 0 : standing + 1;
    if (miss < least || out.met) {
      least = miss, best_x = x, out.best = static_cast<int>(out.trials.size()) - 1;
      out.close = close;
    }
    if (out.met) return out;
    if (standing >= 2) break;
    last_x = x, last_y = y;
    const double most = std::log(o.most_scale);
    const VecX low = (-most - x.array()).max(-kLargestStep), high = (most - x.array()).min(kLargestStep);
    const VecX step = bounded_step(weight.asDiagonal() * J, weight.cwiseProduct(r), low, high);
    if (step.cwiseAbs().maxCoeff() < 0.1 * o.tolerance) break;
    x += step;
  }
  out.reason = out.best < 0 ? "failed at every scale tried" : fmt::format("nearest of {} motions", out.trials.size());
  if (!trouble.empty()) out.reason += " (" + trouble + ")";
  return out;
}

}  // namespace supple
