// Springs whose strengths change while a body is stepped.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/beam.h"

namespace supple {
namespace {

// A beam held at one end and pulled by springs that shake.
struct Shaken {
  ModelSpec spec;
  explicit Shaken(MaterialModel material = MaterialModel::stable_neo_hookean) {
    test::BeamOptions o{.nx = 6, .material = material, .gravity = {0, -9.81, 0}};
    o.parameters.stiffness_damping = 0.003;
    spec = test::beam_spec(o);
    for (int v = 0; v < spec.mesh.n_vertices(); v += 5)
      if (spec.mesh.vertices[v][0] > 1e-9) spec.springs.push_back(test::at_vertex(spec.mesh, v));
    for (size_t i = 0; i < spec.springs.size(); ++i) spec.spring_strengths.push_back(100.0 + 30.0 * double(i));
  }
  static Drive drive(const Model& model) {
    Drive d = rest_drive(model);
    const VecX rest = d.springs->at(0);
    d.springs = make_function_track(static_cast<int>(rest.size() / 3), [rest](double t, int k) -> VecX {
      const double w = 2 * std::numbers::pi * 3;
      const double f = k == 0 ? std::sin(w * t) : k == 1 ? w * std::cos(w * t) : -w * w * std::sin(w * t);
      VecX x = k == 0 ? rest : VecX(VecX::Zero(rest.size()));
      for (Eigen::Index i = 1; i < x.size(); i += 3) x[i] += 0.02 * f;
      return x;
    });
    return d;
  }
};

TEST(SpringFactorsInSteps, constant_ones_are_strengths) {
  for (const auto& [material, integrator] : {std::pair(MaterialModel::stable_neo_hookean, Integrator::tr_bdf2),
                                             std::pair(MaterialModel::linear, Integrator::tr_bdf2),
                                             std::pair(MaterialModel::corotational, Integrator::backward_euler)}) {
    const Shaken body(material);
    ModelSpec strong = body.spec;
    std::vector<double> factors;
    for (size_t i = 0; i < strong.springs.size(); ++i) {
      factors.push_back(0.2 + 0.5 * static_cast<double>(i % 7));
      strong.spring_strengths[i] *= factors[i];
    }
    const Model plain(body.spec), given(strong);
    Drive drive = Shaken::drive(plain);
    drive.spring_factors = [factors](double) { return factors; };
    const StepperOptions options{.integrator = integrator, .tolerance = 1e-12, .linear_solver = "eigen"};
    const auto run = [&](const Model& model, const Drive& by) -> VecX {
      Stepper stepper(model, by, options);
      const VecX zero = VecX::Zero(3 * model.n_vertices());
      return test::run(stepper, stepper.start(0, zero, zero), 0.3, 10).u;
    };
    const VecX a = run(plain, drive), b = run(given, Shaken::drive(given));
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-9 * b.cwiseAbs().maxCoeff());
    // And they matter.
    EXPECT_GT((run(plain, Shaken::drive(plain)) - b).cwiseAbs().maxCoeff(), 1e-2 * b.cwiseAbs().maxCoeff());

    const VecX p = StaticSolver(plain, drive, "eigen", 1e-12).solve(0.1, VecX()).u;
    const VecX q = StaticSolver(given, Shaken::drive(given), "eigen", 1e-12).solve(0.1, VecX()).u;
    EXPECT_LT((p - q).cwiseAbs().maxCoeff(), 1e-9 * q.cwiseAbs().maxCoeff());
  }
}

// A body stiff against its springs is a mass on one of k(t): x'' = -k(t) (x - target) / m, by fine classical steps.
TEST(SpringFactorsInSteps, an_oscillator_that_stiffens_on_the_way) {
  test::BeamOptions o{.nx = 1, .ny = 1, .nz = 1, .size = Vec3(0.1, 0.1, 0.1)};
  o.parameters.youngs_modulus = 1e9;
  ModelSpec spec = test::beam_spec(o);
  spec.driven.clear();
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) {
    spec.springs.push_back(test::at_vertex(spec.mesh, v));
    // By mass, so that nothing turns.
    spec.spring_strengths.push_back(0);
  }
  const Model weights(spec);
  const double omega = 2 * std::numbers::pi * 1.5, mass = weights.mass()->total();
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    spec.spring_strengths[v] = omega * omega * weights.mass()->per_vertex()[v];
  const Model model(spec);
  const auto factor = [](double t) -> double { return 1 + 3 * std::pow(std::sin(2 * t), 2); };
  const auto target = [](double t, int d) -> double {
    const double w = 4;
    return 0.05 * (d == 0 ? std::sin(w * t) : d == 1 ? w * std::cos(w * t) : -w * w * std::sin(w * t));
  };
  Drive drive = rest_drive(model);
  const VecX rest = drive.springs->at(0);
  drive.springs = make_function_track(static_cast<int>(rest.size() / 3), [=](double t, int d) -> VecX {
    VecX x = d == 0 ? rest : VecX(VecX::Zero(rest.size()));
    for (Eigen::Index i = 0; i < x.size(); i += 3) x[i] += target(t, d);
    return x;
  });
  const size_t n = spec.springs.size();
  drive.spring_factors = [=](double t) { return std::vector<double>(n, factor(t)); };

  const double end = 2;
  double x = 0.02, v = 0;
  const auto pull = [&](double t, double at) -> double { return -omega * omega * factor(t) * (at - target(t, 0)); };
  const int fine = 20000;
  for (int i = 0; i < fine; ++i) {
    const double h = end / fine, t = i * h;
    const double a1 = pull(t, x), a2 = pull(t + h / 2, x + h / 2 * v);
    const double a3 = pull(t + h / 2, x + h / 2 * (v + h / 2 * a1)), a4 = pull(t + h, x + h * (v + h / 2 * a2));
    x += h * v + h * h / 6 * (a1 + a2 + a3);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }

  std::vector<double> errors;
  for (int steps : {100, 200, 400}) {
    Stepper stepper(model, drive, {.tolerance = 1e-10});
    VecX u = VecX::Zero(rest.size());
    for (Eigen::Index i = 0; i < u.size(); i += 3) u[i] = 0.02;
    const State s = test::run(stepper, stepper.start(0, u, VecX::Zero(u.size())), end, steps);
    double mean = 0;
    for (int k = 0; k < model.n_vertices(); ++k) mean += s.u[3 * k] * model.mass()->per_vertex()[k] / mass;
    errors.push_back(std::abs(mean - x));
  }
  EXPECT_LT(errors[2], 2e-4);  // of swings of about 0.05
  EXPECT_NEAR(errors[0] / errors[1], 4, 1);
  EXPECT_NEAR(errors[1] / errors[2], 4, 0.6);
}

}  // namespace
}  // namespace supple
