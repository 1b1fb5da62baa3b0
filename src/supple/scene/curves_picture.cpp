#include "supple/scene/curves_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/render/render.h"

namespace supple {

namespace {

constexpr double kDecades = 1;  // of stiffness from grey to the end of the scale, at least

Vec3 stiffness_color(double decades) {
  const Vec3 grey(0.62, 0.62, 0.6), soft(0.08, 0.25, 0.75), stiff(0.75, 0.12, 0.06);
  const double s = std::clamp(std::abs(decades), 0.0, 1.0);
  return (1 - s) * grey + s * (decades < 0 ? soft : stiff);
}

}  // namespace

std::vector<double> stiffness_field(const CurvesSetup& setup, const CurvesResult& result) {
  std::vector<double> field(setup.tets.mesh.tets.size(), 1);
  for (const LayerResult& l : result.layers)
    for (size_t t = 0; l.fit && t < l.fit_tets.size(); ++t)
      field[static_cast<size_t>(l.fit_tets[t])] = l.fit->stiffness[t];
  return field;
}

Image material_picture(const CurvesSetup& setup, const CurvesResult& result) {
  const std::vector<double> field = stiffness_field(setup, result);
  const TetMesh& mesh = setup.tets.mesh;
  // On vertices: means of logarithms around them.
  std::vector<double> sum(mesh.vertices.size(), 0), count(mesh.vertices.size(), 0);
  for (size_t t = 0; t < field.size(); ++t)
    for (int v : mesh.tets[t]) sum[v] += std::log10(std::max(field[t], 1e-3)), count[v] += 1;
  double most = kDecades;
  for (size_t v = 0; v < sum.size(); ++v)
    if (count[v] > 0) most = std::max(most, std::abs(sum[v] / count[v]));
  RenderMesh m;
  std::vector<int> source;
  const TriMesh surface = boundary_surface(mesh, &source);
  m.vertices = surface.vertices;
  m.triangles = surface.triangles;
  for (int v : source) m.colors.push_back(stiffness_color(sum[v] / count[v] / most));
  const std::array<Vec3, 3> directions{Vec3(0.1, -0.1, -1), Vec3(-1, -0.1, 0.1), Vec3(0.2, -0.15, 1)};
  std::vector<Image> views(directions.size());
  parallel_for(views.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k)
      views[k] = render({m}, fit_camera(bounding_box(m.vertices), directions[k], 0.9), {.width = 360, .height = 400});
  });
  return film_strip(views);
}

}  // namespace supple
