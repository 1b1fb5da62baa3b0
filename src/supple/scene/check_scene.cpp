#include "supple/scene/check_scene.h"

#include <fmt/format.h>

#include <filesystem>

#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tet_formats.h"
#include "supple/scene/load.h"

namespace supple {

namespace {

class SceneCheck {
 public:
  SceneCheck(const SceneConfig& scene, FileCheck& check) : scene_(scene), check_(check) {}

  void run() {
    const bool tets = file("tets.file", scene_.tets.file);
    file("surface.file", scene_.surface.file);
    const bool track = file("attach.track", scene_.attach.track);
    file("attach.rigid", scene_.attach.rigid);
    const bool points = file("attach.points", scene_.attach.points);
    if (!tets) return;
    const TetMesh mesh = read_tet_mesh(scene_.tets.file.path);
    regions(mesh);
    map("material.youngs_modulus_map", scene_.material.youngs_modulus_map, mesh);
    map("material.density_map", scene_.material.density_map, mesh);
    map("material.stiffness_damping_map", scene_.material.stiffness_damping_map, mesh);

    size_t attached = 0;
    guarded("attach.vertices", [&] { attached = vertices(mesh).size(); });
    if (points) attached = read_obj(scene_.attach.points.path).vertices.size();
    if (attached == 0) {
      check_.warnings.push_back("nothing is attached: the body falls freely");
    } else if (track) {
      const PointCache cache = read_point_cache(scene_.attach.track.path);
      if (static_cast<size_t>(cache.n_points) != attached)
        fault("attach.track", fmt::format("it moves {} points, but {} are attached", cache.n_points, attached),
              "One point of the cache belongs to each attached vertex, in the same order.");
    }
  }

 private:
  void fault(const std::string& key, const std::string& what, const std::string& advice) {
    check_.problems.emplace_back(scene_.locate(key), what, advice);
  }
  template <class F>
  void guarded(const std::string& key, F&& f) {
    try {
      f();
    } catch (const InputError& e) {
      fault(key, e.fault(), e.advice());
    }
  }

  // True when a file is named and fit for use. Its own faults are told at their place in it.
  bool file(const std::string& key, const FilePath& path) {
    if (path.empty()) return false;
    if (!std::filesystem::exists(path.path)) {
      fault(key, fmt::format("there is no file {}", path.path), "Relative paths start at the scene file.");
      return false;
    }
    const FileCheck inner = check_file(path.path);
    const bool mendable = key == "tets.file" && scene_.tets.repair;
    for (const InputError& e : inner.problems) {
      if (mendable) {
        check_.warnings.push_back(fmt::format("{}: {} (will be repaired)", path.text, e.fault()));
      } else {
        check_.problems.push_back(e);
      }
    }
    for (const std::string& w : inner.warnings) check_.warnings.push_back(path.text + ": " + w);
    check_.lines.push_back(fmt::format("{} ({}):", path.text, inner.kind));
    for (const std::string& line : inner.lines) check_.lines.push_back("  " + line);
    Json entry;
    entry["key"] = key;
    entry["file"] = path.text;
    entry["kind"] = inner.kind;
    entry["facts"] = inner.facts;
    check_.facts["files"].push_back(entry);
    return inner.ok();
  }

  void regions(const TetMesh& mesh) {
    for (size_t k = 0; k < scene_.regions.size(); ++k) {
      const std::string& name = scene_.regions[k].name;
      const std::vector<std::string>& known = mesh.region_names;
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string near = nearest_word(name, known.data(), known.data() + known.size());
      fault(fmt::format("region.{}.name", k), fmt::format("the tets have no region \"{}\"", name),
            !near.empty()   ? fmt::format("Did you mean {}?", near)
            : known.empty() ? "The tet file has no regions."
                            : fmt::format("Regions: {}.", fmt::join(known, ", ")));
    }
  }

  void map(const std::string& key, const FilePath& source, const TetMesh& mesh) {
    if (source.empty() || mesh.tet_maps.count(source.text) || mesh.vertex_maps.count(source.text)) return;
    if (!std::filesystem::exists(source.path)) {
      fault(key, fmt::format("\"{}\" is neither a map of the tets nor a file", source.text), "");
      return;
    }
    guarded(key, [&] {
      const size_t n = read_scalar_list(source.path).size();
      if (n != mesh.tets.size())
        fault(key, fmt::format("{} holds {} values, the mesh {} tets", source.text, n, mesh.n_tets()),
              "One value a tet.");
    });
  }

  std::vector<int> vertices(const TetMesh& mesh) {
    if (!scene_.attach.vertices.file.empty())
      return read_index_list(scene_.attach.vertices.file.path, mesh.n_vertices());
    for (const int v : scene_.attach.vertices.indices)
      if (v >= mesh.n_vertices())
        throw InputError({}, fmt::format("vertex {} is not in the mesh of {}", v, mesh.n_vertices()),
                         "They count from 0.");
    return scene_.attach.vertices.indices;
  }

  const SceneConfig& scene_;
  FileCheck& check_;
};

}  // namespace

void check_scene(FileCheck& check, const std::vector<std::string>& overrides) {
  const SceneConfig scene = load_scene(check.file, overrides, check.problems);
  if (!check.problems.empty()) return;
  SceneCheck(scene, check).run();
}

}  // namespace supple
