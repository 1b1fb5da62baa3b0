// Teleports: the run with a jump is the run without it, carried.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/mesh/rigid_fit.h"
#include "tests/support/beam.h"

namespace supple {

using test::beam_spec;

namespace {

constexpr double kFrame = 1.0 / 24;

RigidMotion five_metres() {
  RigidMotion m;
  m.R = Eigen::AngleAxisd(2, Vec3(0.3, 1, -0.2).normalized()).toRotationMatrix();
  m.from = Vec3(0.1, 0.2, 0);
  m.to = m.from + Vec3(3, 0, -4);
  return m;
}

// Points that sway, and from some times on do so elsewhere: the motion is carried once more at each of them.
class Jumping : public Track {
 public:
  Jumping(Points rest, std::vector<double> cuts) : rest_(std::move(rest)), cuts_(std::move(cuts)) {}
  int n_points() const override { return static_cast<int>(rest_.size()); }
  double duration() const override { return INFINITY; }
  std::vector<double> cuts() const override { return cuts_; }
  VecX at(double t, int derivative) const override {
    const double w = 9;
    const double f = derivative == 0   ? std::sin(w * t)
                     : derivative == 1 ? w * std::cos(w * t)
                                       : -w * w * std::sin(w * t);
    const RigidMotion jump = five_metres();
    VecX x(3 * static_cast<Eigen::Index>(rest_.size()));
    for (size_t i = 0; i < rest_.size(); ++i) {
      Vec3 p = 0.01 * f * Vec3(0, 1, 0.3);
      if (derivative == 0) p += rest_[i];
      for (double cut : cuts_)
        if (t >= cut) p = derivative == 0 ? jump(p) : Vec3(jump.R * p);
      x.segment<3>(3 * static_cast<Eigen::Index>(i)) = p;
    }
    return x;
  }

 private:
  Points rest_;
  std::vector<double> cuts_;
};

// A beam whose one end is driven; farther along it points hang on springs, and some are tied.
class Cuts : public ::testing::Test {
 protected:
  Cuts() {
    test::BeamOptions o;
    o.parameters.stiffness_damping = 0.003;
    ModelSpec spec = beam_spec(o);
    for (int v : spec.driven) driven_.push_back(spec.mesh.vertices[v]);
    for (const Tet& t : spec.mesh.tets) {
      Vec3 c = Vec3::Zero();
      for (int v : t) c += spec.mesh.vertices[v] / 4;
      if (c[0] > 0.1 && c[0] < 0.16) {
        spec.springs.push_back({t, Eigen::Vector4d::Constant(0.25)});
        pulled_.push_back(c);
      }
      if (c[0] > 0.2 && c[0] < 0.24 && tied_.empty()) {
        spec.ties.push_back({t, Eigen::Vector4d::Constant(0.25)});
        tied_.push_back(c);
      }
    }
    spec.spring_stiffness = 200;
    model_ = std::make_unique<Model>(spec);
  }

  Drive drive(std::vector<double> vertices, std::vector<double> springs, std::vector<double> ties) const {
    return {.vertices = std::make_shared<Jumping>(driven_, std::move(vertices)),
            .ties = std::make_shared<Jumping>(tied_, std::move(ties)),
            .springs = std::make_shared<Jumping>(pulled_, std::move(springs))};
  }
  // Steps that end at the given times.
  State run(const Drive& drive, const std::vector<double>& times) {
    Stepper stepper(*model_, drive, {.tolerance = 1e-11});
    const VecX zero = VecX::Zero(3 * model_->n_vertices());
    State s = stepper.start(0, zero, zero);
    cuts_ = 0;
    for (double t : times) cuts_ += stepper.step(s, t - s.t).cuts;
    return s;
  }
  // Worst distance of a vertex of `carried` from where the jumps have one of `plain`.
  double off(const State& carried, const State& plain, int jumps) const {
    double worst = 0;
    for (int i = 0; i < model_->n_vertices(); ++i) {
      const Vec3& rest = model_->mesh().vertices[i];
      Vec3 there = rest + plain.u.segment<3>(3 * i);
      for (int k = 0; k < jumps; ++k) there = five_metres()(there);
      worst = std::max(worst, (rest + carried.u.segment<3>(3 * i) - there).norm());
    }
    return worst;
  }
  // Frames, and other times among them.
  static std::vector<double> frames(std::vector<double> others = {}) {
    for (int f = 1; f <= 16; ++f) others.push_back(f * kFrame);
    std::sort(others.begin(), others.end());
    return others;
  }

  std::unique_ptr<Model> model_;
  Points driven_, pulled_, tied_;
  int cuts_ = 0;
};

}  // namespace

TEST_F(Cuts, AJumpThatSeveralTracksNameIsOne) {
  for (const double cut : {8 * kFrame, 8.3 * kFrame}) {
    const State plain =
        run(drive({}, {}, {}), frames(cut > 8 * kFrame ? std::vector<double>{cut} : std::vector<double>{}));
    EXPECT_EQ(cuts_, 0);
    // As clocks that were shifted say it: the last bits differ.
    const double same = cut * (1 + 3e-16);
    for (const auto& d : {drive({cut}, {cut}, {cut}), drive({same}, {cut}, {same})}) {
      const State jumped = run(d, frames());
      EXPECT_EQ(cuts_, 1);
      EXPECT_EQ(jumped.t, plain.t);
      EXPECT_LT(off(jumped, plain, 1), 1e-9) << cut;
      EXPECT_GT(plain.u.cwiseAbs().maxCoeff(), 1e-3);
    }
  }
}

TEST_F(Cuts, SeveralInAStepComeInTheirOrder) {
  const double one = 5.2 * kFrame, two = 5.7 * kFrame, three = 9 * kFrame;
  const State plain = run(drive({}, {}, {}), frames({one, two}));
  const std::vector<double> all = {one, two, three};
  const State jumped = run(drive(all, all, all), frames());
  EXPECT_EQ(cuts_, 3);
  EXPECT_LT(off(jumped, plain, 3), 1e-9);
}

// What jumps is what is driven, whichever track comes first.
TEST_F(Cuts, TracksWithoutPointsDoNotLead) {
  ModelSpec spec = model_->spec();
  spec.driven.clear();
  spec.ties.clear();
  model_ = std::make_unique<Model>(spec);
  const auto springs = [&](std::vector<double> cuts) {
    return Drive{.vertices = std::make_shared<Jumping>(Points(), cuts),
                 .springs = std::make_shared<Jumping>(pulled_, cuts)};
  };
  const double cut = 8.3 * kFrame;
  const State plain = run(springs({}), frames({cut}));
  const State jumped = run(springs({cut}), frames());
  EXPECT_EQ(cuts_, 1);
  EXPECT_LT(off(jumped, plain, 1), 1e-9);
}

}  // namespace supple
