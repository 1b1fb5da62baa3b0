#include <fmt/format.h>

#include "supple/base/error.h"
#include "supple/base/index.h"
#include "supple/base/parallel.h"
#include "supple/rigs/deformers.h"

namespace supple {

namespace {

// y_i = x_i + sum over shapes of p_a offset_ai.
class BlendDeformer final : public Deformer {
 public:
  struct Shape {  // the points that it moves
    std::vector<int> point;
    Points offset;
  };
  BlendDeformer(int n_points, std::vector<Shape> shapes, std::vector<RigParameter> parameters)
      : n_points_(n_points), shapes_(std::move(shapes)), parameters_(std::move(parameters)) {}

  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return n_points_; }
  bool adds_only() const override { return true; }

  void apply(const VecX& p, double, VecX& x) const override {
    for (size_t a = 0; a < shapes_.size(); ++a) {
      const double weight = p[static_cast<Eigen::Index>(a)];
      if (weight == 0) continue;
      const Shape& shape = shapes_[a];
      for (size_t i = 0; i < shape.point.size(); ++i) x.segment<3>(3 * shape.point[i]) += weight * shape.offset[i];
    }
  }

  MatX columns(const VecX&, double, const VecX&, const std::vector<int>& which) const override {
    MatX result = MatX::Zero(3 * n_points_, static_cast<Eigen::Index>(which.size()));
    parallel_for(which.size(), 8, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) {
        const Shape& shape = shapes_[at(which[c])];
        for (size_t i = 0; i < shape.point.size(); ++i) {
          result.block<3, 1>(3 * shape.point[i], static_cast<Eigen::Index>(c)) = shape.offset[i];
        }
      }
    });
    return result;
  }

  std::shared_ptr<const Deformer> for_points(const std::vector<int>& points) const override {
    std::vector<Shape> fewer(shapes_.size());
    for (size_t a = 0; a < shapes_.size(); ++a) {
      std::vector<int> place(at(n_points_), -1);
      for (size_t i = 0; i < shapes_[a].point.size(); ++i) place[at(shapes_[a].point[i])] = static_cast<int>(i);
      for (size_t i = 0; i < points.size(); ++i) {
        if (place[at(points[i])] < 0) continue;
        fewer[a].point.push_back(static_cast<int>(i));
        fewer[a].offset.push_back(shapes_[a].offset[at(place[at(points[i])])]);
      }
    }
    return std::make_shared<BlendDeformer>(static_cast<int>(points.size()), std::move(fewer), parameters_);
  }

 private:
  int n_points_;
  std::vector<Shape> shapes_;
  std::vector<RigParameter> parameters_;
};

}  // namespace

std::shared_ptr<const Deformer> make_blend(const std::string& name, const std::vector<BlendShape>& shapes,
                                           const Points& rest) {
  std::vector<BlendDeformer::Shape> kept;
  std::vector<RigParameter> parameters;
  for (const BlendShape& shape : shapes) {
    if (shape.offsets.size() != rest.size()) {
      throw InputError({.place = fmt::format("blend shape {}.{}", name, shape.name)},
                       fmt::format("it has {} offsets for {} points", shape.offsets.size(), rest.size()),
                       "give every point an offset");
    }
    BlendDeformer::Shape moved;
    for (size_t i = 0; i < rest.size(); ++i) {
      if (shape.offsets[i].isZero(0)) continue;
      moved.point.push_back(static_cast<int>(i));
      moved.offset.push_back(shape.offsets[i]);
    }
    kept.push_back(std::move(moved));
    parameters.push_back({fmt::format("{}.{}", name, shape.name), Quantity::factor, 0, 1});
  }
  return std::make_shared<BlendDeformer>(static_cast<int>(rest.size()), std::move(kept), std::move(parameters));
}

}  // namespace supple
