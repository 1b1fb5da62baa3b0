#include "supple/scene/schema.h"

#include <nlohmann/json.hpp>
#include <set>

#include "supple/scene/read_scene.h"
#include "supple/scene/write_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {
namespace {

class Schema : public SceneFiles {};

TEST_F(Schema, every_row_is_complete_and_unique) {
  std::set<std::string> names;
  SceneConfig config;
  for (const std::string& table : scene_tables())
    if (is_list(table)) set_table_count(config, table, 1);
  std::set<void*> places;
  for (const KeySpec& spec : scene_keys()) {
    EXPECT_TRUE(names.insert(spec.name()).second) << spec.name();
    EXPECT_FALSE(spec.doc.empty()) << spec.name();
    EXPECT_EQ(spec.doc.back(), '.') << spec.name();
    EXPECT_FALSE(table_doc(spec.table).empty());
    // Something is said about what happens without the key.
    EXPECT_TRUE(spec.required || !default_of(spec).empty() || !spec.unset.empty()) << spec.name();
    void* place = std::visit([](auto* p) -> void* { return p; }, spec.slot(config, 0));
    EXPECT_TRUE(places.insert(place).second) << spec.name() << " shares its place with another key";
  }
  for (const auto& pair : exclusive_keys())
    for (const std::string& name : pair) EXPECT_TRUE(names.count(name)) << name;
}

TEST_F(Schema, every_default_is_accepted_by_the_loader) {
  for (const KeySpec& spec : scene_keys()) {
    const std::string value = default_of(spec);
    // A radius alone has nothing to act on.
    if (value.empty() || spec.name() == "attach.radius") continue;
    if (is_list(spec.table)) continue;  // such a table does not stand alone
    std::string text = "[" + spec.table + "]\n" + spec.key + " = " + value + "\n";
    // What only a character can have goes with one.
    try {
      load_scene(write("d.toml", text + (spec.table == "tets" ? "" : "[tets]\n") + "file = \"a.msh\"\n"));
    } catch (const InputError& e) {
      const bool enrich = spec.table == "enrich";
      ASSERT_NE(std::string(e.what()).find(enrich ? "needs a surface" : "animated character"), std::string::npos)
          << e.what();
      if (spec.table != "surface") text += "[surface]\n";
      const SceneConfig scene = load_scene(write("d.toml", text + "file = \"a.glb\"\n"));
      EXPECT_EQ(to_toml(scene, folder_.string()),
                enrich ? "[surface]\nfile = \"a.glb\"\n\n[enrich]\n" : "[surface]\nfile = \"a.glb\"\n")
          << text;
      continue;
    }
    if (spec.table != "tets") text += "[tets]\n";
    const SceneConfig scene = load_scene(write("d.toml", text + "file = \"a.msh\"\n"));
    // Contact and curves are asked for by their tables.
    const bool says = spec.table == "contact" || spec.table == "curves";
    const std::string table = says ? "\n[" + spec.table + "]\n" : "";
    EXPECT_EQ(to_toml(scene, folder_.string()), "[tets]\nfile = \"a.msh\"\n" + table) << text;
  }
}

TEST_F(Schema, values_survive_a_round_trip) {
  write("sub/stiff.txt", "1\n");
  const std::string file = write("scene.toml", R"([surface]
file = "skin \"1\".obj"
scale = 0.1
[tets]
file = "fox.msh"
repair = true
[attach]
vertices = "core.txt"
rigid = "/abs/keys.csv"
stiffness = 1e-300
[timeline]
fps = 23.976
substeps = 3
range = [0, 5]
start = "settled"
pre_roll = 7
loop = true
test_motion = "hop"
[material]
youngs_modulus = 0.1
stiffness_damping = 0.0
youngs_modulus_map = "painted"
density_map = "sub/stiff.txt"
[[region]]
name = "tab\there"
poisson_ratio = -0.25
frequency_hz = 3
amplitude = 0
sag = 0.5
half_life = 2
[[region]]
name = "b"
[world]
gravity = [0, 1e-3, -9.81]
[controls]
frequency = 0.1
sag_m = 0.01
half_life_s = 0.3
motion = "sustained"
amplitude_map = "painted"
sag_map = "sub/stiff.txt"
frequency_keys = [[0, 1], [12.5, 0.1], [1e3, 3]]
sag_keys = "sub/keys.csv"
[contact]
thickness = 0.001
surface = "tets"
[[contact.obstacle]]
file = "floor.obj"
cache = "sub/floor.pc2"
rotation = [0, 90, 0]
[[contact.obstacle]]
file = "wall.glb"
clip = "slide"
scale = 0.01
[[contact.plane]]
[[contact.plane]]
normal = [0, 0, 2]
point = [0, 0, -1]
[[body]]
name = "ball"
file = "ball.obj"
edge = "auto"
velocity = [1, 0, 0]
material = { youngs_modulus = 1e5, half_life_s = 0.25 }
[[body]]
name = "box"
file = "box.msh"
rigid = true
material.density = 250
[output]
formats = []
[expert]
stage_fraction = 0.3333333333333333
p_derivatives = "five-point"
static_solves = "every-step"
)");
  const SceneConfig scene = load_scene(file);
  const std::string text = to_toml(scene, folder_.string());
  const SceneConfig again = load_scene(write("again.toml", text));
  EXPECT_EQ(to_toml(again, folder_.string()), text);
  SceneConfig a = scene, b = again;
  for (const std::string& table : scene_tables()) EXPECT_EQ(table_count(a, table), table_count(b, table)) << table;
  for (const KeySpec& spec : scene_keys())
    for (size_t k = 0; k < table_count(a, spec.table); ++k)
      EXPECT_EQ(toml_value(spec, a, k, ""), toml_value(spec, b, k, "")) << spec.name();
  EXPECT_EQ(again.surface.file.text, "skin \"1\".obj");
  EXPECT_EQ(again.timeline.fps, 23.976);
  EXPECT_EQ(again.attach.stiffness, 1e-300);
  EXPECT_EQ(again.expert.stage_fraction, 1.0 / 3);
  EXPECT_EQ(again.regions[0].name, "tab\there");
  EXPECT_TRUE(again.output.formats.empty());
  EXPECT_EQ(again.controls.frequency_keys.keys, (std::vector<std::array<double, 2>>{{0, 1}, {12.5, 0.1}, {1e3, 3}}));
  EXPECT_EQ(again.controls.sag_keys.file.path, path("sub/keys.csv"));
  EXPECT_EQ(again.timeline.loop, "true");
  EXPECT_EQ(again.regions[0].amplitude, 0);
  EXPECT_TRUE(again.contact.present);
  EXPECT_EQ(again.planes.size(), 2u);
  EXPECT_FALSE(again.planes[0].normal);
  EXPECT_EQ(again.obstacles[0].cache.path, path("sub/floor.pc2"));
  EXPECT_EQ(again.bodies[0].half_life_s, 0.25);
  EXPECT_EQ(again.bodies[1].density, 250);
}

TEST_F(Schema, rigs_survive_a_round_trip) {
  const SceneConfig scene = load_scene(write("s.toml", R"([surface]
file = "a.glb"
[curves]
free = ["box.*", "Tail?"]
keys = "sub/keys.csv"
modes = 3
mode_scale = [1, 0.5, -2]
[[curves.deformer]]
name = "box"
kind = "lattice"
divisions = [3, 2, 4]
centre = [0, 1, 2]
[[curves.deformer]]
name = "face"
kind = "blend"
shapes = ["sub/smile.obj", "frown.obj"]
[[curves.deformer]]
name = "skirt"
kind = "cage"
file = "cage.obj"
points = [3, 1]
[[curves.stiffness]]
match = "box.*"
scale = 10
[[curves.handle]]
name = "tip"
vertex = 7
)"));
  const std::string text = to_toml(scene, folder_.string());
  const SceneConfig again = load_scene(write("again.toml", text));
  EXPECT_EQ(to_toml(again, folder_.string()), text);
  EXPECT_TRUE(again.curves.present);
  EXPECT_EQ(again.curves.free, (std::vector<std::string>{"box.*", "Tail?"}));
  EXPECT_EQ(again.curves.mode_scale, (std::vector<double>{1, 0.5, -2}));
  ASSERT_EQ(again.deformers.size(), 3u);
  EXPECT_EQ(again.deformers[0].divisions, (std::array<int, 3>{3, 2, 4}));
  ASSERT_EQ(again.deformers[1].shapes.size(), 2u);
  EXPECT_EQ(again.deformers[1].shapes[0].path, path("sub/smile.obj"));
  EXPECT_EQ(again.deformers[2].points.indices, (std::vector<int>{3, 1}));
  EXPECT_EQ(again.curve_stiffness[0].scale, 10);
  EXPECT_EQ(again.curve_handles[0].vertex, 7);
}

TEST_F(Schema, raw_scenes_survive_a_round_trip) {
  for (const char* inertia : {"0.25", "\"sub/eps.txt\""}) {
    const SceneConfig scene = load_scene(
        write("s.toml", std::string("[tets]\nfile = \"a.msh\"\n[expert]\nchi = 2\nmu = 0\nck = 0.1\ninertia_scale = ") +
                            inertia + "\n"));
    const std::string text = to_toml(scene, folder_.string());
    const SceneConfig again = load_scene(write("again.toml", text));
    EXPECT_EQ(to_toml(again, folder_.string()), text);
    EXPECT_EQ(again.expert.chi, 2);
    EXPECT_EQ(again.expert.mu, 0);
    EXPECT_EQ(again.expert.ck, 0.1);
    EXPECT_EQ(again.expert.inertia_scale.number, scene.expert.inertia_scale.number);
    EXPECT_EQ(again.expert.inertia_scale.file.path, scene.expert.inertia_scale.file.path);
  }
}

TEST_F(Schema, a_scene_written_elsewhere_finds_the_same_files) {
  write("sub/stiff.txt", "1\n");
  const SceneConfig scene = load_scene(write(
      "scene.toml",
      "[tets]\nfile = \"fox.msh\"\n[material]\nyoungs_modulus_map = \"painted\"\ndensity_map = \"sub/stiff.txt\"\n"));
  const SceneConfig moved = load_scene(write("out/take/scene.toml", to_toml(scene, path("out/take"))));
  EXPECT_EQ(moved.tets.file.text, "../../fox.msh");
  EXPECT_EQ(moved.tets.file.path, path("fox.msh"));
  EXPECT_EQ(moved.material.youngs_modulus_map.text, "painted");
  EXPECT_EQ(moved.material.density_map.path, path("sub/stiff.txt"));
}

TEST_F(Schema, json_holds_every_key) {
  const auto json = nlohmann::json::parse(schema_json().text());
  size_t n = 0;
  for (const auto& table : json["tables"]) n += table["keys"].size();
  EXPECT_EQ(n, scene_keys().size());
  const auto& first = json["tables"][0]["keys"][3];
  EXPECT_EQ(first["key"], "scale");
  EXPECT_EQ(first["min"], 0);
  EXPECT_EQ(first["min_open"], true);
  EXPECT_TRUE(first["max"].is_null());
}

TEST_F(Schema, the_reference_page_is_up_to_date) {
  EXPECT_EQ(read(std::string(SUPPLE_SOURCE_DIR) + "/docs/reference/scene.md"), schema_markdown())
      << "run: supple schema --markdown > docs/reference/scene.md";
}

}  // namespace
}  // namespace supple
