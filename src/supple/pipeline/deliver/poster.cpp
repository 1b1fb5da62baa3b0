#include <algorithm>
#include <array>

#include "supple/base/parallel.h"
#include "supple/pipeline/deliver/surface_files.h"
#include "supple/render/render.h"

namespace supple::pipeline {

std::string poster_png(const OutputRequest& out, const DrawnFrames& drawn) {
  const TriMesh& mesh = drawn.mesh;
  const PointCache& frames = drawn.frames;
  const VecX first = sample_of(frames, 0);
  // The frame of largest departure from the first shape, its mean translation aside.
  std::vector<double> spread(static_cast<size_t>(frames.n_samples), 0);
  parallel_for(spread.size(), 8, [&](size_t begin, size_t end) {
    for (size_t s = begin; s < end; ++s) {
      const VecX d = sample_of(frames, static_cast<int>(s)) - first;
      Vec3 mean = Vec3::Zero();
      for (Eigen::Index i = 0; i < d.size(); i += 3) mean += d.segment<3>(i);
      mean /= std::max<double>(1, frames.n_points);
      for (Eigen::Index i = 0; i < d.size(); i += 3) spread[s] += (d.segment<3>(i) - mean).squaredNorm();
    }
  });
  const auto widest = static_cast<int>(std::max_element(spread.begin(), spread.end()) - spread.begin());
  const bool z_up = out.config.world.up == "z";
  const double to_file = 1 / out.appearance.file_scale();
  const int middle = drawn.busiest >= 0 && !drawn.others.empty() ? drawn.busiest : widest;
  const std::array<int, 3> shown{0, middle, frames.n_samples - 1};
  std::vector<Image> strip(shown.size());
  parallel_for(strip.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      RenderMesh m = to_render(mesh);
      m.vertices = frames.points(shown[k]);
      m.normals.clear();
      std::vector<RenderMesh> all;
      Points shown_points = m.vertices;
      RenderOptions options{.width = 360, .height = 400};
      for (const Companion& c : drawn.others) {
        // A floor goes to the horizon.
        if (c.kind == Companion::Kind::plane && c.floor && !options.ground && out.config.world.up == "y") {
          options.ground = true;
          options.ground_height = to_file * *c.floor;
          options.grid_spacing = 0;
          continue;
        }
        RenderMesh other = to_render(c.mesh);
        other.vertices = c.at(shown[k]);
        for (Vec3& x : other.vertices) x *= to_file;
        other.normals.clear();
        other.color = c.color;
        if (c.kind == Companion::Kind::body)
          shown_points.insert(shown_points.end(), other.vertices.begin(), other.vertices.end());
        all.push_back(std::move(other));
      }
      all.push_back(m);
      Camera camera = fit_camera(bounding_box(shown_points), z_up ? Vec3(-0.3, 1, -0.15) : Vec3(-0.3, -0.15, -1), 0.9);
      if (z_up) camera.up = Vec3::UnitZ();
      strip[k] = render(all, camera, options);
    }
  });
  const std::vector<uint8_t> bytes = encode_png(film_strip(strip));
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace supple::pipeline
