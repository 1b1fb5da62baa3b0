#include "supple/render/render.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/render/raster.h"

namespace supple {
namespace {

// A mesh that shows exactly `color`: only ambient light on a normal that looks up.
RenderMesh triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& color) {
  RenderMesh mesh;
  mesh.vertices = {a, b, c};
  mesh.triangles = {{0, 1, 2}};
  mesh.normals = Points(3, Vec3(0, 1, 0));
  mesh.color = color;
  return mesh;
}
RenderOptions plain(int width, int height) {
  RenderOptions o;
  o.width = width;
  o.height = height;
  o.supersample = 1;
  o.background_top = o.background_bottom = Vec3::Zero();
  o.key = o.fill = o.gloss = 0;
  o.ambient = 1;
  o.shadows = false;
  return o;
}
// One unit of the world a pixel, the origin at the lower left corner.
Camera pixels(int width, int height) {
  Camera camera;
  camera.perspective = false;
  camera.view_height = height;
  camera.target = {0.5 * width, 0.5 * height, 0};
  camera.eye = camera.target + Vec3(0, 0, 10);
  return camera;
}
constexpr std::array<uint8_t, 3> kRed{255, 0, 0}, kGreen{0, 255, 0}, kBlue{0, 0, 255}, kBlack{0, 0, 0};

TEST(Render, TriangleCoversThePixelsOfItsInside) {
  const auto mesh = triangle({1, 1, 0}, {9, 1, 0}, {1, 9, 0}, {1, 0, 0});
  const Image image = render({mesh}, pixels(12, 10), plain(12, 10));
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 12; ++x) {
      const double wx = x + 0.5, wy = 10 - (y + 0.5);
      const double margin = std::min({wx - 1, wy - 1, 10 - wx - wy});
      if (std::abs(margin) < 1e-9) continue;
      EXPECT_EQ(image.at(x, y), margin > 0 ? kRed : kBlack) << x << " " << y;
    }
  }
}

TEST(Render, NearerHidesFartherInAnyOrder) {
  const auto near = triangle({0, 0, 1}, {20, 0, 1}, {0, 20, 1}, {1, 0, 0});
  const auto far = triangle({0, 0, -1}, {40, 0, -1}, {0, 40, -1}, {0, 0, 1});
  for (bool perspective : {false, true}) {
    Camera camera = pixels(16, 16);
    camera.perspective = perspective;
    camera.fov_deg = 2 * std::atan(8.0 / 10) * 180 / M_PI;
    const Image a = render({near, far}, camera, plain(16, 16)), b = render({far, near}, camera, plain(16, 16));
    EXPECT_EQ(a.rgb, b.rgb);
    EXPECT_EQ(a.at(3, 12), kRed);
    EXPECT_EQ(a.at(15, 1), kBlue);
  }
}

TEST(Render, InterpolationIsPerspectiveCorrect) {
  // A strip from depth 1 to depth 3, black to white: the world's middle is seen at a quarter of the way.
  RenderMesh mesh;
  mesh.vertices = {{-1, -1, -1}, {3, -1, -3}, {3, 1, -3}, {-1, 1, -1}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  mesh.normals = Points(4, Vec3(0, 1, 0));
  mesh.colors = {Vec3::Zero(), Vec3::Ones(), Vec3::Ones(), Vec3::Zero()};
  Camera camera;
  camera.eye = Vec3::Zero();
  camera.target = {0, 0, -1};
  camera.fov_deg = 90;
  const Image image = render({mesh}, camera, plain(401, 401));
  // x / depth = -1 + 2 s where 1 / depth goes 1 .. 1/3 linearly in s; half of the way in the world: x = 1, depth 2.
  const int x = static_cast<int>((0.5 + 1) / 2 * 401);
  EXPECT_NEAR(image.at(x, 200)[0], srgb_byte(0.5), 2);
}

TEST(Render, NearPlaneCutsTriangles) {
  // A floor that runs behind the eye is seen below the horizon only.
  RenderMesh mesh;
  mesh.vertices = {{-100, -1, 50}, {100, -1, 50}, {0, -1, -1e5}};
  mesh.triangles = {{0, 1, 2}};
  mesh.normals = Points(3, Vec3(0, 1, 0));
  mesh.color = {0, 1, 0};
  Camera camera;
  camera.eye = Vec3::Zero();
  camera.target = {0, 0, -1};
  camera.fov_deg = 60;
  const Image image = render({mesh}, camera, plain(40, 40));
  EXPECT_EQ(image.at(20, 39), kGreen);
  EXPECT_EQ(image.at(20, 22), kGreen);
  EXPECT_EQ(image.at(20, 18), kBlack);
  EXPECT_EQ(image.at(20, 0), kBlack);
}

TEST(Render, LinesWithoutFillShowWhatIsBehind) {
  auto lines = triangle({0, 0, 1}, {32, 0, 1}, {0, 32, 1}, {1, 0, 0});
  lines.fill = false;
  lines.line_width = 4;
  lines.line_color = {0, 1, 0};
  const auto back = triangle({0, 0, 0}, {80, 0, 0}, {0, 80, 0}, {0, 0, 1});
  const Image image = render({back, lines}, pixels(32, 32), plain(32, 32));
  EXPECT_EQ(image.at(10, 31), kGreen);
  EXPECT_EQ(image.at(0, 16), kGreen);
  EXPECT_EQ(image.at(15, 15), kGreen);
  EXPECT_EQ(image.at(9, 22), kBlue);
  EXPECT_EQ(image.at(31, 31), kGreen);  // the sharp end is all lines
}

TEST(Render, KeyLightFollowsTheCosineAndCastsShadows) {
  const auto floor = [] {
    RenderMesh m;
    m.vertices = {{-50, -50, 0}, {50, -50, 0}, {50, 50, 0}, {-50, 50, 0}};
    m.triangles = {{0, 1, 2}, {0, 2, 3}};
    m.color = Vec3::Ones();
    return m;
  }();
  RenderOptions o = plain(64, 64);
  o.ambient = 0;
  o.key = 0.8;
  o.shadows = true;
  const double angle = 0.9;
  o.key_direction = {std::sin(angle), 0, std::cos(angle)};
  const auto shade = triangle({-4, -4, 8}, {4, -4, 8}, {0, 6, 8}, {1, 1, 1});
  Camera camera = pixels(64, 64);
  camera.target = {0, 0, 0};
  camera.eye = {0, 0, 40};
  const Image image = render({floor, shade}, camera, o);
  // World (x, y) is pixel (x + 32, 32 - y). The shadow lies 8 tan(angle) to the left.
  EXPECT_NEAR(image.at(52, 32)[0], srgb_byte(0.8 * std::cos(angle)), 1);
  const int shadow_x = static_cast<int>(32 - 8 * std::tan(angle));
  EXPECT_EQ(image.at(shadow_x, 32), kBlack);
  EXPECT_GT(image.at(shadow_x, 45)[0], 100);
  o.shadows = false;
  EXPECT_GT(render({floor, shade}, camera, o).at(shadow_x, 32)[0], 100);
}

TEST(Render, GroundLiesBelowAndHidesWhatIsUnderIt) {
  RenderOptions o = plain(40, 40);
  o.ground = true;
  o.grid_spacing = 0;
  o.ground_color = {0, 1, 0};
  o.ground_height = -1;
  const auto wall = triangle({-1, -3, 0}, {1, -3, 0}, {0, 3, 0}, {1, 0, 0});
  Camera camera;
  camera.eye = {0, 1, 8};
  camera.target = {0, 0, 0};
  const Image image = render({wall}, camera, o);
  EXPECT_EQ(image.at(20, 20), kRed);
  EXPECT_EQ(image.at(20, 39)[0], 0);
  EXPECT_GT(image.at(20, 39)[1], 200);
}

TEST(FitCamera, ShowsTheWholeBoxAndLittleElse) {
  const Box box{{-1, 0, -0.5}, {2, 5, 0.5}};
  for (bool perspective : {false, true}) {
    for (double aspect : {0.5, 1.0, 2.0}) {
      const View view(fit_camera(box, {0.3, -0.4, -1}, aspect, perspective, 0.05), aspect);
      double reach = 0;
      for (int c = 0; c < 8; ++c) {
        const Vec3 p(c & 1 ? 2 : -1, c & 2 ? 5 : 0, c & 4 ? 0.5 : -0.5);
        const Eigen::Vector2d at = view.project(view.eye_space(p));
        reach = std::max({reach, std::abs(at.x()), std::abs(at.y())});
      }
      EXPECT_NEAR(reach, 0.9, 1e-9);
    }
  }
}

TEST(Render, SameBytesForAnyThreadCount) {
  std::vector<RenderMesh> meshes;
  for (int i = 0; i < 30; ++i) {
    const double t = i;
    meshes.push_back(triangle({std::sin(t), std::cos(2 * t), std::sin(3 * t)}, {std::cos(t), std::sin(5 * t), 0},
                              {std::sin(7 * t), 0.2, std::cos(4 * t)}, {0.5 + 0.5 * std::sin(t), 0.4, 0.7}));
    meshes.back().normals.clear();
  }
  RenderOptions o;
  o.width = 90;
  o.height = 70;
  o.ground = true;
  o.ground_height = -1;
  set_thread_count(1);
  const Image one = render(meshes, Camera{}, o);
  set_thread_count(4);
  const Image four = render(meshes, Camera{}, o);
  set_thread_count(0);
  EXPECT_EQ(one.rgb, four.rgb);
}

TEST(Render, RefusesBadInputAndSkipsBadTriangles) {
  auto good = triangle({0, 0, 0}, {20, 0, 0}, {0, 20, 0}, {1, 0, 0});
  auto bad = good;
  bad.vertices[1].x() = NAN;
  EXPECT_EQ(render({bad}, pixels(8, 8), plain(8, 8)).rgb, Image(8, 8, {0, 0, 0}).rgb);
  bad = good;
  bad.triangles[0][2] = 3;
  EXPECT_THROW(render({bad}, pixels(8, 8), plain(8, 8)), InputError);
  bad = good;
  bad.colors.resize(2);
  EXPECT_THROW(render({bad}, pixels(8, 8), plain(8, 8)), InputError);
  EXPECT_THROW(render({good}, pixels(8, 8), plain(0, 8)), InputError);
  EXPECT_THROW(render({good}, pixels(8, 8), plain(8, 1 << 20)), InputError);
  Camera camera;
  camera.eye = camera.target;
  EXPECT_THROW(render({good}, camera, plain(8, 8)), InputError);
  EXPECT_NO_THROW(render({}, Camera{}, RenderOptions{}));
  camera = {};
  camera.eye = {0, 5, 0};  // along `up`
  EXPECT_NO_THROW(render({good}, camera, plain(8, 8)));
}

TEST(Raster, NearestIsThatOfTheSamples) {
  std::mt19937 random(5);
  const auto number = [&](double most) { return most * static_cast<double>(random()) / 4294967296.0; };
  std::vector<RenderMesh> meshes;
  for (int k = 0; k < 40; ++k) {
    const auto corner = [&] { return Vec3(number(70) - 3, number(50) - 3, number(5)); };
    meshes.push_back(triangle(corner(), corner(), corner(), Vec3::Ones()));
    if (k % 3 == 0) meshes.back().line_width = 2, meshes.back().fill = k % 2 == 0;
  }
  const View view(pixels(64, 44), 64.0 / 44);
  const std::vector<Sample> samples = rasterise(meshes, view, 64, 44, 1);
  const std::vector<double> depths = nearest(meshes, view, 64, 44);
  ASSERT_EQ(depths.size(), samples.size());
  size_t covered = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    covered += samples[i].mesh >= 0;
    EXPECT_EQ(depths[i], samples[i].mesh < 0 ? -INFINITY : samples[i].nearness) << i;
  }
  EXPECT_GT(covered, 1000u);
  EXPECT_LT(covered, samples.size());
}

}  // namespace
}  // namespace supple
