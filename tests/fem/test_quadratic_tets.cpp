// Ten-node tets: shape functions, exact integrals, patch test, and bending where four nodes are too stiff.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include <functional>

#include "supple/fem/quadratic_tets.h"
#include "supple/mesh/embedding.h"

namespace supple {
namespace {

TetMesh one_tet() {
  TetMesh mesh;
  mesh.vertices = {{0.1, 0, 0.2}, {1.2, 0.1, 0}, {0.3, 0.9, 0.1}, {0.2, 0.3, 1.4}};
  mesh.tets = {{0, 1, 2, 3}};
  return mesh;
}

std::vector<MaterialParameters> flesh(const TetMesh& mesh) {
  return std::vector<MaterialParameters>(mesh.tets.size(),
                                         {.youngs_modulus = 3e4, .poisson_ratio = 0.3, .density = 900});
}

VecX field(const Points& nodes, const std::function<Vec3(const Vec3&)>& f) {
  VecX u(3 * static_cast<Eigen::Index>(nodes.size()));
  for (size_t i = 0; i < nodes.size(); ++i) u.segment<3>(3 * static_cast<Eigen::Index>(i)) = f(nodes[i]);
  return u;
}

TEST(QuadraticTets, shape_functions_are_one_at_their_own_node) {
  const QuadraticTets q = with_middle_nodes(one_tet());
  ASSERT_EQ(q.nodes.size(), 10u);
  for (int node = 0; node < 10; ++node) {
    const Eigen::Vector4d at =
        barycentric(q.nodes[q.elements[0][node]], q.nodes[0], q.nodes[1], q.nodes[2], q.nodes[3]);
    const std::array<double, 10> n = quadratic_shapes(at);
    for (int a = 0; a < 10; ++a) EXPECT_NEAR(n[a], a == node ? 1 : 0, 1e-12);
  }
}

// Products of barycentric coordinates over a tet have a closed form:
// int L0^a L1^b L2^c L3^d = 6 V a! b! c! d! / (a+b+c+d+3)!
TEST(QuadraticTets, mass_is_the_integral_of_products_of_shape_functions) {
  const TetMesh mesh = one_tet();
  const QuadraticTets q = with_middle_nodes(mesh);
  const LinearMatrices m = linear_matrices(q, flesh(mesh));
  // Kinetic energy of the fields x^2, x y, ... against the exact moments of a tet.
  const double volume = tet_volumes(mesh)[0];
  const auto moment = [&](const std::array<int, 4>& power) {
    double factorials = 1;
    int total = 3;
    for (int p : power) {
      factorials *= std::tgamma(p + 1);
      total += p;
    }
    return 6 * volume * factorials / std::tgamma(total + 1);
  };
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      // The field L_i L_j along x is in the space of the element.
      const VecX u = field(q.nodes, [&](const Vec3& x) {
        const Eigen::Vector4d at = barycentric(x, q.nodes[0], q.nodes[1], q.nodes[2], q.nodes[3]);
        return Vec3(at[i] * at[j], 0, 0);
      });
      std::array<int, 4> power{};
      power[i] += 2, power[j] += 2;
      EXPECT_NEAR(u.dot(m.mass.multiply(u)), 900 * moment(power), 1e-12 * 900 * volume);
    }
}

TEST(QuadraticTets, energy_of_a_quadratic_field_is_exact) {
  // u = (x^2, 0, 0): strain xx = 2 x, energy = int (lambda/2 + mu) 4 x^2 dV over the unit cube.
  const TetMesh mesh = make_box(2, 2, 2, Vec3::Ones());
  const QuadraticTets q = with_middle_nodes(mesh);
  const LinearMatrices m = linear_matrices(q, flesh(mesh));
  const VecX u = field(q.nodes, [](const Vec3& x) { return Vec3(x[0] * x[0], 0, 0); });
  const double E = 3e4, nu = 0.3, mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
  EXPECT_NEAR(0.5 * u.dot(m.stiffness.multiply(u)), (lambda / 2 + mu) * 4 / 3, 1e-9 * E);
  // Rigid motions cost nothing.
  const VecX turn = field(q.nodes, [](const Vec3& x) { return Vec3(Vec3(1, 2, 3).cross(x) + Vec3(4, 5, 6)); });
  EXPECT_LT(m.stiffness.multiply(turn).cwiseAbs().maxCoeff(), 1e-9 * E);
}

TEST(QuadraticTets, an_affine_field_leaves_inner_nodes_without_force) {
  const TetMesh mesh = make_box(3, 3, 3, Vec3(1, 1.2, 0.9));
  const QuadraticTets q = with_middle_nodes(mesh);
  const LinearMatrices m = linear_matrices(q, flesh(mesh));
  Mat3 g;
  g << 0.1, 0.02, -0.05, 0.03, -0.04, 0.06, 0.01, 0.07, 0.02;
  const VecX f = m.stiffness.multiply(field(q.nodes, [&](const Vec3& x) { return Vec3(g * x); }));
  for (size_t i = 0; i < q.nodes.size(); ++i) {
    const Vec3 x = q.nodes[i].cwiseQuotient(Vec3(1, 1.2, 0.9));
    if (x.minCoeff() < 1e-9 || x.maxCoeff() > 1 - 1e-9) continue;
    EXPECT_LT(f.segment<3>(3 * static_cast<Eigen::Index>(i)).norm(), 1e-9 * 3e4);
  }
}

TEST(QuadraticTets, four_nodes_are_as_in_the_engine) {
  const TetMesh mesh = make_box(2, 1, 1, Vec3(1, 0.5, 0.5));
  const auto materials = flesh(mesh);
  const LinearMatrices m = linear_matrices(mesh, materials);
  const double total = 900 * 0.25;
  const VecX along = field(mesh.vertices, [](const Vec3&) { return Vec3(0, 1, 0); });
  EXPECT_NEAR(along.dot(m.mass.multiply(along)), total, 1e-9);
  const VecX stretch = field(mesh.vertices, [](const Vec3& x) { return Vec3(x[0], 0, 0); });
  const double E = 3e4, nu = 0.3, mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
  EXPECT_NEAR(0.5 * stretch.dot(m.stiffness.multiply(stretch)), 0.25 * (lambda / 2 + mu), 1e-9 * E);
}

}  // namespace
}  // namespace supple
