#include "supple/scene/run_motion.h"

#include <algorithm>
#include <filesystem>

#include "supple/io/gltf/gltf_looks.h"
#include "supple/scene/delivery.h"

namespace supple {

namespace {

constexpr size_t kPictureBytes = 3'000'000;
constexpr double kCrease = 8, kCreaseUnknown = 40;  // [degrees]

void put(const VecX& from, std::vector<float>& to) {
  to.resize(static_cast<size_t>(from.size()));
  for (Eigen::Index i = 0; i < from.size(); ++i) to[static_cast<size_t>(i)] = static_cast<float>(from[i]);
}

void put_frame(const PointCache& cache, int f, std::vector<float>& to) {
  to.assign(cache.sample(f), cache.sample(f) + 3 * static_cast<size_t>(cache.n_points));
}

// The file's primitives with their materials; pictures and where they lie on the vertices.
void add_looks(const CharacterSetup& c, MotionSource& source) {
  GltfLooks looks;
  if (!c.cached) looks = read_gltf_looks(c.character.file, kPictureBytes);
  for (const GltfPicture& p : looks.pictures) source.pictures.push_back({p.bytes, p.type});
  source.uvs.assign(static_cast<size_t>(source.n_vertices), Eigen::Vector2d::Zero());
  source.colors.assign(static_cast<size_t>(source.n_vertices), Vec3::Ones());
  bool colored = false, textured = false;
  for (const DrawnPrimitive& p : c.drawn.primitives) {
    const GltfLook look = looks.of(p.mesh, p.primitive);
    const Primitive& own = c.character.meshes[static_cast<size_t>(p.mesh)].primitives[static_cast<size_t>(p.primitive)];
    const auto n = static_cast<size_t>(p.n_vertices), first = static_cast<size_t>(p.first_vertex);
    MotionLook out{.name = look.name,
                   .color = look.color,
                   .opacity = look.opacity,
                   .cut_out = 0,
                   .picture = -1,
                   .n_triangles = p.n_triangles};
    if (look.picture >= 0 && own.uvs.size() == n) {
      out.picture = look.picture, out.cut_out = look.cut_out;
      for (size_t v = 0; v < n; ++v) source.uvs[first + v] = look.uv_to_picture * Vec3(own.uvs[v][0], own.uvs[v][1], 1);
      textured = true;
    }
    for (int a = 0; a < 3; ++a) {
      const auto map = own.maps.find(std::string("COLOR_0.") + "rgb"[a]);
      if (map == own.maps.end() || map->second.size() != n) continue;
      for (size_t v = 0; v < n; ++v) source.colors[first + v][a] = std::clamp(map->second[v], 0.0, 1.0);
      colored = true;
    }
    source.looks.push_back(std::move(out));
    if (own.normals.empty()) source.crease_deg = kCreaseUnknown;
  }
  if (!textured) source.uvs.clear();
  if (!colored) source.colors.clear();
}

}  // namespace

namespace {

MotionSource flesh_source(const Job& job, const DrawnFrames& drawn, const std::string& directory) {
  MotionSource source;
  source.n_vertices = drawn.mesh.n_vertices();
  source.n_frames = drawn.frames.n_samples;
  source.fps = job.fps;
  source.triangles = drawn.mesh.triangles;
  source.crease_deg = kCrease;
  if (job.character) {
    const CharacterSetup& c = *job.character;
    source.normals = c.drawn.normals;
    source.metres = c.scale, source.size_m = c.size();
    add_looks(c, source);
    source.frame = [&drawn](int f, std::vector<float>& input, std::vector<float>& result) {
      put_frame(drawn.input, f, input);
      put_frame(drawn.frames, f, result);
    };
    return source;
  }
  const TriMesh& mesh = drawn.mesh;
  source.normals = mesh.normals;
  if (source.normals.size() != mesh.vertices.size()) {
    source.normals = vertex_normals(mesh.vertices, mesh.triangles);
    source.crease_deg = kCreaseUnknown;
  }
  source.colors = mesh.colors;
  source.metres = job.file_scale();
  source.size_m = source.metres * longest_side(mesh.vertices);
  source.up = job.config.world.up.empty() ? 'y' : job.config.world.up[0];
  MotionLook look;
  look.color = Vec3::Constant(mesh.colors.empty() ? 0.6 : 1);
  look.n_triangles = static_cast<int>(mesh.triangles.size());
  source.looks = {look};
  if (drawn.input.n_samples == drawn.frames.n_samples) {
    source.frame = [&drawn](int f, std::vector<float>& input, std::vector<float>& result) {
      put_frame(drawn.input, f, input);
      put_frame(drawn.frames, f, result);
    };
    return source;
  }
  const auto statics =
      std::make_shared<PointCache>(read_pc2((std::filesystem::path(directory) / "static.pc2").string()));
  source.frame = [&job, &drawn, statics](int f, std::vector<float>& input, std::vector<float>& result) {
    const VecX p = flatten(statics->points(std::min(f, statics->n_samples - 1)));
    put(flatten(embedded_points(job.surface.embedding, job.model->mesh().tets, p)), input);
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

MotionSource motion_source(const Job& job, const DrawnFrames& drawn, const std::string& directory) {
  MotionSource source = flesh_source(job, drawn, directory);
  add_others(drawn.others, source);
  return source;
}

std::optional<PackedMotion> run_motion(const Job& job, const DrawnFrames& drawn, const std::string& directory) {
  return pack_motion(motion_source(job, drawn, directory));
}

}  // namespace supple
