#include "supple/pipeline/files/check_scene.h"

#include <fmt/format.h>

#include <filesystem>

#include "supple/io/formats.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/curves/handles.h"
#include "supple/pipeline/curves/rig.h"
#include "supple/pipeline/enriched/input.h"
#include "supple/pipeline/enriched/regions.h"
#include "supple/pipeline/setup/maps.h"
#include "supple/scene/read_scene.h"

namespace supple::pipeline {

using namespace curves;

namespace {

class SceneCheck {
 public:
  SceneCheck(const SceneConfig& scene, FileCheck& check) : scene_(scene), check_(check) {}

  void run() {
    if (scene_.enrich.present) return enriched();
    if (scene_.curves.present) return rigged();
    const bool tets = file("tets.file", scene_.tets.file);
    const bool surface = file("surface.file", scene_.surface.file);
    const bool moved = file("surface.cache", scene_.surface.cache);
    if (surface && moved) guarded("surface.cache", [&] { read_character_file(scene_); });
    file("surface.rest", scene_.surface.rest.file);
    const bool track = file("attach.track", scene_.attach.track);
    file("attach.rigid", scene_.attach.rigid);
    const bool points = file("attach.points", scene_.attach.points);
    for (size_t k = 0; k < scene_.obstacles.size(); ++k) {
      file(fmt::format("contact.obstacle.{}.file", k), scene_.obstacles[k].file);
      file(fmt::format("contact.obstacle.{}.cache", k), scene_.obstacles[k].cache);
    }
    for (size_t k = 0; k < scene_.bodies.size(); ++k) file(fmt::format("body.{}.file", k), scene_.bodies[k].file);
    const ControlsConfig& c = scene_.controls;
    keys("controls.frequency_keys", c.frequency_keys, false);
    keys("controls.amplitude_keys", c.amplitude_keys, true);
    keys("controls.sag_keys", c.sag_keys, true);
    keys("controls.half_life_keys", c.half_life_keys, false);
    if (!tets) return;
    const TetMesh mesh = read_tet_mesh(scene_.tets.file.path);
    regions(mesh);
    map("material.youngs_modulus_map", scene_.material.youngs_modulus_map, mesh, false);
    map("material.density_map", scene_.material.density_map, mesh, false);
    map("material.stiffness_damping_map", scene_.material.stiffness_damping_map, mesh, false);
    map("controls.frequency_map", c.frequency_map, mesh, true);
    map("controls.amplitude_map", c.amplitude_map, mesh, true);
    map("controls.sag_map", c.sag_map, mesh, true);
    map("controls.half_life_map", c.half_life_map, mesh, true);
    inertia_scale(mesh);

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
  // All that an enriched animation reads, as it is read.
  void enriched() {
    file("tets.file", scene_.tets.file);
    const EnrichConfig& e = scene_.enrich;
    file("enrich.apart", e.apart.file);
    keys("enrich.soft_keys", e.soft_keys, true);
    keys("enrich.blend_keys", e.blend_keys, true);
    if (!file("surface.file", scene_.surface.file)) return;
    guarded("surface.file", [&] {
      const EnrichInput input = read_enrich_input(scene_);
      check_.warnings.insert(check_.warnings.end(), input.warnings.begin(), input.warnings.end());
      if (!e.soft.empty()) read_painted(input, e.soft, scene_.locate("enrich.soft"));
      if (!e.blend_map.empty()) read_painted(input, e.blend_map, scene_.locate("enrich.blend_map"));
      read_vertices(input, e.fixed, scene_.locate("enrich.fixed"));
      for (const std::string& name : e.rigid) require_vertices_of(input, name, scene_.locate("enrich.rigid"));
      for (size_t k = 0; k < scene_.regions.size(); ++k) region_vertices(scene_, input, k);
    });
  }

  // The rig and what of it is free, as they are read.
  void rigged() {
    file("tets.file", scene_.tets.file);
    file("surface.file", scene_.surface.file);
    for (size_t k = 0; k < scene_.obstacles.size(); ++k)
      file(fmt::format("contact.obstacle.{}.file", k), scene_.obstacles[k].file);
    if (!check_.problems.empty()) return;
    if (!scene_.curves.rig.empty()) {  // to look at a file must never start a program
      check_.lines.push_back(fmt::format("rig: a program, which is not started here: {}", scene_.curves.rig));
      return;
    }
    try {
      const CurvesRig rig = make_curves_rig(scene_);
      read_handles(scene_, rig, [&](double t) { return rig.rig->keyed(t); });
      check_.lines.push_back(fmt::format("rig: {} points, {} parameters free, {} frames", rig.rig->n_points(),
                                         rig.all_free().size(), rig.time.n_frames));
      check_.warnings.insert(check_.warnings.end(), rig.warnings.begin(), rig.warnings.end());
    } catch (const InputError& e) {
      check_.problems.push_back(e);
    }
  }

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
    // It may be this one, and what it names would be checked for ever.
    if (extension(path.path) == ".toml") {
      fault(key, fmt::format("{} is a scene, and no scene is part of another", path.text),
            "Name the tets, the surface or the cache that is meant.");
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

  // per_vertex: one value a vertex will do as well.
  void map(const std::string& key, const FilePath& source, const TetMesh& mesh, bool per_vertex) {
    if (source.empty() || mesh.tet_maps.count(source.text) || mesh.vertex_maps.count(source.text)) return;
    if (!std::filesystem::exists(source.path)) {
      std::vector<std::string> known;
      for (const auto* maps : {&mesh.vertex_maps, &mesh.tet_maps})
        for (const auto& entry : *maps) known.push_back(entry.first);
      const std::string near = nearest_word(source.text, known.data(), known.data() + known.size());
      fault(key, fmt::format("\"{}\" is neither a map of the tets nor a file", source.text),
            near.empty() ? "" : fmt::format("Did you mean {}?", near));
      return;
    }
    guarded(key, [&] {
      const size_t n = read_scalar_list(source.path).size();
      if (n == mesh.tets.size() || (per_vertex && n == mesh.vertices.size())) return;
      if (per_vertex)
        fault(key,
              fmt::format("{} holds {} values, the mesh {} vertices and {} tets", source.text, n, mesh.n_vertices(),
                          mesh.n_tets()),
              "One value a vertex or one a tet.");
      else
        fault(key, fmt::format("{} holds {} values, the mesh {} tets", source.text, n, mesh.n_tets()),
              "One value a tet.");
    });
  }

  void inertia_scale(const TetMesh& mesh) {
    const FilePath& source = scene_.expert.inertia_scale.file;
    if (source.empty()) return;
    guarded("expert.inertia_scale", [&] {
      const size_t n = read_scalar_list(source.path).size();
      if (n != mesh.vertices.size())
        fault("expert.inertia_scale",
              fmt::format("{} holds {} values, the mesh {} vertices", source.text, n, mesh.n_vertices()),
              "One value a vertex.");
    });
  }

  // Its faults are told at their place in the file.
  void keys(const std::string& key, const DialKeys& source, bool zero_allowed) {
    if (source.file.empty()) return;
    if (!std::filesystem::exists(source.file.path)) {
      fault(key, fmt::format("there is no file {}", source.file.path), "Relative paths start at the scene file.");
      return;
    }
    try {
      read_dial_keys(source.file.path, zero_allowed);
    } catch (const InputError& e) {
      check_.problems.push_back(e);
    }
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

void check_scene(FileCheck& check, const Overrides& overrides) {
  const SceneConfig scene = load_scene(check.file, overrides, check.problems);
  if (!check.problems.empty()) return;
  SceneCheck(scene, check).run();
}

}  // namespace supple::pipeline
