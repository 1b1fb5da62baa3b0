// A small software rasteriser for pictures in reports and tests: no GPU, the same bytes for any thread count.
#pragma once
#include <memory>

#include "supple/mesh/tri_mesh.h"
#include "supple/render/camera.h"
#include "supple/render/image.h"
#include "supple/render/picture.h"

namespace supple {

// How some of the triangles look.
struct RenderLook {
  Vec3 color = Vec3::Ones();               // linear RGB, times the mesh's own colours and the picture
  std::shared_ptr<const Picture> picture;  // over the uvs; null: none
  double cut_out = 0;                      // where its alpha is below, nothing is drawn
};

struct RenderMesh {
  Points vertices;
  std::vector<Tri> triangles;
  Points normals;  // empty: area-weighted from the triangles
  Points colors;   // linear RGB in 0..1, one a vertex; empty: `color`
  Vec3 color = Vec3::Constant(0.6);
  std::vector<RenderLook> looks;     // in place of `color`...
  std::vector<int> look;             // ...one of them a triangle
  std::vector<Eigen::Vector2d> uvs;  // one a vertex, where a look has a picture
  bool smooth = true;                // false: one normal a triangle
  bool fill = true;                  // false: only the lines of the triangles, if any
  double line_width = 0;             // [pixel] of triangle edges, 0: none
  Vec3 line_color = Vec3::Constant(0.05);
};
// The mesh with its own normals and colours.
RenderMesh to_render(const TriMesh& mesh);

struct RenderOptions {
  int width = 640, height = 480;
  int supersample = 3;  // samples along each side of a pixel
  Vec3 background_top = {0.62, 0.74, 0.88}, background_bottom = {0.93, 0.95, 0.97};  // linear RGB
  // Unit vectors towards the lights are made from these; x right, y up, z towards the viewer of the default camera.
  Vec3 key_direction = {0.45, 0.8, 0.6}, fill_direction = {-0.7, 0.25, 0.5};
  double key = 0.95, fill = 0.28, ambient = 0.3, gloss = 0.06;
  bool shadows = true;         // of the key light
  int shadow_size = 1024;      // of the picture that it sees
  bool ground = false;         // a plane with a grid at ground_height
  double ground_height = 0;    // [m]
  double grid_spacing = 0.25;  // [m], 0: no lines
  Vec3 ground_color = {0.72, 0.72, 0.70};
};

// Triangles with a non-finite corner are left out. Throws InputError: sizes out of range, an index out of range,
// normals or colours that do not match the vertices, a camera without a view.
Image render(const std::vector<RenderMesh>& meshes, const Camera& camera, const RenderOptions& options = {});

}  // namespace supple
