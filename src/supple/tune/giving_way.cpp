#include "supple/tune/giving_way.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/linalg/solver.h"
#include "supple/sim/linear_body.h"
#include "supple/tune/carried_motion.h"

namespace supple {

namespace {

constexpr double kGivesMost = 0.9;  // of what is watched
constexpr int kMostRounds = 60;
constexpr double kCloseEnough = 1e-3, kCarefully = 0.8, kFarthestStep = 4;
constexpr double kMostUneven = 4;  // inertia of a region beside the usual one, or the other way round

// Per region, the geometric mean over its piece of what is not given.
std::vector<double> usual_in_pieces(const std::vector<int>& piece, const std::vector<double>& inertia,
                                    const std::vector<double>& fixed) {
  std::map<int, std::pair<double, double>> logs;  // their sum, how many
  for (size_t r = 0; r < inertia.size(); ++r) {
    if (std::isfinite(fixed[r]) || !(inertia[r] > 0)) continue;
    auto& [sum, n] = logs[piece[r]];
    sum += std::log(inertia[r]), ++n;
  }
  std::vector<double> out;
  for (const int p : piece) out.push_back(logs.contains(p) ? std::exp(logs[p].first / logs[p].second) : 1);
  return out;
}

}  // namespace

GivingWay::GivingWay(const Model& model, const std::vector<SwayRegion>& regions, const std::string& linear_solver) {
  const AffineMap& map = model.constraints().map();
  const size_t n = regions.size();
  for (const SwayRegion& r : regions) piece_.push_back(r.piece);
  answer_.assign(n, std::vector<MatX>(n));
  if (map.n_free() == 0 || n == 0) return;
  const auto solver = make_solver(linear_solver == "cg" ? "auto" : linear_solver, map.n_free());
  const LinearBody body = linear_body(model);
  solver->analyse(body.stiffness.pattern);
  if (solver->factorize(body.stiffness) != FactorStatus::ok) return;
  MatX pulls(3 * map.n_free(), static_cast<Eigen::Index>(3 * n)), answers;
  for (size_t r = 0; r < n; ++r)
    for (int axis = 0; axis < 3; ++axis) {
      VecX even = VecX::Zero(3 * model.n_vertices());
      for (int v = 0; v < model.n_vertices(); ++v) even[3 * v + axis] = regions[r].weight[v];
      pulls.col(static_cast<Eigen::Index>(3 * r) + axis) = map.restrict_(model.mass()->multiply(even));
    }
  if (!solver->solve(pulls, answers).ok) return;
  ok_ = true;
  for (size_t pulled = 0; pulled < n; ++pulled)
    for (int axis = 0; axis < 3; ++axis) {
      const VecX d = map.expand(VecX(answers.col(static_cast<Eigen::Index>(3 * pulled) + axis)));
      for (size_t r = 0; r < n; ++r) {
        const VecX seen = blended(regions[r].watched, d);
        MatX& a = answer_[r][pulled];
        if (axis == 0) a.resize(seen.size(), 3);
        for (Eigen::Index i = 0; i < seen.size(); ++i)
          a(i, axis) = seen[i] / regions[r].reach[static_cast<size_t>(i / 3)];
      }
    }
}

std::vector<std::vector<double>> GivingWay::shares_of_points(const std::vector<double>& inertia) const {
  std::vector<std::vector<double>> out(answer_.size());
  for (size_t r = 0; ok_ && r < out.size(); ++r) {
    MatX d = MatX::Zero(answer_[r][r].rows(), 3);
    for (size_t pulled = 0; pulled < out.size(); ++pulled) d += inertia[pulled] * answer_[r][pulled];
    for (Eigen::Index i = 0; i < d.rows(); i += 3) out[r].push_back(d.middleRows(i, 3).norm() / std::sqrt(3));
  }
  return out;
}

std::vector<double> GivingWay::shares(const std::vector<double>& inertia) const {
  std::vector<double> out;
  for (std::vector<double>& of_points : shares_of_points(inertia))
    out.push_back(of_points.empty() ? 0 : percentile(std::move(of_points), kGivesMost));
  return out;
}

std::vector<double> GivingWay::inertia_for(const std::vector<double>& wanted, const std::vector<double>& most,
                                           const std::vector<double>& fixed) const {
  std::vector<double> inertia(wanted.size(), 1);
  const auto is_fixed = [&](size_t r) { return std::isfinite(fixed[r]); };
  for (size_t r = 0; r < inertia.size(); ++r) inertia[r] = is_fixed(r) ? fixed[r] : std::min(1.0, most[r]);
  for (int round = 0; ok_ && round < kMostRounds; ++round) {
    const std::vector<double> now = shares(inertia);
    const std::vector<double> usual = usual_in_pieces(piece_, inertia, fixed);
    double farthest = 0;
    for (size_t r = 0; r < inertia.size(); ++r) {
      if (is_fixed(r) || !(now[r] > 0) || inertia[r] == 0) continue;
      const double step = std::clamp(std::pow(wanted[r] / now[r], kCarefully), 1 / kFarthestStep, kFarthestStep);
      const double next =
          std::min(std::clamp(inertia[r] * step, usual[r] / kMostUneven, usual[r] * kMostUneven), most[r]);
      farthest = std::max(farthest, std::abs(next / inertia[r] - 1));
      inertia[r] = next;
    }
    if (farthest < kCloseEnough) break;
  }
  return inertia;
}

}  // namespace supple
