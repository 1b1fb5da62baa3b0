// A kind of subject that the program does not know: all that it takes is here.
#include <gtest/gtest.h>

#include "supple/io/point_cache.h"
#include "supple/mesh/solid_surface.h"
#include "supple/pipeline/run/run.h"
#include "supple/sim/static_solver.h"
#include "tests/scene/scene_files.h"
#include "tests/support/beam.h"

namespace supple {

using namespace pipeline;
namespace {

// A beam that nobody wrote to a file, pushed along at its end.
class BeamSubject : public Subject {
 public:
  double fps() const override { return 30; }
  Body body(const SceneConfig& config, Notes& notes) const override {
    Body body;
    body.spec.mesh = test::beam_spec({}).mesh;
    body.spec.driven = test::beam_spec({}).driven;
    for (int v : body.spec.driven) body.attached.push_back(body.spec.mesh.vertices[v]);
    set_model_options(config, body.spec);
    set_materials(config, body, notes);
    return body;
  }
  Body held_body(const SceneConfig& config, Notes& notes) const override { return body(config, notes); }
  ShotMotion motion(const ShotInput& in, Notes& notes) const override {
    ShotMotion out;
    std::vector<VecX> samples(12, flatten(in.body.attached));
    for (size_t f = 0; f < samples.size(); ++f)
      for (Eigen::Index i = 1; i < samples[f].size(); i += 3)
        samples[f][i] += f < 4 ? 0.01 * static_cast<double>(f) : 0.04;
    StartPlanner planner(in.config, fps(), in.adjusted.model->spec(), in.around, notes);
    out.frames = static_cast<int>(samples.size());
    out.drive = rest_drive(*in.adjusted.model);
    out.drive.vertices = planner.begun(std::move(samples), 0, out.frames - 1);
    out.start = planner.plan();
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
  SubjectReport report(const SubjectReportInput&) const override {
    return {.key = "beam", .json = Json("by hand"), .departure = {}, .tables = {}, .plots = {}};
  }
};

using SubjectOfMyOwn = SceneFiles;

TEST_F(SubjectOfMyOwn, runs_and_is_delivered_as_any_other) {
  SceneConfig config;
  config.material.youngs_modulus = 2e4;
  const Job job = build_job(config, true, std::make_shared<BeamSubject>());
  const RunResult result = run_job(job, {.directory = path("out")});
  ASSERT_EQ(result.status, RunStatus::done) << result.message;
  EXPECT_NE(result.report.text().find("\"beam\": \"by hand\""), std::string::npos);
  const PointCache drawn = read_pc2(path("out/surface.pc2"));
  ASSERT_EQ(drawn.n_samples, 12);
  ASSERT_EQ(drawn.n_points, job.surface.mesh.n_vertices());
  // The held end is where it was taken; the free one comes after.
  double held = 0, latest = 0;
  for (int v = 0; v < drawn.n_points; ++v) {
    const Vec3 rest = job.surface.mesh.vertices[static_cast<size_t>(v)];
    const double up = drawn.points(4)[static_cast<size_t>(v)].y() - rest.y();
    if (rest.x() < 1e-9) held = std::max(held, std::abs(up - 0.04));
    latest = std::max(latest, 0.04 - up);
  }
  EXPECT_LT(held, 1e-6);
  EXPECT_GT(latest, 0.005);
  EXPECT_TRUE(std::filesystem::exists(path("out/surface.glb")));
  EXPECT_TRUE(std::filesystem::exists(path("out/report.html")));
}

}  // namespace
}  // namespace supple
