// The dials on the modal model against the engine's own: the whole body in linear elasticity with scaled stiffness,
// damping, gravity and inertial forces, as `supple tune` sets them.
#include <gtest/gtest.h>

#include "solids.h"
#include "supple/inertia/simulation.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

using namespace test;

TEST(AdjustedBody, moves_as_the_modes_do_under_every_dial) {
  const MaterialParameters flesh = {.youngs_modulus = 2e4, .poisson_ratio = 0.4, .density = 1000};
  const Moves moves = {.place = [](double t) {
    // Off at once, and stopped: both kinds of jolt, smooth enough to be sampled.
    return Vec3(0, 0.3 * smooth((t - 0.05) / 0.35), 0.1 * smooth((t - 0.05) / 0.35));
  }};
  const double step = 1.0 / 480;
  const int samples = 480;
  const BoneMotion motion = sampled(moves, step, samples);
  const Vec3 gravity(0, -3, 0);

  SolidSpec solid_spec = beam(6, 2, 2, Vec3(0.3, 0.1, 0.1), flesh);
  solid_spec.quadratic = false;  // the engine's own elements
  const Solid solid = make_solid(solid_spec);
  ModalAnalysis analysis(solid, Vec3::Zero());
  std::vector<int> kept;
  for (int i = 0; i < 20; ++i) kept.push_back(i);
  const ModalBasis basis = analysis.corrected(analysis.modes(20), kept);
  const double damping = 2 * std::log(2.0) / (0.15 * basis.squares[0]);
  const Oscillators o = make_oscillators(solid, basis, {}, damping, 0);

  for (const LiveDials& dial :
       {LiveDials{}, LiveDials{.frequency = 0.6}, LiveDials{.amplitude = 2}, LiveDials{.sag = 2.5},
        LiveDials{.half_life = 2}, LiveDials{.frequency = 1.5, .amplitude = 0.5, .sag = 0.5, .half_life = 0.5}}) {
    SCOPED_TRACE(testing::Message() << dial.frequency << " " << dial.amplitude << " " << dial.sag << " "
                                    << dial.half_life);
    const double f = dial.frequency;
    ModelSpec spec;
    spec.mesh = solid_spec.mesh;
    spec.material = MaterialModel::linear;
    MaterialParameters scaled = flesh;
    scaled.youngs_modulus *= f * f;                                 // chi^2
    scaled.stiffness_damping = damping / (f * f * dial.half_life);  // c_k
    spec.per_tet.assign(spec.mesh.tets.size(), scaled);
    spec.mass = MassKind::consistent;
    spec.gravity = f * f * dial.sag * gravity;  // mu
    for (int v = 0; v < spec.mesh.n_vertices(); ++v)
      if (solid_spec.fixed[v]) spec.driven.push_back(v);
    const Model model(spec);
    SimulationSpec run;
    run.drive.vertices = moved(model, [&](const Vec3& rest, double t, int derivative) {
      constexpr double e = 1e-4;
      if (derivative == 0) return Vec3(rest + moves.place(t));
      if (derivative == 1) return Vec3((moves.place(t + e) - moves.place(t - e)) / (2 * e));
      return Vec3((moves.place(t + e) - 2 * moves.place(t) + moves.place(t - e)) / (e * e));
    });
    run.adjustment.epsilon = VecX::Constant(model.n_vertices(), dial.amplitude * f);  // epsilon of a jolt
    run.frame = step, run.substeps = 2, run.t_end = 1;
    Simulation simulation(model, run);
    simulation.start(false);

    const MatX q = respond(o, motion, {.dials = dial, .gravity = gravity});
    double error = 0, size = 0;
    for (int i = 0; i + 1 < samples; ++i) {
      if (i % 8 == 0) {
        const VecX u = basis.shapes * q.row(i).transpose(), hung = basis.shapes * q.row(0).transpose();
        for (int v = 0; v < model.n_vertices(); ++v) {
          const Vec3 whole = simulation.state().u.segment<3>(3 * v) - moves.place(i * step);
          error += (whole - u.segment<3>(3 * v)).squaredNorm();
          size += (whole - hung.segment<3>(3 * v)).squaredNorm();
        }
      }
      for (int k = 0; k < run.substeps; ++k) simulation.step();
    }
    EXPECT_LT(std::sqrt(error / size), 0.02);
  }
}

}  // namespace
}  // namespace supple
