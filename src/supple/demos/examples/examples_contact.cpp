#include "supple/demos/examples/examples_contact.h"

#include <fmt/format.h>

#include "supple/demos/examples/examples_characters.h"
#include "supple/demos/gallery/toys.h"
#include "supple/io/obj.h"
#include "supple/io/tets/tet_formats.h"

namespace supple::demos {

std::string drop_example(const std::filesystem::path& directory, const ExampleOptions& o) {
  constexpr double kRadius = 0.15;
  const int fineness = o.short_shot ? 5 : 10;
  const auto at = [&](const char* file) { return (directory / file).string(); };
  const auto raised = [](auto mesh) {
    for (Vec3& x : mesh.vertices) x.y() += 0.45;
    return mesh;
  };
  write_tet_mesh(at("ball.msh"), raised(make_ball_tets(1.03 * kRadius, o.short_shot ? 0.09 : 0.055)));
  write_obj(at("ball.obj"), raised(make_ball(kRadius, fineness)));
  write_obj(at("ring.obj"), make_ring(0.15, 0.06, 4 * fineness));
  write_obj(at("bean.obj"), make_bean(0.42, fineness));
  return fmt::format(
      R"(# Three bodies of jelly dropped on a floor, one onto the other.
[surface]
file = "ball.obj"

[tets]
file = "ball.msh"

[timeline]
fps = 24
frames = {0}
substeps = {1}

[material]
model = "stable-neo-hookean"
youngs_modulus = 2e4
density = 1000
half_life_s = 0.12

[contact]
friction = 0.4

[[contact.plane]]
normal = [0, 1, 0]
point = [0, 0, 0]

[[body]]
name = "ring"
file = "ring.obj"
edge = {2}
position = [0.06, 0.8, 0.02]
rotation = [0, 0, 20]
material = {{ youngs_modulus = 1.5e4 }}

[[body]]
name = "bean"
file = "bean.obj"
edge = {2}
position = [-0.08, 1.15, 0]
rotation = [0, 35, 10]
material = {{ youngs_modulus = 3e4 }}
)",
      o.short_shot ? 24 : 120, o.short_shot ? 2 : 4, o.short_shot ? 0.09 : 0.055);
}

std::string ball_example(const std::filesystem::path& directory, const ExampleOptions& o) {
  const std::string elephant = jellyphant_example(directory, o);
  write_obj((directory / "ball.obj").string(), make_ball(0.3, o.short_shot ? 5 : 8));
  const std::string after_comment = elephant.substr(elephant.find("[surface]"));
  return fmt::format(
      R"(# A soft ball thrown at the side of the elephant of jelly while it hops, on a floor.
{}
[[contact.plane]]
normal = [0, 1, 0]
point = [0, -0.02, 0]

[[body]]
name = "ball"
file = "ball.obj"
edge = {}
position = [2.8, 1.0, -0.1]
velocity = [-5, 1.7, 0]
material = {{ youngs_modulus = 4e4, density = 800, half_life_s = 0.1 }}
)",
      after_comment, o.short_shot ? 0.2 : 0.13);
}

}  // namespace supple::demos
