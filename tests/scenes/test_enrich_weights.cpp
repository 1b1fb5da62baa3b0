// `supple enrich`: softness, blending, detail and dials, and what they do to the result.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "supple/sim/analysis.h"
#include "supple/sim/ringdown.h"
#include "tests/scenes/enrich_files.h"

namespace supple {

using namespace pipeline;
namespace {

class Weights : public EnrichFiles {
 protected:
  PointCache given(const std::string& name = "bar.pc2") const { return read_pc2(path(name)); }
};

TEST_F(Weights, softer_departs_further) {
  double before = 0;
  for (double softness : {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0}) {
    const Taken t = take(fmt::format("s{}", softness), {fmt::format("enrich.softness={}", softness)});
    const double now = apart(t.surface, given());
    if (softness == 0) {
      EXPECT_LT(now, kExact);
    } else {
      EXPECT_GT(now, 1.1 * before) << softness;
    }
    before = now;
  }
  EXPECT_GT(before, 0.01 * kLength);
}

TEST_F(Weights, half_soft_flesh_gives_about_half_as_far) {
  const double soft = apart(take("soft").surface, given());
  const double half = apart(take("half", {"enrich.softness=0.5"}).surface, given());
  EXPECT_GT(half, 0.2 * soft);
  EXPECT_LT(half, 0.7 * soft);
  // A stronger pull holds it closer, a weaker one lets it go.
  EXPECT_LT(apart(take("strong", {"enrich.softness=0.5", "enrich.drive=10"}).surface, given()), 0.4 * half);
  EXPECT_GT(apart(take("weak", {"enrich.softness=0.5", "enrich.drive=0.01"}).surface, given()), 0.9 * soft);
}

// drive tan(pi/2 (1 - softness)) m (2 pi f)^2, by the mass around the vertex and the frequency without springs.
TEST_F(Weights, springs_are_as_strong_as_the_map_says) {
  std::string paint;
  for (int v = 0; v < bar_.n_vertices(); ++v)
    paint += fmt::format("{} {}\n", v, std::clamp((bar_.vertices[v][0] - 0.15) / 0.4, 0.0, 1.0));
  write("paint.txt", paint);
  const Job job = build_job(scene(
      {"enrich.soft=" + path("paint.txt"), "enrich.drive=3", "material.youngs_modulus=2e4", "world.gravity=[0,0,0]"}));
  const EnrichSetup& setup = dynamic_cast<const EnrichedSubject&>(*job.subject).setup();
  const ModelSpec& spec = job.body->base;
  ASSERT_GT(spec.springs.size(), 20u);
  ModelSpec bare = spec;
  bare.springs.clear(), bare.spring_strengths.clear();
  const Model model(bare);
  const double omega = 2 * std::numbers::pi * natural_modes(model, 1).frequencies_hz[0];
  const VecX mass = model.mass()->per_vertex();
  int between = 0;
  for (size_t i = 0; i < spec.springs.size(); ++i)
    for (int c = 0; c < 4; ++c) {
      if (spec.springs[i].weights[c] != 1) continue;
      const int v = spec.springs[i].vertices[c];
      const double s = setup.softness[v];
      EXPECT_GT(s, 0);
      EXPECT_LT(s, 1);
      between += s > 0.2 && s < 0.8;
      const double expected = 3 * std::tan(std::numbers::pi / 2 * (1 - s)) * mass[v] * omega * omega;
      EXPECT_NEAR(spec.spring_strengths[i], expected, 1e-3 * expected);
    }
  EXPECT_GT(between, 10);
  // Along the bar softness rises as it was painted.
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    if (setup.softness[v] > 0) {
      EXPECT_NEAR(setup.softness[v], std::clamp((spec.mesh.vertices[v][0] - 0.15) / 0.4, 0.0, 1.0), 0.15);
    }
}

TEST_F(Weights, what_is_painted_may_be_a_color_a_file_or_regions) {
  TriMesh painted = bar_;
  std::string file;
  const std::vector<int> tip = vertices([](const Vec3& x) { return x[0] > 0.25; });
  for (int v = 0; v < bar_.n_vertices(); ++v) {
    const double soft = bar_.vertices[v][0] > 0.25 ? 1 : 0;
    painted.colors.emplace_back(0.5, soft, 0.25);
    file += fmt::format("{} {}\n", v, soft);
  }
  write_obj(path("painted.obj"), painted);
  write("paint.txt", file);
  put_scene({.surface = "painted.obj", .enrich = "soft = \"COLOR_0.g\"\n"});
  const Taken by_color = take("color");
  EXPECT_GT(apart(by_color.surface, given()), 1e-3);
  EXPECT_LT(farthest(by_color.surface, given(), vertices([](const Vec3& x) { return x[0] < 0.2; })), kExact);
  put_scene({.enrich = "soft = \"paint.txt\"\n"});
  EXPECT_LT(farthest(take("file").surface, by_color.surface), kExact);
  std::vector<int> rest = vertices([](const Vec3& x) { return x[0] <= 0.25; });
  put_scene({.enrich = fmt::format("[[region]]\nname = \"tip\"\nvertices = [{}]\nsoft = 1\n[[region]]\nname = "
                                   "\"rest\"\nvertices = [{}]\nsoft = 0\n",
                                   fmt::join(tip, ", "), fmt::join(rest, ", "))});
  EXPECT_LT(farthest(take("region").surface, by_color.surface), 1e-3 * kLength);
}

// Blending after the simulation: its ends are exact, it rises in between, and nothing is simulated for it.
TEST_F(Weights, reblending_goes_from_the_input_to_the_run) {
  const Taken t = take("run");
  const std::string tets = read(path("run/tets.pc2")), fit = read(path("run/fit.pc2"));
  double before = 0;
  for (double blend : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const std::string name = fmt::format("b{}", blend);
    const Call c = supple(fmt::format("enrich --reblend run --blend {} -o {}", blend, name));
    ASSERT_EQ(c.status, 0) << c.out;
    const PointCache now = read_pc2(path(name + "/surface.pc2"));
    const double departure = apart(now, given());
    if (blend == 0) {
      EXPECT_EQ(farthest(now, given()), 0);
    } else {
      EXPECT_GT(departure, before + 0.1 * apart(t.surface, given())) << blend;
    }
    if (blend == 1) {
      EXPECT_EQ(farthest(now, t.surface), 0);
    }
    before = departure;
    EXPECT_TRUE(read(path(name + "/tets.pc2")) == tets);
    EXPECT_TRUE(read(path(name + "/fit.pc2")) == fit);
  }
  EXPECT_TRUE(read(path("run/tets.pc2")) == tets);
  // Again on its own result: as from the run.
  const PointCache twice = reblend("b0.25", "again", {"enrich.blend=0.75"});
  EXPECT_EQ(farthest(twice, read_pc2(path("b0.75/surface.pc2"))), 0);
  EXPECT_EQ(farthest(reblend("b0", "whole", {"enrich.blend=1"}), t.surface), 0);
  // And as if it had been asked for at once.
  EXPECT_LT(farthest(take("at_once", {"enrich.blend=0.5"}).surface, read_pc2(path("b0.5/surface.pc2"))), 1e-6);
}

TEST_F(Weights, reblending_by_map_and_keys) {
  const Taken t = take("run");
  // Only the upper half of the tip; nothing before frame 6, all from frame 12 on.
  std::string map;
  for (int v = 0; v < bar_.n_vertices(); ++v) map += fmt::format("{} {}\n", v, bar_.vertices[v][0] > 0.4 ? 1 : 0);
  write("map.txt", map);
  const PointCache keyed = reblend("run", "keyed", {"enrich.blend_keys=[[6,0],[12,1]]"});
  const PointCache in = given();
  for (int f = 0; f < kFrames; ++f) {
    const double of_run = cache_distance(t.surface, in, f), now = cache_distance(keyed, in, f);
    if (f <= 6) {
      EXPECT_LT(now, kExact) << f;
    } else if (f >= 12) {
      EXPECT_LT(cache_distance(keyed, t.surface, f), kExact) << f;
    } else if (f > 7) {
      EXPECT_GT(now, 0) << f;
      EXPECT_LT(now, of_run) << f;
    }
  }
  const PointCache mapped = reblend("run", "mapped", {"enrich.blend_map=" + path("map.txt")});
  const double all = apart(t.surface, in), some = apart(mapped, in);
  EXPECT_LT(some, 0.9 * all);
  EXPECT_GT(some, 0.05 * all);
  // Flesh before the border is shown as in the input.
  EXPECT_LT(farthest(mapped, in, vertices([](const Vec3& x) { return x[0] < 0.2; })), 0.05 * farthest(t.surface, in));
  const PointCache both =
      reblend("run", "both", {"enrich.blend_map=" + path("map.txt"), "enrich.blend_keys=[[6,0],[12,1]]"});
  for (int f : {0, 3, 6}) EXPECT_LT(cache_distance(both, in, f), kExact);
  for (int f : {12, 20}) EXPECT_LT(cache_distance(both, mapped, f), kExact);
}

// A range of the shot: blends and detail are those of its frames.
TEST_F(Weights, a_range_has_the_frames_of_the_shot) {
  const PointMotion rippled = [](const Vec3& x, int f) -> Vec3 {
    return shaken(x, f) + Vec3(0, 0, 0.003 * std::sin(90 * x[0] + f));
  };
  put_cache("bar.pc2", bar_.vertices, kFrames, rippled);
  const Taken t = take("run", {"timeline.range=[5,15]", "enrich.blend_keys=[[8,0],[12,1]]"});
  ASSERT_EQ(t.surface.n_samples, 11);
  const PointCache in = given();
  for (int f : {5, 6, 8}) {
    const Points now = t.surface.points(f - 5), there = in.points(f);
    for (size_t v = 0; v < now.size(); ++v) EXPECT_LT((now[v] - there[v]).norm(), 1e-6);
  }
  PointCache later;
  for (int f = 5; f <= 15; ++f) later.add(flatten(in.points(f)));
  EXPECT_GT(cache_distance(t.surface, later, 9), 1e-4);
  EXPECT_LT(farthest(reblend("run", "none", {"enrich.blend=0"}), later), kExact);
}

TEST_F(Weights, softness_that_is_keyed_off_brings_the_input_back) {
  put_cache("bar.pc2", bar_.vertices, 37, shaken);
  const Taken free = take("free"), keyed = take("keyed", {"enrich.soft_keys=[[0,1],[12,1],[15,0.001]]"});
  const PointCache in = given();
  // As long as the factor is 1 it is the plain run.
  EXPECT_LT(apart(keyed.surface, free.surface, 0, 12), 0.02 * apart(free.surface, in, 0, 12));
  EXPECT_LT(apart(keyed.surface, in, 20), 0.05 * apart(free.surface, in, 20));
  // And on again.
  const Taken on = take("on", {"enrich.soft_keys=[[12,0.001],[15,1]]"});
  EXPECT_LT(apart(on.surface, in, 0, 12), 0.05 * apart(free.surface, in, 0, 12));
  EXPECT_GT(apart(on.surface, in, 20), 0.3 * apart(free.surface, in, 20));
}

// Where nothing moves but the softness, flesh that hangs is drawn up.
TEST_F(Weights, flesh_that_hangs_is_drawn_up_by_keys) {
  put_cache("bar.pc2", bar_.vertices, 61, [](const Vec3& x, int) { return x; });
  const Settings set = {"surface.rest=weightless", "material.youngs_modulus=1e5", "material.half_life_s=0.1",
                        "timeline.start=settled", "enrich.soft_keys=[[8,1],[14,0.05]]"};
  const Taken t = take("run", set);
  const PointCache in = given();
  EXPECT_GT(cache_distance(t.surface, in, 2), 0.01 * kLength);
  EXPECT_LT(cache_distance(t.surface, in, 60), 0.2 * cache_distance(t.surface, in, 2));
  // It begins still, and as it hangs without any keys.
  const Taken free = take("free", {set.begin(), set.end() - 1});
  EXPECT_LT(apart(t.tets, free.tets, 0, 9), 1e-4 * kLength);
  // With adjusted inertia it moves about the equilibrium of the moment, which changes with the keys.
  const Taken adjusted = take("adjusted", set + Settings{"controls.amplitude=0.5"});
  const PointCache statics = read_pc2(path("adjusted/static.pc2"));
  for (int f : {0, 4, 8}) EXPECT_LT(cache_distance(adjusted.tets, statics, f), 1e-4 * kLength) << f;
  // Springs are damped as the flesh is, so strong ones creep: it takes its time.
  EXPECT_LT(cache_distance(adjusted.tets, statics, 60), 2e-3 * kLength);
  EXPECT_LT(cache_distance(adjusted.tets, t.tets, 60), 2e-3 * kLength);
}

// Ripples finer than the tets: kept, and turned with flesh that hangs down from where the input has it.
TEST_F(Weights, detail_is_kept_and_turned_with_the_flesh) {
  const double height = 0.003;
  const PointMotion rippled = [&](const Vec3& x, int f) -> Vec3 {
    const double wave = std::sin(2 * M_PI * x[0] / 0.1 + 0.3 * f);  // two vertices a wave
    return x + Vec3(0, x[1] > kThick - 1e-6 ? height * wave : 0, 0);
  };
  put_cache("bar.pc2", bar_.vertices, 9, rippled);
  put_scene({.tets = "file = \"coarse.msh\"\n"});
  write_tet_mesh(path("coarse.msh"), make_box(5, 1, 1, Vec3(0.64, 0.14, 0.14), Vec3(-0.02, -0.01, -0.01)));
  const Taken t = take("run", {"surface.rest=weightless", "material.youngs_modulus=1.2e4", "timeline.start=settled",
                               "material.half_life_s=0.05"});
  const PointCache plain = reblend("run", "plain", {"enrich.detail=false"});
  // What the fit leaves over of the input is detail; what the run has beyond the plain one is the same, turned.
  const Taken still = take("still", {"enrich.softness=0"});
  const PointCache smooth = reblend("still", "smooth", {"enrich.detail=false"});
  EXPECT_LT(farthest(still.surface, given()), kExact);
  const std::vector<int> tip =
      vertices([](const Vec3& x) { return x[0] > 0.42 && x[0] < 0.58 && x[1] > kThick - 1e-6; });
  const int f = 8;
  // The tip as a whole has turned about z.
  const Points hung = plain.points(f), held = smooth.points(f);
  VecX from(3 * static_cast<Eigen::Index>(tip.size())), to = from;
  for (size_t i = 0; i < tip.size(); ++i) {
    from.segment<3>(3 * static_cast<Eigen::Index>(i)) = held[tip[i]];
    to.segment<3>(3 * static_cast<Eigen::Index>(i)) = hung[tip[i]];
  }
  const double angle = std::atan2(hung[tip.back()][1] - hung[tip[0]][1], hung[tip.back()][0] - hung[tip[0]][0]);
  ASSERT_LT(angle, -0.25) << "it should hang down";
  const Mat3 turn = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
  double kept = 0, turned = 0, unturned = 0, lost = 0;
  for (int v : tip) {
    const Vec3 detail = given().points(f)[v] - held[v], now = t.surface.points(f)[v] - hung[v];
    kept += detail.squaredNorm();
    turned += (now - turn * detail).squaredNorm();
    unturned += (now - detail).squaredNorm();
    lost += now.squaredNorm();
  }
  EXPECT_GT(std::sqrt(kept / static_cast<double>(tip.size())), 0.3 * height);
  EXPECT_NEAR(std::sqrt(lost / kept), 1, 0.15);
  EXPECT_LT(turned, 0.05 * kept);
  EXPECT_GT(unturned, 2 * turned);
  // Without detail the ripples are gone: neighbors along the bar are on a smooth line.
  const auto ripple = [&](const PointCache& c) -> double {
    std::vector<Vec3> line;
    for (int v : tip)
      if (bar_.vertices[v][2] < 1e-6) line.push_back(c.points(f)[v]);
    double most = 0;
    for (size_t i = 1; i + 1 < line.size(); ++i)
      most = std::max(most, (line[i - 1] - 2 * line[i] + line[i + 1]).norm());
    return most;
  };
  EXPECT_GT(ripple(t.surface), height);
  EXPECT_LT(ripple(plain), 0.5 * ripple(t.surface));  // it is bent
}

TEST_F(Weights, interpolation_by_one_tet_follows_as_well) {
  const Taken smooth = take("smooth"), one = take("one", {"enrich.interpolation=barycentric"});
  EXPECT_LT(farthest(take("still", {"enrich.interpolation=barycentric", "enrich.softness=0"}).surface, given()),
            kExact);
  EXPECT_EQ(read(path("smooth/fit.pc2")), read(path("one/fit.pc2")));
  EXPECT_LT(farthest(smooth.surface, one.surface), 0.1 * farthest(smooth.surface, given()));
  EXPECT_GT(farthest(smooth.surface, one.surface), 0);
}

TEST_F(Weights, frequency_is_met) {
  // Pushed once, then held.
  put_cache("bar.pc2", bar_.vertices, 61, [](const Vec3& x, int f) -> Vec3 {
    const double t = std::clamp((f - 2) / 10.0, 0.0, 1.0);
    return x + Vec3(0, 0.01 * std::pow(std::sin(M_PI * t), 4), 0);
  });
  for (double wanted : {2.0, 3.5}) {
    const Taken t = take(fmt::format("f{}", wanted), {fmt::format("enrich.frequency_hz={}", wanted),
                                                      "timeline.substeps=8", "material.half_life_s=0.5"});
    EXPECT_NEAR(t.frequency_hz, wanted, 0.03 * wanted);
    std::vector<double> y;
    for (int f = 13; f < t.surface.n_samples; ++f) y.push_back(t.surface.points(f).back()[1]);
    const Ringdown ring = fit_ringdown(y, 1.0 / 24);
    ASSERT_TRUE(ring.found);
    EXPECT_NEAR(ring.frequency_hz, wanted, 0.06 * wanted);
    EXPECT_NEAR(ring.half_life_s, 0.5, 0.1);
  }
}

TEST_F(Weights, the_amplitude_dial_scales_the_motion) {
  // Without inertial forces it is in equilibrium all along.
  const Taken still = take("still", {"controls.amplitude=0"});
  EXPECT_LT(apart(still.tets, read_pc2(path("still/static.pc2"))), 1e-4 * kLength);
  const auto swing = [&](const char* amplitude) -> double {
    return apart(take(fmt::format("a{}", amplitude), {fmt::format("controls.amplitude={}", amplitude)}).tets,
                 still.tets);
  };
  const double one = swing("1");
  EXPECT_GT(one, 0.005 * kLength);
  EXPECT_NEAR(swing("0.5") / one, 0.5, 0.1);
  EXPECT_NEAR(swing("2") / one, 2, 0.4);
}

TEST_F(Weights, the_sag_dial_hangs_it) {
  const Taken one = take("one"), more = take("more", {"controls.sag=2"});
  const PointCache in = given();
  // The neutral shape is what hangs at sag 1: the first frame is the input; with more of it the tip is lower.
  EXPECT_LT(cache_distance(one.surface, in, 0), 2e-3 * kLength);
  EXPECT_GT(cache_distance(more.surface, in, 0), 0.01 * kLength);
  EXPECT_LT(more.surface.points(0).back()[1], in.points(0).back()[1] - 0.01 * kLength);
}

TEST_F(Weights, a_floor_under_soft_flesh_is_respected) {
  const auto lowest = [](const PointCache& c) -> double {
    double y = 1;
    for (int f = 0; f < c.n_samples; ++f)
      for (const Vec3& x : c.points(f))
        if (x[0] > 0.3) y = std::min(y, x[1]);
    return y;
  };
  const double floor = -0.015;  // the tets begin at -0.01
  ASSERT_LT(lowest(take("free").surface), floor - 0.015);
  put_scene({.enrich = fmt::format("fixed = \"root.txt\"\n[[contact.plane]]\npoint = [0, {}, 0]\n", floor)});
  const Taken t = take("floor");
  EXPECT_GT(lowest(t.surface), floor);
  EXPECT_LT(lowest(t.surface), floor + 0.005);  // it comes down on it
  EXPECT_LT(farthest(reblend("floor", "back", {"enrich.blend=0"}), given()), kExact);

  write_obj(path("table.obj"),
            boundary_surface(make_box(1, 1, 1, Vec3(0.5, 0.05, 0.4), Vec3(0.3, floor - 0.05, -0.15))));
  put_scene({.enrich = "fixed = \"root.txt\"\n[[contact.obstacle]]\nfile = \"table.obj\"\n"});
  const Taken on_table = take("table");
  EXPECT_GT(lowest(on_table.surface), floor);
  EXPECT_LT(lowest(on_table.surface), floor + 0.005);
}

}  // namespace
}  // namespace supple
