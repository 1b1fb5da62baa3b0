#include "supple/rigs/linear_deformer.h"

#include <fmt/format.h>

#include <numeric>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/index.h"
#include "supple/base/parallel.h"

namespace supple {

LinearDeformer::LinearDeformer(int n_points, std::vector<Following> followings, std::vector<Column> columns,
                               std::vector<RigParameter> parameters)
    : n_points_(n_points),
      followings_(std::move(followings)),
      columns_(std::move(columns)),
      parameters_(std::move(parameters)) {
  expect(columns_.size() == parameters_.size(), "one column for each parameter");
}

void LinearDeformer::apply(const VecX& p, double, VecX& x) const {
  // What each following adds, of all its parameters together.
  std::vector<Vec3> offset(followings_.size(), Vec3::Zero());
  for (size_t a = 0; a < columns_.size(); ++a) {
    offset[at(columns_[a].following)] += p[static_cast<Eigen::Index>(a)] * columns_[a].direction;
  }
  for (size_t k = 0; k < followings_.size(); ++k) {
    if (offset[k].isZero(0)) continue;
    const Following& following = followings_[k];
    for (size_t i = 0; i < following.point.size(); ++i) {
      x.segment<3>(3 * following.point[i]) += following.weight[i] * offset[k];
    }
  }
}

MatX LinearDeformer::columns(const VecX&, double, const VecX&, const std::vector<int>& which) const {
  MatX result = MatX::Zero(3 * n_points_, static_cast<Eigen::Index>(which.size()));
  parallel_for(which.size(), 8, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) {
      const Column& column = columns_[at(which[c])];
      const Following& following = followings_[at(column.following)];
      for (size_t i = 0; i < following.point.size(); ++i) {
        result.block<3, 1>(3 * following.point[i], static_cast<Eigen::Index>(c)) =
            following.weight[i] * column.direction;
      }
    }
  });
  return result;
}

Following pick(const Following& following, const std::vector<int>& points, int n_points) {
  std::vector<double> weight(at(n_points), 0);
  for (size_t i = 0; i < following.point.size(); ++i) weight[at(following.point[i])] = following.weight[i];
  Following picked;
  for (size_t i = 0; i < points.size(); ++i) {
    if (weight[at(points[i])] == 0) continue;
    picked.point.push_back(static_cast<int>(i));
    picked.weight.push_back(weight[at(points[i])]);
  }
  return picked;
}

std::shared_ptr<const Deformer> LinearDeformer::for_points(const std::vector<int>& points) const {
  std::vector<Following> followings;
  for (const Following& following : followings_) followings.push_back(pick(following, points, n_points_));
  return std::make_shared<LinearDeformer>(static_cast<int>(points.size()), std::move(followings), columns_,
                                          parameters_);
}

std::shared_ptr<const LinearDeformer> make_controls(int n_points, std::vector<Following> followings,
                                                    const std::vector<std::string>& names, const Axes& axes,
                                                    double unit) {
  std::vector<LinearDeformer::Column> columns;
  std::vector<RigParameter> parameters;
  for (size_t k = 0; k < names.size(); ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      if (!(axis == 0 ? axes.x : axis == 1 ? axes.y : axes.z)) continue;
      columns.push_back({static_cast<int>(k), Vec3::Unit(axis)});
      parameters.push_back({fmt::format("{}.{}", names[k], "xyz"[axis]), Quantity::length, 0, unit});
    }
  }
  return std::make_shared<LinearDeformer>(n_points, std::move(followings), std::move(columns), std::move(parameters));
}

std::vector<int> chosen_controls(const std::string& name, const std::vector<int>& moved, int n) {
  std::vector<int> chosen(at(n));
  std::iota(chosen.begin(), chosen.end(), 0);
  if (moved.empty()) return chosen;
  std::vector<char> seen(at(n), 0);
  for (int k : moved) {
    if (k < 0 || k >= n) {
      throw InputError({.place = name}, fmt::format("control point {} is not there", k),
                       fmt::format("choose of 0 to {}", n - 1));
    }
    if (seen[at(k)]++) throw InputError({.place = name}, fmt::format("control point {} is chosen twice", k));
  }
  return moved;
}

}  // namespace supple
