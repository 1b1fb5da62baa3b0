#include <cmath>

#include "supple/scene/read_scene.h"
#include "supple/scene/schema.h"
#include "supple/scene/write_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {
namespace {

class Load : public SceneFiles {};

TEST_F(Load, a_full_scene) {
  const std::string file = write("a/full.toml", R"(
[surface]
file = "skin.obj"
scale = 0.01
[tets]
file = "../fox.msh"
repair = true
scale = 2
[attach]
vertices = [0, 3, 7]
track = "core.pc2"
stiffness = 500
[timeline]
fps = 30
substeps = 8
start = "moving"
range = [1, 72]
[material]
model = "stvk"
youngs_modulus = 3e4
poisson_ratio = 0.3
density = 1100
volume_penalty = 0.5
half_life_s = 0.25
mass_damping = 0.5
anti_locking = true
youngs_modulus_map = "stiff"
[[region]]
name = "ear.L"
youngs_modulus = 5e4
[[region]]
name = "belly"
density = 900
[world]
up = "z"
gravity = [0, 0, -1.62]
[solver]
integrator = "backward-euler"
tolerance = 1e-8
mass = "consistent"
linear = "eigen"
threads = 2
max_newton = 30
[output]
formats = ["mdd", "pc2"]
report = false
every = 2
[expert]
stage_fraction = 0.5
damping_tangent = "full"
)");
  const SceneConfig scene = load_scene(file);
  EXPECT_EQ(scene.surface.file.text, "skin.obj");
  EXPECT_EQ(scene.surface.file.path, path("a/skin.obj"));
  EXPECT_EQ(scene.surface.scale, 0.01);
  EXPECT_EQ(scene.tets.file.path, path("fox.msh"));
  EXPECT_TRUE(scene.tets.repair);
  EXPECT_EQ(scene.tets.scale, 2);
  EXPECT_EQ(scene.attach.vertices.indices, (std::vector<int>{0, 3, 7}));
  EXPECT_EQ(scene.attach.track.path, path("a/core.pc2"));
  EXPECT_EQ(scene.attach.stiffness, 500);
  EXPECT_EQ(scene.timeline.fps, 30);
  EXPECT_EQ(scene.timeline.substeps, 8);
  EXPECT_EQ(scene.timeline.start, "moving");
  EXPECT_EQ(scene.timeline.range, (std::array<int, 2>{1, 72}));
  EXPECT_EQ(scene.material.model, "stvk");
  EXPECT_EQ(scene.material.youngs_modulus, 3e4);
  EXPECT_EQ(scene.material.poisson_ratio, 0.3);
  EXPECT_EQ(scene.material.density, 1100);
  EXPECT_EQ(scene.material.volume_penalty, 0.5);
  EXPECT_EQ(half_life_of(scene.material), 0.25);
  EXPECT_EQ(scene.material.mass_damping, 0.5);
  EXPECT_EQ(scene.material.anti_locking, "true");
  EXPECT_EQ(scene.material.youngs_modulus_map.text, "stiff");
  ASSERT_EQ(scene.regions.size(), 2u);
  EXPECT_EQ(scene.regions[0].name, "ear.L");
  EXPECT_EQ(scene.regions[0].youngs_modulus, 5e4);
  EXPECT_FALSE(scene.regions[1].youngs_modulus.has_value());
  EXPECT_EQ(scene.regions[1].density, 900);
  EXPECT_EQ(gravity_of(scene.world), Vec3(0, 0, -1.62));
  EXPECT_EQ(scene.solver.integrator, "backward-euler");
  EXPECT_EQ(scene.solver.tolerance, 1e-8);
  EXPECT_EQ(scene.solver.mass, "consistent");
  EXPECT_EQ(scene.solver.linear, "eigen");
  EXPECT_EQ(scene.solver.threads, 2);
  EXPECT_EQ(scene.solver.max_newton, 30);
  EXPECT_EQ(scene.output.formats, (std::vector<std::string>{"mdd", "pc2"}));
  EXPECT_FALSE(scene.output.report);
  EXPECT_EQ(scene.output.every, 2);
  EXPECT_EQ(scene.expert.stage_fraction, 0.5);
  EXPECT_EQ(scene.expert.damping_tangent, "full");
  EXPECT_EQ(scene.locate("timeline.fps").line, 14);
  EXPECT_EQ(scene.locate("region.1.density").line, 33);
  EXPECT_EQ(scene.locate("timeline.frames").line, 0);
}

TEST_F(Load, defaults_of_a_scene_that_says_next_to_nothing) {
  const SceneConfig scene = load_scene(write("s.toml", "[tets]\nfile = \"a.msh\"\n"));
  EXPECT_EQ(scene.material.poisson_ratio, 0.4);
  EXPECT_EQ(scene.material.model, "stable-neo-hookean");
  EXPECT_EQ(half_life_of(scene.material), 0.2);
  EXPECT_FALSE(scene.timeline.substeps.has_value());
  EXPECT_EQ(scene.timeline.start, "auto");
  EXPECT_EQ(scene.timeline.loop, "auto");
  EXPECT_EQ(scene.controls.frequency, 1);
  EXPECT_FALSE(scene.expert.raw());
  EXPECT_EQ(scene.solver.integrator, "tr-bdf2");
  EXPECT_NEAR(scene.expert.stage_fraction, 2 - std::sqrt(2.0), 1e-15);
  EXPECT_EQ(gravity_of(scene.world), Vec3(0, -9.81, 0));
  MaterialConfig direct;
  direct.stiffness_damping = 0.0;
  EXPECT_FALSE(half_life_of(direct).has_value());
}

TEST_F(Load, words_in_place_of_numbers) {
  const SceneConfig scene = load_scene(write(
      "s.toml", "[tets]\nfile = \"a.msh\"\n[timeline]\nsubsteps = \"auto\"\n[expert]\nstage_fraction = \"2-sqrt2\"\n"));
  EXPECT_FALSE(scene.timeline.substeps.has_value());
  EXPECT_EQ(scene.expert.stage_fraction, ExpertConfig().stage_fraction);
}

struct BadScene {
  const char* text;
  int line, column;
  const char* key;     // of the location
  const char* fault;   // part of it
  const char* advice;  // part of it
};

class BadScenes : public SceneFiles, public ::testing::WithParamInterface<BadScene> {};

TEST_P(BadScenes, are_refused_with_the_place_and_a_remedy) {
  const BadScene& bad = GetParam();
  const std::string file = write("bad.toml", bad.text);
  try {
    load_scene(file);
    FAIL() << "accepted:\n" << bad.text;
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().file, file);
    EXPECT_EQ(e.where().line, bad.line) << e.what();
    EXPECT_EQ(e.where().column, bad.column) << e.what();
    EXPECT_EQ(e.where().place, *bad.key ? std::string("key ") + bad.key : "") << e.what();
    EXPECT_NE(e.fault().find(bad.fault), std::string::npos) << e.what();
    EXPECT_NE(e.advice().find(bad.advice), std::string::npos) << e.what();
  }
}

const BadScene kBadScenes[] = {
    // Not TOML.
    {"[tets\nfile = 1", 1, 6, "", "not valid TOML", ""},
    {"[tets]\nfile = \"a.msh\nscale = 1", 2, 14, "", "not valid TOML", ""},
    {"[tets]\nfile = \"a\"\nfile = \"b\"", 3, 8, "", "not valid TOML", ""},
    // Unknown names.
    {"[material]\nmodl = \"stvk\"", 2, 1, "material.modl", "no key modl", "Did you mean model?"},
    {"[material]\nyoung_modulus = 1", 2, 1, "material.young_modulus", "no key", "youngs_modulus"},
    {"[materials]\nmodel = \"stvk\"", 1, 2, "materials", "no table [materials]", "Did you mean material?"},
    {"[material]\nfps = 24", 2, 1, "material.fps", "no key fps", "It belongs to [timeline]."},
    {"[zzzzzzzz]\na = 1", 1, 2, "zzzzzzzz", "no table", "Tables: surface, tets"},
    {"[tets]\nqqqqqqqq = 1", 2, 1, "tets.qqqqqqqq", "no key", "Keys of [tets]: file, repair"},
    {"fps = 24", 1, 1, "fps", "in no table", "It belongs to [timeline]."},
    {"material = 3", 1, 1, "material", "is a table, not the number 3", "Write [material]"},
    {"[region]\nname = \"a\"", 1, 2, "region", "list of tables", "[[region]]"},
    {"[material.inner]\nx = 1", 1, 11, "material.inner", "no key inner", ""},
    // Wrong types.
    {"[material]\nyoungs_modulus = \"stiff\"", 2, 18, "material.youngs_modulus", "number, not the text", "Unit: Pa"},
    {"[material]\nmodel = 3", 2, 9, "material.model", "word, not the number 3", "stvk"},
    {"[tets]\nrepair = 1", 2, 10, "tets.repair", "true or false", ""},
    {"[tets]\nfile = [1]", 2, 8, "tets.file", "file, not a list of 1", ""},
    {"[tets]\nfile = \"\"", 2, 8, "tets.file", "is empty", ""},
    {"[timeline]\nsubsteps = 2.5", 2, 12, "timeline.substeps", "whole number or \"auto\", not the number 2.5", ""},
    {"[timeline]\nsubsteps = \"many\"", 2, 12, "timeline.substeps", "not the text \"many\"", ""},
    {"[timeline]\nfps = true", 2, 7, "timeline.fps", "number, not true", ""},
    {"[timeline]\nfps = 2020-01-01", 2, 7, "timeline.fps", "a date or time", ""},
    {"[world]\ngravity = [0, -9.81]", 2, 11, "world.gravity", "three numbers, not 2", ""},
    {"[world]\ngravity = 9.81", 2, 11, "world.gravity", "three numbers, not the number 9.81", ""},
    {"[world]\ngravity = [0, \"down\", 0]", 2, 15, "world.gravity", "not the text", ""},
    {"[timeline]\nrange = [5, 2]", 2, 9, "timeline.range", "runs backwards", ""},
    {"[timeline]\nrange = [1, 2, 3]", 2, 9, "timeline.range", "two whole numbers, not 3", ""},
    {"[attach]\nvertices = []", 2, 12, "attach.vertices", "empty list", ""},
    {"[attach]\nvertices = [1, -2]", 2, 16, "attach.vertices", "is -2", "at least 0"},
    {"[attach]\nvertices = [1, 2.5]", 2, 16, "attach.vertices", "not the number 2.5", ""},
    {"[output]\nformats = \"pc2\"", 2, 11, "output.formats", "list of words, not the text", ""},
    {"[output]\nformats = [\"pc2\", \"pc3\"]", 2, 19, "output.formats", "does not know \"pc3\"", "Did you mean pc2?"},
    {"[output]\nformats = [\"pc2\", \"pc2\"]", 2, 19, "output.formats", "twice", ""},
    // Out of range.
    {"[material]\nyoungs_modulus = nan", 2, 18, "material.youngs_modulus", "not a finite number", ""},
    {"[material]\nyoungs_modulus = inf", 2, 18, "material.youngs_modulus", "not a finite number", ""},
    {"[material]\nyoungs_modulus = 0", 2, 18, "material.youngs_modulus", "must be above 0", ""},
    {"[material]\ndensity = -1000", 2, 11, "material.density", "is -1000, but must be above 0", "kg/m^3"},
    {"[material]\npoisson_ratio = 0.5", 2, 17, "material.poisson_ratio", "is 0.5, but must be above -1, below 0.5", ""},
    {"[material]\npoisson_ratio = -1", 2, 17, "material.poisson_ratio", "is -1", ""},
    {"[material]\nhalf_life_s = 0", 2, 15, "material.half_life_s", "above 0", ""},
    {"[material]\nstiffness_damping = -0.1", 2, 21, "material.stiffness_damping", "at least 0", ""},
    {"[timeline]\nfps = 0", 2, 7, "timeline.fps", "at least 0.001", ""},
    {"[timeline]\nsubsteps = 0", 2, 12, "timeline.substeps", "at least 1", ""},
    {"[timeline]\nframes = 9223372036854775807", 2, 10, "timeline.frames", "at most", ""},
    {"[solver]\ntolerance = 1", 2, 13, "solver.tolerance", "below 1", ""},
    {"[solver]\nthreads = -1", 2, 11, "solver.threads", "at least 0", ""},
    {"[expert]\nstage_fraction = 1", 2, 18, "expert.stage_fraction", "below 1", ""},
    {"[tets]\nscale = -1", 2, 9, "tets.scale", "above 0", ""},
    {"[output]\nevery = 0", 2, 9, "output.every", "at least 1", ""},
    // Words.
    {"[material]\nmodel = \"neo-hookean\"", 2, 9, "material.model", "does not know \"neo-hookean\"",
     "stable-neo-hookean, neo-hookean-log"},
    {"[solver]\nintegrator = \"bdf2\"", 2, 14, "solver.integrator", "does not know", "tr-bdf2"},
    {"[world]\nup = \"w\"", 2, 6, "world.up", "does not know", "x, y, z"},
    // Things that do not go together.
    {"[tets]\nfile = \"a.msh\"\n[material]\nhalf_life_s = 1\nstiffness_damping = 0.1", 5, 21,
     "material.stiffness_damping", "exclude one another", "Leave one"},
    {"[tets]\nfile = \"a.msh\"\n[attach]\nvertices = [1]\nrigid = \"r.csv\"\ntrack = \"t.pc2\"", 5, 9, "attach.rigid",
     "exclude one another", ""},
    {"[material]\ndensity = 900", 0, 0, "tets.file", "nothing to simulate", "Give [tets] file"},
    {"", 0, 0, "tets.file", "nothing to simulate", ""},
    {"[tets]\nfile = \"a.msh\"\n[attach]\ntrack = \"t.pc2\"", 4, 9, "attach.track", "nothing to act on", "vertices"},
    {"[tets]\nfile = \"a.msh\"\n[[region]]\ndensity = 2", 3, 1, "region.name", "lacks name", ""},
    {"[tets]\nfile = \"a\"\n[[region]]\nname = \"a\"\n[[region]]\nname = \"a\"", 6, 8, "region.name", "two regions",
     ""},
    {"[tets]\nfile = \"a.msh\"\n[[region]]\nname = \"a\"\nmodel = \"stvk\"", 5, 1, "region.model", "no key model", ""},
    // Dials.
    {"[controls]\nfrequncy = 2", 2, 1, "controls.frequncy", "no key frequncy", "Did you mean frequency?"},
    {"[controls]\nfrequency = 0", 2, 13, "controls.frequency", "above 0", "Speed"},
    {"[controls]\nhalf_life = 0", 2, 13, "controls.half_life", "above 0", ""},
    {"[controls]\namplitude = -1", 2, 13, "controls.amplitude", "at least 0", ""},
    {"[controls]\nsag = nan", 2, 7, "controls.sag", "not a finite number", ""},
    {"[controls]\nmotion = \"pulse\"", 2, 10, "controls.motion", "does not know", "impulse"},
    {"[controls]\nsag_keys = []", 2, 12, "controls.sag_keys", "empty list", ""},
    {"[controls]\nsag_keys = 3", 2, 12, "controls.sag_keys", "list of [frame, factor], or file, not the number 3", ""},
    {"[controls]\nsag_keys = [[1, 2], 3]", 2, 21, "controls.sag_keys", "pairs [frame, factor], not the number 3", ""},
    {"[controls]\nsag_keys = [[1, 2, 3]]", 2, 13, "controls.sag_keys", "pairs [frame, factor], not a list of 3", ""},
    {"[controls]\nsag_keys = [[1, -2]]", 2, 17, "controls.sag_keys", "at least 0", ""},
    {"[controls]\nsag_keys = [[1, \"a\"]]", 2, 17, "controls.sag_keys", "not the text", ""},
    {"[controls]\nsag_keys = [[inf, 1]]", 2, 13, "controls.sag_keys", "finite", ""},
    {"[controls]\nsag_keys = [[5, 1], [5, 2]]", 2, 21, "controls.sag_keys", "does not come after", ""},
    {"[controls]\nfrequency_keys = [[5, 0]]", 2, 23, "controls.frequency_keys", "above 0", ""},
    {"[tets]\nfile = \"a\"\n[controls]\nfrequency = 1\nfrequency_hz = 3", 5, 16, "controls.frequency_hz",
     "controls.frequency and controls.frequency_hz exclude one another", "Leave one"},
    {"[tets]\nfile = \"a\"\n[[region]]\nname = \"a\"\nsag = 1\nsag_m = 3", 6, 9, "region.sag_m",
     "region.sag and region.sag_m exclude one another", ""},
    {"[tets]\nfile = \"a\"\n[[region]]\nname = \"a\"\nhalf_life_s = 1\nstiffness_damping = 3", 6, 21,
     "region.stiffness_damping", "exclude one another", ""},
    {"[tets]\nfile = \"a\"\n[expert]\nchi = 2\n[controls]\nsag = 1", 6, 7, "controls.sag", "no say beside expert.chi",
     "Leave it out"},
    {"[tets]\nfile = \"a\"\n[expert]\ninertia_scale = \"e.txt\"\n[controls]\nsag_keys = [[0, 1]]", 6, 12,
     "controls.sag_keys", "no say beside expert.inertia_scale", ""},
    {"[tets]\nfile = \"a\"\n[expert]\nmu = 2\n[[region]]\nname = \"a\"\nfrequency = 1", 7, 13, "region.frequency",
     "no say beside expert.mu", ""},
    {"[material]\nanti_locking = \"some\"", 2, 16, "material.anti_locking", "does not know", "matched"},
    {"[surface]\nfile = \"a.glb\"\n[material]\nanti_locking = \"matched\"", 4, 16, "material.anti_locking",
     "for tets from a file only", "true or false"},
    {"[expert]\nchi = 0", 2, 7, "expert.chi", "above 0", ""},
    {"[expert]\ninertia_scale = -1", 2, 17, "expert.inertia_scale", "at least 0", ""},
    {"[expert]\ninertia_scale = true", 2, 17, "expert.inertia_scale", "number, or file, not true", ""},
    {"[timeline]\nstart = \"now\"", 2, 9, "timeline.start", "does not know", "settled"},
    {"[timeline]\nloop = 1", 2, 8, "timeline.loop", "true, false or a word, not the number 1", ""},
    {"[timeline]\nloop = \"maybe\"", 2, 8, "timeline.loop", "does not know", "auto"},
    {"[timeline]\npre_roll = -1", 2, 12, "timeline.pre_roll", "at least 0", ""},
    {"[timeline]\ntest_motion = \"jump\"", 2, 15, "timeline.test_motion", "does not know", "hop, stop"},
};
INSTANTIATE_TEST_SUITE_P(Table, BadScenes, ::testing::ValuesIn(kBadScenes));

TEST_F(Load, the_error_that_comes_first_in_the_file_is_told_and_all_are_listed) {
  // TOML tables come sorted by name; the user reads from the top.
  const std::string file = write("s.toml", "[world]\nup = \"w\"\n[material]\nmodl = 1\ndensity = -1\n");
  try {
    load_scene(file);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().line, 2);
  }
  std::vector<InputError> problems;
  load_scene(file, {}, problems);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[1].where().line, 4);
  EXPECT_EQ(problems[2].where().line, 5);
}

TEST_F(Load, files_that_are_not_there) {
  EXPECT_THROW(load_scene(path("none.toml")), InputError);
  EXPECT_THROW(load_scene(folder_.string()), InputError);
  EXPECT_THROW(load_scene(write("zero.toml", std::string("\0\0[x]", 5))), InputError);
  EXPECT_THROW(load_scene(write("latin.toml", "[tets]\nfile = \"caf\xE9\"\n")), InputError);
}

TEST_F(Load, overrides) {
  const std::string file =
      write("s.toml", "[tets]\nfile = \"a.msh\"\n[material]\nhalf_life_s = 1\n[[region]]\nname = \"ear.L\"\n");
  const SceneConfig scene = load_scene(
      file, {"material.density=1200", "material.model=stvk", "timeline.range=[2, 9]", "timeline.substeps=auto",
             "world.up=\"z\"", "tets.repair=true", "material.stiffness_damping=0.01", "region.ear.L.density=800"});
  EXPECT_EQ(scene.material.density, 1200);
  EXPECT_EQ(scene.material.model, "stvk");
  EXPECT_EQ(scene.timeline.range, (std::array<int, 2>{2, 9}));
  EXPECT_EQ(scene.world.up, "z");
  EXPECT_TRUE(scene.tets.repair);
  // The override takes the place of the key that excludes it.
  EXPECT_FALSE(scene.material.half_life_s.has_value());
  EXPECT_EQ(scene.material.stiffness_damping, 0.01);
  EXPECT_EQ(scene.regions[0].density, 800);
  // The last one counts.
  EXPECT_EQ(load_scene(file, {"material.density=1", "material.density=2"}).material.density, 2);
  // Paths on the command line start at the working directory.
  EXPECT_EQ(load_scene(file, {"tets.file=b.msh"}).tets.file.path, "b.msh");
  EXPECT_EQ(load_scene(file, {"tets.file=/x/b.msh"}).tets.file.path, "/x/b.msh");
}

// The key is what follows the last dot, whatever the name has in it; quotes are as in TOML.
TEST_F(Load, overrides_of_regions_with_any_name) {
  const std::string names[] = {"ear.L",       "mixamorig:Hips", "Armature|Walk", "left ear", "a=b",
                               "Bob's ear.R", "v1.2.3",         "say \"hi\"",    "trailing."};
  std::string text = "[tets]\nfile = \"a.msh\"\n";
  for (const std::string& n : names) {
    std::string quoted = n;
    for (size_t at = 0; (at = quoted.find('"', at)) != std::string::npos; at += 2) quoted.insert(at, "\\");
    text += "[[region]]\nname = \"" + quoted + "\"\n";
  }
  const std::string file = write("s.toml", text);
  const auto density = [&](const std::string& set, const std::string& name) {
    const SceneConfig scene = load_scene(file, {set});
    for (const RegionConfig& r : scene.regions)
      EXPECT_EQ(r.density.has_value(), r.name == name) << set << " " << r.name;
    return region_named(scene, name)->density.value_or(0);
  };
  EXPECT_EQ(density("region.ear.L.density=801", "ear.L"), 801);
  EXPECT_EQ(density("region.mixamorig:Hips.density=802", "mixamorig:Hips"), 802);
  EXPECT_EQ(density("region.Armature|Walk.density=803", "Armature|Walk"), 803);
  EXPECT_EQ(density("region.left ear.density=804", "left ear"), 804);
  EXPECT_EQ(density("region.v1.2.3.density=805", "v1.2.3"), 805);
  EXPECT_EQ(density("region.Bob's ear.R.density=806", "Bob's ear.R"), 806);
  EXPECT_EQ(density("region.trailing..density=807", "trailing."), 807);
  EXPECT_EQ(density("region.\"a=b\".density=808", "a=b"), 808);
  EXPECT_EQ(density("region.'a=b'.density=809", "a=b"), 809);
  EXPECT_EQ(density("region.'ear.L'.density=810", "ear.L"), 810);
  EXPECT_EQ(density("region.\"say \\\"hi\\\"\".density=811", "say \"hi\""), 811);
  EXPECT_EQ(density("region.ear.L.\"density\"=812", "ear.L"), 812);
  EXPECT_EQ(density("region.\"ear.L\".'density'=813", "ear.L"), 813);
  // Half a number has no nought for many.
  EXPECT_EQ(density("region.ear.L.density=.5", "ear.L"), 0.5);
  const auto error = [&](const std::string& set) {
    try {
      load_scene(file, {set});
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(error("region.'ear.L.density=1").find("region.NAME.key=value"), std::string::npos)
      << error("region.'ear.L.density=1");
  EXPECT_NE(error("region.\"ear.L\"=1").find("which region"), std::string::npos) << error("region.\"ear.L\"=1");
  EXPECT_NE(error("region.ear.R.density=1").find("no [[region]] named ear.R"), std::string::npos);
  EXPECT_NE(error("region.ear.R.density=1").find("ear.L"), std::string::npos);
  EXPECT_NE(error("region.ear.L.=1").find("table.key=value"), std::string::npos);
}

TEST_F(Load, a_call_may_make_regions) {
  Overrides set({"timeline.loop=false"});
  set.set_region("belly", "amplitude=2");
  set.set_region("belly", "frequency=.7");
  set.set_region("ear.L", "mirror=true");
  const SceneConfig scene = load_character_scene("fox.glb", set);
  ASSERT_EQ(scene.regions.size(), 2u);
  EXPECT_EQ(scene.regions[0].name, "belly");
  EXPECT_EQ(scene.regions[0].amplitude, 2);
  EXPECT_EQ(scene.regions[0].frequency, 0.7);
  EXPECT_TRUE(scene.regions[1].mirror);
  // It is there again when the scene is written and read.
  const SceneConfig again = load_scene(write("again.toml", to_toml(scene, "")));
  ASSERT_EQ(again.regions.size(), 2u);
  EXPECT_EQ(again.regions[0].amplitude, 2);
  const auto error = [&](const std::string& name, const std::string& assignment) {
    Overrides one;
    one.set_region(name, assignment);
    try {
      load_character_scene("fox.glb", one);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(error("belly", "amplitud=2").find("Did you mean amplitude?"), std::string::npos);
  EXPECT_NE(error("belly", "amplitude").find("key=value"), std::string::npos);
  EXPECT_NE(error("belly", "amplitude=-1").find("--region belly"), std::string::npos);
  EXPECT_NE(error("belly", "name=x").find("no key name"), std::string::npos);
}

TEST_F(Load, overrides_mend_a_broken_scene_only_by_being_right) {
  const std::string file = write("s.toml", "[tets]\nfile = \"a.msh\"\n");
  const auto error = [&](const std::string& text) -> std::string {
    try {
      load_scene(file, {text});
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error("material.densty=1").rfind("--set material.densty: [material] has no key densty", 0), 0u);
  EXPECT_NE(error("material.densty=1").find("Did you mean density?"), std::string::npos);
  EXPECT_NE(error("matrial.density=1").find("Did you mean material?"), std::string::npos);
  EXPECT_EQ(error("material.density=heavy").rfind("--set material.density: ", 0), 0u);
  EXPECT_EQ(error("material.density=-1").rfind("--set material.density: ", 0), 0u);
  EXPECT_NE(error("material.density").find("table.key=value"), std::string::npos);
  EXPECT_NE(error("density=1").find("table.key=value"), std::string::npos);
  EXPECT_NE(error("=1").find("table.key=value"), std::string::npos);
  EXPECT_NE(error("material.density=").find("no value"), std::string::npos);
  EXPECT_NE(error("material.density=[1").find("no value"), std::string::npos);
  EXPECT_NE(error("material.density=1\nmodel=2").find("--set material.density"), std::string::npos);
  EXPECT_NE(error("region.density=1").find("which region"), std::string::npos);
  EXPECT_NE(error("region.ear.density=1").find("no [[region]] named ear"), std::string::npos);
}

// Values as data are the same as the text of them, without being written and read.
TEST_F(Load, overrides_as_data) {
  const std::string file =
      write("s.toml", "[tets]\nfile = \"a.msh\"\n[material]\nhalf_life_s = 1\n[[region]]\nname = \"ear.L\"\n");
  const SceneConfig text = load_scene(
      file, {"material.density=1200.1", "material.model=stvk", "tets.repair=true", "material.stiffness_damping=0.01",
             "region.ear.L.density=800", "output.formats=[\"pc2\", \"glb\"]", "timeline.frames=7", "world.up=\"z\"",
             "output.axis=[1, 0.5, 2]", "tets.file=\"b c.msh\"", "timeline.substeps=auto"});
  Overrides data = {{"material.density", 1200.1}, {"material.model", "stvk"}};
  data.set("tets.repair", true);
  data.set("material.stiffness_damping", 0.01);
  data.set("region.ear.L.density", 800);
  data.set_given("output.formats", std::vector<std::string>{"pc2", "glb"});
  data.set_given("timeline.frames", std::optional<int>(7));
  data.set_given("timeline.fps", std::optional<double>());
  data.set_given("material.look", std::string());
  data.add({"world.up=\"z\""});
  data.set("output.axis", std::vector<double>{1, 0.5, 2});
  data.set("tets.file", "b c.msh");
  data.set("timeline.substeps", "auto");
  const SceneConfig scene = load_scene(file, data);
  EXPECT_EQ(to_toml(scene, "."), to_toml(text, "."));
  EXPECT_EQ(scene.where.size(), text.where.size());
  for (const auto& [key, where] : text.where) {
    ASSERT_TRUE(scene.is_set(key)) << key;
    EXPECT_EQ(to_string(scene.locate(key)), to_string(text.locate(key)));
  }
  // No bare word is taken for a number, no quote for the end of a name.
  EXPECT_EQ(load_scene(file, {{"tets.file", "5"}}).tets.file.path, "5");
  EXPECT_EQ(load_scene(file, {{"tets.file", "a\"b.msh"}}).tets.file.path, "a\"b.msh");
  const auto error = [&](const std::string& key, const KeyValue& value) -> std::string {
    try {
      load_scene(file, {{key, value}});
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error("material.density", -1.0).rfind("--set material.density: ", 0), 0u);
  EXPECT_EQ(error("material.density", "heavy").rfind("--set material.density: ", 0), 0u);
  EXPECT_EQ(error("material.model", "stv").rfind("--set material.model: ", 0), 0u);
  EXPECT_NE(error("density", 1.0).find("table.key=value"), std::string::npos);
  EXPECT_NE(error("material.densty", 1.0).find("Did you mean density?"), std::string::npos);
}

TEST_F(Load, overrides_of_dials) {
  const std::string file = write("s.toml", R"([tets]
file = "a.msh"
[timeline]
loop = true
[controls]
frequency = 2
[[region]]
name = "ear.L"
sag_m = 0.1
half_life = 3
)");
  EXPECT_EQ(load_scene(file).timeline.loop, "true");
  const SceneConfig scene = load_scene(file, {"controls.frequency_hz=3", "region.ear.L.sag=2", "timeline.loop=false",
                                              "controls.amplitude_keys=[[0,1],[5.5,2]]"});
  EXPECT_EQ(scene.controls.frequency_hz, 3);
  EXPECT_EQ(scene.controls.frequency, 1);  // its default again, not 0
  EXPECT_EQ(scene.regions[0].sag, 2);
  EXPECT_FALSE(scene.regions[0].sag_m.has_value());
  EXPECT_EQ(scene.regions[0].half_life, 3);
  EXPECT_EQ(scene.timeline.loop, "false");
  EXPECT_EQ(scene.controls.amplitude_keys.keys, (std::vector<std::array<double, 2>>{{0, 1}, {5.5, 2}}));
  EXPECT_THROW(load_scene(file, {"region.ear.L.sag=2", "region.ear.L.sag_m=2"}), InputError);
  EXPECT_THROW(load_scene(file, {"expert.chi=2"}), InputError);
}

TEST_F(Load, two_overrides_that_exclude_one_another) {
  const std::string file = write("s.toml", "[tets]\nfile = \"a.msh\"\n");
  EXPECT_THROW(load_scene(file, {"material.half_life_s=1", "material.stiffness_damping=0.1"}), InputError);
}

// What the parser asserts and files break is told as any other mistake, with its line.
TEST_F(Load, text_that_the_parser_takes_for_impossible) {
  const char* const broken[] = {"[.a]",     "[#x]",       "[[[",         "[[.a]]",  "[[#x]]",   "[a.]",    "[a..b]",
                                "[a.#]",    "[",          "[[",          "[]",      "[[]]",     ".a = 1",  "= 1",
                                "a. = 1",   "a..b=1",     "[=]",         "[[a]",    "a = [.]",  "a = .",   "a = {.}",
                                "a = {",    "a = [[",     "[\"",         "[a]]",    "a = \"\\", "a = +_1", "a = 0x",
                                "a = 1e",   "a = 1979-",  "a = inff",    "[a\x01]", "a = '''",  "[{]",     "\u00e9 = 1",
                                "[\u0250]", "a = \u00e9", "a.\u4e2d = 1"};
  for (const char* line : broken) {
    const std::string file =
        write("broken.toml", std::string("[material]\ndensity = 900\n\n") + line + "\n[timeline]\n");
    try {
      load_scene(file);
      ADD_FAILURE() << line;
    } catch (const InputError& e) {
      EXPECT_EQ(e.where().file, file) << line;
      EXPECT_GE(e.where().line, 4) << line << ": " << e.what();
      EXPECT_LE(e.where().line, 6) << line << ": " << e.what();
    }
  }
  // The very line, where nothing else is wrong.
  const std::string deep = write("deep.toml", "[material]\ndensity = 900\ntext = '''\n[.a]\n'''\n\n[#x]\n[.b]\n");
  try {
    load_scene(deep);
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().line, 7) << e.what();
  }
}

// Letters of all alphabets are text.
TEST_F(Load, letters_beyond_ascii_in_quotes_and_comments) {
  write("b\u00f6x.msh", "");
  const std::string file =
      write("scene.toml",
            "\xef\xbb\xbf# \u00e9\n[tets]\nfile = \"\"\"b\u00f6x\\\n  .msh\"\"\"  # \u4e2d\n[[region]]\n"
            "name = '\u00e4hre \"'\n[material]\n\"density\" = 900\n");
  const SceneConfig scene = load_scene(file);
  EXPECT_EQ(scene.material.density, 900);
  EXPECT_EQ(scene.tets.file.text, "b\u00f6x.msh");
}

TEST_F(Load, overrides_that_the_parser_takes_for_impossible) {
  write("box.msh", "");
  const std::string file = write("scene.toml", "[tets]\nfile = \"box.msh\"\n");
  for (const char* set :
       {"material.density=1\n[.a]", "material.density={.a}", "material.density=1\n[[[", "region.\"\".x=1"})
    EXPECT_THROW(load_scene(file, {set}), InputError) << set;
}

}  // namespace
}  // namespace supple
