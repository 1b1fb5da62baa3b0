// Against an independent reference of the method in Python, where there is one beside the project.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "solids.h"

namespace supple {
namespace {

using namespace test;
namespace fs = std::filesystem;

template <class Rows>
void write_rows(const fs::path& path, const Rows& rows) {
  std::ofstream out(path);
  out.precision(17);
  for (const auto& row : rows) {
    for (const auto& x : row) out << x << ' ';
    out << '\n';
  }
}

TEST(Reference, a_beam_on_a_moving_bone) {
  const fs::path reference = fs::path(SUPPLE_SOURCE_DIR) / ".." / "shared" / "oracle";
  if (!fs::exists(reference / "dyrt.py")) GTEST_SKIP() << "there is no reference beside the project";
  if (std::system("/usr/bin/python3 -c 'import scipy' > /dev/null 2>&1") != 0) GTEST_SKIP() << "python3 has no scipy";
  const MaterialParameters material = {.youngs_modulus = 5e5, .poisson_ratio = 0.35, .density = 1000};
  SolidSpec spec = beam(5, 2, 2, Vec3(0.4, 0.12, 0.08), material);
  spec.quadratic = false;
  const Solid solid = make_solid(spec);
  const Vec3 origin(0.01, 0.02, -0.03);
  ModalAnalysis analysis(solid, origin);
  const ModalBasis basis = analysis.modes(12);
  const double damping = 0.004, step = 1.0 / 240;
  const int samples = 360;
  const fs::path dir = fs::path(testing::TempDir()) / "supple_reference";
  fs::create_directories(dir);
  write_rows(dir / "vertices.txt", spec.mesh.vertices);
  write_rows(dir / "tets.txt", spec.mesh.tets);
  std::vector<std::array<int, 1>> fixed;
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    if (spec.fixed[v]) fixed.push_back({v});
  write_rows(dir / "fixed.txt", fixed);
  int number = 0;
  for (const Moves& moves : {yank(), spin(), shake()}) {
    SCOPED_TRACE(number);
    const double gravity = number++ == 1 ? -9.81 : 0;
    Points places;
    std::vector<std::array<double, 9>> rows;
    std::vector<Mat3> axes;
    for (int i = 0; i < samples; ++i) {
      places.push_back(moves.place(i * step));
      axes.push_back(moves.axes(i * step));
      std::array<double, 9> row{};
      for (int k = 0; k < 9; ++k) row[k] = axes.back()(k / 3, k % 3);
      rows.push_back(row);
    }
    write_rows(dir / "places.txt", places);
    write_rows(dir / "axes.txt", rows);
    write_rows(dir / "numbers.txt", std::vector<std::array<double, 7>>{{5e5, 0.35, 1000, damping, step, 12, gravity}});
    const std::string call = "/usr/bin/python3 '" + std::string(SUPPLE_SOURCE_DIR) + "/tests/modal/oracle_dyrt.py' '" +
                             reference.string() + "' '" + dir.string() + "'";
    ASSERT_EQ(std::system(call.c_str()), 0);
    const Oscillators o = make_oscillators(solid, basis, {.origin = origin}, damping, 0);
    const MatX q = respond(o, bone_motion(axes, places, step), {.gravity = Vec3(0, gravity, 0), .settled = false});
    std::ifstream in(dir / "displacements.txt");
    double error = 0, largest = 0;
    for (int i = 0; i < samples; ++i) {
      const VecX u = basis.shapes * q.row(i).transpose();
      for (Eigen::Index k = 0; k < u.size(); ++k) {
        double x = 0;
        ASSERT_TRUE(in >> x);
        error = std::max(error, std::abs(x - u[k])), largest = std::max(largest, std::abs(x));
      }
    }
    EXPECT_GT(largest, 1e-4);
    EXPECT_LT(error, 1e-4 * largest);
    RecordProperty("error_" + std::to_string(number), std::to_string(1e6 * error / largest) + "e-6");
  }
  fs::remove_all(dir);
}

}  // namespace
}  // namespace supple
