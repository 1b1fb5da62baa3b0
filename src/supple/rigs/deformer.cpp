#include "supple/rigs/deformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/index.h"

namespace supple {

VecX Deformer::keyed(double) const {
  VecX p(static_cast<Eigen::Index>(parameters().size()));
  for (size_t a = 0; a < parameters().size(); ++a) p[static_cast<Eigen::Index>(a)] = parameters()[a].rest;
  return p;
}
void Deformer::push(const VecX&, double, MatX&) const {}
VecX Deformer::pull(const VecX&, double, const VecX& f) const { return f; }
MatX Deformer::curvature(const VecX&, double, const VecX&, const std::vector<int>& which, const VecX&) const {
  const auto n = static_cast<Eigen::Index>(which.size());
  return MatX::Zero(n, n);
}
MatX Deformer::mixed(const VecX&, double, const std::vector<int>& which, const MatX& tangents, const VecX&) const {
  return MatX::Zero(static_cast<Eigen::Index>(which.size()), tangents.cols());
}

DeformerStack::DeformerStack(const Points& rest, std::vector<std::shared_ptr<const Deformer>> deformers)
    : rest_(flatten(rest)), deformers_(std::move(deformers)), first_{0} {
  std::set<std::string> names;
  for (size_t k = 0; k < deformers_.size(); ++k) {
    if (deformers_[k]->n_points() != n_points()) {
      throw InputError({.place = fmt::format("deformer {}", k + 1)},
                       fmt::format("it is for {} points and the surface has {}", deformers_[k]->n_points(), n_points()),
                       "make all deformers of a rig for the same surface");
    }
    for (const RigParameter& parameter : deformers_[k]->parameters()) {
      if (!names.insert(parameter.name).second) {
        throw InputError({.place = fmt::format("deformer {}", k + 1)},
                         fmt::format("there are two parameters \"{}\"", parameter.name),
                         "give every deformer a name of its own");
      }
      parameters_.push_back(parameter);
    }
    first_.push_back(static_cast<int>(parameters_.size()));
  }
}

namespace {

// The parameters asked for of one deformer.
struct Share {
  std::vector<int> which;  // among those of the deformer
  std::vector<int> place;  // where they are in what was asked for
  VecX p;                  // all of the deformer
};

std::vector<Share> shares_of(const std::vector<int>& first, const VecX& p, const std::vector<int>& which) {
  std::vector<Share> shares(first.size() - 1);
  for (size_t k = 0; k < shares.size(); ++k) shares[k].p = p.segment(first[k], first[k + 1] - first[k]);
  for (size_t i = 0; i < which.size(); ++i) {
    expect(which[i] >= 0 && which[i] < first.back(), "a parameter that exists");
    const auto k = static_cast<size_t>(std::upper_bound(first.begin(), first.end(), which[i]) - first.begin()) - 1;
    shares[k].which.push_back(which[i] - first[k]);
    shares[k].place.push_back(static_cast<int>(i));
  }
  return shares;
}

// The first deformer of which anything is asked, and one past the last.
std::pair<size_t, size_t> span_of(const std::vector<Share>& shares) {
  size_t begin = 0, end = shares.size();
  while (begin < end && shares[begin].which.empty()) ++begin;
  while (end > begin && shares[end - 1].which.empty()) --end;
  return {begin, end};
}

MatX beside(MatX left, const MatX& right) {
  if (left.cols() == 0) return right;
  left.conservativeResize(Eigen::NoChange, left.cols() + right.cols());
  left.rightCols(right.cols()) = right;
  return left;
}

}  // namespace

VecX DeformerStack::evaluate(const VecX& p, double t) const {
  expect(p.size() == n_parameters(), "one value for each parameter");
  VecX x = rest_;
  for (size_t k = 0; k < deformers_.size(); ++k) {
    deformers_[k]->apply(p.segment(first_[k], first_[k + 1] - first_[k]), t, x);
  }
  return x;
}

VecX DeformerStack::keyed(double t) const {
  VecX p(n_parameters());
  for (size_t k = 0; k < deformers_.size(); ++k) {
    p.segment(first_[k], first_[k + 1] - first_[k]) = deformers_[k]->keyed(t);
  }
  return p;
}

// ds / dp_a of deformer k: its own column at the points as they come to it, pushed through all that follow.
MatX DeformerStack::jacobian(const VecX& p, double t, const std::vector<int>& which) const {
  expect(p.size() == n_parameters(), "one value for each parameter");
  const std::vector<Share> shares = shares_of(first_, p, which);
  const auto [begin, end] = span_of(shares);
  VecX x = rest_;
  MatX tangents(rest_.size(), 0);
  std::vector<int> order;  // of the columns so far, in what was asked for
  for (size_t k = 0; k < deformers_.size() && begin < end; ++k) {
    const Share& share = shares[k];
    if (tangents.cols() > 0) deformers_[k]->push(share.p, t, tangents);
    if (!share.which.empty()) {
      tangents = beside(std::move(tangents), deformers_[k]->columns(share.p, t, x, share.which));
      order.insert(order.end(), share.place.begin(), share.place.end());
    }
    // Later ones do not ask where the points are.
    if (k + 1 < end) deformers_[k]->apply(share.p, t, x);
  }
  if (std::is_sorted(order.begin(), order.end())) return tangents;
  MatX sorted(rest_.size(), tangents.cols());
  for (size_t i = 0; i < order.size(); ++i) sorted.col(order[i]) = tangents.col(static_cast<Eigen::Index>(i));
  return sorted;
}

// With f_k the forces pulled back to behind deformer k (f of the last, f_(k-1) = A_k^T f_k) and y_k the points there:
//   f . d^2 s / dp_a dp_b = f_k . d^2 y_k / dp_a dp_b            both of deformer k
//                         = f_k . (dA_k / dp_a) dy_(k-1) / dp_b  a of deformer k, b of one before
// as the y of each deformer is linear in what comes to it.
MatX DeformerStack::curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const {
  expect(p.size() == n_parameters() && f.size() == rest_.size(),
         "one value for each parameter and a force on every point");
  const auto n = static_cast<Eigen::Index>(which.size());
  MatX result = MatX::Zero(n, n);
  const std::vector<Share> shares = shares_of(first_, p, which);
  const auto [begin, end] = span_of(shares);
  if (begin == end) return result;

  std::vector<VecX> forces(deformers_.size());  // behind each from `begin` on
  forces.back() = f;
  for (size_t k = deformers_.size() - 1; k > begin; --k) forces[k - 1] = deformers_[k]->pull(shares[k].p, t, forces[k]);

  // Tangents are of use only up to the last deformer that turns or stretches them by parameters asked for.
  size_t last_mixing = begin;
  for (size_t k = begin + 1; k < end; ++k) {
    if (!shares[k].which.empty() && !deformers_[k]->adds_only()) last_mixing = k;
  }
  VecX x = rest_;
  MatX tangents(rest_.size(), 0);
  std::vector<int> order;
  for (size_t k = 0; k < end; ++k) {
    const Share& share = shares[k];
    const Deformer& deformer = *deformers_[k];
    if (!share.which.empty()) {
      const MatX own = deformer.curvature(share.p, t, x, share.which, forces[k]);
      for (size_t a = 0; a < share.place.size(); ++a) {
        for (size_t b = 0; b < share.place.size(); ++b) {
          result(share.place[a], share.place[b]) = own(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
        }
      }
      if (tangents.cols() > 0 && !deformer.adds_only()) {
        const MatX cross = deformer.mixed(share.p, t, share.which, tangents, forces[k]);
        for (size_t a = 0; a < share.place.size(); ++a) {
          for (size_t b = 0; b < order.size(); ++b) {
            const double value = cross(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
            result(share.place[a], order[b]) = result(order[b], share.place[a]) = value;
          }
        }
      }
    }
    if (k < last_mixing) {
      if (tangents.cols() > 0) deformer.push(share.p, t, tangents);
      if (!share.which.empty()) {
        tangents = beside(std::move(tangents), deformer.columns(share.p, t, x, share.which));
        order.insert(order.end(), share.place.begin(), share.place.end());
      }
    }
    if (k + 1 < end) deformer.apply(share.p, t, x);
  }
  return result;
}

std::shared_ptr<const RigMap> DeformerStack::for_points(const std::vector<int>& points) const {
  Points rest;
  for (int i : points) rest.push_back(rest_.segment<3>(3 * i));
  std::vector<std::shared_ptr<const Deformer>> deformers;
  for (const auto& deformer : deformers_) deformers.push_back(deformer->for_points(points));
  return std::make_shared<DeformerStack>(std::move(rest), std::move(deformers));
}

}  // namespace supple
