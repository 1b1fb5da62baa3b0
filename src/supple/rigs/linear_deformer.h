// Deformers that add to each point a fixed combination of their parameters: lattices, cages, wires, blend shapes.
// Inside the room only.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/rigs/deformer.h"
#include "supple/rigs/deformers.h"

namespace supple {

// How much each point follows something: only those that do, ascending.
struct Following {
  std::vector<int> point;
  std::vector<double> weight;
};

// y_i = x_i + sum over parameters a of p_a w_ai d_a: weights of a following, along the parameter's direction.
class LinearDeformer final : public Deformer {
 public:
  struct Column {
    int following = 0;
    Vec3 direction = Vec3::UnitX();  // [m] for a change of 1
  };
  LinearDeformer(int n_points, std::vector<Following> followings, std::vector<Column> columns,
                 std::vector<RigParameter> parameters);

  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return n_points_; }
  bool adds_only() const override { return true; }
  void apply(const VecX& p, double t, VecX& x) const override;
  MatX columns(const VecX& p, double t, const VecX& x, const std::vector<int>& which) const override;
  std::shared_ptr<const Deformer> for_points(const std::vector<int>& points) const override;

 private:
  int n_points_;
  std::vector<Following> followings_;
  std::vector<Column> columns_;
  std::vector<RigParameter> parameters_;
};

// The same of those points alone, in this order.
Following pick(const Following& following, const std::vector<int>& points, int n_points);

// Control points as parameters along the axes of space. names: of each control point, "cage.7"; unit [m].
std::shared_ptr<const LinearDeformer> make_controls(int n_points, std::vector<Following> followings,
                                                    const std::vector<std::string>& names, const Axes& axes,
                                                    double unit);

// Those of a list that are chosen: all where none is named. InputError: out of range, or twice.
std::vector<int> chosen_controls(const std::string& name, const std::vector<int>& moved, int n);

}  // namespace supple
