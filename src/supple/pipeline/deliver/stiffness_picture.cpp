#include "supple/pipeline/deliver/stiffness_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/render/render.h"

namespace supple::pipeline {

namespace {

constexpr double kDecades = 1;  // of stiffness from grey to the end of the scale, at least

Vec3 stiffness_color(double decades) {
  const Vec3 grey(0.62, 0.62, 0.6), soft(0.08, 0.25, 0.75), stiff(0.75, 0.12, 0.06);
  const double s = std::clamp(std::abs(decades), 0.0, 1.0);
  return (1 - s) * grey + s * (decades < 0 ? soft : stiff);
}

}  // namespace

Image stiffness_picture(const std::vector<StiffTets>& bodies) {
  // On vertices: means of logarithms around them.
  std::vector<std::vector<double>> on_vertices;
  double most = kDecades;
  for (const StiffTets& body : bodies) {
    const TetMesh& mesh = *body.tets;
    std::vector<double> sum(mesh.vertices.size(), 0), count(mesh.vertices.size(), 0);
    for (size_t t = 0; t < mesh.tets.size(); ++t)
      for (int v : mesh.tets[t]) {
        sum[v] += body.stiffness ? std::log10(std::max((*body.stiffness)[t], 1e-3)) : 0;
        count[v] += 1;
      }
    for (size_t v = 0; v < sum.size(); ++v) {
      if (count[v] > 0) sum[v] /= count[v];
      most = std::max(most, std::abs(sum[v]));
    }
    on_vertices.push_back(std::move(sum));
  }
  std::vector<RenderMesh> meshes;
  Points all;
  for (size_t k = 0; k < bodies.size(); ++k) {
    std::vector<int> source;
    const TriMesh surface = boundary_surface(*bodies[k].tets, &source);
    RenderMesh m;
    m.vertices = surface.vertices;
    m.triangles = surface.triangles;
    for (int v : source) m.colors.push_back(stiffness_color(on_vertices[k][v] / most));
    all.insert(all.end(), m.vertices.begin(), m.vertices.end());
    meshes.push_back(std::move(m));
  }
  const std::array<Vec3, 3> directions{Vec3(0.1, -0.1, -1), Vec3(-1, -0.1, 0.1), Vec3(0.2, -0.15, 1)};
  std::vector<Image> views(directions.size());
  parallel_for(views.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k)
      views[k] = render(meshes, fit_camera(bounding_box(all), directions[k], 0.9), {.width = 360, .height = 400});
  });
  return film_strip(views);
}

}  // namespace supple::pipeline
