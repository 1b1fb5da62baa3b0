#include "supple/rigs/subspace.h"

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/linalg/dense.h"

namespace supple {
namespace {

// A mode and its negative are the same: the one whose largest entry is positive. Of entries that are as good as equal
// the first decides, so that rounding does not.
void turn_positive(MatX& V) {
  constexpr double kEqual = 1 - 1e-9;
  for (Eigen::Index k = 0; k < V.cols(); ++k) {
    const double largest = V.col(k).cwiseAbs().maxCoeff();
    Eigen::Index a = 0;
    while (std::abs(V(a, k)) < kEqual * largest) ++a;
    if (V(a, k) < 0) V.col(k) *= -1;
  }
}

// The r that brings U r nearest to d, both in units, for every d: r = N d.
MatX nearest_of(const MatX& U, const VecX& units) {
  if (U.cols() == 0) return MatX(0, U.rows());
  const VecX scale = units.cwiseInverse();
  const MatX V = scale.asDiagonal() * U;
  return least_squares(V, MatX(scale.asDiagonal()));
}

}  // namespace

ParameterModes learn_modes(const std::vector<std::string>& names, const MatX& samples, const VecX& units, int n) {
  expect(static_cast<Eigen::Index>(names.size()) == samples.cols() && units.size() == samples.cols(),
         "a name and a unit for each parameter");
  constexpr double kRank = 1e-12;  // of the largest singular value: less is rounding
  ParameterModes modes{names, MatX(samples.cols(), 0), units, VecX(), 0};
  const MatX scaled = samples * units.cwiseInverse().asDiagonal();
  if (scaled.size() == 0 || scaled.isZero(0)) return modes;

  const RightSingular svd = right_singular(scaled);
  const VecX energy = svd.values.cwiseAbs2();
  Eigen::Index kept = 0;
  while (kept < std::min<Eigen::Index>(n, energy.size()) && svd.values[kept] > kRank * svd.values[0]) ++kept;
  MatX V = svd.vectors.leftCols(kept);
  turn_positive(V);
  modes.U = units.asDiagonal() * V;
  modes.energy = energy.head(kept) / energy.sum();
  // By what is left itself: the small singular values are no better than rounding of the large ones.
  modes.left_out = (scaled - (scaled * V) * V.transpose()).norm() / scaled.norm();
  return modes;
}

MatX mode_amplitudes(const ParameterModes& modes, const MatX& samples) {
  return samples * nearest_of(modes.U, modes.units).transpose();
}

MatX scale_modes(const ParameterModes& modes, const MatX& samples, const std::vector<double>& scale) {
  MatX more = mode_amplitudes(modes, samples);
  for (Eigen::Index k = 0; k < more.cols(); ++k)
    more.col(k) *= (k < static_cast<Eigen::Index>(scale.size()) ? scale[static_cast<size_t>(k)] : 1) - 1;
  return samples + more * modes.U.transpose();
}

SubspaceRig::SubspaceRig(std::shared_ptr<const RigMap> rig, const ParameterModes& modes, const std::string& prefix,
                         std::function<VecX(double t)> about)
    : rig_(std::move(rig)), U_(modes.U), rest_(rig_->rest()), about_(std::move(about)) {
  std::vector<std::string> names;
  for (const RigParameter& p : rig_->parameters()) names.push_back(p.name);
  VecX units(U_.rows());
  for (const std::string& name : modes.parameters) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string near = nearest_word(name, names.data(), names.data() + names.size());
      throw InputError({}, "the modes are of a parameter \"" + name + "\" that the rig does not have",
                       near.empty() ? "learn them from curves of this rig" : "did you mean \"" + near + "\"?");
    }
    units[static_cast<Eigen::Index>(replaced_.size())] =
        rig_->parameters()[static_cast<size_t>(found - names.begin())].unit;
    replaced_.push_back(static_cast<int>(found - names.begin()));
  }
  for (int a = 0; a < rig_->n_parameters(); ++a)
    if (std::find(replaced_.begin(), replaced_.end(), a) == replaced_.end()) {
      kept_.push_back(a);
      parameters_.push_back(rig_->parameters()[static_cast<size_t>(a)]);
    }
  for (int k = 0; k < modes.n_modes(); ++k) {
    const std::string name = prefix + "." + std::to_string(k + 1);
    if (std::any_of(kept_.begin(), kept_.end(), [&](int a) { return names[static_cast<size_t>(a)] == name; }))
      throw InputError({}, "the rig has a parameter \"" + name + "\" already", "give the modes another name");
    parameters_.push_back({name, Quantity::factor, 0, 1});  // in units, U is orthonormal
  }
  nearest_ = nearest_of(U_, units);
}

VecX SubspaceRig::expand(const VecX& p, double t) const {
  const auto n = static_cast<Eigen::Index>(kept_.size());
  VecX full = about(t);
  for (Eigen::Index i = 0; i < n; ++i) full[kept_[static_cast<size_t>(i)]] = p[i];
  const VecX change = U_ * p.tail(p.size() - n);
  for (size_t i = 0; i < replaced_.size(); ++i) full[replaced_[i]] += change[static_cast<Eigen::Index>(i)];
  return full;
}

VecX SubspaceRig::reduce(const VecX& p, double t) const {
  const VecX from = about(t);
  const auto n = static_cast<Eigen::Index>(kept_.size());
  VecX change(static_cast<Eigen::Index>(replaced_.size()));
  for (size_t i = 0; i < replaced_.size(); ++i)
    change[static_cast<Eigen::Index>(i)] = p[replaced_[i]] - from[replaced_[i]];
  VecX reduced(n + U_.cols());
  for (Eigen::Index i = 0; i < n; ++i) reduced[i] = p[kept_[static_cast<size_t>(i)]];
  reduced.tail(U_.cols()) = nearest_ * change;
  return reduced;
}

VecX SubspaceRig::evaluate(const VecX& p, double t) const { return rig_->evaluate(expand(p, t), t); }
VecX SubspaceRig::keyed(double t) const { return reduce(rig_->keyed(t), t); }

SubspaceRig::Chain SubspaceRig::chain(const std::vector<int>& which) const {
  const int n = static_cast<int>(kept_.size());
  Chain c;
  std::vector<std::pair<int, int>> ones;  // row, column of kept parameters
  for (size_t i = 0; i < which.size(); ++i)
    if (which[i] < n) {
      ones.emplace_back(static_cast<int>(c.changed.size()), static_cast<int>(i));
      c.changed.push_back(kept_[static_cast<size_t>(which[i])]);
    }
  const auto first = static_cast<Eigen::Index>(c.changed.size());
  if (c.changed.size() < which.size()) c.changed.insert(c.changed.end(), replaced_.begin(), replaced_.end());
  c.by = MatX::Zero(static_cast<Eigen::Index>(c.changed.size()), static_cast<Eigen::Index>(which.size()));
  for (const auto& [row, column] : ones) c.by(row, column) = 1;
  for (size_t i = 0; i < which.size(); ++i)
    if (which[i] >= n) c.by.col(static_cast<Eigen::Index>(i)).tail(c.by.rows() - first) = U_.col(which[i] - n);
  return c;
}

MatX SubspaceRig::jacobian(const VecX& p, double t, const std::vector<int>& which) const {
  const Chain c = chain(which);
  return rig_->jacobian(expand(p, t), t, c.changed) * c.by;
}

MatX SubspaceRig::curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const {
  const Chain c = chain(which);
  return c.by.transpose() * rig_->curvature(expand(p, t), t, c.changed, f) * c.by;
}

std::shared_ptr<const RigMap> SubspaceRig::for_points(const std::vector<int>& points) const {
  std::shared_ptr<const RigMap> some = rig_->for_points(points);
  if (!some) return nullptr;
  auto copy = std::make_shared<SubspaceRig>(*this);
  copy->rig_ = std::move(some);
  return copy;
}

}  // namespace supple
