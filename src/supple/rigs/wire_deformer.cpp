#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/index.h"
#include "supple/base/parallel.h"
#include "supple/rigs/linear_deformer.h"
#include "supple/rigs/wire_curve.h"

namespace supple {

namespace {

// A point near a wire: y = c + R (x - c) with R by angle = sum of weights times twists, about the curve's direction
// through its nearest place c at rest.
struct Twisted {
  int point = 0;
  Vec3 centre, axis;
  std::vector<std::pair<int, double>> twists;  // parameters of the twist, and how much the point follows each
};

// Twisting, then dragging: the parameters of what drags, then those of what twists.
class WireDeformer final : public Deformer {
 public:
  WireDeformer(std::shared_ptr<const Deformer> drag, std::vector<RigParameter> parameters, std::vector<Twisted> twisted)
      : drag_(std::move(drag)), parameters_(std::move(parameters)), twisted_(std::move(twisted)) {}

  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return drag_->n_points(); }

  void apply(const VecX& p, double t, VecX& x) const override {
    for (const Twisted& w : twisted_) {
      const Vec3 arm = x.segment<3>(3 * w.point) - w.centre;
      x.segment<3>(3 * w.point) = w.centre + turn(w, p) * arm;
    }
    drag_->apply(p.head(n_drags()), t, x);
  }

  MatX columns(const VecX& p, double t, const VecX& x, const std::vector<int>& which) const override {
    const Split split = split_of(which);
    MatX result(x.size(), static_cast<Eigen::Index>(which.size()));
    const MatX drags = drag_->columns(p.head(n_drags()), t, x, split.drags);
    for (size_t c = 0; c < split.drag_place.size(); ++c) {
      result.col(split.drag_place[c]) = drags.col(static_cast<Eigen::Index>(c));
    }
    for (int c : split.twist_place) {
      if (c >= 0) result.col(c).setZero();
    }
    for (const Twisted& w : twisted_) {
      const Vec3 rate = w.axis.cross(turn(w, p) * (x.segment<3>(3 * w.point) - w.centre));
      for (const auto& [twist, weight] : w.twists) {
        const int c = split.twist_place[at(twist)];
        if (c >= 0) result.block<3, 1>(3 * w.point, c) = weight * rate;
      }
    }
    return result;
  }

  void push(const VecX& p, double, MatX& tangents) const override {
    std::vector<Mat3> turns;
    for (const Twisted& w : twisted_) turns.push_back(turn(w, p));
    parallel_for(static_cast<size_t>(tangents.cols()), 4, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) {
        auto column = tangents.col(static_cast<Eigen::Index>(c));
        for (size_t i = 0; i < twisted_.size(); ++i) {
          column.segment<3>(3 * twisted_[i].point) = (turns[i] * column.segment<3>(3 * twisted_[i].point)).eval();
        }
      }
    });
  }

  VecX pull(const VecX& p, double, const VecX& f) const override {
    VecX result = f;
    for (const Twisted& w : twisted_) {
      result.segment<3>(3 * w.point) = turn(w, p).transpose() * f.segment<3>(3 * w.point);
    }
    return result;
  }

  // Of twists only: d^2 R / d angle^2 = [axis]^2 R.
  MatX curvature(const VecX& p, double, const VecX& x, const std::vector<int>& which, const VecX& f) const override {
    const Split split = split_of(which);
    const auto n = static_cast<Eigen::Index>(which.size());
    MatX result = MatX::Zero(n, n);
    for (const Twisted& w : twisted_) {
      const Vec3 arm = turn(w, p) * (x.segment<3>(3 * w.point) - w.centre);
      const double bend = f.segment<3>(3 * w.point).dot(w.axis.cross(w.axis.cross(arm)));
      for (const auto& [first, first_weight] : w.twists) {
        const int a = split.twist_place[at(first)];
        if (a < 0) continue;
        for (const auto& [second, second_weight] : w.twists) {
          const int b = split.twist_place[at(second)];
          if (b >= 0) result(a, b) += first_weight * second_weight * bend;
        }
      }
    }
    return result;
  }

  MatX mixed(const VecX& p, double, const std::vector<int>& which, const MatX& tangents, const VecX& f) const override {
    const Split split = split_of(which);
    Points pulled;  // ([axis] R)^T f
    for (const Twisted& w : twisted_) {
      pulled.push_back(turn(w, p).transpose() * f.segment<3>(3 * w.point).cross(w.axis));
    }
    MatX result = MatX::Zero(static_cast<Eigen::Index>(which.size()), tangents.cols());
    parallel_for(static_cast<size_t>(tangents.cols()), 4, [&](size_t begin, size_t end) {
      for (auto c = static_cast<Eigen::Index>(begin); c < static_cast<Eigen::Index>(end); ++c) {
        for (size_t i = 0; i < twisted_.size(); ++i) {
          const double rate = pulled[i].dot(tangents.block<3, 1>(3 * twisted_[i].point, c));
          for (const auto& [twist, weight] : twisted_[i].twists) {
            const int a = split.twist_place[at(twist)];
            if (a >= 0) result(a, c) += weight * rate;
          }
        }
      }
    });
    return result;
  }

  std::shared_ptr<const Deformer> for_points(const std::vector<int>& points) const override {
    std::vector<int> place(at(n_points()), -1);
    for (size_t i = 0; i < twisted_.size(); ++i) place[at(twisted_[i].point)] = static_cast<int>(i);
    std::vector<Twisted> fewer;
    for (size_t i = 0; i < points.size(); ++i) {
      if (place[at(points[i])] < 0) continue;
      fewer.push_back(twisted_[at(place[at(points[i])])]);
      fewer.back().point = static_cast<int>(i);
    }
    return std::make_shared<WireDeformer>(drag_->for_points(points), parameters_, std::move(fewer));
  }

 private:
  Eigen::Index n_drags() const { return static_cast<Eigen::Index>(drag_->parameters().size()); }

  Mat3 turn(const Twisted& w, const VecX& p) const {
    double angle = 0;
    for (const auto& [twist, weight] : w.twists) angle += weight * p[n_drags() + twist];
    return Eigen::AngleAxisd(angle, w.axis).toRotationMatrix();
  }

  // Which columns of what is asked for are whose.
  struct Split {
    std::vector<int> drags, drag_place;
    std::vector<int> twist_place;  // of each twist; -1: not asked for
  };
  Split split_of(const std::vector<int>& which) const {
    Split split;
    split.twist_place.assign(parameters_.size() - drag_->parameters().size(), -1);
    for (size_t c = 0; c < which.size(); ++c) {
      const int twist = which[c] - static_cast<int>(n_drags());
      if (twist >= 0) {
        split.twist_place[at(twist)] = static_cast<int>(c);
      } else {
        split.drags.push_back(which[c]);
        split.drag_place.push_back(static_cast<int>(c));
      }
    }
    return split;
  }

  std::shared_ptr<const Deformer> drag_;
  std::vector<RigParameter> parameters_;
  std::vector<Twisted> twisted_;
};

void check_wire(const WireSpec& spec) {
  const std::string place = "wire " + spec.name;
  if (spec.points.size() < 2) {
    throw InputError({.place = place}, fmt::format("it has {} control points", spec.points.size()), "give 2 or more");
  }
  for (size_t i = 0; i + 1 < spec.points.size(); ++i) {
    if (spec.points[i] == spec.points[i + 1]) {
      throw InputError({.place = place}, fmt::format("its control points {} and {} are at one place", i, i + 1),
                       "leave one out");
    }
  }
  if (!(spec.radius > 0)) {
    throw InputError({.place = place}, fmt::format("its radius is {} m", spec.radius), "give a length above 0");
  }
}

}  // namespace

std::shared_ptr<const Deformer> make_wire(const WireSpec& spec, const Points& rest) {
  check_wire(spec);
  const WireCurve curve(spec.points);
  const std::vector<int> moved = chosen_controls("wire " + spec.name, spec.moved, curve.n_points());
  std::vector<int> number(spec.points.size(),
                          -1);  // of a control point, among those that are moved
  for (size_t k = 0; k < moved.size(); ++k) number[at(moved[k])] = static_cast<int>(k);

  std::vector<double> place(rest.size());
  parallel_for(rest.size(), 64, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) place[i] = curve.nearest(rest[i]);
  });
  std::vector<Following> followings(moved.size());
  std::vector<Twisted> twisted;
  for (size_t i = 0; i < rest.size(); ++i) {
    const WireCurve::Blend blend = curve.value(place[i]);
    const Vec3 centre = curve.at_blend(blend);
    const double share = (rest[i] - centre).squaredNorm() / (spec.radius * spec.radius);
    if (share >= 1) continue;
    const double fall = (1 - share) * (1 - share);
    Twisted twist{static_cast<int>(i), centre, curve.at_blend(curve.slope(place[i])).normalized(), {}};
    for (int k = 0; k < 4; ++k) {
      const int control = blend.first + k;
      const double weight = fall * blend.weight[at(k)];
      if (control < 0 || control >= curve.n_points() || number[at(control)] < 0 || weight == 0) continue;
      Following& following = followings[at(number[at(control)])];
      following.point.push_back(static_cast<int>(i));
      following.weight.push_back(weight);
      twist.twists.emplace_back(number[at(control)], weight);
    }
    if (spec.twist && !twist.twists.empty()) twisted.push_back(std::move(twist));
  }

  std::vector<std::string> names;
  for (int control : moved) names.push_back(fmt::format("{}.{}", spec.name, control));
  auto drag = make_controls(static_cast<int>(rest.size()), std::move(followings), names, spec.axes, spec.radius);
  if (!spec.twist) return drag;
  std::vector<RigParameter> parameters = drag->parameters();
  for (const std::string& name : names) parameters.push_back({name + ".twist", Quantity::angle, 0, 1});
  return std::make_shared<WireDeformer>(std::move(drag), std::move(parameters), std::move(twisted));
}

}  // namespace supple
