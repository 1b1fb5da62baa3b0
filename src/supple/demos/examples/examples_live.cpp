#include "supple/demos/examples/examples_live.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <numbers>

#include "supple/demos/examples/examples.h"
#include "supple/demos/gallery/live_man.h"
#include "supple/demos/gallery/live_man_plan.h"
#include "supple/demos/gallery/live_tissue.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/input_file.h"
#include "supple/io/output_file.h"
#include "supple/report/live_page.h"
#include "supple/scene/read_scene.h"

namespace supple::demos {

using namespace pipeline::live;

namespace fs = std::filesystem;

namespace {

std::string parts_text(const std::vector<LivePlan>& plan) {
  std::string text;
  for (const LivePlan& p : plan) {
    const Vec3 angles = p.region.turn.eulerAngles(2, 1, 0) * (180 / std::numbers::pi);  // about z, y, x
    const Vec3 &c = p.region.centre, &r = p.region.radii;
    text += fmt::format(
        "\n[[live.part]]\nname = \"{}\"\nbone = \"{}\"\nshape = \"ellipsoid\"\ncentre = [{:.4f}, {:.4f}, {:.4f}]\n"
        "size = [{:.4f}, {:.4f}, {:.4f}]\nrotation = [{:.2f}, {:.2f}, {:.2f}]\n",
        p.name, p.bone, c[0], c[1], c[2], r[0], r[1], r[2], angles[2], angles[1], angles[0]);
  }
  return text;
}

}  // namespace

std::string live_example(const fs::path& directory) {
  write_gltf((directory / "man.glb").string(), make_live_man(), {.colors = live_man_colors()});
  write_gltf((directory / "tissue.glb").string(), make_live_tissue(), {.colors = live_tissue_colors()});
  write_text((directory / "tissue.toml").string(),
             R"(# Tissue on a base that moves: a live pack is made of it by: supple live tissue.toml
[surface]
file = "tissue.glb"
scale = 1

[attach]
soft = "_SOFT"

[material]
inertia = 1

[live]
modes = 20
share = 1
)" + parts_text(live_tissue_plan()));
  return R"(# A stocky man whose belly and thighs jiggle in real time. His live pack is made by: supple live dyrt.toml
[surface]
file = "man.glb"
clip = "jump"
scale = 1

[attach]
soft = "_SOFT"

[live]
modes = 12
share = 0.98
)" + parts_text(live_man_plan());
}

LiveResult make_live_example(const std::string& directory, const std::vector<std::string>& set, const Watch& watch) {
  const fs::path dir = directory;
  const fs::path scene = write_example("dyrt", (dir / "scene").string());
  LiveResult all;
  const auto one = [&](const char* name, const fs::path& file) {
    LiveResult made =
        make_live(live_scene(file.string(), set), {.directory = (dir / name).string(), .overwrite = true}, watch);
    for (const std::string& f : made.files) all.files.push_back((fs::path(name) / f).string());
    all.lines.insert(all.lines.end(), made.lines.begin(), made.lines.end());
    all.report[name] = std::move(made.report);
  };
  one("man", scene);
  one("tissue", scene.parent_path() / "tissue.toml");
  const auto bytes = [&](const char* name) {
    return read_whole_file((dir / name / (std::string(name) + ".live.glb")).string(), "");
  };
  write_text(
      (dir / "dyrt.html").string(),
      live_page("Live flesh", {{.name = "man", .title = "Man", .bytes = bytes("man"), .note = "belly and thighs"},
                               {.name = "tissue", .title = "Tissue", .bytes = bytes("tissue"), .kind = "tissue"}}));
  all.files.push_back("dyrt.html");
  return all;
}

}  // namespace supple::demos
