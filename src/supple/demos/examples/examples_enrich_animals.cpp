#include "supple/demos/examples/examples_enrich_animals.h"

#include <fmt/format.h>

#include <vector>

#include "supple/demos/drawn/bird.h"
#include "supple/demos/drawn/sumo_dance.h"
#include "supple/demos/drawn/walk_elephant.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"

namespace supple::demos {

namespace {

constexpr int kShortDance = 30, kShortCount = 2500;

// NAME.obj, NAME.pc2 and a list of vertices PART.txt for each of its parts.
void write_animation(const std::filesystem::path& directory, const std::string& name, const DrawnAnimation& a) {
  const auto at = [&](const std::string& file) { return (directory / file).string(); };
  write_obj(at(name + ".obj"), a.neutral);
  Pc2Writer cache(at(name + ".pc2"), a.neutral.n_vertices());
  for (const Points& x : a.frames) cache.append(flatten(x));
  cache.finish();
  for (const auto& [part, vertices] : a.parts) write_index_list(at(part + ".txt"), vertices);
}

struct ShownFlesh {
  std::string part;
  double frequency_hz = 0;
};

std::string scene_text(const std::string& comment, const std::string& name, double fps, int count,
                       const std::vector<ShownFlesh>& flesh, const std::string& more = "") {
  std::string text = fmt::format(
      R"(# {0}
[surface]
file = "{1}.obj"
cache = "{1}.pc2"

[timeline]
fps = {2}

[tets]
count = {3}

[enrich]
soft = "COLOR_0.r"
)",
      comment, name, fps, count);
  text += more;
  for (const ShownFlesh& f : flesh)
    text += fmt::format("\n[[region]]\nname = \"{0}\"\nvertices = \"{0}.txt\"\nfrequency_hz = {1:g}\n", f.part,
                        f.frequency_hz);
  return text;
}

}  // namespace

// Numbers of tets are those of the paper [enriching, Table 1].
std::string walk_example(const std::filesystem::path& directory, const ExampleOptions& o) {
  WalkOptions size;
  if (o.short_shot) size = {.edge = 0.07, .frames = kShortDance};
  write_animation(directory, "elephant", make_walking_elephant(size));
  return scene_text("An elephant that walks. Ears, trunk, belly and tail go on where the input stops.", "elephant",
                    kWalkFps, o.short_shot ? kShortCount : 20136,
                    {{"ears", 2}, {"trunk", 1.6}, {"tail", 1.8}, {"belly", 2.6}});
}

std::string bird_example(const std::filesystem::path& directory, const ExampleOptions& o) {
  BirdOptions size;
  if (o.short_shot) size = {.edge = 0.03, .frames = kShortDance};
  write_animation(directory, "bird", make_bird(size));
  return scene_text("A bird that flaps and lands. Its legs follow, and the ends of its wings, which carry the rest.",
                    "bird", kBirdFps, o.short_shot ? kShortCount : 11846, {{"wings", 4}, {"head", 4}, {"belly", 3.5}});
}

std::string dance_example(const std::filesystem::path& directory, const ExampleOptions& o) {
  DanceOptions size;
  if (o.short_shot) size = {.edge = 0.06, .frames = kShortDance};
  write_animation(directory, "sumo", make_dancing_sumo(size));
  return scene_text("A sumo wrestler who dances. Belly, cheeks, derriere and thighs are flesh.", "sumo", kDanceFps,
                    o.short_shot ? kShortCount : 7767,
                    {{"belly", 2.2}, {"cheeks", 5}, {"derriere", 3}, {"thighs", 3.5}}, "fit = 3e-3\n");
}

}  // namespace supple::demos
