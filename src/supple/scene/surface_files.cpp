#include "supple/scene/surface_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/io/gltf_morph.h"
#include "supple/io/obj.h"
#include "supple/io/usda.h"
#include "supple/io/vtu.h"
#include "supple/render/render.h"

namespace supple {

namespace fs = std::filesystem;

namespace {

VecX sample(const PointCache& cache, int s) {
  VecX x(3 * cache.n_points);
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = cache.sample(s)[i];
  return x;
}

// Every `every`-th frame of the drawn surface.
PointCache surface_cache(const Job& job, const PointCache& frames) {
  const int every = job.config.output.every;
  PointCache out;
  out.n_points = job.surface.mesh.n_vertices();
  out.rate = every;
  for (int s = 0; s < frames.n_samples; s += every) {
    out.add(flatten(embedded_points(job.surface.embedding, job.model->mesh().tets, sample(frames, s))));
    out.times.push_back(static_cast<float>(s / job.fps));
  }
  return out;
}

// glTF has y up and our USD files say so: a scene with another axis up is turned for them.
void turn_up(TriMesh& mesh, PointCache& frames, const std::string& up) {
  if (up == "y") return;
  // z up: (x, y, z) -> (x, z, -y); x up: (x, y, z) -> (-y, x, z).
  auto turn = [&](auto& x, auto& y, auto& z) {
    const auto a = x, b = y, c = z;
    if (up == "z") x = a, y = c, z = -b;
    if (up == "x") x = -b, y = a, z = c;
  };
  for (Vec3& p : mesh.vertices) turn(p[0], p[1], p[2]);
  for (Vec3& n : mesh.normals) turn(n[0], n[1], n[2]);
  for (size_t i = 0; i + 2 < frames.xyz.size(); i += 3) turn(frames.xyz[i], frames.xyz[i + 1], frames.xyz[i + 2]);
}

TriMesh at_frame(const TriMesh& mesh, const PointCache& frames, int s) {
  TriMesh m = mesh;
  m.vertices = frames.points(s);
  if (!m.normals.empty()) m.normals = vertex_normals(m.vertices, m.triangles);
  return m;
}

}  // namespace

std::vector<std::string> write_surface_files(const Job& job, const PointCache& frames, const std::string& directory,
                                             std::vector<std::string>& notes) {
  const fs::path dir = directory;
  const TriMesh& mesh = job.surface.mesh;
  const PointCache surface = surface_cache(job, frames);
  const double fps = job.fps / job.config.output.every;
  TriMesh turned = mesh;
  PointCache turned_frames = surface;
  turn_up(turned, turned_frames, job.config.world.up);
  std::vector<std::string> files;
  auto name = [&](const std::string& file) {
    files.push_back(file);
    return (dir / file).string();
  };
  for (const std::string& format : job.config.output.formats) {
    if (format == "glb") {
      const MorphReport r = write_glb(name("surface.glb"), turned, turned_frames, {.fps = fps});
      if (r.max_error_m > 1e-3 * longest_side(mesh.vertices))
        notes.push_back(fmt::format("surface.glb: {} morph targets reproduce the motion to {:.3g} mm", r.targets,
                                    1e3 * r.max_error_m));
    } else if (format == "pc2" || format == "mdd") {
      write_point_cache(name("surface." + format), surface);
    } else if (format == "usda") {
      write_usda(name("surface.usda"), turned, turned_frames, {.fps = fps});
    } else if (format == "obj") {
      fs::create_directories(dir / "surface_obj");
      for (int s = 0; s < surface.n_samples; ++s)
        write_obj((dir / "surface_obj" / fmt::format("{:05}.obj", s * job.config.output.every)).string(),
                  at_frame(mesh, surface, s));
      files.push_back("surface_obj/");
    } else if (format == "vtu") {
      // The tets themselves, with their displacement: what a researcher opens in ParaView.
      fs::create_directories(dir / "tets_vtu");
      const VecX rest = flatten(job.model->mesh().vertices);
      std::vector<VtuFrame> index;
      for (int s = 0; s < frames.n_samples; s += job.config.output.every) {
        const std::string file = fmt::format("tets_vtu/{:05}.vtu", s);
        const VecX u = sample(frames, s) - rest;
        write_vtu((dir / file).string(), job.model->mesh(), {.displacement = &u});
        index.push_back({s / job.fps, file});
      }
      write_pvd(name("tets.pvd"), index);
    }
  }
  // A cache alone has no faces: the rest surface beside it, in the same vertex order.
  if (files.empty() || std::find(files.begin(), files.end(), "surface.glb") == files.end() || files.size() > 1)
    write_obj(name("surface.obj"), mesh);
  return files;
}

std::string poster_png(const Job& job, const PointCache& frames) {
  const TriMesh& mesh = job.surface.mesh;
  const VecX first = sample(frames, 0);
  // The frame of largest departure from the first shape, its mean translation aside.
  int widest = 0;
  double most = -1;
  for (int s = 0; s < frames.n_samples; ++s) {
    const VecX d = sample(frames, s) - first;
    Vec3 mean = Vec3::Zero();
    for (Eigen::Index i = 0; i < d.size(); i += 3) mean += d.segment<3>(i);
    mean /= std::max<double>(1, frames.n_points);
    double spread = 0;
    for (Eigen::Index i = 0; i < d.size(); i += 3) spread += (d.segment<3>(i) - mean).squaredNorm();
    if (spread > most) most = spread, widest = s;
  }
  const bool z_up = job.config.world.up == "z";
  std::vector<Image> strip;
  for (int s : {0, widest, frames.n_samples - 1}) {
    RenderMesh m = to_render(mesh);
    m.vertices = embedded_points(job.surface.embedding, job.model->mesh().tets, sample(frames, s));
    m.normals.clear();
    Camera camera = fit_camera(bounding_box(m.vertices), z_up ? Vec3(-0.3, 1, -0.15) : Vec3(-0.3, -0.15, -1), 0.9);
    if (z_up) camera.up = Vec3::UnitZ();
    strip.push_back(render({m}, camera, {.width = 360, .height = 400}));
  }
  const std::vector<uint8_t> bytes = encode_png(film_strip(strip));
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace supple
