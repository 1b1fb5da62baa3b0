#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/rigspace/bounded_fit.h"
#include "supple/rigspace/material_fit.h"
#include "supple/rigspace/rig_stiffness.h"
#include "supple/sim/static_solver.h"

namespace supple {
namespace {

// Numbers that look random, the same everywhere.
class Numbers {
 public:
  double next() {  // in (-1, 1)
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(static_cast<int64_t>(state_) >> 11) / 4503599627370496.0;
  }
  MatX matrix(int rows, int columns) {
    MatX A(rows, columns);
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i) A(i, j) = next();
    return A;
  }

 private:
  uint64_t state_ = 1;
};

// Every set of columns at the bound is tried.
VecX brute_force(const MatX& A, const VecX& b, double ridge, const VecX& prior, double low) {
  const auto n = static_cast<int>(A.cols());
  double least = std::numeric_limits<double>::infinity();
  VecX best;
  for (int set = 0; set < 1 << n; ++set) {
    MatX N = A.transpose() * A + ridge * MatX::Identity(n, n);
    VecX r = A.transpose() * b + ridge * prior;
    for (int e = 0; e < n; ++e)
      if (set >> e & 1) {
        r -= N.col(e) * low;
        N.row(e).setZero(), N.col(e).setZero();
        N(e, e) = 1, r[e] = 0;
      }
    for (int e = 0; e < n; ++e)
      if (set >> e & 1) r[e] = low;
    const VecX x = N.llt().solve(r);
    const double value = (A * x - b).squaredNorm() + ridge * (x - prior).squaredNorm();
    if (x.minCoeff() >= low - 1e-12 && value < least) least = value, best = x;
  }
  return best;
}

TEST(BoundedFit, FindsWhatTryingAllSetsFinds) {
  Numbers numbers;
  int at_bound = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const int rows = 2 + trial % 6;  // fewer and more than columns
    const MatX A = numbers.matrix(rows, 8 - trial % 5);
    const VecX b = 3 * numbers.matrix(rows, 1), prior = numbers.matrix(static_cast<int>(A.cols()), 1);
    const double ridge = trial % 2 ? 1e-3 : 0.3, low = trial % 3 ? 0 : 0.2;
    const BoundedFit fit = bounded_least_squares(A, b, ridge, prior, VecX::Constant(A.cols(), low), 100);
    ASSERT_TRUE(fit.converged) << trial;
    EXPECT_LT((fit.x - brute_force(A, b, ridge, prior, low)).norm(), 1e-8) << trial;
    at_bound += static_cast<int>((fit.x.array() == low).count());
  }
  EXPECT_GT(at_bound, 20);
}

TEST(BoundedFit, MeetsTheConditionsOfAnOptimum) {
  Numbers numbers;
  const MatX A = numbers.matrix(40, 600).cwiseAbs() + numbers.matrix(40, 600) / 2;
  const VecX b = 10 * numbers.matrix(40, 1) + VecX::Constant(40, 100), prior = VecX::Ones(600);
  constexpr double ridge = 1e-2, low = 0.05;
  const VecX bound = VecX::Constant(600, low);
  const BoundedFit fit = bounded_least_squares(A, b, ridge, prior, bound, 100);
  ASSERT_TRUE(fit.converged);
  const VecX gradient = A.transpose() * (A * fit.x - b) + ridge * (fit.x - prior);
  int at_bound = 0;
  for (int e = 0; e < 600; ++e) {
    EXPECT_GE(fit.x[e], low);
    if (fit.x[e] > low)
      EXPECT_NEAR(gradient[e], 0, 1e-8) << e;
    else
      EXPECT_GT(gradient[e], -1e-8) << e;
    at_bound += fit.x[e] == low;
  }
  EXPECT_GT(at_bound, 50);
  EXPECT_LT(at_bound, 550);
  EXPECT_FALSE(bounded_least_squares(A, b, ridge, prior, bound, 1).converged);
}

// A bar from x = -1/2 to 1/2, its tets the mirror image of one another.
TetMesh mirrored_bar(int cells) {
  const TetMesh half = make_box(4 * cells, cells, cells, Vec3(0.5, 0.12, 0.12), Vec3(0, -0.06, -0.06));
  TetMesh bar = half;
  std::vector<int> image(half.vertices.size());
  for (size_t v = 0; v < half.vertices.size(); ++v) {
    const Vec3& x = half.vertices[v];
    image[v] = static_cast<int>(v);
    if (x.x() < 1e-9) continue;
    image[v] = bar.n_vertices();
    bar.vertices.emplace_back(-x.x(), x.y(), x.z());
  }
  for (const Tet& t : half.tets) bar.tets.push_back({image[t[0]], image[t[2]], image[t[1]], image[t[3]]});
  return bar;
}

// A rig of bending, for small angles: every parameter shifts points by a function of its own.
class BendingRig final : public RigMap {
 public:
  struct Mode {
    std::string name;
    std::function<Vec3(const Vec3& x, double value)> shift;
  };
  BendingRig(Points rest, std::vector<Mode> modes) : rest_(std::move(rest)), modes_(std::move(modes)) {
    for (const Mode& m : modes_) parameters_.push_back({m.name, Quantity::angle, 0, 0.5});
  }
  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return static_cast<int>(rest_.size()); }
  VecX evaluate(const VecX& p, double) const override {
    Points x = rest_;
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t a = 0; a < modes_.size(); ++a) x[i] += modes_[a].shift(rest_[i], p[static_cast<Eigen::Index>(a)]);
    return flatten(x);
  }

 private:
  Points rest_;
  std::vector<Mode> modes_;
  std::vector<RigParameter> parameters_;
};

// A joint at `at` of `width`: beyond it the bar is turned by the angle, within it curved evenly. side: -1 or 1.
Vec3 joint(const Vec3& x, double side, double at, double width) {
  const double s = std::clamp((side * x.x() - at) / width + 0.5, 0.0, 1.0), beyond = side * x.x() - at - width / 2;
  const double slope = s, rise = width * s * s / 2 + std::max(beyond, 0.0);
  return {-side * x.y() * slope, rise, 0};
}

// Figure 3: p1 and p4 bend the outermost joints, p2 and p3 the two joints of a side.
struct Figure3 {
  static constexpr double kInner = 0.15, kOuter = 0.35, kWidth = 0.16;  // [m]
  TetMesh mesh;
  std::vector<int> free = {0, 1, 2, 3};
  std::unique_ptr<RigBody> body;
  static std::vector<BendingRig::Mode> modes() {
    const auto outer = [](double side) {
      return [side](const Vec3& x, double p) -> Vec3 { return p * joint(x, side, kOuter, kWidth); };
    };
    const auto both = [](double side) {
      return [side](const Vec3& x, double p) -> Vec3 {
        return p * (joint(x, side, kOuter, kWidth) + joint(x, side, kInner, kWidth));
      };
    };
    return {{"p1", outer(-1)}, {"p2", both(-1)}, {"p3", both(1)}, {"p4", outer(1)}};
  }
  explicit Figure3(const std::vector<BendingRig::Mode>& all = modes(), int cells = 2) : mesh(mirrored_bar(cells)) {
    RigBodySpec spec;
    spec.model.mesh = mesh;
    spec.model.per_tet.assign(mesh.tets.size(), {.youngs_modulus = 1e5, .poisson_ratio = 0.4});
    Points surface;
    for (size_t v = 0; v < mesh.vertices.size(); ++v) {
      const Vec3& x = mesh.vertices[v];
      if (std::abs(x.x()) < 0.499 && std::abs(x.y()) < 0.059 && std::abs(x.z()) < 0.059) continue;
      spec.rigged.push_back(static_cast<int>(v));
      surface.push_back(x);
    }
    spec.map = identity_map(static_cast<int>(surface.size()));
    body = std::make_unique<RigBody>(spec, std::make_shared<BendingRig>(surface, all));
    EXPECT_GT(body->n_interior(), 10);
  }
  MaterialFit fit(const VecX& scale, MaterialFitOptions options = {}) const {
    return fit_materials(*body, free, scale, options);
  }
  // Mean of a field over the tets of one joint.
  double at_joint(const std::vector<double>& field, double side, double at) const {
    double sum = 0, n = 0;
    for (size_t e = 0; e < field.size(); ++e) {
      Vec3 centre = Vec3::Zero();
      for (int v : mesh.tets[e]) centre += mesh.vertices[static_cast<size_t>(v)] / 4;
      if (std::abs(side * centre.x() - at) < kWidth / 2) sum += field[e], ++n;
    }
    return sum / n;
  }
};

// Energy with the interior in equilibrium.
double relaxed_energy(const RigBody& body, const VecX& p) {
  const VecX u_d = body.rigged_displacement(p, 0);
  VecX where(3 * static_cast<Eigen::Index>(body.rigged().size()));
  for (size_t k = 0; k < body.rigged().size(); ++k)
    where.segment<3>(3 * static_cast<Eigen::Index>(k)) =
        body.model().mesh().vertices[static_cast<size_t>(body.rigged()[k])] + u_d.segment<3>(3 * body.rigged()[k]);
  Drive drive;
  drive.vertices = make_function_track(static_cast<int>(body.rigged().size()), [&](double, int derivative) -> VecX {
    return derivative ? VecX::Zero(where.size()) : where;
  });
  StaticSolver solver(body.model(), drive, "auto", 1e-11, false);
  const StaticSolver::Result result = solver.solve(0, VecX());
  EXPECT_TRUE(result.converged);
  return body.model().make_elastic()->elastic_energy(result.u);
}

TEST(RigStiffness, SharesSumToTheCurvatureOfTheEnergy) {
  const Figure3 bar;
  const RigStiffness H = rig_stiffness(*bar.body, bar.free, {}, VecX(), 0);
  ASSERT_EQ(H.felt.size(), 4u);
  ASSERT_TRUE(H.balanced);
  constexpr double h = 1e-3;
  const double rest = relaxed_energy(*bar.body, VecX::Zero(4));
  const auto energy = [&](double p3, double p4) { return relaxed_energy(*bar.body, VecX{{0, 0, p3, p4}}); };
  const double H33 = (energy(h, 0) - 2 * rest + energy(-h, 0)) / (h * h);
  const double H34 = (energy(h, h) - energy(h, -h) - energy(-h, h) + energy(-h, -h)) / (4 * h * h);
  EXPECT_GT(H33, 1e-3);
  EXPECT_NEAR(H.diagonal[2], H33, 1e-3 * H33);
  for (size_t row = 0; row < H.pairs.size(); ++row) {
    const double sum = H.shares.row(static_cast<Eigen::Index>(row)).sum();
    if (H.pairs[row].first == H.pairs[row].second) {
      EXPECT_NEAR(sum, 1, 1e-12);
    }
    if (H.pairs[row] == std::pair(3, 2)) {
      EXPECT_NEAR(sum / std::sqrt(2) * std::sqrt(H.diagonal[2] * H.diagonal[3]), H34, 1e-3 * H34);
    }
  }
  // Left and right alike.
  EXPECT_NEAR(H.diagonal[0], H.diagonal[3], 1e-9 * H.diagonal[0]);
  EXPECT_NEAR(H.diagonal[1], H.diagonal[2], 1e-9 * H.diagonal[1]);
}

TEST(MaterialFit, TheSameOfAllIsTheSameEverywhere) {
  const Figure3 bar;
  for (double k : {0.25, 1.0, 10.0}) {
    const MaterialFit fit = bar.fit(VecX::Constant(4, k));
    ASSERT_TRUE(fit.converged);
    EXPECT_LT(fit.misfit, 1e-9);
    for (double mu : fit.stiffness) EXPECT_NEAR(mu, k, 1e-9 * k);
    for (int a = 0; a < 4; ++a) EXPECT_NEAR(fit.got[a], k, 1e-9 * k);
  }
}

TEST(MaterialFit, StiffeningASideStiffensThatSide) {
  const Figure3 bar;
  const MaterialFit fit = bar.fit(VecX{{1, 1, 10, 10}});
  ASSERT_TRUE(fit.converged);
  for (double at : {Figure3::kInner, Figure3::kOuter}) {
    EXPECT_NEAR(bar.at_joint(fit.stiffness, -1, at), 1, 0.01) << at;
    EXPECT_NEAR(bar.at_joint(fit.stiffness, 1, at), 10, 0.1) << at;
  }
  const VecX felt = felt_stiffness(*bar.body, bar.free, fit.stiffness);
  for (int a = 0; a < 4; ++a) EXPECT_NEAR(felt[a], fit.asked[a], 0.01 * fit.asked[a]) << a;
}

TEST(MaterialFit, StiffeningTheOutermostSparesTheInnerJoint) {
  const Figure3 bar;
  const MaterialFit fit = bar.fit(VecX{{1, 1, 1, 10}});
  ASSERT_TRUE(fit.converged);
  const double inner = bar.at_joint(fit.stiffness, 1, Figure3::kInner);
  const double outer = bar.at_joint(fit.stiffness, 1, Figure3::kOuter);
  // p3 bends the joint of p4 too: it cannot be as soft as asked, but all the rest of it is, and p4 gives in a little.
  EXPECT_LT(inner, 1);
  EXPECT_GT(outer, 5);
  EXPECT_GT(fit.got[3], 5);
  EXPECT_LT(fit.got[2], 0.6 * fit.got[3]);
  EXPECT_LT(fit.got[2], 5.5);  // with p4 as asked and the inner joint as it was
  EXPECT_NEAR(fit.got[0], 1, 0.01);
  EXPECT_NEAR(fit.got[1], 1, 0.01);
  // What the fit says is what parameters feel: by the energy of a body with the field.
  RigBodySpec spec = bar.body->spec();
  spec.stiffness = fit.stiffness;
  const RigBody body(spec, bar.body->rig());
  for (int a : {2, 3}) {
    const VecX h = 1e-3 * VecX::Unit(4, a);
    const auto curvature = [&](const RigBody& b) { return relaxed_energy(b, h) + relaxed_energy(b, -h); };
    EXPECT_NEAR(curvature(body) / curvature(*bar.body), fit.got[a], 1e-3 * fit.got[a]) << a;
  }
  // And it is nearer to what is asked than the tets' own guess, or than doing nothing.
  EXPECT_GT(fit.misfit, 0.01);
  EXPECT_LT(fit.misfit, 0.95 * bar.fit(fit.asked, {.ridge = 1e6}).misfit);
  const std::vector<double> ones(fit.stiffness.size(), 1);
  EXPECT_LT(fit.misfit, 0.6 * material_misfit(*bar.body, bar.free, fit.asked, ones, VecX(), 0));
}

TEST(MaterialFit, PassesFollowTheInterior) {
  // With a weak ridge the interior finds ways around stiff tets.
  const Figure3 bar;
  const VecX scale{{1, 1, 1, 10}};
  const MaterialFit published = bar.fit(scale, {.ridge = 1e-3, .passes = 0}), fit = bar.fit(scale, {.ridge = 1e-3});
  EXPECT_LT(fit.misfit, 0.9 * published.misfit);
  EXPECT_GT(fit.got[3], 1.2 * published.got[3]);
  const VecX felt = felt_stiffness(*bar.body, bar.free, published.stiffness);
  for (int a = 0; a < 4; ++a) EXPECT_NEAR(felt[a], published.got[a], 1e-9 * felt[a]) << a;
}

TEST(MaterialFit, AWeakerRidgeIsNeverAWorseFit) {
  const Figure3 bar(Figure3::modes(), 3);
  const VecX scale{{1, 1, 1, 10}};
  double before = 1;
  for (double ridge : {10.0, 1.0, 0.1, 0.03, 0.01, 1e-3}) {
    const MaterialFit fit = bar.fit(scale, {.ridge = ridge});
    EXPECT_TRUE(fit.converged || ridge < 0.1) << ridge;
    EXPECT_LE(fit.misfit, before) << ridge;
    before = fit.misfit;
  }
  EXPECT_LT(before, bar.fit(scale, {.ridge = 1}).misfit);
}

TEST(MaterialFit, SaysWhenPassesEndEarly) {
  const Figure3 fine(Figure3::modes(), 3);
  EXPECT_TRUE(fine.fit(VecX{{1, 1, 1, 10}}, {.ridge = 0.1}).converged);
  EXPECT_FALSE(fine.fit(VecX{{1, 1, 1, 10}}, {.ridge = 1e-4, .passes = 1}).converged);
}

TEST(MaterialFit, ParametersFarFromAVeryStiffOneKeepTheirs) {
  const Figure3 bar;
  for (double ridge : {0.1, 1e-3}) {
    const MaterialFit fit = bar.fit(VecX{{1, 1, 1, 1e6}}, {.ridge = ridge});
    EXPECT_NEAR(fit.got[0], 1, 0.02) << ridge;
    EXPECT_NEAR(fit.got[1], 1, 0.02) << ridge;
    EXPECT_GT(fit.got[3], 5e5) << ridge;
  }
  // And what they ask of one another.
  const VecX alone = bar.fit(VecX{{5, 1, 1, 1}}).got, beside = bar.fit(VecX{{5, 1, 1e4, 1e4}}).got;
  for (int a : {0, 1}) EXPECT_NEAR(beside[a], alone[a], 0.05 * alone[a]) << a;
}

TEST(MaterialFit, IsTheSameInOtherUnitsAndOnFinerTets) {
  const VecX scale{{1, 1, 1, 10}};
  const MaterialFit fit = Figure3().fit(scale);
  const MaterialFit fine = Figure3(Figure3::modes(), 3).fit(scale);
  EXPECT_GT(fine.stiffness.size(), 2 * fit.stiffness.size());
  for (int a = 0; a < 4; ++a) EXPECT_NEAR(fine.got[a], fit.got[a], 0.05 * fit.got[a]) << a;

  std::vector<BendingRig::Mode> modes = Figure3::modes();  // p4 in degrees
  modes[3].shift = [f = modes[3].shift](const Vec3& x, double p) -> Vec3 { return f(x, p * std::numbers::pi / 180); };
  const Figure3 bar(modes);
  const MaterialFit degrees = bar.fit(scale);
  for (size_t e = 0; e < fit.stiffness.size(); ++e) ASSERT_NEAR(degrees.stiffness[e], fit.stiffness[e], 1e-5) << e;
}

TEST(MaterialFit, RigidMotionsPlayNoPart) {
  std::vector<BendingRig::Mode> modes = Figure3::modes();
  modes.push_back({"shift", [](const Vec3&, double p) -> Vec3 { return Vec3(0, 0.3, 1) * p; }});
  modes.push_back({"turn", [](const Vec3& x, double p) -> Vec3 { return Vec3(-x.y(), x.x(), 0) * p; }});
  modes.push_back({"nothing", [](const Vec3&, double) -> Vec3 { return Vec3::Zero(); }});
  Figure3 bar(modes);
  const MaterialFit alone = bar.fit(VecX{{1, 1, 1, 10}});
  EXPECT_TRUE(alone.without_effect.empty());
  bar.free = {4, 0, 1, 5, 2, 3, 6};
  const MaterialFit fit = bar.fit(VecX{{100, 1, 1, 0.01, 1, 10, 7}});
  ASSERT_TRUE(fit.converged);
  EXPECT_EQ(fit.without_effect, (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(fit.got[0], 1);
  EXPECT_NEAR(fit.got[5], alone.got[3], 1e-6);
}

TEST(MaterialFit, AnotherPlaceNeedsAnotherFit) {
  // The joint of the right side slides inwards as it is bent.
  const auto sliding = [](const Vec3& x, double p) -> Vec3 {
    return p * joint(x, 1, Figure3::kOuter - 0.4 * p, Figure3::kWidth);
  };
  Figure3 bar({Figure3::modes()[0], {"sliding", sliding}});
  bar.free = {0, 1};
  const VecX scale{{1, 10}}, there{{0.1, 0.5}};
  const MaterialFit rest = bar.fit(scale);
  const MaterialFit bent = fit_materials(*bar.body, bar.free, scale, {}, there);
  ASSERT_TRUE(rest.converged && bent.converged);
  EXPECT_LT(rest.misfit, 0.05);
  EXPECT_LT(bent.misfit, 0.05);
  const double kept = material_misfit(*bar.body, bar.free, scale, rest.stiffness, there, 0);
  EXPECT_GT(kept, 0.2);
  EXPECT_NEAR(material_misfit(*bar.body, bar.free, scale, rest.stiffness, VecX(), 0), rest.misfit, 1e-12);
  EXPECT_NEAR(material_misfit(*bar.body, bar.free, scale, bent.stiffness, there, 0), bent.misfit, 1e-12);
  EXPECT_GT(felt_stiffness(*bar.body, bar.free, bent.stiffness, there)[1], 9);
  EXPECT_LT(felt_stiffness(*bar.body, bar.free, rest.stiffness, there)[1], 8);
  // All alike is exact anywhere.
  EXPECT_LT(fit_materials(*bar.body, bar.free, VecX::Constant(2, 3), {}, there).misfit, 1e-9);
  // A body that has a field already is measured without it.
  RigBodySpec spec = bar.body->spec();
  spec.stiffness = rest.stiffness;
  const RigBody again(spec, bar.body->rig());
  const MaterialFit same = fit_materials(again, bar.free, scale, {}, there);
  for (size_t e = 0; e < same.stiffness.size(); ++e) ASSERT_NEAR(same.stiffness[e], bent.stiffness[e], 1e-9) << e;
}

TEST(MaterialFit, HasTheSameBitsForAnyThreads) {
  const Figure3 bar;
  const int before = thread_count();
  set_thread_count(1);
  const MaterialFit one = bar.fit(VecX{{0.3, 1, 1, 10}});
  set_thread_count(3);
  const MaterialFit three = bar.fit(VecX{{0.3, 1, 1, 10}});
  set_thread_count(before);
  EXPECT_EQ(one.stiffness, three.stiffness);
}

TEST(MaterialFit, RefusesWhatIsNotPositive) {
  const Figure3 bar;
  EXPECT_THROW(bar.fit(VecX{{1, 0, 1, 1}}), InputError);
  EXPECT_THROW(bar.fit(VecX{{1, std::nan(""), 1, 1}}), InputError);
}

}  // namespace
}  // namespace supple
