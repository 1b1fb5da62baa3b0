// What departures count from: the equilibrium of the run, or of flesh that hangs as it was drawn.
#include "supple/pipeline/deliver/reference_equilibrium.h"

#include <gtest/gtest.h>

#include "supple/mesh/solid_surface.h"
#include "supple/sim/static_solver.h"
#include "tests/support/beam.h"

namespace supple {

using namespace pipeline;
namespace {

// A beam that hangs from its end, whose departures count from how it was drawn.
class Hanging : public Subject {
 public:
  explicit Hanging(bool authored) : authored_(authored) {}
  double fps() const override { return 24; }
  Body body(const SceneConfig& config, Notes& notes) const override {
    Body body;
    const ModelSpec beam = test::beam_spec({.nx = 4, .ny = 1, .nz = 1});
    body.spec.mesh = beam.mesh;
    body.spec.driven = beam.driven;
    for (int v : beam.driven) body.attached.push_back(beam.mesh.vertices[static_cast<size_t>(v)]);
    set_model_options(config, body.spec);
    set_materials(config, body, notes);
    return body;
  }
  Body held_body(const SceneConfig& config, Notes& notes) const override { return body(config, notes); }
  ShotMotion motion(const ShotInput& in, Notes&) const override {
    ShotMotion out;
    out.drive = rest_drive(*in.adjusted.model);
    return out;
  }
  DrawnSurface surface(const SceneConfig&, const TetMesh& tets, Notes&) const override {
    DrawnSurface out;
    out.mesh = boundary_surface(tets, out.embedding);
    return out;
  }
  std::unique_ptr<Drawing> drawing(const SceneConfig&, const ModelSpec&, const Model& model,
                                   const DrawnSurface& surface, int) const override {
    return std::make_unique<EmbeddedDrawing>(model, surface);
  }
  bool departs_from_authored(const SceneConfig&) const override { return authored_; }

 private:
  bool authored_;
};

class References : public ::testing::Test {
 protected:
  static Job job(double sag, double frequency, bool authored) {
    SceneConfig config;
    config.material.youngs_modulus = 2e5;
    config.controls.sag = sag, config.controls.frequency = frequency;
    return build_job(config, true, std::make_shared<Hanging>(authored));
  }
  static VecX hanging(const ModelSpec& spec) {
    const Model model(spec);
    return flatten(spec.mesh.vertices) + StaticSolver(model, rest_drive(model), "auto", 1e-9).solve(0, VecX()).u;
  }
};

TEST_F(References, the_run_itself_where_nothing_hangs_otherwise) {
  const VecX p = VecX::LinSpaced(9, 0, 1);
  for (const Job& j : {job(1, 1, true), job(1, 0.5, true), job(2, 1, false)}) {
    ReferenceEquilibrium reference(j);
    EXPECT_FALSE(reference.differs());
    EXPECT_EQ(reference.at(0, p), p);
  }
}

TEST_F(References, authored_flesh_where_it_hangs_more) {
  for (const double frequency : {1.0, 0.5}) {
    const Job j = job(2, frequency, true);
    ReferenceEquilibrium reference(j);
    ASSERT_TRUE(reference.differs());
    const VecX as_run = hanging(j.model().spec()), as_drawn = hanging(j.body->base);
    const VecX rest = flatten(j.model().mesh().vertices);
    const double sag = (as_drawn - rest).cwiseAbs().maxCoeff();
    EXPECT_GT((as_run - as_drawn).cwiseAbs().maxCoeff(), 0.5 * sag);
    EXPECT_LT((reference.at(0, as_run) - as_drawn).cwiseAbs().maxCoeff(), 1e-4 * sag) << frequency;
  }
}

}  // namespace
}  // namespace supple
