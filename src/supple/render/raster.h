// Which triangle is in front at each sample of a view. Inside the render room only.
#pragma once
#include "supple/render/camera.h"
#include "supple/render/render.h"

namespace supple {

struct Sample {
  int mesh = -1, triangle = -1;  // -1: nothing
  // Larger is nearer: 1 / depth in perspective, -depth otherwise. Linear across the picture.
  double nearness = 0;
  double b = 0, c = 0;  // weights of the second and third corner in the world
  bool line = false;    // on a triangle edge drawn as a line
};

// Where in its picture a triangle is at these weights.
inline Eigen::Vector2d uv_of(const RenderMesh& m, int triangle, double b, double c) {
  const Tri& t = m.triangles[static_cast<size_t>(triangle)];
  return (1 - b - c) * m.uvs[static_cast<size_t>(t[0])] + b * m.uvs[static_cast<size_t>(t[1])] +
         c * m.uvs[static_cast<size_t>(t[2])];
}

double nearness_of(const View& view, double depth);

// Row by row from the top. line_scale turns a mesh's line_width into samples.
std::vector<Sample> rasterise(const std::vector<RenderMesh>& meshes, const View& view, int width, int height,
                              double line_scale);
// Of the same samples, lines as wide as they are, only the largest nearness; minus infinity: nothing.
std::vector<double> nearest(const std::vector<RenderMesh>& meshes, const View& view, int width, int height);

}  // namespace supple
