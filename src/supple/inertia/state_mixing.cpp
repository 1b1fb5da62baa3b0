#include "supple/inertia/state_mixing.h"

#include <algorithm>
#include <cmath>

#include "supple/linalg/dense.h"

namespace supple {

namespace {

constexpr double kAround = 0.06;  // of the size: how far around a place what happens counts there
constexpr int kMostSweeps = 40;
constexpr double kOfTheWhole = 1e-3;  // of what happens in the mean over the body counts everywhere
constexpr double kAlike = 1e-10;      // of the diagonal: keeps periods apart that are alike
constexpr double kLargestSum = 40;    // weights beyond are of something else than swings that decay

// Weights from the lower half of the normal equations and their right-hand side, one after the other.
VecX solved_weights(const VecX& sums, Eigen::Index n) {
  MatX matrix(n, n);
  Eigen::Index at = 0;
  for (Eigen::Index a = 0; a < n; ++a)
    for (Eigen::Index b = 0; b <= a; ++b) matrix(a, b) = matrix(b, a) = sums[at++];
  if (!(matrix.diagonal().minCoeff() > 0)) return VecX::Zero(n);
  const VecX scale = matrix.diagonal().cwiseSqrt().cwiseInverse();
  matrix = scale.asDiagonal() * matrix * scale.asDiagonal();
  matrix.diagonal().array() += kAlike;
  VecX w = scale.asDiagonal() * solve_symmetric(matrix, VecX(scale.asDiagonal() * sums.tail(n)));
  if (!w.allFinite() || w.cwiseAbs().sum() > kLargestSum) w.setZero();
  return w;
}

}  // namespace

StateMixing::StateMixing(const Model& model) : model_(model), near_(static_cast<size_t>(model.n_own())) {
  for (const Element& e : model.elements()->list())
    for (int a : e.v)
      for (int b : e.v)
        if (a != b && std::max(a, b) < model.n_own()) near_[static_cast<size_t>(a)].push_back(b);
  for (std::vector<int>& list : near_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  // A sweep widens by about 0.7 edges, and widths add as squares.
  const double edges = kAround * model.size() / std::max(model.mean_edge(), 1e-12 * model.size());
  sweeps_ = std::clamp(static_cast<int>(std::ceil(2 * edges * edges)), 1, kMostSweeps);
}

MatX StateMixing::averaged_around(MatX x) const {
  MatX next(x.rows(), x.cols());
  for (int k = 0; k < sweeps_; ++k) {
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      const std::vector<int>& near = near_[static_cast<size_t>(i)];
      next.col(i) = x.col(i);
      for (int j : near) next.col(i) += x.col(j);
      next.col(i) /= static_cast<double>(near.size() + 1);
    }
    x.swap(next);
  }
  return x;
}

// Of every own vertex, a column: for each earlier period the weight of its difference from the last one, and that of
// the difference's rate.
MatX StateMixing::weights(const std::vector<Turn>& turns, double carries) const {
  const Turn& last = turns.back();
  const VecX ru = last.end.u - last.start.u, rv = last.end.v - last.start.v, ra = last.end.a - last.start.a;
  std::vector<VecX> du, dv;
  for (size_t j = 0; j + 1 < turns.size(); ++j) {
    const Turn& t = turns[j];
    du.push_back(t.end.u - t.start.u - ru), dv.push_back(t.end.v - t.start.v - rv);
    du.push_back(carries * dv.back()), dv.push_back(carries * (t.end.a - t.start.a - ra));
  }
  const size_t n = du.size();
  MatX sums(n * (n + 1) / 2 + n, model_.n_own());
  for (Eigen::Index i = 0; i < sums.cols(); ++i) {
    const double mass = model_.mass()->per_vertex()[i];
    const auto product = [&](const VecX& au, const VecX& av, const VecX& bu, const VecX& bv) {
      return mass * (au.segment<3>(3 * i).dot(bu.segment<3>(3 * i)) +
                     carries * carries * av.segment<3>(3 * i).dot(bv.segment<3>(3 * i)));
    };
    Eigen::Index at = 0;
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b <= a; ++b) sums(at++, i) = product(du[a], dv[a], du[b], dv[b]);
    for (size_t a = 0; a < n; ++a) sums(at++, i) = -product(du[a], dv[a], ru, rv);
  }
  const VecX mean = sums.rowwise().mean();
  sums = averaged_around(std::move(sums));
  sums.colwise() += kOfTheWhole * mean;
  MatX w(n, model_.n_own());
  for (Eigen::Index i = 0; i < w.cols(); ++i) w.col(i) = solved_weights(sums.col(i), static_cast<Eigen::Index>(n));
  return w;
}

State StateMixing::next(const std::vector<Turn>& turns, double carries) const {
  const State& last = turns.back().end;
  State out = last;
  if (turns.size() < 2) return out;
  const MatX w = weights(turns, carries);
  // The rate of an acceleration is not known; it matters for half a step.
  for (size_t j = 0; j + 1 < turns.size(); ++j) {
    const State& end = turns[j].end;
    const Eigen::Index row = 2 * static_cast<Eigen::Index>(j);
    for (Eigen::Index i = 0; i < w.cols(); ++i) {
      const auto change = [&](VecX State::*part) -> Vec3 {
        return (end.*part).segment<3>(3 * i) - (last.*part).segment<3>(3 * i);
      };
      const Vec3 du = change(&State::u), dv = change(&State::v), da = change(&State::a);
      const double own = w(row, i), rate = carries * w(row + 1, i);
      out.u.segment<3>(3 * i) += own * du + rate * dv;
      out.v.segment<3>(3 * i) += own * dv + rate * da;
      out.a.segment<3>(3 * i) += own * da;
    }
  }
  // Strains, of tets and then of patches, by the mean weights of their vertices.
  const std::vector<Element>& tets = model_.elements()->list();
  const std::vector<Patch>& patches = model_.elements()->patches().list();
  for (Eigen::Index k = 0; 6 * k < out.strain.size(); ++k) {
    VecX mean = VecX::Zero(w.rows());
    const auto add = [&](int v, double share) {
      if (v < w.cols()) mean += share * w.col(v);
    };
    if (const auto at = static_cast<size_t>(k); at < tets.size())
      for (int v : tets[at].v) add(v, 0.25);
    else
      add(patches[at - tets.size()].vertex, 1);
    for (size_t j = 0; j + 1 < turns.size(); ++j) {
      const State& end = turns[j].end;
      const Eigen::Index row = 2 * static_cast<Eigen::Index>(j);
      const auto change = [&](VecX State::*part) {
        return ((end.*part).segment<6>(6 * k) - (last.*part).segment<6>(6 * k)).eval();
      };
      const auto rate = change(&State::strain_rate);
      out.strain.segment<6>(6 * k) += mean[row] * change(&State::strain) + carries * mean[row + 1] * rate;
      out.strain_rate.segment<6>(6 * k) += mean[row] * rate;
    }
  }
  return out;
}

}  // namespace supple
