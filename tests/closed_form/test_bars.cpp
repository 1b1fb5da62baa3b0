// Bars and cantilevers whose answers are in every textbook.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "tests/support/beam.h"

namespace supple {

using test::beam_spec;
using test::moved;
using test::vertices_where;

namespace {
double mean_along(const VecX& u, const std::vector<int>& vertices, int axis) {
  double sum = 0;
  for (int v : vertices) sum += u[3 * v + axis];
  return sum / static_cast<double>(vertices.size());
}
constexpr MaterialModel kAll[] = {
    MaterialModel::linear,          MaterialModel::corotational,       MaterialModel::stvk,
    MaterialModel::invertible_stvk, MaterialModel::stable_neo_hookean, MaterialModel::neo_hookean_log};
}  // namespace

// A bar of Poisson ratio 0 hanging along x: the mean of its end goes down by rho g L^2 / (2 E).
TEST(Bar, HangsByItsWeight) {
  const double L = 0.4, rho = 1000, g = 9.81, E = 8e6;
  for (MaterialModel material : kAll) {
    test::BeamOptions o{.nx = 8, .ny = 3, .nz = 3, .size = {L, 0.1, 0.1}, .material = material};
    o.parameters = {.youngs_modulus = E, .poisson_ratio = 0, .density = rho};
    o.gravity = {g, 0, 0};
    o.mass = MassKind::consistent;
    const Model model(beam_spec(o));
    const Sag sag = gravity_sag(model);
    ASSERT_TRUE(sag.converged);
    const auto tip = vertices_where(model.mesh(), [&](const Vec3& x) { return x[0] > L - 1e-9; });
    const double exact = rho * g * L * L / (2 * E);
    EXPECT_NEAR(mean_along(sag.u, tip, 0) / exact, 1, 2e-3) << name_of(material);
  }
}

// A bar of Poisson ratio 0 that turns about one end at W is stretched by rho W^2 L^3 / (3 E) at the other.
TEST(Bar, StretchesWhenSpun) {
  const double L = 0.4, rho = 1000, E = 8e6, W = 10, spin_up = 0.5;
  for (MaterialModel material : {MaterialModel::corotational, MaterialModel::stvk, MaterialModel::invertible_stvk,
                                 MaterialModel::stable_neo_hookean}) {
    test::BeamOptions o{.nx = 8, .ny = 2, .nz = 2, .size = {L, 0.1, 0.1}, .material = material};
    o.parameters = {.youngs_modulus = E, .poisson_ratio = 0, .density = rho, .stiffness_damping = 0.002};
    const Model model(beam_spec(o));
    // Turned about z through the middle of the driven face, from rest to W over spin_up, then on at W.
    auto angle = [=](double t) {
      const double s = std::min(t / spin_up, 1.0);
      return W * spin_up * (s * s * s - s * s * s * s / 2) + W * std::max(0.0, t - spin_up);
    };
    const Vec3 centre(0, 0.05, 0.05);
    auto turn = [=](const Vec3& x, double t) {
      return Vec3(Eigen::AngleAxisd(angle(t), Vec3::UnitZ()) * (x - centre) + centre);
    };
    auto track = moved(model, [=](const Vec3& x, double t, int d) {
      const double e = 1e-4;
      if (d == 0) return turn(x, t);
      if (d == 1) return Vec3((turn(x, t + e) - turn(x, t - e)) / (2 * e));
      return Vec3((turn(x, t + e) - 2 * turn(x, t) + turn(x, t - e)) / (e * e));
    });
    Stepper stepper(model, {.vertices = track}, {});
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    const double t_end = 1.2;
    const State s = test::run(stepper, stepper.start(0, zero, zero), t_end, 360);
    // Stretch along the turned axis, mean over the end face.
    const auto tip = vertices_where(model.mesh(), [&](const Vec3& x) { return x[0] > L - 1e-9; });
    const Vec3 axis = Eigen::AngleAxisd(angle(t_end), Vec3::UnitZ()) * Vec3::UnitX();
    double reach = 0;
    for (int v : tip)
      reach += axis.dot(model.mesh().vertices[v] + s.u.segment<3>(3 * v) - centre) / static_cast<double>(tip.size());
    const double exact = rho * W * W * L * L * L / (3 * E);
    // The lumped mass of eight cells along the bar alone is off by 0.4 %.
    EXPECT_NEAR((reach - L) / exact, 1, 0.02) << name_of(material);
  }
}

// f1 of a slender cantilever is approached from above; linear tets are far too stiff in bending.
TEST(Cantilever, FirstFrequencyComesDownToTheBeamFormula) {
  const double L = 1, side = 0.05, E = 1e6, rho = 1000;
  const double I = std::pow(side, 4) / 12, A = side * side;
  const double exact = 1.8751 * 1.8751 / (2 * std::numbers::pi) * std::sqrt(E * I / (rho * A * std::pow(L, 4)));
  double last = 1e9;
  for (int cells : {20, 40, 80}) {
    const int across = cells / 20;
    test::BeamOptions o{
        .nx = cells, .ny = across, .nz = across, .size = {L, side, side}, .material = MaterialModel::linear};
    o.parameters = {.youngs_modulus = E, .poisson_ratio = 0.3, .density = rho};
    o.mass = MassKind::consistent;
    const Modes modes = natural_modes(Model(beam_spec(o)), 1);
    ASSERT_TRUE(modes.ok);
    const double excess = modes.frequencies_hz[0] / exact - 1;
    std::printf("%d cells along, %d across: f1 %.1f %% too high\n", cells, across, 100 * excess);
    EXPECT_GT(excess, 0);
    // Second order of the elements: each halving takes two thirds of the error or more.
    EXPECT_LT(excess, 0.4 * last);
    last = excess;
  }
  EXPECT_LT(last, 0.1);
}

}  // namespace supple
