#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "supple/anim/key_clip.h"
#include "supple/demos/examples/examples_curves.h"
#include "supple/demos/gallery/rigged_elephant.h"
#include "supple/io/curve_files.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/output_file.h"
#include "supple/io/tets/tet_formats.h"

namespace supple::demos {

namespace {

namespace fs = std::filesystem;

constexpr int kShortElephantFrames = 16;
constexpr double kWorkoutFps = 24;
constexpr int kWorkoutFrames = 96, kShortWorkoutFrames = 10;

// What is free of a part, and how fast it swings.
struct Part {
  std::string name;
  std::vector<std::string> free;
  double frequency_hz = 2;
};
const std::vector<Part>& elephant_parts() {
  static const std::vector<Part> list = {
      {"belly", {"belly_*"}, 2.4},
      {"shoulders", {"shoulders.translation"}, 3.5},
      {"trunk", {"trunk1", "trunk2", "trunk3", "trunk4", "trunk5.rotation.x"}, 0.9},
      {"tail", {"tail*"}, 1},
      {"ears", {"ear_*.rotation.y"}, 1.6},
  };
  return list;
}

std::string quoted(const std::vector<std::string>& patterns) {
  return fmt::format("[\"{}\"]", fmt::join(patterns, "\", \""));
}

std::string elephant_head(const std::string& comment, const std::string& clip) {
  return fmt::format(R"({}
[surface]
file = "elephant.glb"
clip = "{}"
scale = 1

[tets]
file = "elephant.msh"

[timeline]
loop = false

[material]
poisson_ratio = 0.4
density = 1000
half_life_s = 0.45
)",
                     comment, clip);
}

std::string one_part(const Part& part, const std::string& comment, const std::string& clip,
                     const std::string& more = "") {
  return elephant_head(comment, clip) +
         fmt::format("\n[curves]\nfree = {}\nfrequency_hz = {:g}\n{}", quoted(part.free), part.frequency_hz, more);
}

void write_elephant(const fs::path& dir, const RiggedElephant& e) {
  write_gltf((dir / "elephant.glb").string(), e.character, {.colors = rigged_elephant_colors()});
  write_tet_mesh((dir / "elephant.msh").string(), e.tets);
}

}  // namespace

// [rig-space physics, Figures 4, 5, 7 and 9]
std::string rig_elephant_example(const fs::path& dir, const ExampleOptions& o) {
  RiggedElephantOptions size;
  if (o.short_shot) size = {.walk_frames = kShortElephantFrames, .dance_frames = kShortElephantFrames};
  write_elephant(dir, make_rigged_elephant(size));
  const auto beside = [&](const std::string& name, const std::string& text) {
    write_text((dir / name).string(), text);
  };
  for (const Part& part : elephant_parts())
    beside(part.name + ".toml", one_part(part, fmt::format("# The elephant that walks: {} alone.", part.name), "walk"));
  const Part& belly = elephant_parts()[0];
  beside("belly-modes.toml",
         one_part(belly, "# The belly again, in six combinations of its 36 parameters.", "walk", "modes = 6\n"));
  beside("dance.toml", one_part(belly, "# The belly of the elephant that dances.", "dance"));
  std::string text = elephant_head(
      "# An elephant that walks. Legs, body and head are keyed; belly, shoulders, trunk, tail and ears are filled in, "
      "one after\n# the other. Beside it: each of them alone, belly-modes.toml in six combinations, and dance.toml, "
      "another clip.",
      "walk");
  text += "\n[curves]\n";
  for (const Part& part : elephant_parts())
    text += fmt::format("\n[[curves.layer]]\nname = \"{}\"\nfree = {}\nfrequency_hz = {:g}\n", part.name,
                        quoted(part.free), part.frequency_hz);
  return text;
}

namespace {

// Paths of the handles, as changes from where they are at rest [m].
struct Grip {
  std::string name;
  std::vector<Key> path;
};
std::vector<Grip> workout() {
  const Vec3 still = Vec3::Zero();
  return {
      // Two knee bends, then the trunk goes up, and each forefoot in turn; the ears go out with them.
      {"back", {{2, still}, {12, {0, -0.12, 0}}, {22, still}, {32, {0, -0.12, 0}}, {42, still}, {95, still}}},
      {"trunk",
       {{2, still},
        {22, {0, 0.10, 0.02}},
        {42, still},
        {54, {0.10, 0.80, -0.10}},
        {66, {-0.35, 0.35, 0.02}},
        {80, {0.35, 0.35, 0.02}},
        {92, still}}},
      {"foot_fore_l", {{44, still}, {56, {0.10, 0.28, 0.18}}, {66, still}, {95, still}}},
      {"foot_fore_r", {{66, still}, {78, {-0.10, 0.28, 0.18}}, {90, still}, {95, still}}},
      {"foot_hind_l", {{0, still}}},
      {"foot_hind_r", {{0, still}}},
      {"ear_l", {{2, still}, {12, {-0.05, -0.11, 0.10}}, {22, still}, {32, {-0.05, -0.11, 0.10}}, {42, still}}},
      {"ear_r", {{2, still}, {12, {0.05, -0.11, 0.10}}, {22, still}, {32, {0.05, -0.11, 0.10}}, {42, still}}},
  };
}

std::string workout_scene(const std::string& comment, int frames, const std::string& motion,
                          const std::map<std::string, Vec3>& at) {
  std::string text = fmt::format(R"({}
[surface]
file = "elephant.glb"
scale = 1

[tets]
file = "elephant.msh"

[timeline]
fps = {:g}
frames = {}
loop = false

[material]
youngs_modulus = 6e4
poisson_ratio = 0.4
density = 1000
half_life_s = 0.25

[curves]
free = ["pelvis", "pelvis.translation", "chest", "neck", "head", "trunk*", "ear_*", "fore_*", "hind_*"]
motion = "{}"
)",
                                 comment, kWorkoutFps, frames, motion);
  for (const Grip& grip : workout()) {
    const Vec3& x = at.at(grip.name);
    text += fmt::format(
        "\n[[curves.handle]]\nname = \"{0}\"\npoint = [{1:.4f}, {2:.4f}, {3:.4f}]\ntrack = \"{0}.csv\"\nstrength = 4\n",
        grip.name, x[0], x[1], x[2]);
  }
  return text;
}

}  // namespace

// [rig-space physics, Figure 8]
std::string rig_workout_example(const fs::path& dir, const ExampleOptions& o) {
  const int frames = o.short_shot ? kShortWorkoutFrames : kWorkoutFrames;
  RiggedElephant e = make_rigged_elephant({.walk_frames = 1, .dance_frames = 1});
  e.character.clips.clear();
  write_elephant(dir, e);
  // Handles are vertices of the skin: those nearest to where it can be taken hold of.
  std::map<std::string, Vec3> at;
  for (const auto& [name, x] : rigged_elephant_grips()) {
    Vec3 nearest = e.tets.vertices[0];
    for (int v = 1; v < e.n_surface; ++v)
      if ((e.tets.vertices[v] - x).norm() < (nearest - x).norm()) nearest = e.tets.vertices[v];
    at[name] = nearest;
  }
  for (const Grip& grip : workout()) {
    const KeyCurve path(grip.path);
    CurveTable table{.names = {"x", "y", "z"}, .frames = {}, .values = MatX(frames, 3), .fps = kWorkoutFps};
    for (int f = 0; f < frames; ++f) {
      table.frames.push_back(f);
      table.values.row(f) = (at.at(grip.name) + path.at(f)).transpose();
    }
    write_curves((dir / (grip.name + ".csv")).string(), table);
  }
  write_text((dir / "static.toml").string(),
             workout_scene("# The same, posed: every frame in equilibrium, without inertia.", frames, "static", at));
  return workout_scene(
      "# An elephant that works out: handles on its trunk, feet, ears and back are pulled along, and its whole rig "
      "follows.\n# Beside it: static.toml, without inertia.",
      frames, "dynamic", at);
}

}  // namespace supple::demos
