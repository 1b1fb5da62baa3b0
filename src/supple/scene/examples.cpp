#include "supple/scene/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "supple/base/error.h"
#include "supple/gallery/bar.h"
#include "supple/gallery/motion.h"
#include "supple/gallery/sunflower.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/output_file.h"
#include "supple/io/point_cache.h"
#include "supple/io/tet_formats.h"

namespace supple {

namespace fs = std::filesystem;

namespace {

void write_text(const fs::path& path, const std::string& text) {
  OutputFile out(path.string());
  out.write(text);
  out.commit();
}

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
std::string sunflower(const fs::path& dir, bool linear) {
  const Sunflower s = make_sunflower();
  write_tet_mesh((dir / "sunflower.msh").string(), s.tets);
  write_obj((dir / "sunflower.obj").string(), s.surface);
  write_index_list((dir / "root.txt").string(), s.root);
  // Two frames of rest come first: a velocity that jumps at the very first sample is no motion the track can know.
  const double lead = 2 / kSunflowerFps;
  write_track(dir / "root.pc2", s.tets, s.root, kSunflowerFrames, kSunflowerFps, [&](double t) {
    return start_stop(t, {.velocity = {1.0, 0, 0}, .start = lead, .stop = 150 / kSunflowerFps});
  });
  return fmt::format(
      R"(# A sunflower held at the bottom of its stem. It is pulled to the right and stopped at frame 150.
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
      2, linear ? "linear" : "stvk", linear ? "" : "volume_penalty = 1\n");
}

std::string bar(const fs::path& dir) {
  const Bar b = make_bar({.size = {0.5, 0.08, 0.08}, .cells = {15, 3, 3}});
  write_tet_mesh((dir / "bar.msh").string(), b.tets);
  write_index_list((dir / "root.txt").string(), b.root);
  write_track(dir / "root.pc2", b.tets, b.root, 96, 24, [](double t) {
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

}  // namespace

const std::vector<Example>& examples() {
  static const std::vector<Example> list = {
      {"sunflower", "a sunflower pulled to the right and stopped (StVK)"},
      {"sunflower-linear", "the same with the linear material: one factorization for the whole shot"},
      {"bar", "a bar held at one end and shaken (stable neo-Hookean)"},
      {"oscillator", "a mass on a spring, whose answer is known in closed form"},
  };
  return list;
}

std::string write_example(const std::string& name, const std::string& directory) {
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
    text = bar(dir);
  else if (name == "oscillator")
    text = oscillator(dir);
  else
    text = sunflower(dir, name == "sunflower-linear");
  const fs::path scene = dir / (name + ".toml");
  write_text(scene, text);
  return scene.string();
}

}  // namespace supple
