#include <gtest/gtest.h>

#include <filesystem>

#include "supple/base/error.h"
#include "tests/io/gltf/live_files.h"

namespace supple {
namespace {

using nlohmann::ordered_json;

// Changes of the vertices of a shape by a target of the file, back in the bound world.
double worst_difference(const Character& read, const Drawn& drawn, const LiveBlock& block, bool normals) {
  double worst = 0;
  for (size_t p = 0; p < block.pack.parts.size(); ++p) {
    for (size_t m = 0; m < block.pack.parts[p].modes.size(); ++m) {
      const LiveShape& shape = block.pack.parts[p].modes[m].shape;
      std::vector<Vec3> wanted(drawn.vertices.rest.size(), Vec3::Zero()), got = wanted;
      for (size_t i = 0; i < shape.vertices.size(); ++i)
        wanted[static_cast<size_t>(shape.vertices[i])] = normals ? shape.normals[i] : shape.positions[i];
      for (const LiveTarget& t : block.targets[p]) {
        for (const DrawnPrimitive& d : drawn.primitives) {
          if (d.mesh != t.mesh) continue;
          const Primitive& primitive =
              read.meshes[static_cast<size_t>(d.mesh)].primitives[static_cast<size_t>(d.primitive)];
          const MorphTarget& target = primitive.targets.at(static_cast<size_t>(t.first) + m);
          EXPECT_EQ(target.name, block.pack.parts[p].modes[m].name);
          for (size_t v = 0; v < target.positions.size(); ++v) {
            const size_t at = static_cast<size_t>(d.first_vertex) + v;
            if (!normals) {
              got[at] = d.to_world.linear() * target.positions[v];
              continue;
            }
            // What a viewer has: both added in the mesh's space, then into the world. Lengths are free.
            const Mat3 turn = d.to_world.linear().inverse().transpose();
            const Vec3 n = turn * (primitive.normals[v] + target.normals.at(v));
            wanted[at] = (drawn.normals[at] + wanted[at]).normalized();
            got[at] = n.normalized();
          }
        }
      }
      for (size_t v = 0; v < got.size(); ++v) {
        const bool touched = !normals || got[v] != Vec3::Zero();
        if (touched) worst = std::max(worst, (got[v] - wanted[v]).norm());
      }
    }
  }
  return worst;
}

TEST(LiveGlb, ShapesComeBackInTheBoundWorld) {
  const Scratch dir;
  const LiveCase c(dir.path("in.glb"));
  const LiveGlbReport report = write_live_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack);
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_EQ(report.targets, 3 + 4 + 4);
  EXPECT_EQ(report.bytes, dir.get("out.glb").size());
  EXPECT_EQ(report.bytes_added, report.bytes - dir.get("in.glb").size());
  // The body has one target of its own; belly and top follow each other. The tag has only the top's.
  ASSERT_EQ(report.block.targets.size(), 2u);
  ASSERT_EQ(report.block.targets[0].size(), 1u);
  ASSERT_EQ(report.block.targets[1].size(), 2u);
  EXPECT_EQ(report.block.targets[0][0].mesh, 0);
  EXPECT_EQ(report.block.targets[0][0].first, 1);
  EXPECT_EQ(report.block.targets[1][0].first, 4);
  EXPECT_EQ(report.block.targets[1][1].mesh, 1);
  EXPECT_EQ(report.block.targets[1][1].first, 0);

  const Character read = read_gltf(dir.path("out.glb"));
  const Drawn drawn = lay_out(read, LiveCase::kUnit);
  ASSERT_EQ(drawn.n_vertices(), c.drawn.n_vertices());
  EXPECT_LT(worst_difference(read, c.drawn, report.block, false), 1e-8);
  EXPECT_LT(worst_difference(read, c.drawn, report.block, true), 1e-6);
  for (const size_t mesh : {0u, 1u}) {
    const std::vector<double>& weights = read.meshes[mesh].weights;
    EXPECT_EQ(weights.size(), read.meshes[mesh].primitives[0].targets.size());
    for (size_t k = 0; k < weights.size(); ++k) EXPECT_EQ(weights[k], mesh == 0 && k == 0 ? 0.25 : 0.0);
  }
  // Few vertices of the first primitive move: a list of them. Of its upper part none: no bytes.
  const ReadGlb out(dir.get("out.glb"));
  const ordered_json& primitives = out.json["meshes"][0]["primitives"];
  auto accessor = [&](size_t primitive, size_t target, const char* attribute) {
    return out.json["accessors"][primitives[primitive]["targets"][target][attribute].get<size_t>()];
  };
  EXPECT_TRUE(accessor(0, 1, "POSITION").contains("sparse"));
  EXPECT_TRUE(accessor(0, 1, "NORMAL").contains("sparse"));
  EXPECT_FALSE(accessor(0, 4, "POSITION").contains("bufferView"));
  EXPECT_FALSE(accessor(0, 4, "POSITION").contains("sparse"));
  EXPECT_TRUE(accessor(0, 4, "POSITION").contains("min"));
  // Bounds are those of the numbers.
  for (size_t target = 1; target < 8; ++target) {
    const ordered_json a = accessor(1, target, "POSITION");
    const std::vector<double> x = out.numbers(primitives[1]["targets"][target]["POSITION"]);
    for (size_t axis = 0; axis < 3; ++axis) {
      double low = x[axis], high = x[axis];
      for (size_t i = axis; i < x.size(); i += 3) low = std::min(low, x[i]), high = std::max(high, x[i]);
      EXPECT_EQ(a["min"][axis].get<double>(), low);
      EXPECT_EQ(a["max"][axis].get<double>(), high);
    }
  }
}

TEST(LiveGlb, TheFilesOwnMotionAndExtrasStay) {
  const Scratch dir;
  const LiveCase c(dir.path("in.glb"));
  // Extras of others, by hand.
  GltfBuilder b;
  const ReadGlb plain(dir.get("in.glb"));
  b.json = Json::parse(plain.json.dump());
  b.bin = plain.bin;
  b.json["extras"] = {{"theirs", {1, 2}}};
  b.json["meshes"][1]["extras"] = {{"note", "kept"}};
  dir.put("in.glb", b.glb());
  const LiveGlbReport report = write_live_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack);
  const ReadGlb out(dir.get("out.glb"));
  EXPECT_EQ(out.json["extras"]["theirs"], ordered_json({1, 2}));
  EXPECT_EQ(out.json["meshes"][1]["extras"]["note"], "kept");
  EXPECT_EQ(out.json["meshes"][1]["extras"]["targetNames"], ordered_json({"top 1", "top 2", "top 3", "top 4"}));
  EXPECT_EQ(out.json["animations"].size(), 1u);
  EXPECT_EQ(live_json(read_live(dir.path("out.glb")), ""), live_json(report.block, ""));
  EXPECT_EQ(read_live(dir.path("out.glb")).pack.parts[1].modes[2].transfer, c.pack.parts[1].modes[2].transfer);

  const Character read = read_gltf(dir.path("out.glb"));
  const Drawn drawn = lay_out(read, LiveCase::kUnit);
  for (const double t : {0.0, 0.31, 0.5, 0.77}) {
    const Points before = posed(c.drawn.vertices, pose_at(c.character, c.drawn, c.character.clips[0], t));
    const Points after = posed(drawn.vertices, pose_at(read, drawn, find_clip(read, "walk"), t));
    EXPECT_EQ(before, after) << t;
  }
  // Not twice into the same file.
  EXPECT_THROW(write_live_glb(dir.path("out.glb"), dir.path("twice.glb"), read, drawn, c.pack), InputError);
}

TEST(LiveGlb, NormalsAreLeftOutOnDemandAndWithoutNeed) {
  const Scratch dir;
  LiveCase c(dir.path("in.glb"));
  write_live_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack, {.normals = false});
  const ReadGlb out(dir.get("out.glb"));
  for (const ordered_json& mesh : out.json["meshes"]) {
    for (const ordered_json& primitive : mesh["primitives"]) {
      for (const ordered_json& target : primitive["targets"]) EXPECT_FALSE(target.contains("NORMAL"));
    }
  }
  for (LiveMode& mode : c.pack.parts[0].modes) mode.shape.normals.clear();
  for (LiveMode& mode : c.pack.parts[1].modes) mode.shape.normals.clear();
  const size_t size = dir.get("out.glb").size();
  EXPECT_EQ(write_live_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack).bytes, size);
}

TEST(LiveGlb, NamesThatAreTakenAreChanged) {
  const Scratch dir;
  LiveCase c(dir.path("in.glb"));
  c.pack.parts[0].modes[0].name = "Bulge";  // the file's own target
  c.pack.parts[1].modes[0].name = "belly 2";
  const LiveGlbReport report = write_live_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack);
  EXPECT_EQ(report.block.pack.parts[0].modes[0].name, "Bulge (2)");
  EXPECT_EQ(report.block.pack.parts[1].modes[0].name, "belly 2 (2)");
  const ReadGlb out(dir.get("out.glb"));
  EXPECT_EQ(out.json["meshes"][0]["extras"]["targetNames"][1], "Bulge (2)");
  EXPECT_EQ(out.json["meshes"][1]["extras"]["targetNames"][0], "belly 2 (2)");
  EXPECT_EQ(out.json["extras"]["supple_live"]["parts"][0]["modes"][0]["name"], "Bulge (2)");
}

// One mesh on two nodes, one turned: shapes that are alike in the mesh's space are written once.
TEST(LiveGlb, NodesThatShowOneMeshMustAgree) {
  const Scratch dir;
  Character two = live_character();
  Node twin = two.nodes[4];
  twin.name = "Twin";
  twin.local.rotation = Quat(Eigen::AngleAxisd(1.1, Vec3(0, 0.6, 0.8)));
  twin.local.scale = {1, 3, 1};
  two.nodes.push_back(twin);
  two.nodes[2].children.push_back(5);
  two.shown.push_back(1);
  const std::string in = dir.path("in.glb");
  write_gltf(in, two);
  const Character read = read_gltf(in);
  const Drawn drawn = lay_out(read, 0.01);
  const DrawnPrimitive &a = drawn.primitives[2], &b = drawn.primitives[3];
  ASSERT_EQ(a.mesh, b.mesh);
  LivePack pack;
  pack.unit = 0.01;
  pack.parts.push_back(live_part(drawn, "tag", 2, 2, [&](int v) { return v >= a.first_vertex; }));
  for (LiveMode& mode : pack.parts[0].modes) {
    mode.shape.normals.clear();
    const auto n = static_cast<size_t>(a.n_vertices);
    const Mat3 over = b.to_world.linear() * a.to_world.linear().inverse();
    for (size_t i = 0; i < n; ++i) mode.shape.positions[n + i] = over * mode.shape.positions[i];
  }
  const LiveGlbReport report = write_live_glb(in, dir.path("out.glb"), read, drawn, pack);
  EXPECT_EQ(report.targets, 2);
  EXPECT_LT(worst_difference(read_gltf(dir.path("out.glb")), drawn, report.block, false), 1e-8);

  auto expect_refused = [&](const LivePack& bad) {
    try {
      write_live_glb(in, dir.path("bad.glb"), read, drawn, bad);
      ADD_FAILURE();
    } catch (const InputError& e) {
      for (const char* word : {"part 'tag'", "mesh 1 'TagMesh'", "'Tag'", "'Twin'", "alike"})
        EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
    EXPECT_FALSE(std::filesystem::exists(dir.path("bad.glb")));
  };
  LivePack other = pack;
  other.parts[0].modes[1].shape.positions.back() *= 1.01;
  expect_refused(other);
  other = pack;
  for (LiveMode& mode : other.parts[0].modes) {
    mode.shape.vertices.resize(static_cast<size_t>(a.n_vertices));
    mode.shape.positions.resize(static_cast<size_t>(a.n_vertices));
  }
  expect_refused(other);
}

TEST(LiveGlb, WhatDoesNotFitIsRefused) {
  const Scratch dir;
  const LiveCase c(dir.path("in.glb"));
  auto expect_refused = [&](auto change, const std::vector<std::string>& words) {
    LiveCase other = c;
    change(other);
    try {
      write_live_glb(c.path, dir.path("out.glb"), other.character, other.drawn, other.pack);
      ADD_FAILURE() << "not refused: " << words[0];
    } catch (const InputError& e) {
      for (const std::string& word : words) EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
    EXPECT_FALSE(std::filesystem::exists(dir.path("out.glb")));
    EXPECT_FALSE(std::filesystem::exists(dir.path("out.glb.part")));
  };
  auto shape = [](LiveCase& l) -> LiveShape& { return l.pack.parts[1].modes[2].shape; };
  expect_refused([&](LiveCase& l) { shape(l).positions[4][1] = NAN; }, {"'top'", "'top 3'", "vertex", "finite"});
  expect_refused([&](LiveCase& l) { shape(l).normals[4][0] = INFINITY; }, {"'top 3'", "finite"});
  expect_refused([&](LiveCase& l) { shape(l).positions.pop_back(); }, {"'top 3'", "displacements"});
  expect_refused([&](LiveCase& l) { std::swap(shape(l).vertices[0], shape(l).vertices[1]); }, {"'top 3'", "ascending"});
  expect_refused([&](LiveCase& l) { shape(l).vertices.back() = l.drawn.n_vertices(); }, {"'top 3'", "not a vertex"});
  expect_refused([&](LiveCase& l) { l.pack.unit = 1; }, {"unit"});
  expect_refused([&](LiveCase& l) { l.pack.parts[0].node = 17; }, {"'belly'", "17"});
  expect_refused([&](LiveCase& l) { l.drawn.primitives[1].n_vertices -= 1; }, {"primitive 1", "character"});
  expect_refused([&](LiveCase& l) { l.pack.parts[0].modes[1].frequency_hz = 0; }, {"parts[0].modes[1].frequency_hz"});
  expect_refused([&](LiveCase& l) { l.pack.parts[1].name = "belly"; }, {"parts[1].name", "twice"});
  expect_refused(
      [&](LiveCase& l) {
        for (LiveMode& mode : l.pack.parts[0].modes) mode.shape = {};
      },
      {"'belly'", "moves no vertex"});
  expect_refused([&](LiveCase& l) { l.drawn.primitives[2].to_world.linear().setZero(); }, {"TagMesh", "flattens"});
}

}  // namespace
}  // namespace supple
