#include <fmt/format.h>

#include "supple/demos/examples/examples_curves.h"
#include "supple/demos/gallery/rigged_flower.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/output_file.h"
#include "supple/io/tets/tet_formats.h"

namespace supple::demos {

namespace {

constexpr int kShortFlowerFrames = 20;
constexpr double kStiffStem = 1e7, kSoftStem = 8e5;  // [Pa]

std::string flower_scene(const std::string& comment, double modulus, const std::vector<std::string>& soft) {
  std::string text = fmt::format(R"({}
[surface]
file = "flower.glb"
clip = "shove"
scale = 1

[tets]
file = "flower.msh"

[timeline]
loop = false

[material]
youngs_modulus = {:g}
poisson_ratio = 0.4
density = 400
half_life_s = 0.35

[curves]
free = ["stem*", "blossom", "leaf_*"]
)",
                                 comment, modulus);
  for (const std::string& match : soft)
    text += fmt::format("\n[[curves.stiffness]]\nmatch = \"{}\"\nscale = {:g}\n", match, kSoftStem / kStiffStem);
  return text;
}

}  // namespace

// [rig-space physics, Figure 6]
std::string rig_flower_example(const std::filesystem::path& dir, const ExampleOptions& o) {
  const RiggedFlower f = make_rigged_flower(o.short_shot ? kShortFlowerFrames : kRiggedFlowerFrames);
  write_gltf((dir / "flower.glb").string(), f.character, {.colors = rigged_flower_colors()});
  write_tet_mesh((dir / "flower.msh").string(), f.tets);
  const auto beside = [&](const char* name, const std::string& text) { write_text((dir / name).string(), text); };
  beside("soft.toml", flower_scene("# The flower, soft all over.", kSoftStem, {}));
  beside("stiff.toml", flower_scene("# The flower, stiff all over.", kStiffStem, {}));
  beside("soft-blossom.toml", flower_scene("# A stiff flower with a soft blossom.", kStiffStem, {"blossom"}));
  return flower_scene(
      "# A flower whose pot is shoved about. Its stem is stiff, blossom and leaves are soft. Beside it: soft.toml,\n"
      "# stiff.toml and soft-blossom.toml.",
      kStiffStem, {"blossom", "leaf_*"});
}

}  // namespace supple::demos
