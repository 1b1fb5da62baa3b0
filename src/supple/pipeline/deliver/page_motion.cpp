#include "supple/pipeline/deliver/page_motion.h"

#include <algorithm>
#include <filesystem>
#include <limits>

namespace supple::pipeline {

namespace {

constexpr double kCrease = 8;  // [degrees]

void put(const VecX& from, std::vector<float>& to) {
  to.resize(static_cast<size_t>(from.size()));
  for (Eigen::Index i = 0; i < from.size(); ++i) to[static_cast<size_t>(i)] = static_cast<float>(from[i]);
}

void put_frame(const PointCache& cache, int f, std::vector<float>& to) {
  to.assign(cache.sample(f), cache.sample(f) + 3 * static_cast<size_t>(cache.n_points));
}

}  // namespace

namespace {

MotionSource flesh_source(const OutputRequest& out, const DrawnFrames& drawn, const BaseFrames& base) {
  MotionSource source;
  source.n_vertices = drawn.mesh.n_vertices();
  source.n_frames = drawn.frames.n_samples;
  source.fps = out.fps;
  source.triangles = drawn.mesh.triangles;
  source.crease_deg = kCrease;
  out.appearance.dress(drawn.mesh, source);
  source.metres = out.appearance.file_scale();
  source.size_m = out.appearance.size(drawn.mesh);
  source.up = out.appearance.up(out.config)[0];
  if (drawn.flesh.softness.size() == drawn.mesh.vertices.size()) {
    source.softness = drawn.flesh.softness;
    source.region = drawn.flesh.region;
    source.region_names = drawn.flesh.names;
  }
  source.frame = [&drawn, base](int f, std::vector<float>& input, std::vector<float>& result) {
    if (drawn.input.n_samples == drawn.frames.n_samples)
      put_frame(drawn.input, f, input);
    else
      put(flatten(base(f)), input);
    put_frame(drawn.frames, f, result);
  };
  return source;
}

// What is drawn besides follows no input: it is the same in both.
void add_others(const std::vector<Companion>& all_others, MotionSource& source) {
  std::vector<const Companion*> others;
  for (const Companion& c : all_others)
    if (!c.floor) others.push_back(&c);  // the page has a ground of its own
  if (others.empty()) return;
  const double to_file = 1 / source.metres;
  const int own = source.n_vertices;
  for (const Companion* other : others) {
    const Companion& c = *other;
    const int n = c.mesh.n_vertices();
    for (const Tri& t : c.mesh.triangles)
      source.triangles.push_back({t[0] + source.n_vertices, t[1] + source.n_vertices, t[2] + source.n_vertices});
    const Points normals = vertex_normals(c.mesh.vertices, c.mesh.triangles);
    source.normals.insert(source.normals.end(), normals.begin(), normals.end());
    if (!source.colors.empty()) source.colors.insert(source.colors.end(), static_cast<size_t>(n), Vec3::Ones());
    if (!source.softness.empty()) {
      source.softness.insert(source.softness.end(), static_cast<size_t>(n), std::numeric_limits<double>::quiet_NaN());
      source.region.insert(source.region.end(), static_cast<size_t>(n), -1);
    }
    if (!source.uvs.empty()) source.uvs.insert(source.uvs.end(), static_cast<size_t>(n), Eigen::Vector2d::Zero());
    MotionLook look;
    look.name = c.name;
    look.color = c.color;
    look.n_triangles = static_cast<int>(c.mesh.triangles.size());
    source.looks.push_back(look);
    source.n_vertices += n;
  }
  source.frame = [flesh = source.frame, others, own, to_file, all = source.n_vertices](int f, std::vector<float>& input,
                                                                                       std::vector<float>& result) {
    flesh(f, input, result);
    for (std::vector<float>* to : {&input, &result}) {
      to->resize(3 * static_cast<size_t>(all));
      float* at = to->data() + 3 * static_cast<size_t>(own);
      for (const Companion* c : others)
        for (const Vec3& x : c->at(f))
          for (int a = 0; a < 3; ++a) *at++ = static_cast<float>(to_file * x[a]);
    }
  };
}

}  // namespace

MotionSource motion_source(const OutputRequest& out, const DrawnFrames& drawn, const BaseFrames& base) {
  MotionSource source = flesh_source(out, drawn, base);
  add_others(drawn.others, source);
  return source;
}

BaseFrames resting_frames(const Job& job, const std::string& directory) {
  const auto statics =
      std::make_shared<PointCache>(read_pc2((std::filesystem::path(directory) / "static.pc2").string()));
  const std::shared_ptr<const Drawing> drawing = job.drawing();
  return [drawing, statics](int f) {
    return drawing->base(f, flatten(statics->points(std::min(f, statics->n_samples - 1))));
  };
}

std::optional<PackedMotion> run_motion(const Job& job, const DrawnFrames& drawn, const std::string& directory) {
  const bool has_input = drawn.input.n_samples == drawn.frames.n_samples;
  return pack_motion(motion_source(job.output(), drawn, has_input ? BaseFrames() : resting_frames(job, directory)));
}

}  // namespace supple::pipeline
