// Files we only write: taken apart again by a second, independent path.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/io/formats.h"
#include "supple/io/gltf_morph.h"
#include "supple/io/index_list.h"
#include "supple/io/morph_basis.h"
#include "supple/io/motion_csv.h"
#include "supple/io/usda.h"
#include "supple/io/vtu.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

using Json = nlohmann::json;

TriMesh box_surface() {
  TriMesh mesh = boundary_surface(make_box(6, 2, 2, Vec3(3, 1, 1)));
  for (const Vec3& v : mesh.vertices) {
    mesh.colors.push_back(Vec3(v.x() / 3, v.y(), 0.5));
    mesh.uvs.emplace_back(v.x(), 0.25);
  }
  return mesh;
}

// A travelling bend: more than a handful of components, but smooth.
PointCache bend(const TriMesh& mesh, int n_frames) {
  PointCache c;
  for (int f = 0; f < n_frames; ++f) {
    VecX x = flatten(mesh.vertices);
    for (int v = 0; v < mesh.n_vertices(); ++v) {
      const double s = mesh.vertices[v].x();
      x[3 * v + 1] += 0.3 * std::sin(0.2 * f - 1.5 * s) + 0.05 * std::cos(0.5 * f * mesh.vertices[v].z() + s);
      x[3 * v + 2] += 0.01 * f;
    }
    c.add(x);
  }
  return c;
}

struct Glb {
  Json head;
  std::string bin;

  explicit Glb(const std::string& bytes) {
    auto u32 = [&](size_t at) {
      uint32_t x = 0;
      for (int i = 3; i >= 0; --i) x = x << 8 | static_cast<unsigned char>(bytes[at + static_cast<size_t>(i)]);
      return x;
    };
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(u32(8), bytes.size());
    const size_t n = u32(12);
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    head = Json::parse(bytes.substr(20, n));
    EXPECT_EQ(bytes.substr(24 + n, 3), "BIN");
    bin = bytes.substr(28 + n, u32(20 + n));
  }
  std::vector<float> floats(int accessor) const {
    const Json& a = head["accessors"][accessor];
    const Json& view = head["bufferViews"][a["bufferView"].get<int>()];
    std::vector<float> values(view["byteLength"].get<size_t>() / 4);
    std::memcpy(values.data(), bin.data() + view.value("byteOffset", size_t{0}), values.size() * 4);
    return values;
  }
};

TEST(GltfMorph, FramesComeBackWithinTheReportedError) {
  const Scratch dir;
  const TriMesh mesh = box_surface();
  const PointCache frames = bend(mesh, 60);
  const MorphReport report = write_glb(dir.path("m.glb"), mesh, frames, {.fps = 30, .tolerance_m = 1e-3});
  const std::string bytes = dir.get("m.glb");
  EXPECT_EQ(report.bytes, bytes.size());
  EXPECT_LT(report.targets, 40);
  EXPECT_LE(report.max_error_m, 1e-3);

  const Glb glb(bytes);
  const Json& primitive = glb.head["meshes"][0]["primitives"][0];
  EXPECT_TRUE(glb.head["materials"][0]["doubleSided"].get<bool>());
  EXPECT_TRUE(primitive["attributes"].contains("COLOR_0"));
  EXPECT_TRUE(primitive["attributes"].contains("TEXCOORD_0"));
  EXPECT_EQ(glb.floats(primitive["attributes"]["TEXCOORD_0"])[1], 0.75f);
  const std::vector<float> rest = glb.floats(primitive["attributes"]["POSITION"]);
  const std::vector<float> rest_normals = glb.floats(primitive["attributes"]["NORMAL"]);
  const Json& sampler = glb.head["animations"][0]["samplers"][0];
  EXPECT_EQ(sampler.value("interpolation", "LINEAR"), "LINEAR");
  const std::vector<float> times = glb.floats(sampler["input"]), weights = glb.floats(sampler["output"]);
  ASSERT_EQ(times.size(), 60u);
  EXPECT_FLOAT_EQ(times[30], 1.0f);
  ASSERT_EQ(weights.size(), 60u * static_cast<size_t>(report.targets));
  // Viewers hold weights within these; a second shape goes both ways.
  ASSERT_GT(report.targets, 2);
  EXPECT_GE(*std::min_element(weights.begin(), weights.end()), 0.0f);
  EXPECT_LE(*std::max_element(weights.begin(), weights.end()), 1.0f);
  std::vector<std::vector<float>> targets, turns;
  for (const Json& t : primitive["targets"]) {
    targets.push_back(glb.floats(t["POSITION"]));
    turns.push_back(glb.floats(t["NORMAL"]));
  }
  ASSERT_EQ(targets.size(), static_cast<size_t>(report.targets));
  double worst = 0, worst_normal = 0;
  for (int f = 0; f < 60; ++f) {
    const Points normals = vertex_normals(frames.points(f), mesh.triangles);
    for (int v = 0; v < mesh.n_vertices(); ++v) {
      Vec3 x, n;
      for (int k = 0; k < 3; ++k) {
        const size_t i = 3 * static_cast<size_t>(v) + static_cast<size_t>(k);
        x[k] = rest[i];
        n[k] = rest_normals[i];
        for (size_t t = 0; t < targets.size(); ++t) {
          const double w = weights[static_cast<size_t>(f) * targets.size() + t];
          x[k] += w * targets[t][i];
          n[k] += w * turns[t][i];
        }
      }
      worst = std::max(worst, (x - frames.points(f)[v]).norm());
      worst_normal = std::max(worst_normal, (n.normalized() - normals[v]).norm());
    }
  }
  EXPECT_NEAR(worst, report.max_error_m, 1e-9);
  EXPECT_LT(worst_normal, 0.1);
}

TEST(GltfMorph, FewFramesAreTheTargetsThemselves) {
  const Scratch dir;
  const TriMesh mesh = box_surface();
  const MorphReport few = write_glb(dir.path("f.glb"), mesh, bend(mesh, 5), {.tolerance_m = 1e-12});
  EXPECT_EQ(few.targets, 5);
  EXPECT_LT(few.max_error_m, 1e-6);
  // Too few targets allowed: the error says so.
  const MorphReport short_of =
      write_glb(dir.path("s.glb"), mesh, bend(mesh, 60), {.tolerance_m = 1e-6, .max_targets = 3});
  EXPECT_EQ(short_of.targets, 3);
  EXPECT_GT(short_of.max_error_m, 1e-6);
  const MorphReport still = write_glb(dir.path("still.glb"), mesh, {});
  EXPECT_EQ(still.targets, 0);
  EXPECT_FALSE(Glb(dir.get("still.glb")).head.contains("animations"));
}

TEST(GltfMorph, BadInputIsRefused) {
  const Scratch dir;
  const TriMesh mesh = box_surface();
  PointCache frames = bend(mesh, 3);
  frames.xyz[7] = std::nanf("");
  EXPECT_THROW(write_glb(dir.path("m.glb"), mesh, frames), InputError);
  EXPECT_THROW(write_glb(dir.path("m.glb"), TriMesh{}, {}), InputError);
  TriMesh other = mesh;
  other.vertices.push_back(Vec3::Zero());
  EXPECT_THROW(write_glb(dir.path("m.glb"), other, bend(mesh, 3)), InputError);
  EXPECT_FALSE(std::filesystem::exists(dir.path("m.glb")));
  EXPECT_FALSE(std::filesystem::exists(dir.path("m.glb.part")));
}

TEST(MorphBasis, RankIsFoundAndThreadsDoNotMatter) {
  // Three shapes in any mixture need three targets.
  const int n = 40, frames = 25;
  MatX shapes(3 * n, 3), mix(3, frames);
  for (int i = 0; i < shapes.size(); ++i) shapes.data()[i] = std::sin(0.1 * i * i + 0.3);
  for (int i = 0; i < mix.size(); ++i) mix.data()[i] = std::cos(0.7 * i * i);
  const MatX displacement = shapes * mix;
  set_thread_count(1);
  const MorphBasis one = fit_few_morphs(moving_points(displacement), 1e-5, 64);
  set_thread_count(3);
  const MorphBasis three = fit_few_morphs(moving_points(displacement), 1e-5, 64);
  set_thread_count(0);
  EXPECT_EQ(one.n_targets, 3);
  EXPECT_LE(one.weights.cwiseAbs().maxCoeff(), 1.0f);
  EXPECT_EQ(one.targets, three.targets);
  EXPECT_EQ(one.weights, three.weights);
  EXPECT_EQ(one.max_error, three.max_error);
  // Nothing moves: one target, no error.
  const MatX nothing = MatX::Zero(9, 10);
  const MorphBasis still = fit_few_morphs(moving_points(nothing), 1e-6, 64);
  EXPECT_EQ(still.n_targets, 1);
  EXPECT_EQ(still.max_error, 0);
  EXPECT_TRUE(still.weights.allFinite());
}

// Few targets are looked for in some of the points only; what they miss has to be found all the same.
TEST(MorphBasis, WhatAFewOfThePointsDoNotTellIsFound) {
  const int n = 50, frames = 60;
  const auto worst = [](const MatX& d, const MorphBasis& b) {
    const MatX left = d - b.targets.cast<double>() * b.weights.cast<double>().transpose();
    double most = 0;
    for (int f = 0; f < left.cols(); ++f)
      for (int p = 0; p < left.rows() / 3; ++p) most = std::max(most, left.col(f).segment<3>(3 * p).norm());
    return most;
  };
  MatX alone = MatX::Zero(3 * n, frames);
  for (int f = 0; f < frames; ++f) alone(3 * 13 + 1, f) = std::sin(0.3 * f);
  const MorphBasis one = fit_few_morphs(moving_points(alone), 1e-4, 64);
  EXPECT_EQ(one.n_targets, 1);
  EXPECT_LE(one.max_error, 1e-4);
  EXPECT_NEAR(worst(alone, one), one.max_error, 1e-12);
  // More shapes than a few.
  MatX shapes(3 * n, 20), mix(20, frames);
  for (int i = 0; i < shapes.size(); ++i) shapes.data()[i] = std::sin(0.1 * i * i + 0.3);
  for (int i = 0; i < mix.size(); ++i) mix.data()[i] = std::cos(0.7 * i * i);
  const MatX many = shapes * mix;
  const MorphBasis twenty = fit_few_morphs(moving_points(many), 1e-4, 64);
  EXPECT_EQ(twenty.n_targets, 20);
  EXPECT_LE(twenty.max_error, 1e-4);
  EXPECT_NEAR(worst(many, twenty), twenty.max_error, 1e-9);
  // All counts: one target less is not enough.
  const MorphBasis short_of = fit_few_morphs(moving_points(many), 1e-4, 19);
  EXPECT_EQ(short_of.n_targets, 19);
  EXPECT_GT(short_of.max_error, 1e-4);
  EXPECT_NEAR(worst(many, short_of), short_of.max_error, 1e-6);
  MorphBasis dropped = twenty;
  drop_last(dropped);
  EXPECT_EQ(dropped.n_targets, 19);
  EXPECT_NEAR(worst(many, dropped), short_of.max_error, 1e-3 * short_of.max_error);
}

std::string unbase64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, n = 0;
  for (char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    n += 6;
    if (n < 8) continue;
    n -= 8;
    out += static_cast<char>(bits >> n & 0xff);
  }
  return out;
}

TEST(Vtu, AppendedArraysDecode) {
  const Scratch dir;
  TetMesh mesh = make_box(2, 1, 1, Vec3(1, 0.3, 0.7));
  for (int i = 0; i < mesh.n_vertices(); ++i) mesh.vertex_maps["so<ft"].push_back(0.1 * i);
  mesh.tet_region.assign(mesh.tets.size(), 3);
  const VecX u = flatten(mesh.vertices) * 0.01;
  write_vtu(dir.path("m.vtu"), mesh, {.binary = true, .displacement = &u});
  const std::string text = dir.get("m.vtu");
  EXPECT_NE(text.find("Name=\"so&lt;ft\""), std::string::npos);
  const size_t block = text.find("<AppendedData encoding=\"base64\">\n_") + 34;
  // The bytes of an array: at its offset, after the length.
  auto array = [&](const std::string& name) {
    const size_t at = text.find("offset=\"", text.find("Name=\"" + name + "\"")) + 8;
    const size_t offset = std::stoul(text.substr(at));
    const std::string head = unbase64(text.substr(block + offset, 12));
    uint64_t size = 0;
    for (int i = 7; i >= 0; --i) size = size << 8 | static_cast<unsigned char>(head[static_cast<size_t>(i)]);
    return unbase64(text.substr(block + offset, (8 + size + 2) / 3 * 4)).substr(8, size);
  };
  std::string expected;
  for (double x : flatten(mesh.vertices)) expected += bytes_of(x, false);
  EXPECT_EQ(array("Points"), expected);
  expected.clear();
  for (double x : u) expected += bytes_of(x, false);
  EXPECT_EQ(array("displacement"), expected);
  expected.clear();
  for (const Tet& t : mesh.tets) {
    for (int v : t) expected += bytes_of(static_cast<long long>(v), false);
  }
  EXPECT_EQ(array("connectivity"), expected);
  EXPECT_EQ(array("types"), std::string(mesh.tets.size(), 10));
  EXPECT_EQ(array("region").substr(0, 4), bytes_of(3, false));

  write_vtu(dir.path("t.vtu"), mesh, {.binary = false});
  const std::string plain = dir.get("t.vtu");
  EXPECT_NE(plain.find("Name=\"offsets\" NumberOfComponents=\"1\" format=\"ascii\">\n4\n8\n"), std::string::npos);
  EXPECT_EQ(plain.find("displacement"), std::string::npos);
  const VecX wrong = VecX::Zero(3);
  EXPECT_THROW(write_vtu(dir.path("w.vtu"), mesh, {.displacement = &wrong}), InputError);
  write_pvd(dir.path("m.pvd"), {{0, "m.vtu"}, {0.5, "t.vtu"}});
  EXPECT_NE(dir.get("m.pvd").find("<DataSet timestep=\"0.5\" file=\"t.vtu\"/>"), std::string::npos);
}

TEST(Usda, HasSamplesUnitsAndAxes) {
  const Scratch dir;
  TriMesh mesh;
  mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0.1)};
  mesh.triangles = {{0, 1, 2}};
  mesh.uvs = {{0, 0}, {1, 0}, {0, 1}};
  PointCache frames;
  frames.add(flatten(mesh.vertices));
  frames.add(2 * flatten(mesh.vertices));
  write_usda(dir.path("m.usda"), mesh, frames, {.fps = 25, .first_frame = 1, .name = "3 body"});
  const std::string text = dir.get("m.usda");
  for (const char* part :
       {"#usda 1.0\n", "metersPerUnit = 1\n", "upAxis = \"Y\"", "startTimeCode = 1\n", "endTimeCode = 2\n",
        "timeCodesPerSecond = 25\n", "def Mesh \"_3_body\"", "int[] faceVertexIndices = [0, 1, 2]",
        "points = [(0, 0, 0), (1, 0, 0), (0, 1, 0.1)]", "2: [(0, 0, 0), (2, 0, 0), (0, 2, 0.2)],",
        "2: [(0, 0, 0), (2, 2, 0.2)],", "primvars:st = [(0, 0), (1, 0), (0, 1)]"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_EQ(std::count(text.begin(), text.end(), '('), std::count(text.begin(), text.end(), ')'));
  frames.n_points = 4;
  EXPECT_THROW(write_usda(dir.path("m.usda"), mesh, frames), InputError);
}

TEST(MotionCsv, KeysWithAndWithoutHeader) {
  const Scratch dir;
  const std::string body = "0, 1,2,3, 0,0,0,1\n# pause\n\n0.5, 4,5,6, 0.5004,0.5,-0.5,0.5\n";
  for (const char* head : {"", "t,tx,ty,tz,qx,qy,qz,qw\n"}) {
    const std::vector<RigidKey> keys = read_motion_csv(dir.put("k.csv", head + body));
    ASSERT_EQ(keys.size(), 2u);
    EXPECT_EQ(keys[1].t, 0.5);
    EXPECT_EQ(keys[1].translation, Vec3(4, 5, 6));
    EXPECT_NEAR(keys[1].quaternion.norm(), 1, 1e-15);
    EXPECT_LT(keys[1].quaternion[2], 0);
  }
}

TEST(Lists, RoundTrip) {
  const Scratch dir;
  write_index_list(dir.path("i.txt"), {3, 0, 7});
  EXPECT_EQ(read_index_list(dir.path("i.txt"), 8), (std::vector<int>{3, 0, 7}));
  write_scalar_list(dir.path("s.txt"), {1.0 / 3, -0.0, 1e-310});
  EXPECT_EQ(read_scalar_list(dir.path("s.txt")), (std::vector<double>{1.0 / 3, -0.0, 1e-310}));
  EXPECT_EQ(read_index_list(dir.put("c.txt", "# core\n1 # first\n\n2"), 3), (std::vector<int>{1, 2}));
  EXPECT_TRUE(read_index_list(dir.put("e.txt", ""), 3).empty());
}

TEST(Formats, KindsByExtension) {
  EXPECT_EQ(file_kind("a/b.c/Body.MSH"), FileKind::tets);
  EXPECT_EQ(file_kind("x.obj"), FileKind::surface);
  EXPECT_EQ(file_kind("x.mdd"), FileKind::cache);
  EXPECT_EQ(file_kind("msh"), FileKind::unknown);
  EXPECT_EQ(require_known_kind("x.glb"), FileKind::surface);
  try {
    require_known_kind("x.fbx");
    ADD_FAILURE();
  } catch (const InputError& e) {
    for (const FileFormat& f : file_formats()) EXPECT_NE(e.advice().find(f.extension), std::string::npos);
  }
}

}  // namespace
}  // namespace supple
