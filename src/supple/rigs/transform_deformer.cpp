#include <fmt/format.h>

#include <array>

#include "supple/base/index.h"
#include "supple/base/parallel.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/rigs/deformers.h"
#include "supple/rigs/rotations.h"

namespace supple {

namespace {

using ManyPoints = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>>;

ManyPoints as_points(const double* flat, Eigen::Index size) { return {flat, 3, size / 3}; }

// sum of the products of the entries.
double inner(const Mat3& a, const Mat3& b) { return (a.array() * b.array()).sum(); }

// y = c + T + A (x - c), A = R(w) S: the same for all points. With G = sum of f_i (x_i - c)^T every contraction of
// derivatives of A with f is one of 3 x 3 matrices.
class TransformDeformer final : public Deformer {
 public:
  enum class Kind { translation, rotation, scale, uniform_scale };
  struct Parameter {
    Kind kind;
    int axis;
  };
  TransformDeformer(int n_points, const Vec3& pivot, std::vector<Parameter> kinds, std::vector<RigParameter> parameters)
      : n_points_(n_points), pivot_(pivot), kinds_(std::move(kinds)), parameters_(std::move(parameters)) {}

  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return n_points_; }

  void apply(const VecX& p, double, VecX& x) const override {
    const Here here = at_parameters(p);
    const Mat3 A = here.turn.R * here.scale.asDiagonal();
    const Vec3 offset = pivot_ + here.translation;
    for (Eigen::Index i = 0; i < x.size(); i += 3) x.segment<3>(i) = A * (x.segment<3>(i) - pivot_) + offset;
  }

  MatX columns(const VecX& p, double, const VecX& x, const std::vector<int>& which) const override {
    const Here here = at_parameters(p);
    MatX result(x.size(), static_cast<Eigen::Index>(which.size()));
    parallel_for(which.size(), 1, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) {
        const Parameter& a = kinds_[at(which[c])];
        auto column = result.col(static_cast<Eigen::Index>(c));
        if (a.kind == Kind::translation) {
          for (Eigen::Index i = 0; i < x.size(); i += 3) column.segment<3>(i) = Vec3::Unit(a.axis);
        } else {
          const Mat3 dA = slope(here, a);
          for (Eigen::Index i = 0; i < x.size(); i += 3) column.segment<3>(i) = dA * (x.segment<3>(i) - pivot_);
        }
      }
    });
    return result;
  }

  void push(const VecX& p, double, MatX& tangents) const override {
    const Here here = at_parameters(p);
    const Mat3 A = here.turn.R * here.scale.asDiagonal();
    parallel_for(static_cast<size_t>(tangents.cols()), 4, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) {
        auto column = tangents.col(static_cast<Eigen::Index>(c));
        for (Eigen::Index i = 0; i < column.size(); i += 3) column.segment<3>(i) = (A * column.segment<3>(i)).eval();
      }
    });
  }

  VecX pull(const VecX& p, double, const VecX& f) const override {
    const Here here = at_parameters(p);
    const Mat3 transposed = here.scale.asDiagonal() * here.turn.R.transpose();
    VecX result(f.size());
    for (Eigen::Index i = 0; i < f.size(); i += 3) result.segment<3>(i) = transposed * f.segment<3>(i);
    return result;
  }

  MatX curvature(const VecX& p, double, const VecX& x, const std::vector<int>& which, const VecX& f) const override {
    const Here here = at_parameters(p);
    const Mat3 G = as_points(f.data(), f.size()) * (as_points(x.data(), x.size()).colwise() - pivot_).transpose();
    const auto n = static_cast<Eigen::Index>(which.size());
    MatX result(n, n);
    for (Eigen::Index a = 0; a < n; ++a) {
      for (Eigen::Index b = 0; b <= a; ++b) {
        result(a, b) = result(b, a) = inner(
            second_slope(here, kinds_[at(which[static_cast<size_t>(a)])], kinds_[at(which[static_cast<size_t>(b)])]),
            G);
      }
    }
    return result;
  }

  MatX mixed(const VecX& p, double, const std::vector<int>& which, const MatX& tangents, const VecX& f) const override {
    const Here here = at_parameters(p);
    std::vector<Mat3> slopes;
    for (int a : which) slopes.push_back(slope(here, kinds_[at(a)]));
    MatX result(static_cast<Eigen::Index>(which.size()), tangents.cols());
    parallel_for(static_cast<size_t>(tangents.cols()), 4, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) {
        const auto column = static_cast<Eigen::Index>(c);
        const Mat3 G = as_points(f.data(), f.size()) *
                       as_points(tangents.data() + column * tangents.rows(), tangents.rows()).transpose();
        for (size_t a = 0; a < slopes.size(); ++a) result(static_cast<Eigen::Index>(a), column) = inner(slopes[a], G);
      }
    });
    return result;
  }

  std::shared_ptr<const Deformer> for_points(const std::vector<int>& points) const override {
    return std::make_shared<TransformDeformer>(static_cast<int>(points.size()), pivot_, kinds_, parameters_);
  }

 private:
  struct Here {
    Vec3 translation = Vec3::Zero(), scale = Vec3::Ones();
    RotationDerivatives turn;
  };
  Here at_parameters(const VecX& p) const {
    Here here;
    Vec3 w = Vec3::Zero();
    for (size_t a = 0; a < kinds_.size(); ++a) {
      const double value = p[static_cast<Eigen::Index>(a)];
      const int axis = kinds_[a].axis;
      switch (kinds_[a].kind) {
        case Kind::translation:
          here.translation[axis] = value;
          break;
        case Kind::rotation:
          w[axis] = value;
          break;
        case Kind::scale:
          here.scale[axis] = value;
          break;
        case Kind::uniform_scale:
          here.scale.setConstant(value);
          break;
      }
    }
    here.turn = exponential(w);
    return here;
  }

  static bool scales(const Parameter& a) { return a.kind == Kind::scale || a.kind == Kind::uniform_scale; }
  // dS / dp of a parameter that scales.
  static Vec3 scale_slope(const Parameter& a) {
    return a.kind == Kind::scale ? Vec3(Vec3::Unit(a.axis)) : Vec3(Vec3::Ones());
  }
  static Mat3 slope(const Here& here, const Parameter& a) {
    if (a.kind == Kind::rotation) return here.turn.d[at(a.axis)] * here.scale.asDiagonal();
    if (scales(a)) return here.turn.R * scale_slope(a).asDiagonal();
    return Mat3::Zero();
  }
  static Mat3 second_slope(const Here& here, const Parameter& a, const Parameter& b) {
    if (a.kind == Kind::rotation && b.kind == Kind::rotation) {
      return here.turn.dd[second_of(a.axis, b.axis)] * here.scale.asDiagonal();
    }
    if (a.kind == Kind::rotation && scales(b)) return here.turn.d[at(a.axis)] * scale_slope(b).asDiagonal();
    if (b.kind == Kind::rotation && scales(a)) return second_slope(here, b, a);
    return Mat3::Zero();
  }

  int n_points_;
  Vec3 pivot_;
  std::vector<Parameter> kinds_;
  std::vector<RigParameter> parameters_;
};

}  // namespace

std::shared_ptr<const Deformer> make_transform(const TransformSpec& spec, const Points& rest) {
  using Kind = TransformDeformer::Kind;
  std::vector<TransformDeformer::Parameter> kinds;
  std::vector<RigParameter> parameters;
  const auto add = [&](Kind kind, const char* word, Quantity quantity, double value, double unit) {
    for (int axis = 0; axis < 3; ++axis) {
      kinds.push_back({kind, axis});
      parameters.push_back({fmt::format("{}.{}.{}", spec.name, word, "xyz"[axis]), quantity, value, unit});
    }
  };
  const double size = longest_side(rest) > 0 ? longest_side(rest) / 2 : 1;
  if (spec.translation) add(Kind::translation, "translation", Quantity::length, 0, size);
  if (spec.rotation) add(Kind::rotation, "rotation", Quantity::angle, 0, 1);
  if (spec.scale && !spec.uniform_scale) add(Kind::scale, "scale", Quantity::factor, 1, 1);
  if (spec.uniform_scale) {
    kinds.push_back({Kind::uniform_scale, 0});
    parameters.push_back({spec.name + ".scale", Quantity::factor, 1, 1});
  }
  return std::make_shared<TransformDeformer>(static_cast<int>(rest.size()), spec.pivot, std::move(kinds),
                                             std::move(parameters));
}

}  // namespace supple
