#include <fmt/format.h>

#include <cmath>

#include "supple/demos/examples/examples_curves.h"
#include "supple/demos/gallery/rigged_solids.h"
#include "supple/demos/shapes/motion.h"
#include "supple/io/curve_files.h"
#include "supple/io/obj.h"
#include "supple/io/output_file.h"
#include "supple/io/tets/tet_formats.h"

namespace supple::demos {

namespace {

namespace fs = std::filesystem;

constexpr double kSolidFps = 24;
constexpr int kSolidFrames = 72, kShortSolidFrames = 20;

int solid_frames(const ExampleOptions& o) { return o.short_shot ? kShortSolidFrames : kSolidFrames; }

void write_body(const fs::path& dir, const std::string& name, const ConformingBody& body) {
  write_obj((dir / (name + ".obj")).string(), body.surface);
  write_tet_mesh((dir / (name + ".msh")).string(), body.tets);
}

// One row a frame.
template <class Values>
void write_key_table(const fs::path& path, const std::vector<std::string>& names, int frames, const Values& values) {
  CurveTable table{.names = names, .frames = {}, .values = MatX(frames, static_cast<Eigen::Index>(names.size()))};
  for (int f = 0; f < frames; ++f) {
    table.frames.push_back(f);
    table.values.row(f) = VecX(values(f)).transpose();
  }
  table.fps = kSolidFps;
  write_curves(path.string(), table);
}

// A ball that hops along: up and down as a thrown one, a little less each time.
VecX hopping(double frame) {
  constexpr double kDrop = 8, kHop = 15, kHigh = 0.9;  // [frame], [frame], [m]
  const double since = frame - kDrop;
  const int n = since < 0 ? 0 : static_cast<int>(since / kHop);
  const double s = since < 0 ? since / kDrop : 2 * (since - n * kHop) / kHop - 1;
  const double high = since < 0 ? kHigh : kHigh * std::pow(0.8, n + 1);
  const double y = since < 0 ? kHigh * (1 - (1 + s) * (1 + s)) : high * (1 - s * s);
  VecX at(2);
  at << 0.03 * frame, y;
  return at;
}

std::string sphere_head(const std::string& comment, int frames) {
  return fmt::format(R"({}
[surface]
file = "sphere.obj"

[tets]
file = "sphere.msh"

[timeline]
fps = {:g}
frames = {}
loop = false

[[curves.deformer]]
name = "body"
kind = "transform"
centre = [0, 0.5, 0]
channels = ["translation", "scale"]
)",
                     comment, kSolidFps, frames);
}

}  // namespace

// [rig-space physics, Figure 2]
std::string rig_sphere_example(const fs::path& dir, const ExampleOptions& o) {
  const int frames = solid_frames(o);
  write_body(dir, "sphere", make_rigged_sphere());
  const std::vector<std::string> names = {"body.translation.x", "body.translation.y"};
  write_key_table(dir / "hop.csv", names, frames, hopping);
  write_key_table(dir / "thrown.csv", names, frames,
                  [](double frame) -> VecX { return Eigen::Vector2d(0.025 * frame, 0.7); });
  write_text((dir / "passive.toml").string(),
             sphere_head("# The same sphere thrown: it falls, bounces and is squashed, all by physics.", frames) +
                 R"(
[curves]
free = ["body.scale", "body.translation.x", "body.translation.y"]
keys = "thrown.csv"
pose = "rest"

[material]
youngs_modulus = 6e4
poisson_ratio = 0.45
density = 1000
half_life_s = 0.25

[contact]
self = false
friction = 0

[[contact.plane]]
)");
  return sphere_head(
             "# A sphere that is moved by keys and squashed and stretched by physics. Beside it: passive.toml, in "
             "which "
             "it is\n# thrown and nothing is keyed.",
             frames) +
         R"(
[curves]
free = ["body.scale"]
pose = "rest"
keys = "hop.csv"

[material]
youngs_modulus = 6e4
poisson_ratio = 0.45
density = 1000
half_life_s = 0.25
)";
}

namespace {

std::string bar_head(const std::string& comment, int frames, double youngs_modulus = 6e4) {
  return fmt::format(R"({}
[surface]
file = "bar.obj"

[tets]
file = "bar.msh"

[timeline]
fps = {:g}
frames = {}
loop = false

[material]
youngs_modulus = {:g}
poisson_ratio = 0.4
density = 1000
half_life_s = 0.3
)",
                     comment, kSolidFps, frames, youngs_modulus);
}

std::string bending_bar(const std::string& comment, int frames, const std::string& stiff) {
  return bar_head(comment, frames, 4e5) + R"(
[curves]
free = ["bend.*"]
keys = "lift.csv"
pose = "rest"

[[curves.deformer]]
name = "bend"
kind = "blend"
shapes = ["p1.obj", "p2.obj", "p3.obj", "p4.obj"]

[[curves.deformer]]
name = "hand"
kind = "transform"
space = "world"
channels = ["translation"]
)" + stiff;
}

std::string stiffer(const std::string& parameter) {
  return fmt::format("\n[[curves.stiffness]]\nmatch = \"bend.{}\"\nscale = 10\n", parameter);
}

}  // namespace

// [rig-space physics, Figure 3 and "interior dynamics" of Table 1]
std::string rig_bar_example(const fs::path& dir, const ExampleOptions& o) {
  const int frames = solid_frames(o);
  const ConformingBody bar = make_rigged_bar();
  write_body(dir, "bar", bar);
  const std::vector<Points> shapes = rigged_bar_shapes(bar.surface.vertices);
  for (size_t k = 0; k < shapes.size(); ++k) {
    TriMesh shape = bar.surface;
    shape.vertices = shapes[k];
    shape.normals.clear();
    write_obj((dir / fmt::format("p{}.obj", k + 1)).string(), shape);
  }
  const Ramp up{.offset = {0, 0.2, 0}, .start = 0.2, .duration = 0.4};
  write_key_table(dir / "lift.csv", {"hand.translation.y"}, frames,
                  [&](double frame) -> VecX { return VecX::Constant(1, ramp(frame / kSolidFps, up).y()); });

  write_obj((dir / "cage.obj").string(), rigged_bar_cage());
  write_key_table(dir / "lifted.csv", {"cage.0.y", "cage.1.y", "cage.2.y", "cage.3.y"}, frames,
                  [&](double frame) -> VecX { return VecX::Constant(4, ramp(frame / kSolidFps, up).y()); });
  write_text(
      (dir / "interior.toml").string(),
      bar_head("# The bar in a cage of eight corners: four are lifted, four are free. What is inside has inertia "
               "of its own,\n# so that waves run through it.",
               frames) +
          R"(
[curves]
free = ["cage.4.*", "cage.5.*", "cage.6.*", "cage.7.*"]
keys = "lifted.csv"
interior = "dynamic"

[[curves.deformer]]
name = "cage"
kind = "cage"
file = "cage.obj"
)");

  TriMesh wire;
  for (int k = 0; k < 5; ++k) wire.vertices.emplace_back(-0.75 + 0.375 * k, 0, 0);
  write_obj((dir / "wire.obj").string(), wire);
  write_key_table(dir / "held.csv", {"wire.0.y"}, frames,
                  [&](double frame) -> VecX { return VecX::Constant(1, ramp(frame / kSolidFps, up).y()); });
  write_text(
      (dir / "wire.toml").string(),
      bar_head("# The bar on a wire through its middle: one end is lifted, the other four points are free.", frames) +
          R"(
[curves]
free = ["wire.1.*", "wire.2.*", "wire.3.*", "wire.4.*"]
keys = "held.csv"

[[curves.deformer]]
name = "wire"
kind = "wire"
file = "wire.obj"
radius = 0.6
)");

  write_text((dir / "stiff-right.toml").string(),
             bending_bar("# The same bar with a stiffer right half.", frames, stiffer("p3") + stiffer("p4")));
  write_text((dir / "stiff-end.toml").string(),
             bending_bar("# The same bar with a stiffer right end.", frames, stiffer("p4")));
  return bending_bar(
      "# A bar that is held in the middle and bends by four shapes that overlap. Beside it: stiff-right.toml and\n"
      "# stiff-end.toml, where some of them are stiffer; interior.toml and wire.toml, other rigs of the same bar.",
      frames, "");
}

}  // namespace supple::demos
