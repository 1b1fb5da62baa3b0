// A tail of three joints that a clip shakes, its tets, and what curves physics gives it.
#pragma once
#include <fmt/format.h>
#include <sys/wait.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "supple/anim/character.h"
#include "supple/io/curve_files.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/curves/curves.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace pipeline::curves;

class CurvesFiles : public SceneFiles {
 protected:
  static constexpr double kLength = 0.6, kThick = 0.1;
  static constexpr int kFrames = 25;
  using Settings = std::vector<std::string>;

  void SetUp() override {
    SceneFiles::SetUp();
    tets_ = make_box(12, 2, 2, Vec3(kLength, kThick, kThick), Vec3(0, -kThick / 2, -kThick / 2));
    skin_ = boundary_surface(tets_);
    write_tet_mesh(path("tail.msh"), tets_);
    write_gltf(path("tail.glb"), tail());
    write_obj(path("bar.obj"), skin_);
    put_scene("");
  }

  // Joints at 0, 0.2 and 0.4 m along x. Clips: "shake" moves the root up and down and turns Tail1 a little, and begins
  // as it ends; "stop" moves it and then holds still for a second; "hold" never moves.
  Character tail() const {
    Character c;
    const auto node = [&](const char* name, int parent, const Vec3& at) {
      Node n;
      n.name = name, n.parent = parent, n.local.translation = at;
      if (parent >= 0) c.nodes[static_cast<size_t>(parent)].children.push_back(static_cast<int>(c.nodes.size()));
      c.nodes.push_back(n);
    };
    node("Root", -1, Vec3::Zero());
    node("Tail1", 0, Vec3(0.2, 0, 0));
    node("Tail2", 1, Vec3(0.2, 0, 0));
    node("Body", -1, Vec3::Zero());
    c.nodes[3].mesh = 0, c.nodes[3].skin = 0;
    Skin skin;
    skin.name = "tail", skin.joints = {0, 1, 2};
    for (double x : {0.0, 0.2, 0.4}) skin.inverse_binds.emplace_back(Eigen::Translation3d(-x, 0, 0));
    c.skins = {skin};
    Primitive p;
    p.material = "skin", p.positions = skin_.vertices, p.triangles = skin_.triangles, p.influences = 4;
    MorphTarget puff;
    puff.name = "Puff";
    const auto share = [](double x, double at) { return std::clamp((x - at) / 0.1 + 0.5, 0.0, 1.0); };
    for (const Vec3& x : skin_.vertices) {
      const double first = share(x[0], 0.2), second = share(x[0], 0.4);
      for (int j : {0, 1, 2, 0}) p.joints.push_back(j);
      for (double w : {1 - first, first - second, second, 0.0}) p.weights.push_back(w);
      puff.positions.emplace_back(0, x[0] > 0.3 ? 0.3 * x[1] : 0, x[0] > 0.3 ? 0.3 * x[2] : 0);
    }
    p.targets = {puff};
    c.meshes.push_back({.name = "Body", .primitives = {p}, .weights = {0}});
    c.shown.assign(c.nodes.size(), 1);
    c.clips = {moving("shake", kFrames, kFrames), moving("stop", 13, 37), moving("hold", 0, kFrames)};
    return c;
  }
  static Clip moving(const char* name, int while_moving, int frames) {
    Clip clip;
    clip.name = name;
    Channel up, turn;
    up.node = 0, up.path = ChannelPath::translation, up.width = 3;
    turn.node = 1, turn.path = ChannelPath::rotation, turn.width = 4;
    for (int f = 0; f < frames; ++f) {
      const double phase = while_moving > 0 ? 2 * M_PI * std::min(f, while_moving - 1) / 24.0 : 0;
      const Quat q(Eigen::AngleAxisd(0.1 * std::sin(phase), Vec3::UnitZ()));
      up.times.push_back(f / 24.0), turn.times.push_back(f / 24.0);
      up.values.insert(up.values.end(), {0, 0.05 * std::sin(phase), 0.03 * std::sin(2 * phase)});
      turn.values.insert(turn.values.end(), {q.x(), q.y(), q.z(), q.w()});
    }
    clip.channels = {up, turn};
    clip.end = (frames - 1) / 24.0;
    return clip;
  }

  void put_scene(const std::string& curves, const std::string& more = "") const {
    write("scene.toml", fmt::format("[surface]\nfile = \"tail.glb\"\nscale = 1\nclip = \"shake\"\n[tets]\nfile = "
                                    "\"tail.msh\"\n[timeline]\nsubsteps = 2\nloop = false\n[output]\nformats = "
                                    "[\"pc2\"]\nreport = false\n{}[curves]\n{}",
                                    more, curves.empty() ? "free = [\"Tail*\"]\n" : curves));
  }
  CurvesOutcome take(const std::string& name, const Settings& set = {}) const {
    return make_curves(load_scene(path("scene.toml"), set), {.directory = path(name), .overwrite = true});
  }
  CurveTable curves(const std::string& name) const { return read_curves(path(name + "/curves.csv")); }

  struct Call {
    int status;
    std::string out;  // and what it complains of
  };
  Call supple(const std::string& arguments) const {
    const std::string command =
        "cd " + folder_.string() + " && SUPPLE_CACHE=off " SUPPLE_PROGRAM " " + arguments + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    Call call;
    char block[4096];
    while (size_t n = fread(block, 1, sizeof block, pipe)) call.out.append(block, n);
    call.status = WEXITSTATUS(pclose(pipe));
    return call;
  }

  TetMesh tets_;
  TriMesh skin_;
};

// Largest difference of two tables with the same names.
inline double apart(const CurveTable& a, const CurveTable& b) {
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.values.rows(), b.values.rows());
  if (a.names != b.names || a.values.rows() != b.values.rows()) return 1e300;
  return (a.values - b.values).cwiseAbs().maxCoeff();
}

inline VecX column(const CurveTable& t, const std::string& name) {
  const auto at = std::find(t.names.begin(), t.names.end(), name);
  EXPECT_NE(at, t.names.end()) << name;
  if (at == t.names.end()) return VecX::Zero(t.values.rows());
  return t.values.col(at - t.names.begin());
}

}  // namespace supple
