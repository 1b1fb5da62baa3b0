// An oscillator on a light spring whose base is jerked, and the linear modal sum made of many.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "supple/fem/elastic_term.h"
#include "supple/linalg/dense.h"
#include "tests/support/beam.h"

namespace supple {

using test::beam_spec;
using test::moved;
using test::vertices_where;

namespace {

// A base that moves with velocity v0 from t = 0 on.
std::shared_ptr<const Track> jerked(const Model& model, const Vec3& v0) {
  return moved(model, [v0](const Vec3& x, double t, int d) {
    return d == 0 ? Vec3(x + v0 * t) : d == 1 ? v0 : Vec3(0, 0, 0);
  });
}

VecX jerked_velocity(const Model& model, const Vec3& v0) {
  VecX v = VecX::Zero(3 * model.n_vertices());
  for (int i : model.spec().driven) v.segment<3>(3 * i) = v0;
  return v;
}

}  // namespace

// A massless column of Poisson ratio 0 with a heavy end is a spring k = E A / L under a mass m:
// z(t) = -(v0 / w_d) exp(-c t / 2m) sin(w_d t), the mass lags behind the base.
TEST(Oscillator, BaseJerkedAlongTheSpring) {
  const double L = 0.5, side = 0.1, E = 1e4, m = 2.0, d_k = 0.004, v0 = 0.3;
  for (auto integrator : {Integrator::tr_bdf2, Integrator::backward_euler}) {
    test::BeamOptions o{.nx = 3, .ny = 1, .nz = 1, .size = {L, side, side}, .material = MaterialModel::linear};
    o.parameters = {.youngs_modulus = E, .poisson_ratio = 0, .density = 1e-6, .stiffness_damping = d_k};
    ModelSpec spec = beam_spec(o);
    const auto tip = vertices_where(spec.mesh, [&](const Vec3& x) { return x[0] > L - 1e-9; });
    // The end's vertices share the mass as they share its area: then it stays flat and moves as one.
    for (const Tri& t : boundary_triangles(spec.mesh.tets))
      if (std::all_of(t.begin(), t.end(), [&](int v) { return spec.mesh.vertices[v][0] > L - 1e-9; }))
        for (int v : t) spec.point_masses.emplace_back(v, m / 6);
    const Model model(spec);
    const double k = E * side * side / L, c = d_k * k, w_d = std::sqrt(4 * m * k - c * c) / (2 * m);
    Stepper stepper(model, {.vertices = jerked(model, {v0, 0, 0})}, {.integrator = integrator, .tolerance = 1e-10});
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    const State start = stepper.start(0, zero, jerked_velocity(model, {v0, 0, 0}));
    const int steps = integrator == Integrator::tr_bdf2 ? 800 : 16000;
    double worst = 0, largest = 0;
    test::run(stepper, start, 2.0, steps, [&](const State& s) {
      const double z = s.u[3 * tip[0]] - v0 * s.t;
      const double exact = -(v0 / w_d) * std::exp(-c * s.t / (2 * m)) * std::sin(w_d * s.t);
      worst = std::max(worst, std::abs(z - exact));
      largest = std::max(largest, std::abs(exact));
    });
    std::printf("%s, %d steps: off by %.2e of the amplitude\n", name_of(integrator), steps, worst / largest);
    EXPECT_LT(worst / largest, integrator == Integrator::tr_bdf2 ? 5e-4 : 1e-2) << name_of(integrator);
    EXPECT_GT(largest, 0.5 * v0 / w_d);
  }
}

// Linear FEM, base jerked along d: u - p = sum_i phi_i (phi_i^T M r_d) z_i(t), z_i the oscillator's answer of mode i.
TEST(Oscillator, LinearFemIsTheSumOfItsModes) {
  for (MassKind kind : {MassKind::lumped, MassKind::consistent}) {
    const double d_k = 0.003;
    const Vec3 v0(0, 0.1, 0.3);
    test::BeamOptions o{.nx = 3, .ny = 1, .nz = 1, .material = MaterialModel::linear, .mass = kind};
    o.parameters.stiffness_damping = d_k;
    const Model model(beam_spec(o));
    const AffineMap& map = model.constraints().map();

    // Modes of the reduced problem, densely.
    const auto elastic = model.make_elastic();
    PatternBuilder builder(model.n_vertices());
    elastic->couple(builder);
    const auto pattern = builder.build();
    BlockMatrix K(pattern), M(pattern);
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    elastic->add({zero, zero, zero, 0, 0}, {.matrix = &K});
    model.mass()->add_to(M, 1);
    const MatX Kd = K.dense(), Md = M.dense();
    std::vector<int> free;
    for (int i = 0; i < model.n_vertices(); ++i)
      for (int c = 0; c < 3; ++c)
        if (map.free_index(i) >= 0) free.push_back(3 * i + c);
    const MatX Kf = Kd(free, free), Mf = Md(free, free);
    const SymmetricEigen eig = symmetric_eigen(Kf, Mf);

    // p moves with the base. The velocity jump of the base leaves M_ff v_f + M_fd v_d = 0 on the free vertices.
    VecX v_start = jerked_velocity(model, v0);
    VecX all = VecX::Zero(3 * model.n_vertices());
    for (int i = 0; i < model.n_vertices(); ++i) all.segment<3>(3 * i) = v0;
    const VecX v_f = Mf.ldlt().solve(VecX(-(Md * v_start)(free)));
    for (size_t i = 0; i < free.size(); ++i) v_start[free[i]] = v_f[static_cast<Eigen::Index>(i)];
    const VecX slip = VecX(v_start - all)(free);  // initial velocity relative to p

    Stepper stepper(model, {.vertices = jerked(model, v0)}, {.tolerance = 1e-11});
    double worst = 0, largest = 0;
    test::run(stepper, stepper.start(0, zero, v_start), 0.5, 4000, [&](const State& s) {
      VecX exact = VecX::Zero(static_cast<Eigen::Index>(free.size()));
      for (Eigen::Index i = 0; i < exact.size(); ++i) {
        const double w2 = eig.values[i], c = d_k * w2, rate = c / 2, d2 = w2 - rate * rate;
        const double share = eig.vectors.col(i).dot(Mf * slip);
        const double z = d2 > 0
                             ? std::exp(-rate * s.t) * std::sin(std::sqrt(d2) * s.t) / std::sqrt(d2)
                             : (std::exp((-rate + std::sqrt(-d2)) * s.t) - std::exp((-rate - std::sqrt(-d2)) * s.t)) /
                                   (2 * std::sqrt(-d2));
        exact += share * z * eig.vectors.col(i);
      }
      const VecX got = VecX(s.u - all * s.t)(free);
      worst = std::max(worst, (got - exact).cwiseAbs().maxCoeff());
      largest = std::max(largest, exact.cwiseAbs().maxCoeff());
    });
    EXPECT_LT(worst / largest, 2e-3) << (kind == MassKind::lumped ? "lumped" : "consistent");
    EXPECT_GT(largest, 1e-3);
  }
}

}  // namespace supple
