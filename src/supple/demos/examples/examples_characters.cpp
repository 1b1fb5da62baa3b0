#include "supple/demos/examples/examples_characters.h"

#include <fmt/format.h>

#include "supple/demos/gallery/jellyphant.h"
#include "supple/demos/gallery/pear.h"
#include "supple/demos/gallery/sumo.h"
#include "supple/io/gltf/gltf_write.h"

namespace supple::demos {

namespace {

constexpr int kShortClip = 48;
constexpr double kCoarseSkin = 0.06;  // [m]

}  // namespace

std::string pear_example(const std::filesystem::path& directory) {
  write_gltf((directory / "pear.glb").string(), make_pear(), {.colors = pear_colors()});
  return R"(# A character of which nothing is said but where it is: what is soft and how soft is found from its bones and shape.
# The same as: supple run pear.glb
[surface]
file = "pear.glb"
clip = "hop"
)";
}

// A deformable core, StVK, four steps a frame [adjustable paper, Table 1].
std::string sumo_example(const std::filesystem::path& directory, const ExampleOptions& o) {
  SumoOptions size;
  if (o.short_shot) size = {.edge = kCoarseSkin, .frames = kShortClip};
  write_gltf((directory / "sumo.glb").string(), make_sumo(size), {.colors = sumo_colors()});
  return fmt::format(
      R"(# A sumo wrestler: skin and bones, correctives that fade in with the pose, and flesh on a core that deforms with them.
[surface]
file = "sumo.glb"
clip = "shiko"
scale = 1

[tets]
preset = "{}"

[attach]
soft = "_SOFT"

[timeline]
fps = 24
substeps = 4
loop = false

[material]
model = "stvk"
volume_penalty = 1

[contact]
self = true
)",
      o.short_shot ? "preview" : "final");
}

std::string jellyphant_example(const std::filesystem::path& directory, const ExampleOptions& o) {
  JellyphantOptions size;
  if (o.short_shot) size = {.edge = kCoarseSkin, .frames = kShortClip};
  write_gltf((directory / "jellyphant.glb").string(), make_jellyphant(size), {.colors = jellyphant_colors()});
  return fmt::format(
      R"(# An elephant of jelly that hops and trots, thrown as hard as its clip says. Thin parts are of stiffer jelly than the
# rest, and still swing further.
[surface]
file = "jellyphant.glb"
clip = "hop"
scale = 1

[tets]
preset = "{}"
graded = false

[attach]
soft = "_SOFT"

[timeline]
fps = 24
substeps = 8
loop = false

[material]
model = "stable-neo-hookean"
youngs_modulus = 1.6e4
half_life_s = 0.35
inertia = 1

[[region]]
name = "ears"
bones = ["ear_*"]
youngs_modulus = 6e5

[[region]]
name = "trunk"
bones = ["trunk*"]
youngs_modulus = 3e4

[[region]]
name = "tail"
bones = ["tail*"]
youngs_modulus = 1e5

[contact]
self = true
)",
      o.short_shot ? "preview" : "final");
}

}  // namespace supple::demos
