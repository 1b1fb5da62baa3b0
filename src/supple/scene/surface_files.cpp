#include "supple/scene/surface_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "supple/anim/local_quintic.h"
#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/io/gltf_morph.h"
#include "supple/io/obj.h"
#include "supple/io/output_file.h"
#include "supple/io/usda.h"
#include "supple/io/vtu.h"
#include "supple/render/render.h"
#include "supple/scene/delivery.h"
#include "supple/scene/load.h"

namespace supple {

namespace fs = std::filesystem;

namespace {

// At `t` [frames], between samples that are a frame apart: the local quintic. derivative 1: a frame.
VecX between(const PointCache& cache, double t, int derivative) {
  const int k = std::clamp(static_cast<int>(std::floor(t)), 0, std::max(0, cache.n_samples - 2));
  SixTimes times;
  for (int j = 0; j < 6; ++j) times[static_cast<size_t>(j)] = k - 2 + j;
  SixWeights w = local_quintic_weights(times, t, derivative);
  fold_foreign(times, std::max(0, 2 - k), std::min(5, cache.n_samples - 1 - (k - 2)), w);
  VecX x = VecX::Zero(3 * cache.n_points);
  for (int j = 0; j < 6; ++j)
    if (w[static_cast<size_t>(j)] != 0) x += w[static_cast<size_t>(j)] * sample_of(cache, k - 2 + j);
  return x;
}

// What caches hold: every so many frames, or samples between them.
struct Samples {
  PointCache positions, velocities;  // velocities only with subframes [units / s]
  double frames_apart = 1;
};
Samples samples_of(const Job& job, const PointCache& frames) {
  const OutputConfig& o = job.config.output;
  Samples s;
  s.frames_apart = o.subframes > 0 ? 1.0 / (o.subframes + 1) : o.every;
  s.positions.rate = s.frames_apart;
  for (int k = 0; k * s.frames_apart <= frames.n_samples - 1 + 1e-9; ++k) {
    const double f = k * s.frames_apart;
    s.positions.add(o.subframes > 0 && frames.n_samples > 1 ? between(frames, f, 0)
                                                            : sample_of(frames, static_cast<int>(std::lround(f))));
    if (o.subframes > 0 && frames.n_samples > 1) s.velocities.add(job.fps * between(frames, f, 1));
    s.positions.times.push_back(static_cast<float>(f / job.fps));
  }
  return s;
}

// glTF has y up and our USD files say so: a scene with another axis up is turned for them.
void turn_up(TriMesh& mesh, PointCache& frames, PointCache& velocities, const std::string& up) {
  if (up == "y") return;
  // z up: (x, y, z) -> (x, z, -y); x up: (x, y, z) -> (-y, x, z).
  auto turn = [&](auto& x, auto& y, auto& z) {
    const auto a = x, b = y, c = z;
    if (up == "z") x = a, y = c, z = -b;
    if (up == "x") x = -b, y = a, z = c;
  };
  for (Vec3& p : mesh.vertices) turn(p[0], p[1], p[2]);
  for (Vec3& n : mesh.normals) turn(n[0], n[1], n[2]);
  for (PointCache* c : {&frames, &velocities})
    for (size_t i = 0; i + 2 < c->xyz.size(); i += 3) turn(c->xyz[i], c->xyz[i + 1], c->xyz[i + 2]);
}

TriMesh at_frame(const TriMesh& mesh, const PointCache& frames, int s) {
  TriMesh m = mesh;
  m.vertices = frames.points(s);
  if (!m.normals.empty()) m.normals = vertex_normals(m.vertices, m.triangles);
  return m;
}

}  // namespace

DrawnFrames drawn_surface(const Job& job, const DeliveredRun& run) {
  DrawnFrames out;
  out.mesh = job.surface.mesh;
  const double to_file = job.character ? 1 / job.character->scale : 1;
  if (job.character)
    for (Vec3& x : out.mesh.vertices) x *= to_file;
  PointCache& frames = out.frames;
  frames.n_points = out.mesh.n_vertices(), frames.n_samples = run.n_frames();
  const size_t length = 3 * out.mesh.vertices.size();
  frames.xyz.resize(length * static_cast<size_t>(run.n_frames()));
  parallel_for(static_cast<size_t>(run.n_frames()), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      const VecX x = to_file * flatten(run.at(static_cast<int>(f)));
      for (size_t i = 0; i < length; ++i)
        frames.xyz[f * length + i] = static_cast<float>(x[static_cast<Eigen::Index>(i)]);
    }
  });
  if (job.character && !job.character->cached && !job.character->character.clips.empty())
    out.soft = soft_clip(job, run);
  return out;
}

DrawnFrames drawn_surface(const Job& job, PointCache tets, const PointCache& statics) {
  DeparturePoint from(job);
  std::vector<VecX> authored;
  for (int f = 0; f < statics.n_samples && from.differs(); ++f) authored.push_back(from.at(f, sample_of(statics, f)));
  const DeliveredRun run(
      job, tets, [&](int f) { return authored.empty() ? sample_of(statics, f) : authored[static_cast<size_t>(f)]; });
  DrawnFrames out = drawn_surface(job, run);
  if (job.character) {
    PointCache input;
    for (int f = 0; f < tets.n_samples; ++f) input.add(1 / job.character->scale * flatten(run.delivery().input(f)));
    out.check = check_motion(job, tets, statics, out.frames, input);
  }
  for (const VecX& p : authored) out.authored.add(p);
  out.tets = std::move(tets);
  return out;
}

namespace {

// A character's file again, with the soft clip; or the still character where it has no clip.
void write_character_glb(const Job& job, const DrawnFrames& drawn, const std::string& path,
                         std::vector<std::string>& notes) {
  std::vector<SoftClip> clips;
  if (!drawn.soft.times.empty()) clips.push_back(drawn.soft);
  const SoftGlbReport r = write_soft_glb(job.config.surface.file.path, path, clips);
  notes.insert(notes.end(), r.warnings.begin(), r.warnings.end());
}

// One cache for each mesh node, as Blender has them as objects; named after the node.
std::vector<std::string> write_node_caches(const Job& job, const PointCache& all, const fs::path& dir,
                                           const std::string& format) {
  std::vector<std::string> files;
  const CharacterSetup& c = *job.character;
  std::map<int, std::vector<int>> vertices;
  for (const DrawnPrimitive& p : c.drawn.primitives)
    for (int v = 0; v < p.n_vertices; ++v) vertices[p.node].push_back(p.first_vertex + v);
  if (vertices.size() < 2) return files;
  fs::create_directories(dir / ("surface_" + format));
  std::set<std::string> used;
  for (const auto& [node, list] : vertices) {
    PointCache cache;
    cache.rate = all.rate, cache.times = all.times;
    for (int s = 0; s < all.n_samples; ++s) {
      VecX x(3 * static_cast<Eigen::Index>(list.size()));
      for (size_t i = 0; i < list.size(); ++i)
        for (int a = 0; a < 3; ++a) x[3 * static_cast<Eigen::Index>(i) + a] = all.sample(s)[3 * list[i] + a];
      cache.add(x);
    }
    std::string name = c.character.nodes[node].name;
    for (char& ch : name)
      if (!std::isalnum(static_cast<unsigned char>(ch)) && ch != '.' && ch != '-') ch = '_';
    if (name.empty() || name[0] == '.' || !used.insert(name).second)
      name += fmt::format("_{}", node), used.insert(name);
    write_point_cache((dir / ("surface_" + format) / (name + "." + format)).string(), cache);
  }
  files.push_back("surface_" + format + "/");
  return files;
}

// The scene as it was run, wherever it came from; not over a scene of somebody else.
bool write_scene(const Job& job, const fs::path& dir) {
  constexpr std::string_view kMark = "# The scene of this run.\n";
  const fs::path file = dir / "scene.toml";
  std::error_code error;
  if (fs::exists(file, error)) {
    std::string start(kMark.size(), ' ');
    std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
    if (start != kMark) return false;
    if (!job.config.file.empty() && fs::equivalent(job.config.file, file, error)) return false;
  }
  write_text(file.string(), std::string(kMark) + to_toml(job.config, dir.string()));
  return true;
}

}  // namespace

std::vector<std::string> write_surface_files(const Job& job, const DrawnFrames& drawn, const std::string& directory,
                                             std::vector<std::string>& notes) {
  const fs::path dir = directory;
  const TriMesh& mesh = drawn.mesh;
  const PointCache& frames = drawn.tets;
  const Samples samples = samples_of(job, drawn.frames);
  const PointCache& surface = samples.positions;
  TriMesh turned = mesh;
  PointCache turned_frames = surface, turned_velocities = samples.velocities;
  // A character's file has its own idea of up.
  if (!job.character || job.character->cached) turn_up(turned, turned_frames, turned_velocities, job.config.world.up);
  std::vector<std::string> files;
  auto name = [&](const std::string& file) {
    files.push_back(file);
    return (dir / file).string();
  };
  for (const std::string& format : job.config.output.formats) {
    if (format == "glb" && job.character && !job.character->cached) {
      write_character_glb(job, drawn, name("surface.glb"), notes);
    } else if (format == "glb") {
      const MorphReport r =
          write_glb(name("surface.glb"), turned, turned_frames, {.fps = job.fps / samples.frames_apart});
      if (r.max_error_m > 1e-3 * longest_side(mesh.vertices))
        notes.push_back(fmt::format("surface.glb: {} morph targets reproduce the motion to {:.3g} mm", r.targets,
                                    1e3 * r.max_error_m));
    } else if (format == "pc2" || format == "mdd") {
      write_point_cache(name("surface." + format), surface);
      if (job.character)
        for (const std::string& f : write_node_caches(job, surface, dir, format)) files.push_back(f);
    } else if (format == "usda") {
      write_usda(name("surface.usda"), turned, turned_frames,
                 {.fps = job.fps,
                  .rate = samples.frames_apart,
                  .velocities = turned_velocities.n_samples > 0 ? &turned_velocities : nullptr});
    } else if (format == "obj") {
      fs::create_directories(dir / "surface_obj");
      for (int s = 0; s < drawn.frames.n_samples; s += job.config.output.every)
        write_obj((dir / "surface_obj" / fmt::format("{:05}.obj", s)).string(), at_frame(mesh, drawn.frames, s));
      files.push_back("surface_obj/");
    } else if (format == "vtu") {
      // The tets themselves, with their displacement: what a researcher opens in ParaView.
      fs::create_directories(dir / "tets_vtu");
      const VecX rest = flatten(job.model->mesh().vertices);
      std::vector<VtuFrame> index;
      for (int s = 0; s < frames.n_samples; s += job.config.output.every) {
        const std::string file = fmt::format("tets_vtu/{:05}.vtu", s);
        const VecX u = sample_of(frames, s) - rest;
        write_vtu((dir / file).string(), job.model->mesh(), {.displacement = &u});
        index.push_back({s / job.fps, file});
      }
      write_pvd(name("tets.pvd"), index);
    }
  }
  // A cache alone has no faces: the rest surface beside it, in the same vertex order.
  if (files.empty() || std::find(files.begin(), files.end(), "surface.glb") == files.end() || files.size() > 1)
    write_obj(name("surface.obj"), mesh);
  if (drawn.authored.n_samples > 0) write_pc2(name(kAuthoredFile), drawn.authored);
  if (write_scene(job, dir)) files.push_back("scene.toml");
  return files;
}

std::string poster_png(const Job& job, const DrawnFrames& drawn) {
  const TriMesh& mesh = drawn.mesh;
  const PointCache& frames = drawn.frames;
  const VecX first = sample_of(frames, 0);
  // The frame of largest departure from the first shape, its mean translation aside.
  int widest = 0;
  double most = -1;
  for (int s = 0; s < frames.n_samples; ++s) {
    const VecX d = sample_of(frames, s) - first;
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
    m.vertices = frames.points(s);
    m.normals.clear();
    Camera camera = fit_camera(bounding_box(m.vertices), z_up ? Vec3(-0.3, 1, -0.15) : Vec3(-0.3, -0.15, -1), 0.9);
    if (z_up) camera.up = Vec3::UnitZ();
    strip.push_back(render({m}, camera, {.width = 360, .height = 400}));
  }
  const std::vector<uint8_t> bytes = encode_png(film_strip(strip));
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace supple
