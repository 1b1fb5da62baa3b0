// What the keys of `supple curves` need of one another.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "supple/scene/consistency.h"
#include "supple/scene/schema.h"

namespace supple {

namespace {

class CurvesCheck {
 public:
  CurvesCheck(const SceneConfig& scene, std::vector<InputError>& problems) : scene_(scene), problems_(problems) {}

  void all() {
    whole();
    for (size_t k = 0; k < scene_.deformers.size(); ++k) deformer(k);
    for (size_t k = 0; k < scene_.curve_handles.size(); ++k) handle(k);
    idle();
  }

 private:
  void wrong(const std::string& key, const std::string& what, const std::string& advice) {
    problems_.emplace_back(scene_.locate(key), what, advice);
  }

  void whole() {
    const CurvesConfig& c = scene_.curves;
    if (scene_.enrich.present)
      wrong("curves.free", "[enrich] and [curves] exclude one another", "Make two scenes of it.");
    if (scene_.surface.file.empty() && scene_.tets.file.empty() && c.rig.empty())
      wrong("surface.file", "there is no rig",
            "Give [surface] file = \"fox.glb\", or a surface and [[curves.deformer]], or curves.rig.");
    if (!scene_.surface.cache.empty())
      wrong("surface.cache", "a cache is no rig: it has no parameters",
            "Leave it out, or enrich it with physics: supple enrich.");
    if (!c.free.empty() && !scene_.curve_layers.empty())
      wrong("curves.free", "curves.free and [[curves.layer]] exclude one another",
            "Say what is free in the layers alone.");
    if (!c.rig.empty() && !scene_.deformers.empty())
      wrong("curves.deformer.0.name", "deformers have no say beside curves.rig: that program is the whole rig",
            "Leave one of them out.");
    const bool modes = c.modes > 0 || std::any_of(scene_.curve_layers.begin(), scene_.curve_layers.end(),
                                                  [](const CurveLayerConfig& l) { return l.modes.value_or(0) > 0; });
    for (const char* key : {"curves.modes_from", "curves.mode_scale"})
      if (scene_.is_set(key) && !modes)
        wrong(key, fmt::format("{} has nothing to act on", key), "Say how many curves.modes there are.");
    if (c.refit > 0 && scene_.curve_stiffness.empty())
      wrong("curves.refit", "curves.refit has nothing to act on", "Give [[curves.stiffness]].");
    if (c.processes > 1 && c.rig.empty())
      wrong("curves.processes", "curves.processes has nothing to act on", "Give curves.rig.");
    for (size_t k = 0; k < scene_.curve_layers.size(); ++k)
      if (scene_.curve_layers[k].free.empty())
        wrong(fmt::format("curves.layer.{}.free", k), "the layer frees nothing", "Give it patterns of parameters.");
  }

  void deformer(size_t k) {
    const DeformerConfig& d = scene_.deformers[k];
    const std::string at = fmt::format("curves.deformer.{}.", k);
    if (d.name.find_first_of(" \t,\"*?") != std::string::npos)
      wrong(at + "name", fmt::format("\"{}\" cannot be part of a parameter's name", d.name),
            "Use letters, digits, - and _.");
    for (size_t other = 0; other < k; ++other)
      if (scene_.deformers[other].name == d.name)
        wrong(at + "name", fmt::format("there are two deformers named \"{}\"", d.name), "Give each a name of its own.");
    const auto only = [&](const char* key, std::initializer_list<const char*> kinds) {
      const bool fits = std::any_of(kinds.begin(), kinds.end(), [&](const char* kind) { return d.kind == kind; });
      if (!fits && scene_.is_set(at + key))
        wrong(at + key, fmt::format("{} has no say of a {}", key, d.kind), "Leave it out.");
    };
    only("centre", {"lattice", "transform"});
    only("size", {"lattice"});
    only("rotation", {"lattice"});
    only("divisions", {"lattice"});
    only("basis", {"lattice"});
    only("fade", {"lattice"});
    only("file", {"cage", "wire"});
    only("shapes", {"blend"});
    only("points", {"cage", "wire"});
    only("radius", {"wire"});
    if ((d.kind == "cage" || d.kind == "wire") && d.file.empty())
      wrong(at + "file", fmt::format("the {} \"{}\" has no file", d.kind, d.name), "Give it one: an .obj.");
    if (d.kind == "wire" && !d.radius)
      wrong(at + "radius", fmt::format("how far does the wire \"{}\" reach?", d.name), "Give it a radius in metres.");
    if (d.kind == "blend" && d.shapes.empty())
      wrong(at + "shapes", fmt::format("the blend \"{}\" has no shapes", d.name), "Give it .obj files.");
    if (d.size && !(d.size->minCoeff() > 0)) wrong(at + "size", "a box without extent", "Give three lengths above 0.");
    const std::vector<std::string> known =
        d.kind == "transform" ? std::vector<std::string>{"translation", "rotation", "scale", "uniform-scale"}
        : d.kind == "blend"   ? std::vector<std::string>{}
        : d.kind == "wire"    ? std::vector<std::string>{"x", "y", "z", "twist"}
                              : std::vector<std::string>{"x", "y", "z"};
    for (const std::string& channel : d.channels)
      if (std::find(known.begin(), known.end(), channel) == known.end())
        wrong(at + "channels", fmt::format("a {} has no channel \"{}\"", d.kind, channel), "Leave it out.");
    const auto has = [&](const char* c) {
      return std::find(d.channels.begin(), d.channels.end(), c) != d.channels.end();
    };
    if (has("scale") && has("uniform-scale"))
      wrong(at + "channels", "scale and uniform-scale exclude one another", "Leave one of them out.");
  }

  void handle(size_t k) {
    const CurveHandleConfig& h = scene_.curve_handles[k];
    const std::string at = fmt::format("curves.handle.{}.", k);
    if (h.vertex.has_value() == h.point.has_value())
      wrong(at + (h.vertex ? "point" : "vertex"),
            h.vertex ? "vertex and point exclude one another" : fmt::format("where is the handle \"{}\"?", h.name),
            "Give it a vertex or a point.");
    for (size_t other = 0; other < k; ++other)
      if (scene_.curve_handles[other].name == h.name)
        wrong(at + "name", fmt::format("there are two handles named \"{}\"", h.name), "Give each a name of its own.");
  }

  // What says something of flesh on bones only.
  void idle() {
    static const std::set<std::string> keys = {"surface.rest",
                                               "attach.vertices",
                                               "attach.points",
                                               "attach.track",
                                               "attach.rigid",
                                               "attach.stiffness",
                                               "attach.joints",
                                               "attach.radius",
                                               "attach.soft",
                                               "attach.trail",
                                               "attach.hold",
                                               "attach.only",
                                               "attach.trailing",
                                               "timeline.test_motion",
                                               "timeline.pre_roll",
                                               "material.look",
                                               "material.swing",
                                               "material.inertia",
                                               "controls.frequency_map",
                                               "controls.amplitude_map",
                                               "controls.sag_map",
                                               "controls.half_life_map",
                                               "controls.frequency_keys",
                                               "controls.amplitude_keys",
                                               "controls.sag_keys",
                                               "controls.half_life_keys",
                                               "contact.amplitude",
                                               "contact.surface",
                                               "output.shape",
                                               "output.limit",
                                               "output.mix",
                                               "output.mix_map",
                                               "output.mix_keys",
                                               "output.limit_m",
                                               "output.axis",
                                               "output.smooth",
                                               "output.smooth_frames",
                                               "output.subframes",
                                               "output.accuracy",
                                               "output.max_growth",
                                               "output.max_size",
                                               "output.max_targets",
                                               "expert.p_derivatives",
                                               "expert.static_solves",
                                               "material.youngs_modulus_map",
                                               "material.density_map",
                                               "material.stiffness_damping_map"};
    const std::string what = "has no say where a rig is simulated";
    for (const std::string& key : keys)
      if (scene_.is_set(key)) wrong(key, fmt::format("{} {}", key, what), "Leave it out.");
    for (size_t k = 0; k < scene_.regions.size(); ++k)
      wrong(fmt::format("region.{}.name", k), "[[region]] " + what, "Use [[curves.stiffness]] and [[curves.layer]].");
    for (size_t k = 0; k < scene_.flesh.size(); ++k)
      wrong(fmt::format("flesh.{}.bone", k), "[[flesh]] " + what, "Leave it out.");
    for (size_t k = 0; k < scene_.tuned.size(); ++k)
      wrong(fmt::format("tuned.{}.part", k), "[[tuned]] " + what, "Leave it out.");
    for (size_t k = 0; k < scene_.bodies.size(); ++k)
      wrong(fmt::format("body.{}.name", k), "[[body]] " + what, "Make it an obstacle: [[contact.obstacle]].");
    if (!scene_.surface.is_character())
      for (const char* key : {"surface.clip", "surface.height"})
        if (scene_.is_set(key)) wrong(key, fmt::format("{} needs a character as surface", key), "Leave it out.");
    if (!scene_.tets.file.empty())
      for (const char* key : {"tets.edge", "tets.count", "tets.preset", "tets.graded", "tets.keep_apart"})
        if (scene_.is_set(key)) wrong(key, fmt::format("{} has no say of tets from a file", key), "Leave it out.");
  }

  const SceneConfig& scene_;
  std::vector<InputError>& problems_;
};

}  // namespace

void check_curves(const SceneConfig& scene, std::vector<InputError>& problems) { CurvesCheck(scene, problems).all(); }

}  // namespace supple
