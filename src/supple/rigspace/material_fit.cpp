#include "supple/rigspace/material_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/parallel.h"
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
  expect(scale.size() == static_cast<Eigen::Index>(free.size()), "one scale for each free part");
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

// Groups of parameters that strain the same tets are fitted each on its own scale, whatever far ones ask for: errors of
// a group of which the stiffest is to be 1e6 would drown all others.
struct Scales {
  VecX rows;  // factors on rows
  VecX tets;  // factors on what tets are held to their own by the ridge
};
Scales group_scales(const RigStiffness& H, const VecX& scale, const VecX& whole) {
  constexpr double kTogether = 0.1;  // H_ab / sqrt(H_aa H_bb) from which two are of one group
  const auto n = static_cast<Eigen::Index>(H.felt.size());
  VecX stiffest(n);
  for (Eigen::Index a = 0; a < n; ++a) stiffest[a] = scale[H.felt[static_cast<size_t>(a)]];
  const VecX own = stiffest;
  for (size_t i = 0; i < H.pairs.size(); ++i) {
    const auto [a, b] = H.pairs[i];
    const double c = whole[static_cast<Eigen::Index>(i)] / (std::sqrt(2) * kTogether), share = std::min(1.0, c * c);
    stiffest[a] = std::max(stiffest[a], share * own[b]);
    stiffest[b] = std::max(stiffest[b], share * own[a]);
  }
  const double most = stiffest.maxCoeff();
  Scales out{VecX(whole.size()), VecX::Ones(H.shares.cols())};
  VecX weight = VecX::Zero(H.shares.cols()), sum = weight;
  for (size_t i = 0; i < H.pairs.size(); ++i) {
    const auto [a, b] = H.pairs[i];
    out.rows[static_cast<Eigen::Index>(i)] = most / std::sqrt(stiffest[a] * stiffest[b]);
    if (a != b) continue;
    const VecX share = H.shares.row(static_cast<Eigen::Index>(i));
    weight += share;
    sum += stiffest[a] * share;
  }
  for (Eigen::Index e = 0; e < sum.size(); ++e)
    if (sum[e] > 0) out.tets[e] = std::max(1.0, most * weight[e] / sum[e]);
  return out;
}

// From a strong ridge to the one asked for, each time from the field before, so that a weaker ridge continues what a
// stronger one has found and its misfit is no larger.
class FieldSearch {
 public:
  FieldSearch(const RigBody& body, const std::vector<int>& free, const VecX& scale, const MaterialFitOptions& options,
              const RigStiffness& H, const VecX& p, double t)
      : body_(body), free_(free), options_(options), H_(H), p_(p), t_(t), whole_(H.shares.rowwise().sum()) {
    scales_ = group_scales(H, scale, whole_);
    asked_ = asked_of_rows(H, scale).cwiseProduct(whole_);
    target_ = scales_.rows.cwiseProduct(asked_);
    double softest = 1;
    for (int a : H.felt) softest = std::min(softest, scale[a]);
    low_ = options.lowest * softest * scales_.tets;
    prior_ = asked_of_tets(H, scale).cwiseProduct(scales_.tets);
    unit_ = whole_.squaredNorm() / static_cast<double>(H.shares.cols());
  }

  void run(MaterialFit& fit) {
    const double ridge = std::max(options_.ridge, 1e-9);
    if (options_.passes == 0) {
      const MatX A = scaled(H_.shares);
      best_ = measured(step(A, prior_, ridge, 0));
      fit.converged = solved_ && best_.balanced;
    } else {
      constexpr double kWeaker = 0.1;
      best_ = measured(prior_.cwiseMax(low_));
      double now = std::max(kStrong, ridge);
      bool settled = settle(now);
      while (now > ridge) {
        now = std::max(kWeaker * now, ridge);
        settled = settle(now);
      }
      fit.converged = settled && best_.balanced && H_.balanced;
    }
    fit.iterations = iterations_;
    fit.misfit = relative_misfit(best_.got, asked_);
    const VecX mu = best_.x.cwiseQuotient(scales_.tets);
    fit.stiffness.assign(mu.begin(), mu.end());
    copy_diagonal(H_, best_.got, fit.got);
  }

 private:
  // A field and what it does, with the interior in equilibrium with it.
  struct Field {
    VecX x;    // mu times the scales of tets
    MatX A;    // by which it is felt, in scaled rows and tets
    VecX got;  // rows, not scaled
    bool balanced = true;
  };

  MatX scaled(MatX shares) const {
    parallel_for(static_cast<size_t>(shares.cols()), 64, [&](size_t begin, size_t end) {
      for (auto e = static_cast<Eigen::Index>(begin); e < static_cast<Eigen::Index>(end); ++e)
        shares.col(e).array() *= scales_.rows.array() / scales_.tets[e];
    });
    return shares;
  }
  Field measured(const VecX& x) const {
    const VecX mu = x.cwiseQuotient(scales_.tets);
    RigStiffness with = rig_stiffness(body_, free_, {mu.begin(), mu.end()}, p_, t_, &H_);
    Field field{x, {}, with.shares * mu, with.balanced};
    field.A = scaled(std::move(with.shares));
    return field;
  }
  // Of the field x that is felt as rows (scaled).
  double cost(const VecX& x, const VecX& rows, double ridge) const {
    return (rows - target_).squaredNorm() + ridge * unit_ * (x - prior_).squaredNorm();
  }
  // The optimum as far as A says, with `held` more of a ridge that holds it to x.
  VecX step(const MatX& A, const VecX& x, double ridge, double held) {
    const VecX middle = (ridge * prior_ + held * x) / (ridge + held);
    BoundedFit fit =
        bounded_least_squares(A, target_, unit_ * (ridge + held), middle, low_, options_.max_iterations, kSolved);
    iterations_ += fit.iterations;
    solved_ = fit.converged;
    return fit.x;
  }

  // Levenberg-Marquardt passes with one ridge. True: one that is not held would gain nothing to speak of. False: there
  // were too few, or they have stalled.
  bool settle(double ridge) {
    constexpr double kEnough = 0.003, kStalled = 5e-4;  // of the cost
    const double least_held = std::max(0.03, ridge);
    // A weaker ridge is never to be paid for with a worse fit.
    const double worst = ridge < kStrong ? relative_misfit(best_.got, asked_) : std::numeric_limits<double>::infinity();
    double before = cost(best_.x, scales_.rows.cwiseProduct(best_.got), ridge);
    const auto gain_of = [&](const VecX& x) { return before - cost(x, best_.A * x, ridge); };
    for (int pass = 0;; ++pass) {
      const VecX x = step(best_.A, best_.x, ridge, held_);
      const double gain = gain_of(x);
      if (held_ == 0 && gain <= kEnough * before) return solved_;
      if (pass == options_.passes || gain <= kStalled * before)
        return held_ > 0 && gain_of(step(best_.A, best_.x, ridge, 0)) <= kEnough * before && solved_;
      Field next = measured(x);
      const double after = cost(x, scales_.rows.cwiseProduct(next.got), ridge);
      const double share = relative_misfit(next.got, asked_) <= worst ? (before - after) / gain : 0;
      if (share < 0.25)
        held_ = std::max(least_held, 4 * held_);
      else if (share > 0.6)
        held_ = held_ < 2 * least_held ? 0 : held_ / 4;
      if (share > 1e-3) best_ = std::move(next), before = after;
    }
  }

  static constexpr double kStrong = 10;  // the ridge to begin with
  static constexpr double kSolved = 1e-10;
  const RigBody& body_;
  const std::vector<int>& free_;
  const MaterialFitOptions& options_;
  const RigStiffness& H_;
  const VecX& p_;
  double t_;
  VecX whole_, asked_, target_, low_, prior_;
  Scales scales_;
  double unit_ = 1;  // what a ridge of 1 is
  Field best_;
  double held_ = 0;  // as ridges are
  int iterations_ = 0;
  bool solved_ = true;
};

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
  FieldSearch search(body, free, scale, options, H, p, t);
  search.run(fit);
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
