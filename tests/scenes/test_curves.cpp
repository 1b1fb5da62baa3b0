// `supple curves` as a whole: what is keyed stays, what is free is filled in, and comes out as curves.
#include <gtest/gtest.h>

#include <filesystem>

#include "supple/anim/drawn.h"
#include "tests/scenes/curves_files.h"

namespace supple {

using namespace pipeline::curves;
namespace {

class Curves : public CurvesFiles {};

TEST_F(Curves, what_is_keyed_stays_to_the_bit_and_what_is_free_gets_keys) {
  const CurvesOutcome out = take("run", {"output.formats=[\"glb\",\"pc2\"]"});
  for (const char* file : {"curves.csv", "curves.json", "curves.bvh", "surface.glb", "surface.pc2", "report.json"})
    EXPECT_TRUE(std::filesystem::exists(path(std::string("run/") + file))) << file;
  EXPECT_GT(out.result.layers[0].departure_rms_m, 1e-3);
  const Character before = read_gltf(path("tail.glb")), after = read_gltf(path("run/surface.glb"));
  ASSERT_EQ(after.clips.size(), before.clips.size() + 1);
  for (size_t k = 0; k < before.clips.size(); ++k) {
    EXPECT_EQ(after.clips[k].name, before.clips[k].name);
    for (size_t c = 0; c < before.clips[k].channels.size(); ++c) {
      EXPECT_EQ(after.clips[k].channels[c].times, before.clips[k].channels[c].times);
      EXPECT_EQ(after.clips[k].channels[c].values, before.clips[k].channels[c].values);
    }
  }
  const Clip& made = after.clips.back();
  EXPECT_EQ(made.name, "shake curves");
  bool root = false;
  int turned = 0;
  for (const Channel& c : made.channels) {
    if (c.node == 0) {
      root = true;
      EXPECT_EQ(c.times, before.clips[0].channels[0].times);
      EXPECT_EQ(c.values, before.clips[0].channels[0].values);
    }
    turned += c.path == ChannelPath::rotation && (c.node == 1 || c.node == 2);
  }
  EXPECT_TRUE(root);
  EXPECT_EQ(turned, 2);

  // Played back, the clip shows what the cache has, as near as its keys are asked to be.
  const Drawn drawn = lay_out(after, 1);
  const PointCache surface = read_pc2(path("run/surface.pc2"));
  ASSERT_EQ(surface.n_samples, kFrames);
  double worst = 0;
  for (int f = 0; f < kFrames; ++f) {
    const Points played = posed(drawn.vertices, pose_at(after, drawn, made, f / 24.0)), shown = surface.points(f);
    for (size_t v = 0; v < played.size(); ++v) worst = std::max(worst, (played[v] - shown[v]).norm());
  }
  EXPECT_LT(worst, 2 * 0.002 * kLength);
}

TEST_F(Curves, a_pose_that_is_held_stays_as_drawn) {
  take("run", {"surface.clip=hold", "solver.tolerance=1e-9"});
  EXPECT_LT(curves("run").values.cwiseAbs().maxCoeff(), 1e-6);
  // Without holding it hangs.
  take("hangs", {"surface.clip=hold", "curves.pose=rest"});
  EXPECT_LT(column(curves("hangs"), "Tail1.rotation.z")[0], -1e-3);
}

// The root jumps 5 m while the tail still swings: it is carried over, and swings on as it would have. At 32 frames a
// second times of keys are exact in the file: else frames beside the jump would lie within it, by a hair.
TEST_F(Curves, a_teleport_leaves_the_keys_as_they_are) {
  Character near = tail();
  Clip& clip = near.clips[1];
  for (Channel& c : clip.channels)
    for (size_t f = 0; f < c.times.size(); ++f) c.times[f] = static_cast<double>(f) / 32;
  clip.end = clip.channels[0].times.back();
  write_gltf(path("near.glb"), near);
  Character far = near;
  std::vector<double>& root = far.clips[1].channels[0].values;
  for (size_t f = 16; f < root.size() / 3; ++f) root[3 * f] += 3, root[3 * f + 1] += 4;
  write_gltf(path("far.glb"), far);
  for (const char* pose : {"curves.pose=rest", "curves.pose=keyed"}) {
    for (const char* name : {"near", "far"})
      take(name, {"surface.clip=stop", "timeline.fps=32", "solver.tolerance=1e-10", pose,
                  fmt::format("surface.file=\"{}.glb\"", path(name))});
    EXPECT_LT(apart(curves("near"), curves("far")), 1e-7) << pose;
    EXPECT_GT(curves("near").values.bottomRows(20).cwiseAbs().maxCoeff(), 1e-2) << pose;
  }
}

// A frame in which all leaps away and comes back is passed over: what is free goes as it would have.
TEST_F(Curves, a_bad_frame_is_passed_over) {
  Character off = tail();
  std::vector<double>& root = off.clips[0].channels[0].values;
  root[3 * 11] += 2, root[3 * 11 + 1] -= 1;
  write_gltf(path("off.glb"), off);
  const Settings other = {fmt::format("surface.file=\"{}\"", path("off.glb"))};
  take("sound");
  const CurvesOutcome out = take("off", other);
  ASSERT_EQ(out.warnings.size(), 1u);
  EXPECT_NE(out.warnings[0].find("frame 11 (off)"), std::string::npos) << out.warnings[0];
  const double swing = curves("sound").values.cwiseAbs().maxCoeff();
  EXPECT_LT(apart(curves("sound"), curves("off")), 0.05 * swing);
  take("taken", {other[0], "timeline.cuts=\"off\""});
  EXPECT_GT(apart(curves("sound"), curves("taken")), 0.5 * swing);
}

// Elsewhere it hangs as it does in the pose there, however it swung before.
TEST_F(Curves, after_a_cut_it_may_begin_settled) {
  Character far = tail();
  std::vector<double>& root = far.clips[1].channels[0].values;
  for (size_t f = 16; f < root.size() / 3; ++f) root[3 * f] += 3, root[3 * f + 1] += 4;
  write_gltf(path("tail.glb"), far);
  const Settings stop = {"surface.clip=stop", "solver.tolerance=1e-9"};
  for (const char* name : {"carry", "settle"}) take(name, {stop[0], stop[1], fmt::format("timeline.cuts={}", name)});
  const MatX carried = curves("carry").values, settled = curves("settle").values;
  EXPECT_LT((carried - settled).topRows(16).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((settled.row(16) - settled.bottomRows(1)).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_GT((carried.row(16) - carried.bottomRows(1)).cwiseAbs().maxCoeff(), 5e-3);
}

TEST_F(Curves, differences_are_as_good_as_derivatives) {
  const Settings exact = {"solver.tolerance=1e-9"};
  take("exact", exact);
  take("differences", {"solver.tolerance=1e-9", "curves.derivatives=differences"});
  take("newton", {"solver.tolerance=1e-9", "curves.derivatives=differences", "curves.solver=newton"});
  EXPECT_LT(apart(curves("exact"), curves("differences")), 1e-6);
  EXPECT_LT(apart(curves("exact"), curves("newton")), 1e-6);
  EXPECT_GT(curves("exact").values.cwiseAbs().maxCoeff(), 0.05);
}

TEST_F(Curves, another_program_as_the_rig) {
  // The tail itself, served.
  put_scene("free = [\"Tail*\"]\nderivatives = \"differences\"\npose = \"rest\"\n");
  take("own", {"material.youngs_modulus=2e4"});
  write("served.toml",
        fmt::format("[tets]\nfile = \"tail.msh\"\n[timeline]\nsubsteps = 2\nloop = false\nfps = 24\nframes = 25\n"
                    "[material]\nyoungs_modulus = 2e4\n[output]\nformats = []\nreport = false\n[curves]\nfree = "
                    "[\"Tail*\"]\npose = \"rest\"\n"
                    "rig = '{} curves tail.glb --free \"Tail*\" --clip shake --set surface.scale=1 --set "
                    "timeline.loop=false --serve --quiet'\n",
                    SUPPLE_PROGRAM));
  SceneConfig served = load_scene(path("served.toml"));
  served.may_run = true;
  make_curves(served, {.directory = path("served"), .overwrite = true});
  EXPECT_LT(apart(curves("own"), curves("served")), 1e-5);
}

TEST_F(Curves, layers_take_what_earlier_ones_found) {
  take("first", {"curves.free=[\"Tail1\"]"});
  put_scene("", "[[curves.layer]]\nfree = [\"Tail1\"]\n[[curves.layer]]\nname = \"tip\"\nfree = [\"Tail2\"]\n");
  write("scene.toml", read(path("scene.toml")).substr(0, read(path("scene.toml")).find("[curves]\n")));
  const CurvesOutcome out = take("both");
  ASSERT_EQ(out.result.layers.size(), 2u);
  EXPECT_EQ(out.result.layers[1].name, "tip");
  const CurveTable both = curves("both"), first = curves("first");
  for (const std::string& name : first.names) EXPECT_EQ(column(both, name), column(first, name)) << name;
  EXPECT_GT(column(both, "Tail2.rotation.z").cwiseAbs().maxCoeff(), 0.02);
}

TEST_F(Curves, as_many_modes_as_parameters_change_nothing) {
  take("all");
  const CurvesOutcome six = take("six", {"curves.modes=6"});
  EXPECT_LT(apart(curves("all"), curves("six")), 1e-4);
  EXPECT_TRUE(std::filesystem::exists(path("six/modes.json")));
  // Fewer come near, and can be learnt elsewhere.
  const CurvesOutcome three = take("three", {"curves.modes=3", "curves.modes_from=" + path("all/curves.csv")});
  EXPECT_EQ(three.result.layers[0].n_parameters, 3);
  const double size = curves("all").values.cwiseAbs().maxCoeff();
  EXPECT_LT(apart(curves("all"), curves("three")), 0.3 * size);
  EXPECT_GT(apart(curves("all"), curves("three")), 1e-6 * size);
}

TEST_F(Curves, modes_can_be_scaled) {
  const CurvesOutcome plain = take("plain", {"curves.modes=6", "surface.clip=stop"});
  take("none", {"curves.modes=6", "surface.clip=stop", "curves.mode_scale=[0,0,0,0,0,0]"});
  take("twice", {"curves.modes=6", "surface.clip=stop", "curves.mode_scale=[2,2,2,2,2,2]"});
  const CurveTable a = curves("plain"), none = curves("none"), twice = curves("twice");
  EXPECT_LT(((a.values - none.values) - (twice.values - a.values)).cwiseAbs().maxCoeff(), 1e-9);
  // Nothing of them leaves what was keyed.
  const VecX keyed = column(none, "Tail1.rotation.z");
  for (int f = 0; f < 37; ++f) EXPECT_NEAR(keyed[f], 0.1 * std::sin(2 * M_PI * std::min(f, 12) / 24.0), 1e-3) << f;
}

TEST_F(Curves, modes_are_clips_to_be_added) {
  const CurvesOutcome out = take("run", {"curves.modes=2", "output.formats=[\"glb\"]"});
  const Character after = read_gltf(path("run/surface.glb"));
  const LayerResult& layer = out.result.layers[0];
  for (int k = 0; k < 2; ++k) {
    const auto clip = std::find_if(after.clips.begin(), after.clips.end(),
                                   [&](const Clip& c) { return c.name == fmt::format("mode {}", k + 1); });
    ASSERT_NE(clip, after.clips.end());
    const double reach = layer.mode_curves.col(k).cwiseAbs().maxCoeff();
    int joints = 0;
    for (const Channel& c : clip->channels) {
      const Node& node = after.nodes[static_cast<size_t>(c.node)];
      ASSERT_EQ(c.values.size(), 8u);
      const Quat begin(c.values[3], c.values[0], c.values[1], c.values[2]);
      const Quat end(c.values[7], c.values[4], c.values[5], c.values[6]);
      EXPECT_LT(begin.angularDistance(node.local.rotation), 1e-6);
      const Eigen::AngleAxisd turn(begin.conjugate() * end);
      for (int axis = 0; axis < 3; ++axis) {
        const std::string name = node.name + ".rotation." + "xyz"[axis];
        const auto at = std::find(layer.modes->parameters.begin(), layer.modes->parameters.end(), name);
        ASSERT_NE(at, layer.modes->parameters.end()) << name;
        EXPECT_NEAR(turn.angle() * turn.axis()[axis], reach * layer.modes->U(at - layer.modes->parameters.begin(), k),
                    1e-5);
      }
      ++joints;
    }
    EXPECT_GT(joints, 0);
  }
}

TEST_F(Curves, a_loop_ends_as_it_begins) {
  const CurvesOutcome out = take("run", {"timeline.loop=true"});
  EXPECT_GT(out.result.layers[0].cycles, 1);
  const CurveTable t = curves("run");
  EXPECT_EQ(t.values.row(0), t.values.row(kFrames - 1));
  EXPECT_LT(out.result.layers[0].closing_error, 0.02);
  // Across the seam it goes on as it does everywhere else.
  const auto bend = [&](int before, int at, int after) {
    return (t.values.row(before) - 2 * t.values.row(at) + t.values.row(after)).norm();
  };
  double largest = 0;
  for (int f = 1; f + 1 < kFrames; ++f) largest = std::max(largest, bend(f - 1, f, f + 1));
  EXPECT_LT(bend(kFrames - 2, 0, 1), largest);
  // From rest it would not.
  const MatX once = (take("once", {"timeline.start=rest"}), curves("once").values);
  EXPECT_GT((once.row(0) - once.row(kFrames - 1)).norm(),
            0.02 * (t.values.rowwise() - t.values.row(0)).cwiseAbs().maxCoeff());
}

TEST_F(Curves, morph_targets_are_parameters_like_others) {
  put_scene("free = [\"Puff\"]\npose = \"rest\"\n");
  const CurvesOutcome out = take("run", {"output.formats=[\"glb\"]", "controls.amplitude=1"});
  const CurveTable t = curves("run");
  ASSERT_EQ(t.names, std::vector<std::string>{"Body.weights.Puff"});
  EXPECT_GT(t.values.cwiseAbs().maxCoeff(), 1e-6);
  const Character after = read_gltf(path("run/surface.glb"));
  const auto& channels = after.clips.back().channels;
  EXPECT_TRUE(std::any_of(channels.begin(), channels.end(),
                          [](const Channel& c) { return c.path == ChannelPath::weights && c.node == 3; }));
}

TEST_F(Curves, handles_pull_the_surface) {
  int tip = 0;
  for (int v = 0; v < skin_.n_vertices(); ++v)
    if (skin_.vertices[v][0] > skin_.vertices[tip][0] - 1e-9 && skin_.vertices[v].tail<2>().norm() < 1e-9) tip = v;
  write("path.csv", "frame,x,y,z\n0,0.6,0,0\n24,0.5,0.2,0.05\n");
  put_scene(
      "free = [\"Tail*\"]\nmotion = \"static\"\npose = \"rest\"\n",
      fmt::format(
          "[world]\ngravity = [0, 0, 0]\n[[curves.handle]]\nname = \"tip\"\nvertex = {}\ntrack = \"path.csv\"\n", tip));
  take("run", {"surface.clip=hold"});
  const Points end = read_pc2(path("run/surface.pc2")).points(24);
  EXPECT_LT((end[static_cast<size_t>(tip)] - Vec3(0.5, 0.2, 0.05)).norm(), 0.03);
  // With inertia it goes there too, a little later.
  take("moving", {"surface.clip=hold", "curves.motion=dynamic"});
  EXPECT_LT((read_pc2(path("moving/surface.pc2")).points(24)[static_cast<size_t>(tip)] - Vec3(0.5, 0.2, 0.05)).norm(),
            0.1);
}

TEST_F(Curves, stiffness_of_parameters_becomes_that_of_tets) {
  put_scene("free = [\"Tail*\"]\n", "[[curves.stiffness]]\nmatch = \"Tail2\"\nscale = 4\n");
  const CurvesOutcome out = take("run");
  const LayerResult& l = out.result.layers[0];
  ASSERT_TRUE(l.fit.has_value());
  double near_tip = 0, near_root = 0, n_tip = 0, n_root = 0;
  for (size_t t = 0; t < l.tets.tets.size(); ++t) {
    const Tet& tet = l.tets.tets[t];
    const double x = l.tets.vertices[static_cast<size_t>(tet[0])][0];
    if (x > 0.35 && x < 0.45) near_tip += l.fit->stiffness[t], n_tip += 1;
    if (x > 0.15 && x < 0.25) near_root += l.fit->stiffness[t], n_root += 1;
  }
  EXPECT_GT(near_tip / n_tip, 1.5 * near_root / n_root);
  EXPECT_TRUE(std::filesystem::exists(path("run/material.png")));
}

TEST_F(Curves, a_plain_surface_with_deformers) {
  std::string keys = "frame,body.translation.y\n";
  for (int f = 0; f < 20; ++f) keys += fmt::format("{},{}\n", f, 0.05 * std::sin(0.4 * f));
  write("keys.csv", keys);
  write("scene.toml",
        "[surface]\nfile = \"bar.obj\"\n[tets]\nfile = \"tail.msh\"\n[timeline]\nsubsteps = 2\nloop = false\n[output]\n"
        "formats = [\"pc2\",\"glb\"]\nreport = false\n[curves]\nfree = [\"box.*\"]\nkeys = \"keys.csv\"\n"
        "[[curves.deformer]]\nname = \"box\"\nkind = \"lattice\"\ncentre = [0.45, 0, 0]\nsize = [0.32, 0.2, 0.2]\n"
        "divisions = [3, 2, 2]\nfade = true\n"
        "[[curves.deformer]]\nname = \"body\"\nkind = \"transform\"\nspace = \"world\"\n");
  const CurvesOutcome out = take("run");
  EXPECT_EQ(out.result.layers[0].free.size(), 36u);
  const PointCache surface = read_pc2(path("run/surface.pc2"));
  EXPECT_EQ(surface.n_samples, 20);
  // The end without the lattice goes as keyed.
  for (int f : {0, 7, 19}) {
    const Points x = surface.points(f);
    for (size_t v = 0; v < x.size(); ++v) {
      if (skin_.vertices[v][0] > 0.2) continue;
      EXPECT_NEAR(x[v][1] - skin_.vertices[v][1], 0.05 * std::sin(0.4 * f), 1e-6);
    }
  }
  EXPECT_GT(out.result.layers[0].departure_rms_m, 1e-4);
}

TEST_F(Curves, by_the_program_alone) {
  const Call list = supple("curves tail.glb --list");
  EXPECT_EQ(list.status, 0) << list.out;
  for (const char* name : {"Tail1.rotation.x", "Root.translation.y", "Tail2.scale.z", "Body.weights.Puff"})
    EXPECT_NE(list.out.find(name), std::string::npos) << list.out;
  const Call c = supple(
      "curves tail.glb --free \"Tail*\" --clip stop --frequency-hz 3 --set tets.count=400 --set timeline.range=[0,6] "
      "-o run");
  ASSERT_EQ(c.status, 0) << c.out;
  for (const char* file : {"surface.glb", "surface.pc2", "curves.csv", "curves.json", "curves.bvh", "report.json",
                           "report.html", "scene.toml"})
    EXPECT_TRUE(std::filesystem::exists(path(std::string("run/") + file))) << file;
  for (const std::string& name : listing()) EXPECT_EQ(name.find(".part"), std::string::npos) << name;
  // Nothing of a run is replaced by the next, unless it is told to.
  EXPECT_EQ(supple("curves tail.glb --free \"Tail*\" -o run").status, 2);
  // The scene of the run gives the run again.
  const std::string before = read(path("run/curves.csv"));
  const Call again = supple("curves run/scene.toml -o again");
  ASSERT_EQ(again.status, 0) << again.out;
  EXPECT_EQ(read(path("again/curves.csv")), before);
}

TEST_F(Curves, same_bits_for_any_thread_count) {
  for (int n : {1, 2}) ASSERT_EQ(supple(fmt::format("curves scene.toml --quiet --threads {0} -o {0}", n)).status, 0);
  EXPECT_EQ(read(path("1/curves.csv")), read(path("2/curves.csv")));
  EXPECT_EQ(read(path("1/surface.pc2")), read(path("2/surface.pc2")));
}

// What touches does not pass through.
TEST_F(Curves, a_floor_stops_what_falls) {
  write("scene.toml",
        "[surface]\nfile = \"bar.obj\"\n[tets]\nfile = \"tail.msh\"\n[timeline]\nframes = 20\nsubsteps = 2\n[output]\n"
        "formats = [\"pc2\"]\nreport = false\n[material]\nyoungs_modulus = 2e4\n[curves]\nfree = [\"*\"]\npose = "
        "\"rest\"\n[contact]\nself = false\n[[contact.plane]]\npoint = [0, -0.15, 0]\n[[curves.deformer]]\nname = "
        "\"body\"\nkind = \"transform\"\nchannels = [\"translation\", \"scale\"]\n");
  take("run");
  const PointCache surface = read_pc2(path("run/surface.pc2"));
  double lowest = 0, last = 0;
  for (int f = 0; f < surface.n_samples; ++f) {
    double low = 1;
    for (const Vec3& x : surface.points(f)) low = std::min(low, x[1]);
    lowest = std::min(lowest, low), last = low;
  }
  EXPECT_GT(lowest, -0.15);
  EXPECT_LT(last, -0.13);
}

}  // namespace
}  // namespace supple
