#include "supple/demos/examples/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "supple/base/error.h"
#include "supple/demos/examples/examples_characters.h"
#include "supple/demos/examples/examples_contact.h"
#include "supple/demos/examples/examples_curves.h"
#include "supple/demos/examples/examples_enrich_animals.h"
#include "supple/demos/examples/examples_enrich_plant_head.h"
#include "supple/demos/examples/examples_live.h"
#include "supple/demos/gallery/bar.h"
#include "supple/demos/gallery/jellyfish.h"
#include "supple/demos/gallery/sunflower.h"
#include "supple/demos/shapes/motion.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/output_file.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"

namespace supple::demos {

namespace fs = std::filesystem;

namespace {

constexpr int kShortFrames = 96;

// The motion of some vertices as a cache, one sample a frame.
void write_track(const fs::path& path, const TetMesh& mesh, const std::vector<int>& vertices, int frames, double fps,
                 const std::function<Vec3(double t)>& shift) {
  PointCache cache;
  for (int f = 0; f < frames; ++f) {
    VecX x(3 * static_cast<Eigen::Index>(vertices.size()));
    for (size_t i = 0; i < vertices.size(); ++i)
      x.segment<3>(3 * static_cast<Eigen::Index>(i)) = mesh.vertices[vertices[i]] + shift(f / fps);
    cache.add(x);
  }
  write_pc2(path.string(), cache);
}

// Held at the bottom of its stem, off to the right at once, stopped at frame 150 [adjustable paper, Figure 2].
std::string sunflower(const fs::path& dir, const ExampleOptions& o, bool linear) {
  const Sunflower s = make_sunflower({.edge = o.edge});
  write_tet_mesh((dir / "sunflower.msh").string(), s.tets);
  write_obj((dir / "sunflower.obj").string(), s.surface);
  write_index_list((dir / "root.txt").string(), s.root);
  // Two frames of rest come first: a velocity that jumps at the very first sample is no motion the track can know.
  const double lead = 2 / kSunflowerFps;
  const int stop = o.short_shot ? 48 : 150, frames = o.short_shot ? kShortFrames : kSunflowerFrames;
  write_track(dir / "root.pc2", s.tets, s.root, frames, kSunflowerFps, [&](double t) {
    return start_stop(t, {.velocity = {1.0, 0, 0}, .start = lead, .stop = stop / kSunflowerFps});
  });
  return fmt::format(
      R"(# A sunflower held at the bottom of its stem. It is pulled to the right and stopped at frame {}.
[surface]
file = "sunflower.obj"

[tets]
file = "sunflower.msh"

[attach]
vertices = "root.txt"
track = "root.pc2"

[timeline]
fps = 24
substeps = {}

[material]
model = "{}"
youngs_modulus = 2.5e7
poisson_ratio = 0.4
density = 250
half_life_s = 0.8
{}
[[region]]
name = "petals"
youngs_modulus = 4e6
density = 100

[[region]]
name = "leaves"
youngs_modulus = 4e6
density = 100

[output]
formats = ["glb", "pc2"]
)",
      stop, 2, linear ? "linear" : "stvk", linear ? "" : "volume_penalty = 1\n");
}

std::string bar(const fs::path& dir, const ExampleOptions& o) {
  const int cells = o.cells != 0 ? o.cells : 3;
  const Bar b = make_bar({.size = {0.5, 0.08, 0.08}, .cells = {5 * cells, cells, cells}});
  write_tet_mesh((dir / "bar.msh").string(), b.tets);
  write_index_list((dir / "root.txt").string(), b.root);
  write_track(dir / "root.pc2", b.tets, b.root, kShortFrames, 24, [](double t) {
    return shake(t, {.amplitude = {0, 0.03, 0}, .frequency_hz = 2, .start = 0.25, .periods = 3});
  });
  return R"(# A bar held at one end and shaken.
[tets]
file = "bar.msh"

[attach]
vertices = "root.txt"
track = "root.pc2"

[timeline]
fps = 24

[material]
model = "stable-neo-hookean"
youngs_modulus = 4e5
poisson_ratio = 0.4
density = 1000
half_life_s = 0.5

[output]
formats = ["glb", "pc2"]
)";
}

// A column without mass of its own under a heavy block is a spring under a mass: its answer is known in closed form,
// z = -(v0 / w_d) exp(-c t / 2m) sin(w_d t). The block is a thousand times stiffer and holds all the mass.
std::string oscillator(const fs::path& dir) {
  Bar b = make_bar({.size = {0.6, 0.1, 0.1}, .cells = {6, 2, 2}});
  b.tets.region_names = {"spring", "block"};
  for (const Tet& t : b.tets.tets) {
    double x = 0;
    for (int v : t) x += b.tets.vertices[v][0] / 4;
    b.tets.tet_region.push_back(x > 0.5 ? 1 : 0);
  }
  write_tet_mesh((dir / "oscillator.msh").string(), b.tets);
  write_index_list((dir / "root.txt").string(), b.root);
  write_track(dir / "root.pc2", b.tets, b.root, 120, 24, [](double t) {
    return start_stop(t, {.velocity = {0.3, 0, 0}, .start = 2 / 24.0, .stop = 48 / 24.0});
  });
  return R"(# A light column with a heavy block at its end: a mass on a spring, pulled along its axis and stopped.
# Spring E A / L = 1e4 * 0.01 / 0.5 = 200 N/m, mass 2000 * 0.001 = 2 kg: 1.59 Hz along the axis. (It bends at 0.2 Hz,
# which is what the report calls its lowest frequency; nothing here bends it.)
[tets]
file = "oscillator.msh"

[attach]
vertices = "root.txt"
track = "root.pc2"

[timeline]
fps = 24
substeps = 10

[material]
model = "linear"
youngs_modulus = 1e4
poisson_ratio = 0
density = 0.01
stiffness_damping = 0.013863  # 2 log 2 / (w^2 1 s): a half-life of 1 s along the axis

[[region]]
name = "block"
youngs_modulus = 1e7
density = 2000

[world]
gravity = [0, 0, 0]

[output]
formats = ["glb", "pc2"]
)";
}

// Rigid keys, one a line [io/motion_csv.h].
void write_keys(const fs::path& path, const std::vector<RigidKey>& keys) {
  std::string text = "t,tx,ty,tz,qx,qy,qz,qw\n";
  for (const RigidKey& k : keys) {
    const Vec3& x = k.translation;
    const Eigen::Vector4d& q = k.quaternion;
    text += fmt::format("{},{},{},{},{},{},{},{}\n", k.t, x[0], x[1], x[2], q[0], q[1], q[2], q[3]);
  }
  write_text(path.string(), text);
}

// Its rigid core is spun about the upright axis at a constant rate [adjustable paper, Figures 6 and 9].
std::string jellyfish(const fs::path& dir, const ExampleOptions& o) {
  constexpr double kEdge = 0.032;  // about 4,200 tets
  const JellyfishOptions size{.edge = o.edge != 0 ? o.edge : kEdge};
  const Jellyfish j = make_jellyfish(size);
  write_tet_mesh((dir / "jellyfish.msh").string(), j.tets);
  write_obj((dir / "jellyfish.obj").string(), j.surface);
  write_index_list((dir / "core.txt").string(), j.core);
  // Keys go on past the last frame: a track is held after its last key and slows down towards it.
  const int frames = o.short_shot ? kShortFrames : kJellyfishFrames;
  const Spin spin = o.short_shot ? Spin{.ramp = 1} : Spin{};
  write_keys(dir / "spin.csv", spin_keys(spin, frames + 3, kJellyfishFps));
  return fmt::format(
      R"(# A jellyfish whose rigid core is spun up to a constant rate about the upright axis, without gravity.
# Once round takes 1.3 s. Twice the inertia is as good as 1.4 times the rate, which stays below the lowest natural
# frequency: the tentacles open further and hold.
[surface]
file = "jellyfish.obj"

[tets]
file = "jellyfish.msh"

[attach]
vertices = "core.txt"
rigid = "spin.csv"

[timeline]
fps = 24
frames = {}
substeps = 5

[material]
model = "stvk"
youngs_modulus = 1e5
poisson_ratio = 0.4
density = 1000
half_life_s = 0.7
volume_penalty = 1

[[region]]
name = "tentacles"
youngs_modulus = 5e4

[world]
gravity = [0, 0, 0]

[output]
formats = ["glb", "pc2"]
)",
      frames);
}

}  // namespace

const std::vector<Example>& examples() {
  static const std::vector<Example> list = {
      {"sunflower", "a sunflower pulled to the right and stopped (StVK)"},
      {"sunflower-linear", "the same with the linear material: one factorization for the whole shot"},
      {"jellyfish", "a jellyfish spun about its axis (StVK)"},
      {"sumo", "a sumo wrestler who stamps, strides and claps (StVK); some minutes"},
      {"jellyphant", "an elephant of jelly that hops and trots (stable neo-Hookean)"},
      {"elephant", "enrich: an elephant that walks, a bare mesh with a cache: ears, trunk, belly and tail are soft"},
      {"bird", "enrich: a bird that flaps its wings by their tips"},
      {"dance", "enrich: a sumo wrestler who dances"},
      {"plant", "enrich: a withering plant in its pot that keeps its fine ripples"},
      {"head", "enrich: a speaker of whom the outer face was tracked, completed"},
      {"rig-sphere", "curves: a sphere that hops by keys and is squashed by physics"},
      {"rig-bar", "curves: a bar that bends by four shapes that overlap, each as stiff as asked for"},
      {"rig-flower", "curves: a flower in a pot that is shoved about, with a soft blossom and soft leaves"},
      {"rig-elephant", "curves: an elephant that walks by keys; belly, shoulders, trunk, tail and ears are filled in"},
      {"rig-workout", "curves: the same elephant pulled by handles through a work-out"},
      {"pear", "an animated character, plump and with a skeleton, that hops (stable neo-Hookean)"},
      {"drop", "three bodies of jelly dropped on a floor, one onto the other"},
      {"ball", "a soft ball thrown at the elephant of jelly while it hops; some minutes"},
      {"dyrt", "a man whose belly and thighs jiggle in real time, and tissue to push: a page to play with"},
      {"bar", "a bar held at one end and shaken (stable neo-Hookean)"},
      {"oscillator", "a mass on a spring, whose answer is known in closed form"},
  };
  return list;
}

std::string write_example(const std::string& name, const std::string& directory, const ExampleOptions& options) {
  std::vector<std::string> names;
  for (const Example& e : examples()) names.push_back(e.name);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = nearest_word(name, names.data(), names.data() + names.size());
    throw InputError(
        {.place = "demo"}, "there is no example '" + name + "'",
        near.empty() ? fmt::format("Examples: {}.", fmt::join(names, ", ")) : "Did you mean " + near + "?");
  }
  const fs::path dir = directory;
  std::error_code error;
  fs::create_directories(dir, error);
  if (error) throw InputError({.file = directory}, "cannot be made: " + error.message(), "choose another directory");
  std::string text;
  if (name == "bar")
    text = bar(dir, options);
  else if (name == "oscillator")
    text = oscillator(dir);
  else if (name == "pear")
    text = pear_example(dir);
  else if (name == "dyrt")
    text = live_example(dir);
  else if (name == "drop")
    text = drop_example(dir, options);
  else if (name == "ball")
    text = ball_example(dir, options);
  else if (name == "sumo")
    text = sumo_example(dir, options);
  else if (name == "jellyphant")
    text = jellyphant_example(dir, options);
  else if (name == "elephant")
    text = walk_example(dir, options);
  else if (name == "bird")
    text = bird_example(dir, options);
  else if (name == "dance")
    text = dance_example(dir, options);
  else if (name == "plant")
    text = plant_example(dir, options);
  else if (name == "head")
    text = head_example(dir, options);
  else if (name == "rig-sphere")
    text = rig_sphere_example(dir, options);
  else if (name == "rig-bar")
    text = rig_bar_example(dir, options);
  else if (name == "rig-flower")
    text = rig_flower_example(dir, options);
  else if (name == "rig-elephant")
    text = rig_elephant_example(dir, options);
  else if (name == "rig-workout")
    text = rig_workout_example(dir, options);
  else if (name == "jellyfish")
    text = jellyfish(dir, options);
  else
    text = sunflower(dir, options, name == "sunflower-linear");
  const fs::path scene = dir / (name + ".toml");
  write_text(scene, text);
  return scene.string();
}

}  // namespace supple::demos
