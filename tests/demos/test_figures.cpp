// The examples in other sizes, and the figures made of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "supple/base/error.h"
#include "supple/demos/examples/examples.h"
#include "supple/demos/figures/figures.h"
#include "supple/pipeline/job/job.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

namespace fs = std::filesystem;

class Figures : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove_all(dir_); }
  void TearDown() override { fs::remove_all(dir_); }
  std::string at(const std::string& name) const { return (dir_ / name).string(); }

 private:
  const fs::path dir_ =
      fs::path(::testing::TempDir()) /
      ("supple_figures_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

Job short_example(const std::string& name, const std::string& dir, const ExampleOptions& o) {
  return build_job(load_scene(write_example(name, dir, o)));
}

// Where the first driven point is at a frame, from where it began.
double moved_x(const Job& job, int frame) {
  return job.shot.drive.vertices->at(frame / job.shot.fps)[0] - job.shot.drive.vertices->at(0)[0];
}

TEST_F(Figures, ShortSunflowerIsCoarseAndStopsAtFrame48) {
  const Job job = short_example("sunflower-linear", at("s"), {.edge = 0.085, .short_shot = true});
  EXPECT_EQ(job.shot.n_frames(), 96);
  EXPECT_GT(job.body->model->mesh().n_tets(), 1000);
  EXPECT_LT(job.body->model->mesh().n_tets(), 2000);
  EXPECT_NEAR(moved_x(job, 2), 0, 1e-4);
  EXPECT_NEAR(moved_x(job, 48), 46 / 24.0, 1e-4);
  EXPECT_NEAR(moved_x(job, 95), 46 / 24.0, 1e-4);
  // Enough bounces in a half-life for both to be measured at half and at twice of either.
  EXPECT_GT(job.body->baseline.frequency_hz * job.body->baseline.half_life_s, 2.5);
}

TEST_F(Figures, BarsAreMadeOfTheCellsAskedFor) {
  const Job job = short_example("bar", at("b"), {.cells = 2});
  EXPECT_EQ(job.body->model->mesh().n_tets(), 10 * 2 * 2 * 6);
  EXPECT_THROW(write_example("bar", at("c"), {.cells = -1}), InputError);
  EXPECT_THROW(write_example("sunflower", at("d"), {.edge = -0.1}), InputError);
  EXPECT_THROW(write_example("jellyfish", at("e"), {.edge = 1}), InputError);
}

TEST_F(Figures, SagIsAsPrescribedAtEveryFrequency) {
  const std::vector<Figure> figures = write_figures({.directory = at("f"), .only = {10}, .quick = true});
  ASSERT_EQ(figures.size(), 1u);
  for (const std::string& file : figures[0].files) EXPECT_TRUE(fs::exists(fs::path(at("f")) / file)) << file;
  EXPECT_TRUE(fs::exists(fs::path(at("f")) / "index.html"));
  std::ifstream in(fs::path(at("f")) / "figure10.csv");
  std::string line, cell;
  std::getline(in, line);
  int rows = 0;
  while (std::getline(in, line)) {
    std::vector<double> x;
    std::istringstream cells(line);
    while (std::getline(cells, cell, ',')) x.push_back(cell.empty() ? NAN : std::stod(cell));
    if (x.size() < 12 || !(x[0] == x[0])) continue;
    ++rows;
    // Columns: frequency and sag of three lines without the correction, then of three with it.
    const double prescribed[] = {1.0 / 3, 1, 3};
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(x[2 * k + 1], prescribed[k] / (x[0] * x[0]), 1e-3 * x[2 * k + 1]);
      EXPECT_NEAR(x[2 * k + 7], prescribed[k], 1e-3 * prescribed[k]);
    }
  }
  EXPECT_EQ(rows, 3);
}

TEST_F(Figures, UnknownFigureIsRefused) {
  EXPECT_THROW(write_figures({.directory = at("f"), .only = {3}}), InputError);
  EXPECT_FALSE(fs::exists(at("f")));
}

}  // namespace
}  // namespace supple
