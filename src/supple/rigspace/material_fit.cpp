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
  const VecX target = asked_of_rows(H, scale).cwiseProduct(whole);
  double softest = 1;
  for (int a : H.felt) softest = std::min(softest, scale[a]);
  const double ridge = std::max(options.ridge, 1e-9) * whole.squaredNorm() / static_cast<double>(H.shares.cols());
  const BoundedFit x = bounded_least_squares(H.shares, target, ridge, asked_of_tets(H, scale), options.lowest * softest,
                                             options.max_iterations);
  const VecX got = H.shares * x.x;
  copy_diagonal(H, got, fit.got);
  fit.stiffness.assign(x.x.begin(), x.x.end());
  fit.misfit = relative_misfit(got, target);
  fit.iterations = x.iterations;
  fit.converged = x.converged && H.balanced;
  return fit;
}

VecX felt_stiffness(const RigBody& body, const std::vector<int>& free, const std::vector<double>& stiffness,
                    const VecX& p, double t) {
  const RigStiffness base = rig_stiffness(body, free, {}, p, t);
  const RigStiffness with = rig_stiffness(body, free, stiffness, p, t, &base);
  VecX felt = VecX::Ones(static_cast<Eigen::Index>(free.size()));
  copy_diagonal(base, with.shares * as_vector(stiffness), felt);
  return felt;
}

double material_misfit(const RigBody& body, const std::vector<int>& free, const VecX& scale,
                       const std::vector<double>& stiffness, const VecX& p, double t) {
  check_scales(free, scale);
  const RigStiffness H = rig_stiffness(body, free, {}, p, t);
  return relative_misfit(H.shares * as_vector(stiffness),
                         asked_of_rows(H, scale).cwiseProduct(H.shares.rowwise().sum()));
}

}  // namespace supple
