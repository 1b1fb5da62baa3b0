#include <gtest/gtest.h>

#include <algorithm>

#include "supple/mesh/closest_point.h"
#include "supple/mesh/simplify.h"
#include "supple/mesh/tet_mesh.h"

namespace supple {
namespace {

TEST(Simplify, keeps_the_shape_with_fewer_triangles) {
  // A box of many cells drawn out to a ball.
  TetMesh box = make_box(12, 12, 12, Vec3::Constant(2), Vec3::Constant(-1));
  for (Vec3& x : box.vertices)
    if (x.norm() > 0) x *= x.cwiseAbs().maxCoeff() / x.norm();
  const TriMesh ball = boundary_surface(box);
  const double error = 0.02;
  const std::vector<Tri> few = simplified(ball.vertices, ball.triangles, error, 10);
  EXPECT_LT(few.size(), ball.triangles.size() / 2);
  EXPECT_GT(few.size(), 30u);
  double worst = 0;
  for (const Vec3& x : ball.vertices) {
    double nearest = 1;
    for (const Tri& t : few)
      nearest = std::min(
          nearest, (closest_on_triangle(x, ball.vertices[t[0]], ball.vertices[t[1]], ball.vertices[t[2]]) - x).norm());
    worst = std::max(worst, nearest);
  }
  EXPECT_LT(worst, 2 * error);
  EXPECT_EQ(simplified(ball.vertices, ball.triangles, error, 1 << 20), ball.triangles);
  EXPECT_TRUE(simplified({}, {}, error, 10).empty());
}

}  // namespace
}  // namespace supple
