// What moves in report.html: the drawn surface over the frames and the input it departs from, packed small.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// How some of the triangles look.
struct MotionLook {
  std::string name;
  Vec3 color = Vec3(0.8, 0.8, 0.8);  // linear RGB, times the picture
  double opacity = 1;
  double cut_out = 0;   // parts of the picture with less alpha are left out
  int picture = -1;     // one of the pictures
  int n_triangles = 0;  // the next so many
};
struct MotionPicture {
  std::string bytes, type;  // of a file that browsers show: "image/png", ...
};

struct MotionSource {
  int n_vertices = 0, n_frames = 0;
  double fps = 24;
  std::vector<Tri> triangles;
  std::vector<MotionLook> looks;  // over all triangles, in order
  std::vector<MotionPicture> pictures;
  Points normals;                    // one a vertex at rest
  double crease_deg = 8;             // vertices at one point are shaded as one when their normals differ by less
  Points colors;                     // linear RGB, one a vertex, or empty
  std::vector<Eigen::Vector2d> uvs;  // (0, 0) is the upper left corner of the picture; one a vertex, or empty
  std::vector<double> softness;      // 0 to 1, NaN: no flesh; one a vertex, or empty
  std::vector<int> region;           // of region_names, -1: none; one a vertex, or empty
  std::vector<std::string> region_names;
  char up = 'y';
  double metres = 1;  // in a unit of the positions
  double size_m = 1;  // that departures are told as a share of
  // Positions at a frame, 3 * n_vertices. Asked for several times, by several threads at once.
  std::function<void(int frame, std::vector<float>& input, std::vector<float>& result)> frame;
};

// Points: vertices with the same path are one. Faces are drawn with vertices; those of one shade share a normal.
struct PackedMotion {
  int n_points = 0, n_vertices = 0, n_shades = 0, n_triangles = 0, n_frames = 0;
  int every = 1;  // frames of the run from one to the next
  int bits = 16;  // of a coordinate
  double fps = 24, metres = 1, size_m = 1;
  Vec3 low = Vec3::Zero();  // positions are low + step * whole numbers
  double step = 1;
  double heat_m = 0;      // what nearly all departures stay below: the end of the scale of colours
  double farthest_m = 0;  // the largest departure
  char up = 'y';
  std::vector<MotionLook> looks;
  std::vector<MotionPicture> pictures;
  std::vector<std::string> region_names;
  // Lists as pack_list has them; colours a byte each, r g b a vertex, gamma 2.2; uvs as little-endian float32; softness
  // a byte a vertex, 0 to 254, 255: no flesh; regions as a list, one more than their number, 0: none.
  std::string points, shades, triangles, colors, uvs, softness, regions, frames;

  // Of all that, in the page.
  size_t bytes() const;
};

inline constexpr size_t kMotionBudget = 8'000'000;  // bytes; a third more in the page

// Fewer bits and then fewer frames are taken until it fits. Nothing when not even two frames do, there is nothing to
// draw or a position is not finite.
std::optional<PackedMotion> pack_motion(const MotionSource& source, size_t budget = kMotionBudget);

// For each point another one that moves much alike, with a smaller number (-1 for the first): the next smaller in one
// of its triangles, else the one before it.
std::vector<int> motion_guides(int n_points, const std::vector<Tri>& triangles);

}  // namespace supple
