#include "supple/pipeline/setup/surroundings.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/anim/clip_frames.h"
#include "supple/anim/track_views.h"
#include "supple/base/error.h"
#include "supple/io/formats.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/surface_file.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/quality.h"
#include "supple/mesh/solid_surface.h"
#include "supple/tetmesh/surface_mesh.h"

namespace supple::pipeline {

namespace {

constexpr double kRadiansPerDegree = M_PI / 180;

Affine placement(const PlacedMesh& p) {
  const Vec3 angle = kRadiansPerDegree * p.rotation.value_or(Vec3::Zero());
  Affine m = Affine::Identity();
  m.linear() = p.scale * (Eigen::AngleAxisd(angle.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(angle.y(), Vec3::UnitY()) *
                          Eigen::AngleAxisd(angle.x(), Vec3::UnitX()))
                             .toRotationMatrix();
  m.translation() = p.position.value_or(Vec3::Zero());
  return m;
}

std::string name_of(const PlacedMesh& p) {
  return p.name.empty() ? std::filesystem::path(p.file.path).stem().string() : p.name;
}

class SurroundingsLoader {
 public:
  SurroundingsLoader(const SceneConfig& config, double fps, Notes& notes) : config_(config), fps_(fps), notes_(notes) {}

  Surroundings load() {
    const SceneConfig& c = config_;
    Surroundings s;
    for (size_t k = 0; k < c.obstacles.size(); ++k) s.obstacles.push_back(obstacle(k));
    for (const PlaneConfig& p : c.planes) {
      const Vec3 normal = p.normal.value_or(up_of(c.world)).normalized();
      s.planes.push_back({normal, normal.dot(p.point.value_or(Vec3::Zero()))});
    }
    for (size_t k = 0; k < c.bodies.size(); ++k) s.bodies.push_back(body(k));
    return s;
  }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& what, const std::string& advice) const {
    throw InputError(config_.locate(key), what, advice);
  }
  void open(const std::string& key, const FilePath& file) {
    if (!std::filesystem::exists(file.path))
      refuse(key, fmt::format("there is no file {}", file.path), "Relative paths start at the scene file.");
    notes_.input(file);
  }

  // Positions over time; fewer than two samples: it stays.
  struct Motion {
    std::vector<VecX> samples;
    double dt = 1, start = 0;  // [s]
  };

  Motion cached(const std::string& key, const FilePath& file, const Affine& place, int n_vertices) {
    open(key, file);
    const PointCache cache = read_point_cache(file.path);
    if (cache.n_points != n_vertices)
      refuse(key,
             fmt::format("'{}' moves {} points, the obstacle has {} vertices", file.text, cache.n_points, n_vertices),
             "export both from the same mesh, without splitting or merging vertices");
    Motion m;
    m.dt = (cache.rate > 0 ? cache.rate : 1) / fps_, m.start = cache.start / fps_;
    if (extension(file.path) == ".mdd" && cache.times.size() > 1) {
      const std::vector<float>& t = cache.times;
      const double step = (t.back() - t.front()) / static_cast<double>(t.size() - 1);
      bool even = step > 0;
      for (size_t i = 1; i < t.size() && even; ++i) even = std::abs(t[i] - t[i - 1] - step) < 0.1 * step;
      if (even)
        m.dt = step, m.start = t.front();
      else
        notes_.warn(file.text + ": its times are uneven, so it has a sample a frame");
    }
    for (int s = 0; s < cache.n_samples; ++s) {
      Points x = cache.points(s);
      for (Vec3& p : x) p = place * p;
      m.samples.push_back(flatten(x));
    }
    return m;
  }

  // A glTF file as its clip moves it, or as it stands.
  Motion gltf(const ObstacleConfig& o, const Affine& place, TriMesh& mesh) {
    const Character character = read_gltf(o.file.path);
    const Drawn drawn = lay_out(character);
    mesh.triangles = drawn.triangles;
    Motion m;
    m.dt = 1 / fps_;
    std::vector<Pose> poses = {rest_pose(character, drawn)};
    if (!character.clips.empty())
      poses = frames_of(character, drawn, find_clip(character, o.clip), fps_).poses;
    else if (!o.clip.empty())
      throw InputError({.file = o.file.text}, "has no animation", "leave clip out");
    for (const Pose& pose : poses) {
      Points x = posed(drawn.vertices, pose);
      for (Vec3& p : x) p = place * p;
      m.samples.push_back(flatten(x));
    }
    return m;
  }

  Obstacle obstacle(size_t k) {
    const ObstacleConfig& o = config_.obstacles[k];
    const std::string key = fmt::format("contact.obstacle.{}.", k), kind = extension(o.file.path);
    open(key + "file", o.file);
    Obstacle out{.name = name_of(o)};
    const Affine place = placement(o);
    Motion motion;
    if (kind == ".glb" || kind == ".gltf") {
      motion = gltf(o, place, out.mesh);
    } else {
      std::vector<std::string> notes;
      out.mesh = read_surface(o.file.path, notes);
      for (Vec3& x : out.mesh.vertices) x = place * x;
      if (!o.cache.empty()) motion = cached(key + "cache", o.cache, place, out.mesh.n_vertices());
    }
    if (!motion.samples.empty()) out.mesh.vertices = unflatten(motion.samples[0]);
    out.mesh.normals.clear();
    const size_t flat = drop_flat_triangles(out.mesh);
    if (flat > 0) notes_.warn(fmt::format("{}: {} triangles without area were left out", o.file.text, flat));
    if (out.mesh.triangles.empty()) refuse(key + "file", o.file.text + " has no faces", "Export it with its faces.");
    turn_outwards(out.mesh);
    if (motion.samples.size() > 1) {
      out.track = make_sampled_track(std::move(motion.samples), motion.dt, TrackStart::moving);
      if (motion.start != 0) out.track = later(out.track, motion.start);
      out.mesh.vertices = unflatten(out.track->at(config_.timeline.range ? (*config_.timeline.range)[0] / fps_ : 0.0));
    }
    return out;
  }

  OtherBody body(size_t k) {
    const BodyConfig& b = config_.bodies[k];
    const std::string key = fmt::format("body.{}.", k);
    open(key + "file", b.file);
    OtherBody out{.name = b.name};
    const MaterialConfig& m = config_.material;
    out.rigid = b.rigid;
    out.youngs_modulus = b.youngs_modulus.value_or(m.youngs_modulus.value_or(2e4));
    out.poisson_ratio = b.poisson_ratio.value_or(m.poisson_ratio);
    out.density = b.density.value_or(m.density);
    out.stiffness_damping = b.stiffness_damping;
    out.half_life_s = b.half_life_s;
    if (!out.stiffness_damping && !out.half_life_s) {
      out.half_life_s = half_life_of(m);
      if (!out.half_life_s) out.stiffness_damping = m.stiffness_damping.value_or(0);
    }
    out.velocity = b.velocity.value_or(Vec3::Zero());
    out.spin = kRadiansPerDegree * b.spin.value_or(Vec3::Zero());
    const Affine place = placement(b);
    if (file_kind(b.file.path) == FileKind::tets)
      from_tets(b, place, out);
    else
      from_surface(b, key, place, out);
    if (b.rigid) make_rigid(b, key, out);
    if (out.solid.empty()) out.solid.assign(out.tets.tets.size(), 1);
    return out;
  }

  void from_tets(const BodyConfig& b, const Affine& place, OtherBody& out) {
    std::vector<std::string> notes;
    out.tets = read_tet_mesh(b.file.path, &notes);
    notes_.warn(notes);
    for (Vec3& x : out.tets.vertices) x = place * x;
    require_simulable(out.tets, b.file.text);
    out.surface = boundary_surface(out.tets, out.embedding);
  }

  void from_surface(const BodyConfig& b, const std::string& key, const Affine& place, OtherBody& out) {
    out.surface = read_surface(b.file.path, notes_.warnings);
    for (Vec3& x : out.surface.vertices) x = place * x;
    out.surface.normals.clear();
    drop_flat_triangles(out.surface);
    if (out.surface.triangles.empty()) refuse(key + "file", b.file.text + " has no faces", "Export it with its faces.");
    turn_outwards(out.surface);
    out.is_boundary = false;
    if (b.rigid) return;
    CageOptions options;
    if (b.edge)
      options.edge = *b.edge;
    else
      options.preset = "preview";
    CageReport report;
    Cage cage;
    try {
      cage = make_cage(out.surface, options, &report);
    } catch (const InputError& e) {
      refuse(key + "file", fmt::format("{}: {}", b.file.text, e.fault()), e.advice());
    }
    for (const std::string& w : report.warnings) notes_.warn(b.file.text + ": " + w);
    out.tets = std::move(cage.mesh);
    out.solid = out.tets.tet_maps["fill"];
    out.embedding.tet = std::move(cage.tet);
    for (size_t i = 0; i < out.surface.vertices.size(); ++i) {
      const Tet& t = out.tets.tets[out.embedding.tet[i]];
      const Points& x = out.tets.vertices;
      out.embedding.weights.push_back(barycentric(out.surface.vertices[i], x[t[0]], x[t[1]], x[t[2]], x[t[3]]));
    }
  }

  // One tet in place of all it is made of.
  void make_rigid(const BodyConfig& b, const std::string& key, OtherBody& out) {
    if (!is_closed(out.surface))
      refuse(key + "rigid", fmt::format("{} is open, so it has no mass to speak of", b.file.text),
             "Close its holes, or use tets.");
    const SolidMoments moments = solid_moments(out.surface, out.density);
    if (!(moments.mass > 0))
      refuse(key + "file", b.file.text + " holds no volume", "Check that its faces look outwards.");
    out.mass = moments.mass;
    out.tets = {};
    out.solid.clear();
    out.is_boundary = false;
    out.tets.vertices = equal_points(moments);
    out.tets.tets = {{0, 1, 2, 3}};
    const Points& x = out.tets.vertices;
    out.embedding = {};
    for (const Vec3& p : out.surface.vertices) {
      out.embedding.tet.push_back(0);
      out.embedding.weights.push_back(barycentric(p, x[0], x[1], x[2], x[3]));
    }
  }

  const SceneConfig& config_;
  double fps_;
  Notes& notes_;
};

}  // namespace

bool Surroundings::animated() const {
  return std::any_of(obstacles.begin(), obstacles.end(), [](const Obstacle& o) { return o.track != nullptr; });
}

std::shared_ptr<const Surroundings> load_surroundings(const SceneConfig& config, double fps, Notes& notes) {
  if (!has_contact(config)) return nullptr;
  return std::make_shared<const Surroundings>(SurroundingsLoader(config, fps, notes).load());
}

}  // namespace supple::pipeline
