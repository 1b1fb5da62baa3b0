#include "supple/rigspace/material_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "supple/base/error.h"
#include "supple/rigspace/bounded_fit.h"
#include "supple/rigspace/rig_stiffness.h"

namespace supple {
namespace {

// (S_a + S_b) / 2 of each row.
VecX asked_of_rows(const RigStiffness& H, const VecX& scale) {
  VecX asked(static_cast<Eigen::Index>(H.pairs.size()));
  for (size_t i = 0; i < H.pairs.size(); ++i) {
    const auto [a, b] = H.pairs[i];
    asked[static_cast<Eigen::Index>(i)] =
        (scale[H.felt[static_cast<size_t>(a)]] + scale[H.felt[static_cast<size_t>(b)]]) / 2;
  }
  return asked;
}

// What the parameters ask of each tet that they strain, by their shares of energy there. Others are left as they are,
// unless all parameters ask for the same, which is to be so everywhere then.
VecX asked_of_tets(const RigStiffness& H, const VecX& scale) {
  constexpr double kStrained = 1e-3;  // of the mean
  VecX weight = VecX::Zero(H.shares.cols()), sum = weight;
  for (size_t i = 0; i < H.pairs.size(); ++i)
    if (H.pairs[i].first == H.pairs[i].second) {
      const VecX share = H.shares.row(static_cast<Eigen::Index>(i));
      weight += share;
      sum += scale[H.felt[static_cast<size_t>(H.pairs[i].first)]] * share;
    }
  double elsewhere = scale[H.felt[0]];
  for (int a : H.felt)
    if (scale[a] != elsewhere) elsewhere = 1;
  const double least = kStrained * weight.mean();
  for (Eigen::Index e = 0; e < sum.size(); ++e) sum[e] = weight[e] > least ? sum[e] / weight[e] : elsewhere;
  return sum;
}

void check_scales(const std::vector<int>& free, const VecX& scale) {
  assert(scale.size() == static_cast<Eigen::Index>(free.size()));
  for (double s : scale)
    if (!(s > 0) || !std::isfinite(s))
      throw InputError({"", 0, 0, "rig-space material"}, fmt::format("a parameter is to be {} times as stiff", s),
                       "give a positive number");
}

VecX as_vector(const std::vector<double>& v) {
  return Eigen::Map<const VecX>(v.data(), static_cast<Eigen::Index>(v.size()));
}

double relative_misfit(const VecX& got, const VecX& asked) {
  return asked.norm() > 0 ? (got - asked).norm() / asked.norm() : 0;
}

// Of rows, those of single parameters.
void copy_diagonal(const RigStiffness& H, const VecX& rows, VecX& of_free) {
  for (size_t i = 0; i < H.pairs.size(); ++i)
    if (H.pairs[i].first == H.pairs[i].second)
      of_free[H.felt[static_cast<size_t>(H.pairs[i].first)]] = rows[static_cast<Eigen::Index>(i)];
}

}  // namespace

MaterialFit fit_materials(const RigBody& body, const std::vector<int>& free, const VecX& scale,
                          const MaterialFitOptions& options, const VecX& p, double t) {
  check_scales(free, scale);
  MaterialFit fit;
  fit.asked = scale;
  fit.got = VecX::Ones(scale.size());
  fit.stiffness.assign(body.spec().model.mesh.tets.size(), 1);

  const RigStiffness H = rig_stiffness(body, free, {}, p, t);
  for (int a = 0; a < scale.size(); ++a)
    if (std::find(H.felt.begin(), H.felt.end(), a) == H.felt.end()) fit.without_effect.push_back(a);
  fit.converged = H.balanced;
  if (H.felt.empty()) return fit;
  const VecX whole = H.shares.rowwise().sum();
  const VecX target = asked_of_rows(H, scale).cwiseProduct(whole), prior = asked_of_tets(H, scale);
  double softest = 1;
  for (int a : H.felt) softest = std::min(softest, scale[a]);
  const double low = options.lowest * softest;
  const double ridge = std::max(options.ridge, 1e-9) * whole.squaredNorm() / static_cast<double>(H.shares.cols());

  // A field and what it does.
  struct Field {
    VecX mu;
    RigStiffness H;  // with the interior in equilibrium with it
    double cost = 0;
  };
  const auto measured = [&](const VecX& mu) -> Field {
    Field field{mu, rig_stiffness(body, free, {mu.begin(), mu.end()}, p, t, &H), 0};
    field.cost = (field.H.shares * mu - target).squaredNorm() + ridge * (mu - prior).squaredNorm();
    return field;
  };
  const auto fitted = [&](const RigStiffness& at) -> VecX {
    const BoundedFit x = bounded_least_squares(at.shares, target, ridge, prior, low, options.max_iterations);
    fit.iterations += x.iterations;
    fit.converged = fit.converged && x.converged && at.balanced;
    return x.x;
  };
  Field best = measured(fitted(H));
  if (options.passes > 0) {
    Field guess = measured(prior.cwiseMax(low));
    if (guess.cost < best.cost) best = std::move(guess);
  }
  for (int pass = 0; pass < options.passes; ++pass) {
    constexpr double kEnough = 1e-3;  // of the cost
    const VecX step = fitted(best.H) - best.mu;
    const double before = best.cost;
    for (double share = 1; share > 0.1; share /= 2) {
      Field next = measured(best.mu + share * step);
      if (next.cost >= best.cost) continue;
      best = std::move(next);
      break;
    }
    if (best.cost > (1 - kEnough) * before) break;
  }
  const VecX got = best.H.shares * best.mu;
  copy_diagonal(H, got, fit.got);
  fit.stiffness.assign(best.mu.begin(), best.mu.end());
  fit.misfit = relative_misfit(got, target);
  return fit;
}

double material_misfit(const RigBody& body, const std::vector<int>& free, const VecX& scale,
                       const std::vector<double>& stiffness, const VecX& p, double t) {
  check_scales(free, scale);
  const RigStiffness H = rig_stiffness(body, free, {}, p, t), with = rig_stiffness(body, free, stiffness, p, t, &H);
  return relative_misfit(with.shares * as_vector(stiffness),
                         asked_of_rows(H, scale).cwiseProduct(H.shares.rowwise().sum()));
}

VecX felt_stiffness(const RigBody& body, const std::vector<int>& free, const std::vector<double>& stiffness,
                    const VecX& p, double t) {
  const RigStiffness H = rig_stiffness(body, free, {}, p, t), with = rig_stiffness(body, free, stiffness, p, t, &H);
  VecX felt = VecX::Ones(static_cast<Eigen::Index>(free.size()));
  copy_diagonal(H, with.shares * as_vector(stiffness), felt);
  return felt;
}

}  // namespace supple
