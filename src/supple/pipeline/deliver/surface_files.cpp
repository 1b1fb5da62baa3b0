#include "supple/pipeline/deliver/surface_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "supple/anim/local_quintic.h"
#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/io/gltf/gltf_morph.h"
#include "supple/io/obj.h"
#include "supple/io/output_file.h"
#include "supple/io/tets/vtu.h"
#include "supple/io/usda.h"
#include "supple/pipeline/deliver/reference_equilibrium.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline {

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
  PointCache chosen, velocities;  // chosen: empty when it is every frame; velocities only with subframes [units / s]
  double frames_apart = 1;
};
Samples samples_of(const OutputRequest& out, const PointCache& frames) {
  const OutputConfig& o = out.config.output;
  Samples s;
  s.frames_apart = o.subframes > 0 ? 1.0 / (o.subframes + 1) : o.every;
  if (s.frames_apart == 1) return s;
  s.chosen.rate = s.frames_apart;
  for (int k = 0; k * s.frames_apart <= frames.n_samples - 1 + 1e-9; ++k) {
    const double f = k * s.frames_apart;
    s.chosen.add(o.subframes > 0 && frames.n_samples > 1 ? between(frames, f, 0)
                                                         : sample_of(frames, static_cast<int>(std::lround(f))));
    if (o.subframes > 0 && frames.n_samples > 1) s.velocities.add(out.fps * between(frames, f, 1));
    s.chosen.times.push_back(static_cast<float>(f / out.fps));
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

namespace {

void put(const Points& points, double scale, int frame, PointCache& cache) {
  float* to = cache.xyz.data() + 3 * points.size() * static_cast<size_t>(frame);
  for (const Vec3& x : points)
    for (int a = 0; a < 3; ++a) *to++ = static_cast<float>(scale * x[a]);
}

// Without the soft clip. departures: where there will be one, one a frame; null: there will be none.
DrawnFrames drawn_frames(const Job& job, const DeliveredRun& run, std::vector<Departure>* departures) {
  DrawnFrames out;
  out.mesh = job.surface.mesh;
  const double to_file = 1 / job.file_scale();
  for (Vec3& x : out.mesh.vertices) x *= to_file;
  const auto n = static_cast<size_t>(run.n_frames());
  const auto make_room = [&](PointCache& cache) {
    cache.n_points = out.mesh.n_vertices(), cache.n_samples = run.n_frames();
    cache.xyz.resize(3 * out.mesh.vertices.size() * n);
  };
  make_room(out.frames);
  for (int f = 0; f < run.n_frames(); ++f) out.frames.times.push_back(static_cast<float>(f / job.shot.fps));
  if (run.drawing().animated()) make_room(out.input);
  const bool keeps = departures && has_soft_clip(*job.subject);
  if (keeps) departures->resize(n);
  std::vector<double> asked(n), evened(n);
  parallel_for(n, 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      const int f = static_cast<int>(k);
      DrawnFrame frame = run.frame(f);
      asked[k] = frame.departure.asked, evened[k] = frame.departure.evened;
      put(frame.shown, to_file, f, out.frames);
      if (out.input.n_samples > 0) put(frame.base, to_file, f, out.input);
      if (keeps) (*departures)[k] = std::move(frame.departure);
    }
  });
  out.flesh = job.subject->drawn_flesh(job.config, job.body->base, job.surface);
  const double all = std::accumulate(asked.begin(), asked.end(), 0.0);
  if (all > 0) out.evened_share = std::accumulate(evened.begin(), evened.end(), 0.0) / all;
  return out;
}

}  // namespace

DrawnFrames drawn_shapes(const Job& job, const DeliveredRun& run) { return drawn_frames(job, run, nullptr); }

DrawnFrames drawn_surface(const Job& job, const DeliveredRun& run) {
  std::vector<Departure> departures;
  DrawnFrames out = drawn_frames(job, run, &departures);
  if (has_soft_clip(*job.subject)) out.soft = soft_clip(job, run, std::move(departures));
  return out;
}

int first_not_finite(const PointCache& frames) {
  const auto bad = std::find_if(frames.xyz.begin(), frames.xyz.end(), [](float x) { return !std::isfinite(x); });
  return bad == frames.xyz.end() ? -1 : static_cast<int>((bad - frames.xyz.begin()) / (3 * frames.n_points));
}

DrawnFrames drawn_surface(const Job& job, PointCache tets, const PointCache& statics) {
  ReferenceEquilibrium from(job);
  std::vector<VecX> authored;
  for (int f = 0; f < statics.n_samples && from.differs(); ++f) authored.push_back(from.at(f, sample_of(statics, f)));
  const DeliveredRun run(
      job, tets, [&](int f) { return authored.empty() ? sample_of(statics, f) : authored[static_cast<size_t>(f)]; });
  std::vector<Departure> departures;
  DrawnFrames out = drawn_frames(job, run, &departures);
  out.check = job.subject->check({job.config, job.body->base, tets, statics, out.frames, out.input, out.evened_share});
  if (has_soft_clip(*job.subject)) out.soft = soft_clip(job, run, std::move(departures));
  for (const VecX& p : authored) out.authored.add(p);
  out.tets = std::move(tets);
  return out;
}

namespace {

// A character's file again, with the soft clip; or the still character where it has no clip.
void write_character_glb(const OutputRequest& out, const DrawnFrames& drawn, const std::string& path,
                         std::vector<std::string>& notes) {
  std::vector<SoftClip> clips;
  if (!drawn.soft.times.empty()) clips.push_back(drawn.soft);
  const SoftGlbReport r = write_soft_glb(out.config.surface.file.path, path, clips, glb_options(out.config.output));
  notes.insert(notes.end(), r.warnings.begin(), r.warnings.end());
}

// One cache for each object of the file, as Blender has them; named after it.
std::vector<std::string> write_object_caches(const Appearance& appearance, const PointCache& all, const fs::path& dir,
                                             const std::string& format) {
  const std::vector<DrawnObject> objects = appearance.objects();
  if (objects.size() < 2) return {};
  fs::create_directories(dir / ("surface_" + format));
  std::set<std::string> used;
  for (const DrawnObject& o : objects) {
    PointCache cache;
    cache.rate = all.rate, cache.times = all.times;
    for (int s = 0; s < all.n_samples; ++s) {
      VecX x(3 * static_cast<Eigen::Index>(o.vertices.size()));
      for (size_t i = 0; i < o.vertices.size(); ++i)
        for (int a = 0; a < 3; ++a) x[3 * static_cast<Eigen::Index>(i) + a] = all.sample(s)[3 * o.vertices[i] + a];
      cache.add(x);
    }
    std::string name = o.name;
    for (char& ch : name)
      if (!std::isalnum(static_cast<unsigned char>(ch)) && ch != '.' && ch != '-') ch = '_';
    if (name.empty() || name[0] == '.' || !used.insert(name).second)
      name += fmt::format("_{}", o.number), used.insert(name);
    write_point_cache((dir / ("surface_" + format) / (name + "." + format)).string(), cache);
  }
  return {"surface_" + format + "/"};
}

// The scene as it was run, wherever it came from; not over a scene of somebody else.
bool write_scene_of_run(const SceneConfig& config, const fs::path& dir) {
  constexpr std::string_view kMark = "# The scene of this run.\n";
  const fs::path file = dir / "scene.toml";
  std::error_code error;
  if (fs::exists(file, error)) {
    std::string start(kMark.size(), ' ');
    std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
    if (start != kMark) return false;
    if (!config.file.empty() && fs::equivalent(config.file, file, error)) return false;
  }
  write_text(file.string(), std::string(kMark) + to_toml(config, dir.string()));
  return true;
}

}  // namespace

namespace {

// The files of a run's surface, one format or more; each may be written while others are.
class SurfaceFiles {
 public:
  struct Written {
    std::vector<std::string> files, notes;
  };

  // body: whose surface it is, where it is not that of the run.
  SurfaceFiles(const OutputRequest& out, const DrawnFrames& drawn, fs::path directory, const Companion* body = nullptr)
      : out_(out),
        drawn_(drawn),
        own_(!body),
        name_(body ? "body-" + body->name : "surface"),
        dir_(std::move(directory)),
        samples_(samples_of(out, drawn.frames)),
        surface_(samples_.chosen.n_samples > 0 ? samples_.chosen : drawn.frames) {
    const std::vector<std::string>& formats = out.config.output.formats;
    const bool turns = std::any_of(formats.begin(), formats.end(),
                                   [&](const std::string& f) { return f == "usda" || (f == "glb" && !own_glb()); });
    // A character's file has its own idea of up.
    if (!turns || own_glb() || out.config.world.up == "y") return;
    turned_.emplace(drawn.mesh, surface_, samples_.velocities);
    turn_up(turned_->mesh, turned_->frames, turned_->velocities, out.config.world.up);
  }

  Written write(const std::string& format) const {
    Written w;
    const auto name = [&](const std::string& file) {
      w.files.push_back(file);
      return (dir_ / file).string();
    };
    const TriMesh& mesh = turned_ ? turned_->mesh : drawn_.mesh;
    const PointCache& frames = turned_ ? turned_->frames : surface_;
    const PointCache& velocities = turned_ ? turned_->velocities : samples_.velocities;
    if (format == "glb" && own_glb() && out_.config.curves.present) {
      // Curves go into it as they are: curves_files.h.
    } else if (format == "glb" && own_glb()) {
      write_character_glb(out_, drawn_, name(name_ + ".glb"), w.notes);
    } else if (format == "glb") {
      const MorphReport r = write_glb(name(name_ + ".glb"), mesh, frames, {.fps = out_.fps / samples_.frames_apart});
      if (r.max_error_m > 1e-3 * longest_side(drawn_.mesh.vertices))
        w.notes.push_back(fmt::format("{}.glb: {} morph targets reproduce the motion to {:.3g} mm", name_, r.targets,
                                      1e3 * r.max_error_m));
    } else if (format == "pc2" || format == "mdd") {
      write_point_cache(name(name_ + "." + format), surface_);
      if (own_)
        for (const std::string& f : write_object_caches(out_.appearance, surface_, dir_, format)) w.files.push_back(f);
    } else if (format == "usda") {
      write_usda(name(name_ + ".usda"), mesh, frames,
                 {.fps = out_.fps,
                  .rate = samples_.frames_apart,
                  .velocities = velocities.n_samples > 0 ? &velocities : nullptr});
    } else if (format == "obj") {
      const std::string series = name_ + "_obj";
      fs::create_directories(dir_ / series);
      for (int s = 0; s < drawn_.frames.n_samples; s += out_.config.output.every)
        write_obj((dir_ / series / fmt::format("{:05}.obj", s)).string(), at_frame(drawn_.mesh, drawn_.frames, s));
      w.files.push_back(series + "/");
    } else if (format == "vtu") {
      write_tets(name("tets.pvd"));
    }
    return w;
  }

  // What goes with them.
  Written write_rest() const {
    Written w;
    // A cache alone has no faces: the rest surface beside it, in the same vertex order.
    if (out_.config.output.formats != std::vector<std::string>{"glb"}) {
      write_obj((dir_ / "surface.obj").string(), drawn_.mesh);
      w.files.push_back("surface.obj");
    }
    if (drawn_.authored.n_samples > 0) {
      write_pc2((dir_ / kAuthoredFile).string(), drawn_.authored);
      w.files.push_back(kAuthoredFile);
    }
    if (write_scene_of_run(out_.config, dir_)) w.files.push_back("scene.toml");
    return w;
  }

 private:
  // The character's file, with a soft clip.
  bool own_glb() const { return own_ && out_.appearance.own_glb(); }

  // The tets themselves, with their displacement: what a researcher opens in ParaView.
  void write_tets(const std::string& list) const {
    fs::create_directories(dir_ / "tets_vtu");
    const VecX rest = flatten(out_.tets->vertices);
    std::vector<VtuFrame> index;
    for (int s = 0; s < drawn_.tets.n_samples; s += out_.config.output.every) {
      const std::string file = fmt::format("tets_vtu/{:05}.vtu", s);
      const VecX u = sample_of(drawn_.tets, s) - rest;
      write_vtu((dir_ / file).string(), *out_.tets, {.displacement = &u});
      index.push_back({s / out_.fps, file});
    }
    write_pvd(list, index);
  }

  struct Turned {
    Turned(TriMesh m, PointCache f, PointCache v)
        : mesh(std::move(m)), frames(std::move(f)), velocities(std::move(v)) {}
    TriMesh mesh;
    PointCache frames, velocities;
  };
  const OutputRequest& out_;
  const DrawnFrames& drawn_;
  bool own_;
  std::string name_;
  fs::path dir_;
  Samples samples_;
  const PointCache& surface_;
  std::optional<Turned> turned_;  // where the world's up is not that of glTF
};

// Another body, as the drawn surface of a scene without a character; of a run without formats as a .glb.
SurfaceFiles::Written write_body(const OutputRequest& request, const Companion& body, const std::string& directory) {
  SurfaceFiles::Written w;
  DrawnFrames drawn;
  drawn.mesh = body.mesh;
  drawn.frames = body.frames;
  for (int f = 0; f < body.frames.n_samples; ++f) drawn.frames.times.push_back(static_cast<float>(f / request.fps));
  const SurfaceFiles out(request, drawn, directory, &body);
  std::vector<std::string> formats = request.config.output.formats;
  if (formats.empty()) formats = {"glb"};
  std::erase(formats, "vtu");
  for (const std::string& format : formats) {
    const SurfaceFiles::Written one = out.write(format);
    w.files.insert(w.files.end(), one.files.begin(), one.files.end());
    w.notes.insert(w.notes.end(), one.notes.begin(), one.notes.end());
  }
  if (formats != std::vector<std::string>{"glb"}) {
    w.files.push_back("body-" + body.name + ".obj");
    write_obj((fs::path(directory) / w.files.back()).string(), body.mesh);
  }
  return w;
}

}  // namespace

std::vector<std::string> write_surface_files(const OutputRequest& request, const DrawnFrames& drawn,
                                             const std::string& directory, std::vector<std::string>& notes) {
  const SurfaceFiles out(request, drawn, directory);
  const std::vector<std::string>& formats = request.config.output.formats;
  std::vector<SurfaceFiles::Written> written(formats.size() + 1);
  parallel_for(written.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) written[k] = k < formats.size() ? out.write(formats[k]) : out.write_rest();
  });
  std::vector<std::string> files;
  const auto collect = [&](const SurfaceFiles::Written& w) {
    files.insert(files.end(), w.files.begin(), w.files.end());
    notes.insert(notes.end(), w.notes.begin(), w.notes.end());
  };
  for (const auto& w : written) collect(w);
  for (const Companion& c : drawn.others)
    if (c.kind == Companion::Kind::body) collect(write_body(request, c, directory));
  return files;
}

}  // namespace supple::pipeline
