#include "supple/demos/examples/examples_enrich_plant_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "supple/demos/drawn/plant.h"
#include "supple/demos/drawn/talking_head.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/output_file.h"
#include "supple/io/point_cache.h"

namespace supple::demos {

namespace {

void write_frames(const std::string& path, const std::vector<Points>& frames) {
  Pc2Writer cache(path, static_cast<int>(frames.front().size()));
  for (const Points& x : frames) cache.append(flatten(x));
  cache.finish();
}

// As a group of an OBJ file or a file of its own may be called.
std::string one_word(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// The mesh with a group for each part. A triangle whose corners differ is of the part that is named last.
void write_grouped(const std::string& path, const TriMesh& mesh, const std::map<std::string, std::vector<int>>& parts) {
  std::vector<size_t> part_of(mesh.vertices.size(), 0);
  std::vector<std::string> names;
  for (const auto& [name, vertices] : parts) {
    for (const int v : vertices) part_of[static_cast<size_t>(v)] = names.size();
    names.push_back(one_word(name));
  }
  OutputFile out(path);
  for (size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Vec3 &x = mesh.vertices[v], &c = mesh.colors[v];
    out.print("v {} {} {} {} {} {}\n", x[0], x[1], x[2], c[0], c[1], c[2]);
  }
  for (size_t part = 0; part < names.size(); ++part) {
    out.print("g {}\n", names[part]);
    for (const Tri& t : mesh.triangles) {
      size_t last = 0;
      for (const int v : t) last = std::max(last, part_of[static_cast<size_t>(v)]);
      if (last == part) out.print("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
  }
  out.commit();
}

}  // namespace

// Numbers of tets are those of the paper [enriching, Table 1].
std::string plant_example(const std::filesystem::path& directory, const ExampleOptions& o) {
  const auto at = [&](const std::string& file) { return (directory / file).string(); };
  PlantOptions options;
  if (o.short_shot) options.frames = 24;
  const DrawnAnimation plant = make_plant(options);
  write_obj(at("plant.obj"), plant.neutral);
  write_frames(at("plant.pc2"), plant.frames);
  write_obj(at("pot.obj"), make_pot());
  for (const auto& [part, vertices] : plant.parts) write_index_list(at(part + ".txt"), vertices);
  return fmt::format(
      R"(# A plant that withers. Its leaves are flesh of the physics, and keep the ripples that the tets are too coarse for.
[surface]
file = "plant.obj"
cache = "plant.pc2"
rest = "weightless"

[timeline]
fps = {}
substeps = 5

[tets]
count = {}
keep_apart = false

[enrich]
soft = "COLOR_0.r"
softness = 0.15
drive = 300
frequency_hz = 1

[contact]
self = false
friction = 0.4

[[contact.obstacle]]
file = "pot.obj"
)",
      kPlantFps, o.short_shot ? 400 : 413);
}

std::string head_example(const std::filesystem::path& directory, const ExampleOptions& o) {
  const auto at = [&](const std::string& file) { return (directory / file).string(); };
  TalkingHeadOptions options;
  if (o.short_shot) options = {.coarse = 3.4, .frames = 30};
  const TalkingHead head = make_talking_head(options);
  write_grouped(at("head.obj"), head.neutral, head.parts);
  write_grouped(at("open.obj"), head.open_mouth, head.parts);
  write_frames(at("face.pc2"), head.frames);
  write_index_list(at("tracked.txt"), head.tracked);
  for (const auto& [part, vertices] : head.parts) write_index_list(at(one_word(part) + ".txt"), vertices);
  return fmt::format(
      R"(# A speaker. Cameras saw the outer face alone; the mouth behind the lips and the rest of the head are completed.
[surface]
file = "head.obj"
cache = "face.pc2"

[timeline]
fps = {}

[tets]
count = {}

[enrich]
tracked = "tracked.txt"
apart = "open.obj"
softness = 0
detail = false
rigid = ["upper_teeth", "lower_teeth", "eyes"]
)",
      head.fps, o.short_shot ? 3000 : 18400);
}

}  // namespace supple::demos
