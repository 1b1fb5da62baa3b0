#include "supple/pipeline/enriched/input.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>

#include "supple/anim/drawn.h"
#include "supple/base/error.h"
#include "supple/io/obj.h"
#include "supple/mesh/tet_mesh.h"
#include "supple/pipeline/character/character.h"
#include "tests/io/gltf/gltf_builder.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace pipeline;
namespace {

using List = std::vector<int>;
constexpr float kHole = std::numeric_limits<float>::quiet_NaN();

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool warns(const EnrichInput& in, const std::string& part) {
  return std::any_of(in.warnings.begin(), in.warnings.end(), [&](const std::string& w) { return has(w, part); });
}

class Enrich : public SceneFiles {
 protected:
  FilePath file(const std::string& name) const { return name.empty() ? FilePath{} : FilePath{name, path(name)}; }
  SceneConfig config(const std::string& surface, const std::string& cache = "") const {
    SceneConfig c;
    c.surface.file = file(surface);
    c.surface.cache = file(cache);
    c.enrich.present = true;
    return c;
  }
  static TriMesh box() { return boundary_surface(make_box(3, 2, 2, Vec3(1, 0.6, 0.8))); }

  // Frames in which point i of frame f is moved(f, i); as bytes, as the writer refuses holes.
  void put_pc2(const std::string& name, int n_points, int n_frames,
               const std::function<Vec3(int frame, int point)>& moved) const {
    std::string s = std::string("POINTCACHE2\0", 12) + bytes_of(1, false) + bytes_of(n_points, false) +
                    bytes_of(0.f, false) + bytes_of(1.f, false) + bytes_of(n_frames, false);
    for (int f = 0; f < n_frames; ++f)
      for (int i = 0; i < n_points; ++i) {
        const Vec3 x = moved(f, i);
        for (int axis = 0; axis < 3; ++axis) s += bytes_of(static_cast<float>(x[axis]), false);
      }
    write(name, s);
  }
  void put_moving(const std::string& name, const Points& points, int n_frames = 3) const {
    put_pc2(name, static_cast<int>(points.size()), n_frames,
            [&](int f, int i) -> Vec3 { return points[static_cast<size_t>(i)] + 0.125 * f * Vec3::UnitX(); });
  }

  static void expect_fails(const SceneConfig& c, const std::string& fault, const std::string& advice = "") {
    try {
      read_enrich_input(c);
      ADD_FAILURE() << "no error; expected: " << fault;
    } catch (const InputError& e) {
      EXPECT_TRUE(has(e.what(), fault)) << e.what();
      EXPECT_TRUE(has(e.advice(), advice)) << e.what();
    }
  }
};

TEST_F(Enrich, ASurfaceThatACacheMoves) {
  const TriMesh mesh = box();
  write_obj(path("box.obj"), mesh);
  put_moving("box.pc2", mesh.vertices);
  const EnrichInput in = read_enrich_input(config("box.obj", "box.pc2"));
  EXPECT_EQ(in.surface.vertices, mesh.vertices);
  EXPECT_EQ(in.surface.triangles, mesh.triangles);
  EXPECT_EQ(in.points, mesh.vertices);
  EXPECT_TRUE(in.moves_all());
  EXPECT_EQ(in.fps, 24);
  EXPECT_EQ(in.scale, 1);
  EXPECT_EQ(in.character, nullptr);
  EXPECT_EQ(in.frames.n_samples, 3);
  for (size_t v = 0; v < mesh.vertices.size(); ++v) {
    EXPECT_EQ(in.vertex[v], static_cast<int>(v));
    EXPECT_EQ(in.welded[v], static_cast<int>(v));
    EXPECT_LT((in.frames.points(2)[v] - mesh.vertices[v] - Vec3(0.25, 0, 0)).norm(), 1e-6);
  }
  EXPECT_TRUE(in.warnings.empty()) << in.warnings[0];
}

TEST_F(Enrich, ScaleHeightAndRate) {
  const TriMesh mesh = box();
  write_obj(path("box.obj"), mesh);
  put_moving("box.pc2", mesh.vertices);
  SceneConfig c = config("box.obj", "box.pc2");
  c.surface.height = 6;  // of 0.6
  c.timeline.fps = 50;
  EnrichInput in = read_enrich_input(c);
  EXPECT_NEAR(in.scale, 10, 1e-12);
  EXPECT_EQ(in.fps, 50);
  EXPECT_LT((in.surface.vertices[5] - 10 * mesh.vertices[5]).norm(), 1e-12);
  EXPECT_LT((in.frames.points(1)[5] - 10 * mesh.vertices[5] - Vec3(1.25, 0, 0)).norm(), 1e-5);
  c.world.up = "x";  // 1 long
  EXPECT_NEAR(read_enrich_input(c).scale, 6, 1e-12);
  c.surface.scale = 0.01;
  EXPECT_EQ(read_enrich_input(c).scale, 0.01);

  PointCache timed = read_point_cache(path("box.pc2"));
  timed.times = {0, 1.f / 30, 2.f / 30};
  write_mdd(path("box.mdd"), timed);
  in = read_enrich_input(config("box.obj", "box.mdd"));
  EXPECT_EQ(in.fps, 30);
  EXPECT_TRUE(in.warnings.empty());
  c.surface.cache = file("box.mdd");
  EXPECT_TRUE(warns(read_enrich_input(c), "30 samples a second, which are played at 50"));
  timed.times = {0, 0.01f, 2.f / 30};
  write_mdd(path("box.mdd"), timed);
  EXPECT_TRUE(warns(read_enrich_input(config("box.obj", "box.mdd")), "uneven"));
}

TEST_F(Enrich, OneObjAFrame) {
  TriMesh mesh = box();
  write_obj(path("box.obj"), mesh);
  std::filesystem::create_directory(path("walk"));
  for (int f = 0; f < 4; ++f) {
    for (Vec3& x : mesh.vertices) x.y() += f;
    write_obj(path(fmt::format("walk/box.{}.obj", 99 + f)), mesh);
  }
  for (const char* cache : {"walk/box.#.obj", "walk/box.%03d.obj", "walk"}) {
    const EnrichInput in = read_enrich_input(config("box.obj", cache));
    ASSERT_EQ(in.frames.n_samples, 4);
    EXPECT_LT((in.frames.points(3)[7] - mesh.vertices[7]).norm(), 1e-6);
    EXPECT_TRUE(in.warnings.empty()) << in.warnings[0];
  }
  write_obj(path("walk/a.obj"), box());
  EXPECT_TRUE(warns(read_enrich_input(config("box.obj", "walk")), "order of names"));
  expect_fails(config("box.obj", "walk/a.obj"), "no animation", "####");
  expect_fails(config("box.obj", "walk/b_##.obj"), "no file has such a name");
}

TEST_F(Enrich, ACharacterThatAClipMoves) {
  write("ribbon.glb", Ribbon().file().glb());
  SceneConfig c = config("ribbon.glb");
  const EnrichInput in = read_enrich_input(c);
  ASSERT_NE(in.character, nullptr);
  const Clip& clip = in.character->clips[0];
  const Drawn drawn = lay_out(*in.character, in.scale);
  EXPECT_NEAR(longest_side(in.surface.vertices), kNominalSize, 1e-9);
  EXPECT_EQ(in.surface.vertices, drawn.vertices.rest);
  EXPECT_EQ(in.fps, frame_rate(clip));
  EXPECT_EQ(in.frames.n_samples, 1 + static_cast<int>(std::lround(clip.end * in.fps)));
  EXPECT_TRUE(in.moves_all());
  for (int f : {0, 5, in.frames.n_samples - 1}) {
    const Points expected = posed(drawn.vertices, pose_at(*in.character, drawn, clip, f / in.fps));
    for (size_t v = 0; v < expected.size(); ++v) EXPECT_LT((in.frames.points(f)[v] - expected[v]).norm(), 1e-6);
  }
  // A few of its vertices.
  c.enrich.tracked.indices = {4, 2};
  const EnrichInput some = read_enrich_input(c);
  EXPECT_FALSE(some.moves_all());
  EXPECT_EQ(some.vertex, (List{4, 2}));
  EXPECT_EQ(some.points[1], in.surface.vertices[2]);
  for (int f : {0, 5}) EXPECT_EQ(some.frames.points(f)[1], in.frames.points(f)[2]);
  c.surface.clip = "Wlak";
  expect_fails(c, "there is no clip", "Walk");
}

TEST_F(Enrich, MapsAndPartsOfACharacter) {
  const Ribbon ribbon;
  GltfBuilder b = ribbon.file();
  // The same again, unpainted and in another material.
  Json plain = b.primitive();
  plain["attributes"].erase("_SOFT");
  plain["material"] = b.push("materials", {{"name", "Cloth"}});
  b.json["meshes"][0]["primitives"].push_back(plain);
  write("ribbon.glb", b.glb());
  const EnrichInput in = read_enrich_input(config("ribbon.glb"));
  ASSERT_EQ(in.surface.n_vertices(), 24);
  EXPECT_EQ(in.part_names, (std::vector<std::string>{"Flesh", "Ribbon", "Body", "Cloth"}));
  EXPECT_EQ(vertices_of(in, "cloth"), (List{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}));
  EXPECT_EQ(vertices_of(in, "Rib*").size(), 24u);
  EXPECT_TRUE(vertices_of(in, "Flsh").empty());
  try {
    require_vertices_of(in, "Flsh", {.file = "scene.toml", .line = 4});
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().line, 4);
    EXPECT_TRUE(has(e.advice(), "'Flesh'"));
  }
  // The doubled vertices are welded: the same bones and the same place.
  for (int v = 0; v < 24; ++v) EXPECT_EQ(in.welded[v], v % 12);
  const PaintedValues soft = read_painted(in, {"SOFT", path("SOFT")}, {});
  EXPECT_FALSE(soft.dense);
  ASSERT_EQ(soft.known.size(), 12u);
  for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(soft.values[i], ribbon.soft[i], 1e-6);
  const PaintedValues red = read_painted(in, {"COLOR_0.r", path("COLOR_0.r")}, {});
  EXPECT_TRUE(red.dense);
  EXPECT_NEAR(red.values[2], 0.2, 1e-6);
}

TEST_F(Enrich, ACharacterThatACacheMoves) {
  write("ribbon.glb", Ribbon().file().glb());
  const Points rest = lay_out(*read_enrich_input(config("ribbon.glb")).character).vertices.rest;
  put_moving("ribbon.pc2", rest);
  const EnrichInput in = read_enrich_input(config("ribbon.glb", "ribbon.pc2"));
  EXPECT_NE(in.character, nullptr);
  EXPECT_GT(std::abs(in.scale - 1), 0.01);
  EXPECT_EQ(in.frames.n_samples, 3);
  for (size_t v = 0; v < rest.size(); ++v)
    EXPECT_LT((in.frames.points(2)[v] - in.scale * (rest[v] + Vec3(0.25, 0, 0))).norm(), 1e-5);
}

TEST_F(Enrich, SomeVerticesByNumberOrByPlace) {
  const TriMesh mesh = box();
  write_obj(path("box.obj"), mesh);
  const List tracked = {7, 3, 12, 5};
  TriMesh part;
  for (int v : tracked) part.vertices.push_back(mesh.vertices[v]);
  put_moving("part.pc2", part.vertices);
  write("tracked.txt", "# as exported\n7\n3\n12\n5\n");
  // Rounded as files are.
  write_obj(path("part.obj"), part);
  for (Vec3& x : part.vertices) x.z() += 5e-5;
  write_obj(path("rounded.obj"), part);
  SceneConfig c = config("box.obj", "part.pc2");
  c.surface.scale = 3;
  for (const char* how : {"numbers", "tracked.txt", "part.obj", "rounded.obj"}) {
    c.enrich.tracked = {};
    if (std::string(how) == "numbers")
      c.enrich.tracked.indices = tracked;
    else
      c.enrich.tracked.file = file(how);
    const EnrichInput in = read_enrich_input(c);
    EXPECT_EQ(in.vertex, tracked) << how;
    EXPECT_FALSE(in.moves_all());
    for (size_t i = 0; i < tracked.size(); ++i) {
      EXPECT_EQ(in.points[i], in.surface.vertices[tracked[i]]);
      EXPECT_LT((in.frames.points(1)[i] - in.points[i] - Vec3(0.375, 0, 0)).norm(), 1e-6) << how;
    }
  }
  for (Vec3& x : part.vertices) x.z() += 0.01;
  part.vertices[2] = mesh.vertices[12] - Vec3(0, 0.1, 0.1);
  part.vertices[3] = mesh.vertices[5];
  write_obj(path("part.obj"), part);
  c.enrich.tracked.file = file("part.obj");
  c.surface.scale = 1;
  expect_fails(c, "3 of 4 vertices of 'part.obj'", "enrich.points");
  expect_fails(c, "0.141 m away");
  c.enrich.tracked.file = file("tracked.txt");
  write("tracked.txt", "7\n3\n");
  expect_fails(c, "'part.pc2' moves 4 points, enrich.tracked lists 2 vertices");
  c.enrich.tracked = {};
  c.enrich.tracked.indices = {1, 2, 999, 3};
  expect_fails(c, "vertex 999 does not exist");
  c.enrich.tracked.indices = {1, 2, 1, 3};
  expect_fails(c, "listed twice");
}

// Lips that touch: two vertices at one place, told apart by how they face.
TEST_F(Enrich, VerticesAtOnePlaceAreToldApartByTheirFaces) {
  const std::string two_sheets = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 4 6 5\n";
  write("lips.obj", two_sheets);
  // The lower sheet alone, which faces down, and two of its places twice.
  write("lower.obj", "v 1 0 0\nv 0 0 0\nv 0 1 0\nv 0 0 0\nv 1 0 0\nf 1 2 3\nf 5 4 3\n");
  const Points lower = read_obj(path("lower.obj")).vertices;
  put_moving("lower.pc2", lower);
  SceneConfig c = config("lips.obj", "lower.pc2");
  c.enrich.tracked.file = file("lower.obj");
  const EnrichInput in = read_enrich_input(c);
  EXPECT_EQ(in.vertex, (List{4, 3, 5}));
  EXPECT_TRUE(warns(in, "2 of its vertices"));
  write("lower.obj", "v 1 0 0\nv 0 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 1\nf 1 2 3\n");
  const EnrichInput fewer = read_enrich_input(c);
  EXPECT_EQ(fewer.vertex, (List{4, 3, 5, 6}));
  EXPECT_EQ(fewer.frames.n_points, 4);
  EXPECT_EQ(fewer.frames.points(1)[3], (lower[3] + 0.125 * Vec3::UnitX()).eval());
  EXPECT_TRUE(warns(fewer, "1 of its vertices"));
}

TEST_F(Enrich, BarePoints) {
  write_obj(path("box.obj"), box());
  write("markers.obj", "v 0 0 0\nv 50 20 10\n");
  put_moving("markers.pc2", {Vec3(0, 0, 0), Vec3(50, 20, 10)});
  SceneConfig c = config("box.obj", "markers.pc2");
  c.surface.scale = 0.01;
  c.enrich.points = file("markers.obj");
  const EnrichInput in = read_enrich_input(c);
  EXPECT_EQ(in.vertex, (List{-1, -1}));
  EXPECT_LT((in.points[1] - Vec3(0.5, 0.2, 0.1)).norm(), 1e-12);
  EXPECT_FALSE(in.moves_all());
  c.enrich.tracked.indices = {0, 1};
  expect_fails(c, "both say", "leave one out");
  c.enrich.tracked = {};
  put_moving("markers.pc2", Points(3, Vec3::Zero()));
  expect_fails(c, "'markers.pc2' moves 3 points, 'markers.obj' has 2 points");
  c.surface.cache = {};
  expect_fails(c, "nothing moves these points", "cache");
}

TEST_F(Enrich, WithoutAnimationItSaysHowToGiveOne) {
  write_obj(path("box.obj"), box());
  expect_fails(config("box.obj"), "has no animation", "cache = \"walk.pc2\"");
  GltfBuilder still = Ribbon().file();
  still.json.erase("animations");
  write("still.glb", still.glb());
  expect_fails(config("still.glb"), "has no animation", "export the file with its animations");
  expect_fails(config(""), "no surface", "[surface] file");
  expect_fails(config("box.stl"), "no surface that can be read", ".obj");
  write_obj(path("points.obj"), {.vertices = {Vec3::Zero(), Vec3::UnitX()}});
  expect_fails(config("points.obj", "x.pc2"), "no faces");
  expect_fails(config("box.obj", "none.pc2"), "cannot be opened");
  put_moving("one.pc2", box().vertices, 1);
  expect_fails(config("box.obj", "one.pc2"), "one frame", "two frames");
  put_moving("cut.pc2", box().vertices);
  const std::string whole = read(path("cut.pc2"));
  write("cut.pc2", whole.substr(0, whole.size() / 2));
  expect_fails(config("box.obj", "cut.pc2"), "cut.pc2", "truncated");
}

TEST_F(Enrich, CountsThatDifferAreExplained) {
  // Two quads with a texture seam between them, a loose vertex, and vertices 2 and 5 doubled as 8 and 9.
  write("strip.obj",
        "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nv 5 5 5\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 1\nvn 0 0 1\n"
        "g left\nf 1/1/1 2/1/1 5/1/1\nf 1/2/1 5/2/1 4/2/1\ng right\nf 8/1/1 3/1/1 6/1/1 9/1/1\n");
  const auto with = [&](int n) {
    put_moving("c.pc2", Points(static_cast<size_t>(n), Vec3::Zero()));
    return config("strip.obj", "c.pc2");
  };
  expect_fails(with(10), "'c.pc2' moves 10 points, 'strip.obj' has 9 vertices", "texture seams");
  expect_fails(with(7), "moves 7 points", "merged");
  expect_fails(with(8), "moves 8 points", "loose");
  expect_fails(with(12), "moves 12 points", "three for each triangle");
  expect_fails(with(4), "moves 4 points", "'left' alone has 4");
  expect_fails(with(5), "moves 5 points", "enrich.tracked");
  expect_fails(with(99), "moves 99 points", "subdivision");
}

TEST_F(Enrich, MissingPointsAreKeptAndToldOf) {
  const TriMesh mesh = box();
  write_obj(path("box.obj"), mesh);
  const int n = mesh.n_vertices();
  const auto holes = [&](int f, int i) -> Vec3 {
    if (f == 2 && i < 5) return Vec3(0, kHole, 0);
    if (f == 4 || i == 11) return Vec3(INFINITY, 0, 0);
    return mesh.vertices[i];
  };
  put_pc2("scan.pc2", n, 6, holes);
  const EnrichInput in = read_enrich_input(config("box.obj", "scan.pc2"));
  EXPECT_TRUE(in.frames.points(2)[4].array().isNaN().all());
  EXPECT_TRUE(in.frames.points(4)[4].array().isNaN().all());
  EXPECT_FALSE(in.frames.points(2)[5].array().isNaN().any());
  EXPECT_TRUE(warns(in, fmt::format("scan.pc2, frame 2: 6 of {} points are missing", n)));
  EXPECT_TRUE(warns(in, fmt::format("scan.pc2, frame 4: {} of {} points are missing", n, n)));
  EXPECT_TRUE(warns(in, "1 more frames"));
  EXPECT_TRUE(warns(in, fmt::format("1 of {} points are missing from every frame", n)));
  put_pc2("scan.pc2", n, 6, [](int, int) -> Vec3 { return Vec3::Constant(kHole); });
  expect_fails(config("box.obj", "scan.pc2"), "every point of every frame is missing");
}

TEST_F(Enrich, CachesOfOtherUnitsOrOrderAreToldOf) {
  const TriMesh mesh = box();
  write_obj(path("box.obj"), mesh);
  const int n = mesh.n_vertices();
  put_pc2("c.pc2", n, 2, [&](int, int i) -> Vec3 { return 100 * mesh.vertices[i]; });
  EXPECT_THROW(read_enrich_input(config("box.obj", "c.pc2")), InputError);
  put_pc2("c.pc2", n, 2, [&](int, int i) -> Vec3 { return 5 * mesh.vertices[i]; });
  EXPECT_TRUE(warns(read_enrich_input(config("box.obj", "c.pc2")), "5 times as large"));
  // A finer mesh, so that neighbors are near.
  const TriMesh fine = boundary_surface(make_box(12, 12, 12, Vec3(1, 1, 1)));
  write_obj(path("fine.obj"), fine);
  const int m = fine.n_vertices();
  put_pc2("c.pc2", m, 2, [&](int, int i) -> Vec3 { return fine.vertices[(static_cast<size_t>(i) * 389) % m]; });
  EXPECT_TRUE(warns(read_enrich_input(config("fine.obj", "c.pc2")), "another order"));
  put_pc2("c.pc2", m, 2, [&](int, int i) -> Vec3 { return 1.5 * fine.vertices[i] + Vec3(9, 0, 0); });
  EXPECT_TRUE(read_enrich_input(config("fine.obj", "c.pc2")).warnings.empty());
}

TEST_F(Enrich, SeamsAreWeldedWhereTheyMoveAlike) {
  // Two triangles that share an edge in place only; one of its ends parts in the last frame. Then a closed tet whose
  // tip touches the far corner.
  write("seam.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n"
        "v 0 0 0\nv -1 0 0\nv 0 -1 0\nv 0 0 -1\n"
        "f 1 2 3\nf 4 6 5\nf 7 8 9\nf 7 9 10\nf 7 10 8\nf 8 10 9\n");
  const Points rest = read_obj(path("seam.obj")).vertices;
  put_pc2("seam.pc2", 10, 4, [&](int f, int i) -> Vec3 {
    return rest[static_cast<size_t>(i)] + Vec3(100 * f, 0, f == 3 && i == 4 ? 0.01 : 0);
  });
  EXPECT_EQ(read_enrich_input(config("seam.obj", "seam.pc2")).welded, (List{0, 1, 2, 1, 4, 5, 6, 7, 8, 9}));
  // Where it is not known how they move, place decides.
  SceneConfig c = config("seam.obj", "few.pc2");
  c.enrich.tracked.indices = {0, 2};
  put_moving("few.pc2", {rest[0], rest[2]});
  EXPECT_EQ(read_enrich_input(c).welded, (List{0, 1, 2, 1, 2, 5, 6, 7, 8, 9}));
}

class EnrichPainted : public Enrich {
 protected:
  void SetUp() override {
    Enrich::SetUp();
    TriMesh mesh = box();
    for (size_t v = 0; v < mesh.vertices.size(); ++v) mesh.colors.emplace_back(v % 2 ? 1 : 0.25, 0, v == 3 ? 1.5 : 1);
    write_obj(path("box.obj"), mesh);
    put_moving("box.pc2", mesh.vertices);
    in_ = read_enrich_input(config("box.obj", "box.pc2"));
  }
  void expect_error(const std::string& name, int line, const std::string& fault) const {
    try {
      read_painted(in_, file(name), {.file = "scene.toml", .line = 77});
      ADD_FAILURE() << name << ": no error; expected: " << fault;
    } catch (const InputError& e) {
      EXPECT_EQ(e.where().line, line) << e.what();
      EXPECT_TRUE(has(e.what(), fault)) << e.what();
    }
  }
  EnrichInput in_;
};

TEST_F(EnrichPainted, ColorsAreMaps) {
  const PaintedValues red = read_painted(in_, file("COLOR_0.r"), {});
  EXPECT_TRUE(red.dense);
  ASSERT_EQ(red.values.size(), in_.surface.vertices.size());
  EXPECT_EQ(red.values[6], 0.25);
  EXPECT_EQ(red.values[7], 1);
  expect_error("COLOR_0.b", 77, "1.5 at vertex 3");
  expect_error("COLOR_0.x", 77, "did you mean 'COLOR_0.");
  expect_error("soft.txt", 77, "neither a map of the surface nor a file");
}

TEST_F(EnrichPainted, FilesHaveVerticesAndValues) {
  write("soft.txt", "# soft\n 9 0.5\n4\n\n2, 0 # firm\n9 0.5\n");
  const PaintedValues soft = read_painted(in_, file("soft.txt"), {});
  EXPECT_EQ(soft.known, (List{2, 4, 9}));
  EXPECT_EQ(soft.values, (std::vector<double>{0, 1, 0.5}));
  EXPECT_FALSE(soft.dense);
  std::string all;
  for (size_t v = 0; v < in_.surface.vertices.size(); ++v) all += fmt::format("{} 1\n", v);
  write("all.txt", all);
  EXPECT_TRUE(read_painted(in_, file("all.txt"), {}).dense);
  write("bad.txt", "1\n2\n99999\n");
  expect_error("bad.txt", 3, "vertex 99999 is outside");
  write("bad.txt", "1\n-2\n");
  expect_error("bad.txt", 2, "outside");
  write("bad.txt", "1 0.5\n2\n1\n");
  expect_error("bad.txt", 3, "vertex 1 is 1 here and was 0.5 before");
  write("bad.txt", "1 1.2\n");
  expect_error("bad.txt", 1, "1.2 is outside 0 .. 1");
  write("bad.txt", "1 nan\n");
  expect_error("bad.txt", 1, "finite");
  write("bad.txt", "1 0.5 3\n");
  expect_error("bad.txt", 1, "more than a vertex and its value");
  write("bad.txt", "0.5\n");
  expect_error("bad.txt", 1, "whole number");
  write("bad.txt", "# nothing\n");
  expect_error("bad.txt", 0, "names no vertices");
}

TEST_F(EnrichPainted, ListsOfVertices) {
  write("fixed.txt", "3\n1\n");
  EXPECT_EQ(read_vertices(in_, {.file = file("fixed.txt"), .indices = {}}, {}), (List{3, 1}));
  EXPECT_EQ(read_vertices(in_, {.file = {}, .indices = {5, 2}}, {}), (List{5, 2}));
  EXPECT_THROW(read_vertices(in_, {.file = {}, .indices = {-1}}, {}), InputError);
}

}  // namespace
}  // namespace supple
