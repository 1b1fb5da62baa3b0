// Dials of a scene against what the body then does.
#include "supple/pipeline/setup/adjusted_body.h"

#include <fmt/format.h>

#include <cmath>

#include "supple/io/index_list.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/job/job.h"
#include "supple/scene/read_scene.h"
#include "supple/sim/ringdown.h"
#include "tests/scene/scene_files.h"
#include "tests/support/beam.h"

namespace supple {

using namespace pipeline;
namespace {

class Adjust : public SceneFiles {
 protected:
  void SetUp() override {
    SceneFiles::SetUp();
    // A bar held at its left end, its right half a region, with a map painted from 0 to 1 along it.
    mesh_ = make_box(6, 2, 2, {0.6, 0.12, 0.1});
    mesh_.region_names = {"root", "tip"};
    for (const Tet& t : mesh_.tets) {
      double x = 0;
      for (int v : t) x += mesh_.vertices[v][0] / 4;
      mesh_.tet_region.push_back(x > 0.3);
    }
    for (const Vec3& x : mesh_.vertices) mesh_.vertex_maps["ramp"].push_back(x[0] / 0.6);
    write_tet_mesh(path("bar.msh"), mesh_);
    write_index_list(path("root.txt"), test::vertices_where(mesh_, [](const Vec3& x) { return x[0] < 1e-9; }));
    // Two bars apart, of different length.
    TetMesh two = make_box(4, 2, 2, {0.25, 0.1, 0.1});
    const TetMesh other = make_box(6, 2, 2, {0.5, 0.1, 0.1}, {0, 1, 0});
    const int shift = two.n_vertices();
    two.tet_region.assign(two.tets.size(), 0);
    two.region_names = {"short", "long"};
    two.vertices.insert(two.vertices.end(), other.vertices.begin(), other.vertices.end());
    for (Tet t : other.tets) {
      for (int& v : t) v += shift;
      two.tets.push_back(t), two.tet_region.push_back(1);
    }
    write_tet_mesh(path("two.msh"), two);
    write_index_list(path("two.txt"), test::vertices_where(two, [](const Vec3& x) { return x[0] < 1e-9; }));
  }
  Job job(const std::string& more, const std::vector<std::string>& set = {}) const { return job_of("bar", more, set); }
  Job two_bars(const std::string& more) const { return job_of("two", more, {"attach.vertices=" + path("two.txt")}); }
  Job job_of(const std::string& name, const std::string& more, const std::vector<std::string>& set) const {
    return build_job(load_scene(write(name + ".toml", "[tets]\nfile = \"" + name + ".msh\"\n" + R"([attach]
vertices = "root.txt"
[material]
model = "linear"
youngs_modulus = 4e5
)" + more),
                                set));
  }
  std::string fault(const std::string& more) const {
    try {
      job(more);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }
  static double first(const Job& j) { return natural_modes(*j.body->model, 1).frequencies_hz[0]; }
  static bool warned(const Job& j, const std::string& text) {
    for (const std::string& w : j.notes.warnings)
      if (w.find(text) != std::string::npos) return true;
    return false;
  }
  // The model let go in its first mode, read off its motion.
  static Ringdown ring(const Job& j) {
    const Modes modes = natural_modes(*j.body->model, 1);
    const VecX shape = modes.shapes.col(0), mass_shape = j.body->model->mass()->multiply(shape);
    Drive still = rest_drive(*j.body->model);
    StepperOptions options = j.stepper_options();
    options.tolerance = 1e-10;
    ModelSpec weightless = j.body->model->spec();
    weightless.gravity.setZero();
    const Model model(weightless);
    Stepper stepper(model, still, options);
    State s = stepper.start(0, 1e-2 * shape, VecX::Zero(shape.size()));
    std::vector<double> y;
    const int steps = static_cast<int>(4 / (modes.frequencies_hz[0] * j.body->step()));
    for (int i = 0; i < steps; ++i) {
      y.push_back(mass_shape.dot(s.u));
      stepper.step(s, j.body->step());
    }
    return fit_ringdown(y, j.body->step());
  }

  TetMesh mesh_;
};

TEST_F(Adjust, nothing_asked_nothing_changed) {
  const Job plain = job("");
  const Job ones = job(R"([controls]
frequency = 1
amplitude = 1.0
sag = 1
half_life = 1
motion = "sustained"
frequency_keys = [[0, 1], [20, 1]]
)");
  for (const Job* j : {&plain, &ones}) {
    EXPECT_TRUE(j->body->adjustment.plain_inertia());
    EXPECT_EQ(j->body->adjustment.epsilon.size(), 0);
    EXPECT_FALSE(j->body->adjustment.keyed());
    EXPECT_EQ(j->body->model->spec().gravity_scale.size(), 0);
    EXPECT_EQ(j->body->model->spec().gravity, Vec3(0, -9.81, 0));
    EXPECT_EQ(j->body->scalings.chi, 1);
    EXPECT_EQ(j->body->scalings.mu, 1);
    EXPECT_EQ(j->body->scalings.ck, 1);
    EXPECT_EQ(j->body->scalings.epsilon, 1);
    EXPECT_EQ(j->body->baseline.frequency_hz, j->body->adjusted.frequency_hz);
    EXPECT_EQ(j->body->baseline.sag_m, j->body->adjusted.sag_m);
    EXPECT_EQ(j->body->baseline.half_life_s, j->body->adjusted.half_life_s);
    EXPECT_EQ(j->body->frequency_hz, first(*j));
    ASSERT_EQ(j->body->parts.size(), 1u);
    for (size_t t = 0; t < mesh_.tets.size(); ++t) {
      EXPECT_EQ(j->body->model->spec().per_tet[t].youngs_modulus, 4e5);
      EXPECT_EQ(j->body->model->spec().per_tet[t].stiffness_damping, plain.body->stiffness_damping);
    }
  }
  EXPECT_GT(plain.body->stiffness_damping, 0);
  EXPECT_NEAR(plain.body->adjusted.half_life_s, 0.2, 1e-10);
}

TEST_F(Adjust, the_linear_bar_does_what_is_asked) {
  const Job plain = job("");
  const Job asked = job("[controls]\nfrequency = 0.6\nsag = 2.5\nhalf_life = 1.5\namplitude = 3\n");
  EXPECT_NEAR(first(asked), 0.6 * first(plain), 1e-9 * first(plain));
  EXPECT_NEAR(gravity_sag(*asked.body->model).sag_m, 2.5 * gravity_sag(*plain.body->model).sag_m, 1e-6);
  EXPECT_NEAR(asked.body->adjusted.frequency_hz, first(asked), 1e-9 * first(plain));
  EXPECT_NEAR(asked.body->adjusted.sag_m, gravity_sag(*asked.body->model).sag_m, 1e-6);
  EXPECT_NEAR(asked.body->baseline.sag_m, plain.body->baseline.sag_m, 1e-12);
  EXPECT_NEAR(asked.body->adjusted.half_life_s, 0.3, 1e-9);
  EXPECT_NEAR(ring(asked).half_life_s, 0.3, 1e-4);
  EXPECT_NEAR(ring(plain).half_life_s, 0.2, 1e-4);
  EXPECT_NEAR(asked.body->scalings.chi, 0.6, 1e-15);
  EXPECT_NEAR(asked.body->scalings.mu, 0.36 * 2.5, 1e-15);
  EXPECT_NEAR(asked.body->scalings.epsilon, 1.8, 1e-15);
  // c_k by Eq. 28, but for the share of the integrator.
  EXPECT_NEAR(asked.body->scalings.ck, 1 / (0.36 * 1.5), 0.02);
  EXPECT_EQ(asked.body->adjustment.epsilon, VecX::Constant(mesh_.n_vertices(), asked.body->scalings.epsilon));
  EXPECT_NEAR(job("[controls]\nfrequency = 0.6\nmotion = \"sustained\"\n").body->scalings.epsilon, 0.36, 1e-15);
}

TEST_F(Adjust, backward_euler_is_reckoned_with) {
  const std::string fine = "[solver]\nintegrator = \"backward-euler\"\n[timeline]\nsubsteps = 40\n";
  const Job good = job(fine + "[controls]\nhalf_life_s = 0.25\nfrequency_hz = 2\n");
  EXPECT_NEAR(first(good), 2, 1e-8);
  EXPECT_NEAR(ring(good).half_life_s, 0.25, 1e-4);
  EXPECT_FALSE(warned(good, "half-life"));
  const Job bad =
      job("[solver]\nintegrator = \"backward-euler\"\n[timeline]\nsubsteps = 2\n[controls]\nhalf_life_s = 2\n");
  EXPECT_EQ(bad.body->stiffness_damping, 0);
  EXPECT_LT(bad.body->adjusted.half_life_s, 1);
  ASSERT_TRUE(warned(bad, "a half-life of 2 s was asked for"));
  // The advice holds.
  const std::string& text = bad.notes.warnings.back();
  const size_t at = text.find("timeline.substeps = ");
  ASSERT_NE(at, std::string::npos) << text;
  const std::string n = text.substr(at + 20, text.find(' ', at + 20) - at - 20);
  const Job cured =
      job("[solver]\nintegrator = \"backward-euler\"\n[timeline]\nsubsteps = " + n + "\n[controls]\nhalf_life_s = 2\n");
  EXPECT_NEAR(cured.body->adjusted.half_life_s, 2, 1e-6);
}

TEST_F(Adjust, absolute_targets) {
  const Job j = job("[controls]\nfrequency_hz = 5\nsag_m = 0.01\nhalf_life_s = 0.4\n");
  EXPECT_NEAR(first(j), 5, 1e-8);
  EXPECT_NEAR(gravity_sag(*j.body->model).sag_m, 0.01, 1e-8);
  EXPECT_NEAR(j.body->adjusted.half_life_s, 0.4, 1e-9);
  EXPECT_NEAR(j.body->parts[0].asked.frequency, 5 / j.body->baseline.frequency_hz, 1e-12);
  EXPECT_NEAR(j.body->parts[0].asked.half_life, 2, 1e-9);
}

TEST_F(Adjust, damping_given_directly) {
  const Job plain = job("stiffness_damping = 0.02\n");
  EXPECT_EQ(plain.body->stiffness_damping, 0.02);
  const Job j = job("stiffness_damping = 0.02\n[controls]\nfrequency = 2\nhalf_life = 0.5\n");
  EXPECT_EQ(j.body->base.per_tet[0].stiffness_damping, 0.02);
  EXPECT_NEAR(j.body->adjusted.half_life_s, 0.5 * j.body->baseline.half_life_s, 1e-9);
  EXPECT_NEAR(ring(j).half_life_s, j.body->adjusted.half_life_s, 1e-3 * j.body->adjusted.half_life_s);
  EXPECT_TRUE(warned(job("stiffness_damping = 0.0\n[controls]\nhalf_life = 2\n"), "nothing to act on"));
  const Job target = job("stiffness_damping = 0.0\n[controls]\nhalf_life_s = 0.3\n");
  EXPECT_NEAR(ring(target).half_life_s, 0.3, 1e-4);
}

// chi = s, mu = s^2, c_k = 1/s on steps h/s: the baseline, sample by sample.
TEST_F(Adjust, raw_scalings_are_another_clock) {
  for (const char* damping : {"half_life_s = 0.5\n", "stiffness_damping = 0.02\n"}) {
    const Job base = job(std::string(damping) + "[timeline]\nfps = 30\nsubsteps = 4\n");
    const Job raw = job(std::string(damping) + "[timeline]\nfps = 90\nsubsteps = 4\n[expert]\nchi = 3\nmu = 9\nck = " +
                        fmt::format("{}\n", 1.0 / 3));
    EXPECT_NEAR(raw.body->stiffness_damping, base.body->stiffness_damping / 3, 1e-11);
    EXPECT_TRUE(raw.body->adjustment.plain_inertia());
    const VecX zero = VecX::Zero(3 * mesh_.n_vertices());
    Stepper a(*base.body->model, rest_drive(*base.body->model), base.stepper_options());
    Stepper b(*raw.body->model, rest_drive(*raw.body->model), raw.stepper_options());
    State x = a.start(0, zero, zero), y = b.start(0, zero, zero);
    for (int i = 0; i < 50; ++i) {
      a.step(x, base.body->step());
      b.step(y, raw.body->step());
    }
    EXPECT_GT(x.u.cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_LT((x.u - y.u).cwiseAbs().maxCoeff(), 1e-9 * x.u.cwiseAbs().maxCoeff()) << damping;
  }
}

TEST_F(Adjust, raw_scenes_take_numbers_as_they_are) {
  const Job base = job("stiffness_damping = 0.02\n");
  const Job j = job("stiffness_damping = 0.02\n[expert]\nchi = 1.5\nck = 0.25\ninertia_scale = 0.5\n");
  EXPECT_EQ(j.body->model->spec().per_tet[3].youngs_modulus, 4e5 * 2.25);
  EXPECT_EQ(j.body->model->spec().per_tet[3].stiffness_damping, 0.02 * 0.25);
  EXPECT_EQ(j.body->model->spec().gravity, Vec3(0, -9.81, 0));
  EXPECT_EQ(j.body->adjustment.epsilon, VecX::Constant(mesh_.n_vertices(), 0.5));
  EXPECT_NEAR(j.body->frequency_hz, 1.5 * base.body->frequency_hz, 1e-12);
  std::vector<double> values;
  for (int v = 0; v < mesh_.n_vertices(); ++v) values.push_back(0.01 * v);
  write_scalar_list(path("eps.txt"), values);
  const Job mapped = job("[expert]\ninertia_scale = \"eps.txt\"\n");
  for (int v = 0; v < mesh_.n_vertices(); ++v) EXPECT_EQ(mapped.body->adjustment.epsilon[v], values[v]);
  EXPECT_EQ(mapped.body->scalings.chi, 1);
  values.pop_back();
  write_scalar_list(path("eps.txt"), values);
  EXPECT_NE(fault("[expert]\ninertia_scale = \"eps.txt\"\n").find("the mesh has 63 vertices"), std::string::npos);
  // Also in scenes made in code.
  SceneConfig config = base.config;
  config.expert.chi = 2;
  config.regions.push_back({.name = "tip", .sag = 2});
  EXPECT_THROW(build_job(config), InputError);
}

TEST_F(Adjust, every_part_has_its_own_half_life) {
  const Job j = two_bars("half_life_s = 0.3\n");
  ASSERT_EQ(j.body->parts.size(), 2u);
  for (const PartNumbers& p : j.body->parts) EXPECT_NEAR(p.adjusted.half_life_s, 0.3, 1e-9) << p.name;
  EXPECT_GT(j.body->parts[0].baseline_damping, 3 * j.body->parts[1].baseline_damping);
  EXPECT_EQ(j.body->model->spec().per_tet.front().stiffness_damping, j.body->parts[1].baseline_damping);
  EXPECT_EQ(j.body->model->spec().per_tet.back().stiffness_damping, j.body->parts[0].baseline_damping);
  EXPECT_EQ(j.body->frequency_hz, j.body->parts[0].baseline.frequency_hz);
  EXPECT_EQ(j.body->stiffness_damping, j.body->parts[0].baseline_damping);
  // Steps for the faster one.
  EXPECT_EQ(j.body->substeps, static_cast<int>(std::ceil(30 * j.body->parts[1].baseline.frequency_hz / 24)));
  // A frequency of the body is one of every part.
  const Job same = two_bars("[controls]\nfrequency_hz = 3\n");
  for (const PartNumbers& p : same.body->parts) EXPECT_NEAR(p.adjusted.frequency_hz, 3, 1e-9);
  const Modes modes = natural_modes(*same.body->model, 3);
  EXPECT_NEAR(modes.frequencies_hz[0], 3, 1e-7);
  EXPECT_NEAR(modes.frequencies_hz[1], 3, 1e-7);
}

TEST_F(Adjust, regions_have_dials_of_their_own) {
  const Job j = two_bars(R"([controls]
frequency = 2
sag = 2
[[region]]
name = "short"
frequency_hz = 4
half_life_s = 0.6
sag = 1
[[region]]
name = "long"
amplitude = 0.5
)");
  ASSERT_EQ(j.body->parts.size(), 2u);
  const PartNumbers &longer = j.body->parts[0], &shorter = j.body->parts[1];
  EXPECT_EQ(longer.name, "long");
  EXPECT_EQ(longer.scalings.chi, 2);
  EXPECT_EQ(longer.scalings.mu, 8);
  EXPECT_EQ(longer.scalings.epsilon, 1);  // half of 2
  EXPECT_NEAR(longer.adjusted.half_life_s, 0.2, 1e-9);
  EXPECT_EQ(shorter.name, "short");
  EXPECT_NEAR(shorter.adjusted.frequency_hz, 4, 1e-12);
  EXPECT_NEAR(shorter.scalings.mu, std::pow(4 / shorter.baseline.frequency_hz, 2), 1e-12);
  EXPECT_NEAR(shorter.adjusted.half_life_s, 0.6, 1e-9);
  const Modes modes = natural_modes(*j.body->model, 4);
  EXPECT_NEAR(j.body->frequency_hz, modes.frequencies_hz[0], 1e-7);
  EXPECT_GT(j.body->model->spec().gravity_scale.size(), 0);
  EXPECT_TRUE(warned(job("[[region]]\nname = \"root\"\nsag = 2\n", {"attach.vertices=[" +
                                                                    [&] {
                                                                      std::string all;
                                                                      for (int v = 0; v < mesh_.n_vertices(); ++v)
                                                                        if (mesh_.vertices[v][0] < 0.41)
                                                                          all += (all.empty() ? "" : ",") +
                                                                                 std::to_string(v);
                                                                      return all;
                                                                    }() +
                                                                    "]"}),
                     "region 'root' has fewer than 4 free vertices"));
}

TEST_F(Adjust, a_border_between_regions_does_not_crease) {
  const Job j = job("[[region]]\nname = \"tip\"\namplitude = 0\n");
  ASSERT_EQ(j.body->parts.size(), 2u);
  const VecX& e = j.body->adjustment.epsilon;
  ASSERT_EQ(e.size(), mesh_.n_vertices());
  for (int v = 0; v < mesh_.n_vertices(); ++v) {
    const double x = mesh_.vertices[v][0];
    EXPECT_TRUE(e[v] >= 0 && e[v] <= 1);
    if (x < 1e-9 || x > 0.59) {
      EXPECT_EQ(e[v], x < 0.3 ? 1 : 0);
    }
  }
  double jump = 0;
  for (const auto& [a, b] : unique_edges(mesh_.tets)) jump = std::max(jump, std::abs(e[a] - e[b]));
  EXPECT_LT(jump, 0.45);
  EXPECT_GT(jump, 0.05);
  EXPECT_GT(j.body->scalings.epsilon, 0.3);
  EXPECT_LT(j.body->scalings.epsilon, 0.7);
}

TEST_F(Adjust, maps_multiply_the_dials) {
  const Job a = job("[controls]\namplitude = 3\namplitude_map = \"ramp\"\n");
  for (int v = 0; v < mesh_.n_vertices(); ++v)
    EXPECT_NEAR(a.body->adjustment.epsilon[v], 3 * mesh_.vertex_maps["ramp"][v], 1e-15);
  EXPECT_EQ(a.body->model->spec().per_tet[0].youngs_modulus, 4e5);

  std::vector<double> faster, slow;
  for (size_t v = 0; v < mesh_.vertices.size(); ++v) faster.push_back(1 + mesh_.vertices[v][0]);
  for (size_t t = 0; t < mesh_.tets.size(); ++t) slow.push_back(t % 2 == 0 ? 1 : 2);
  write_scalar_list(path("faster.txt"), faster);
  write_scalar_list(path("slow.txt"), slow);
  const Job plain = job("");
  const Job b =
      job("[controls]\nfrequency = 2\nfrequency_map = \"faster.txt\"\nhalf_life_map = \"slow.txt\"\n"
          "sag_map = \"ramp\"\n");
  for (size_t t = 0; t < mesh_.tets.size(); ++t) {
    double mean = 0;
    for (int v : mesh_.tets[t]) mean += faster[v] / 4;
    EXPECT_NEAR(b.body->model->spec().per_tet[t].youngs_modulus, 4e5 * 4 * mean * mean, 1e-6);
    EXPECT_NEAR(b.body->model->spec().per_tet[t].stiffness_damping * mean * mean * slow[t],
                b.body->model->spec().per_tet[0].stiffness_damping * std::pow(b.body->fields.chi[0] / 2, 2) * slow[0],
                1e-12);
  }
  ASSERT_EQ(b.body->model->spec().gravity_scale.size(), mesh_.n_vertices());
  for (int v = 0; v < mesh_.n_vertices(); ++v) {
    EXPECT_NEAR(b.body->model->spec().gravity_scale[v], 4 * faster[v] * faster[v] * mesh_.vertex_maps["ramp"][v],
                1e-12);
    EXPECT_NEAR(b.body->adjustment.epsilon[v], 2 * faster[v], 1e-12);
  }
  // The frequency of a body that is not scaled alike everywhere is solved for.
  EXPECT_NEAR(b.body->frequency_hz, first(b), 1e-9 * first(b));
  EXPECT_GT(b.body->frequency_hz, 2 * plain.body->frequency_hz);
}

TEST_F(Adjust, maps_that_do_not_fit) {
  write("short.txt", "1\n2\n3\n");
  EXPECT_NE(fault("[controls]\nsag_map = \"short.txt\"\n").find("has 3 values, the mesh has 63 vertices and 144 tets"),
            std::string::npos);
  EXPECT_NE(fault("[controls]\nsag_map = \"short.txt\"\n").find("bar.toml:9:11"), std::string::npos);
  EXPECT_NE(fault("[controls]\nfrequency_map = \"ramp\"\n").find("is not positive"), std::string::npos);
  EXPECT_NE(fault("[controls]\nsag_map = \"none.txt\"\n"), "accepted");
  std::string nan;
  for (int v = 0; v < mesh_.n_vertices(); ++v) nan += v == 7 ? "nan\n" : "1\n";
  write("nan.txt", nan);
  EXPECT_NE(fault("[controls]\nsag_map = \"nan.txt\"\n"), "accepted");
  EXPECT_NE(fault("[controls]\nsag_map = \"nan.txt\"\n").find("nan.txt"), std::string::npos);
}

TEST_F(Adjust, keys_over_the_shot) {
  write("amount.csv", "frame,factor\n0,1\n12, 0  # gone\n");
  const Job j =
      job("[timeline]\nfps = 12\n[controls]\nfrequency_keys = [[24, 1], [48, 2]]\namplitude_keys = "
          "\"amount.csv\"\n");
  EXPECT_EQ(j.body->adjustment.stiffness.at(2), 1);
  EXPECT_EQ(j.body->adjustment.stiffness.at(3), 2.5);
  EXPECT_EQ(j.body->adjustment.stiffness.at(4), 4);
  EXPECT_EQ(j.body->adjustment.inertia.at(0), 1);
  EXPECT_EQ(j.body->adjustment.inertia.at(1), 0);
  EXPECT_EQ(j.notes.inputs.size(), 4u);
  EXPECT_FALSE(warned(j, "frequency_keys"));
  // Steps for the fastest it gets.
  EXPECT_EQ(j.body->substeps, substeps_for(2 * j.body->frequency_hz, 12));
  EXPECT_TRUE(warned(job("[controls]\nfrequency_keys = [[10, 1], [11, 2]]\n"), "faster than the flesh swings"));
  for (const char* bad : {"", "0\n", "0,1,2\n", "5,1\n5,2\n", "0,-1\n", "0,nan\n", "frame,amount\n0,1\n", "a,b\n"}) {
    write("bad.csv", bad);
    EXPECT_NE(fault("[controls]\nsag_keys = \"bad.csv\"\n").find("bad.csv"), std::string::npos) << bad;
  }
  write("zero.csv", "0,0\n");
  EXPECT_NE(fault("[controls]\nfrequency_keys = \"zero.csv\"\n").find("above 0"), std::string::npos);
}

TEST_F(Adjust, dials_with_nothing_to_act_on) {
  EXPECT_TRUE(warned(job("[world]\ngravity = [0, 0, 0]\n[controls]\nsag = 2\n"), "nothing to sag: no gravity"));
  EXPECT_TRUE(warned(job("[world]\ngravity = [0, 0, 0]\n[controls]\nsag_m = 0.1\n"), "nothing to sag: no gravity"));
  EXPECT_FALSE(warned(job("[world]\ngravity = [0, 0, 0]\n[controls]\nfrequency = 2\n"), "nothing to sag"));
}

TEST_F(Adjust, springs_go_along) {
  const Job plain = job("", {"attach.stiffness=300"}),
            j = job("[controls]\nfrequency = 0.7\n", {"attach.stiffness=300"});
  EXPECT_NEAR(first(j), 0.7 * first(plain), 1e-8);
}

TEST_F(Adjust, steps_by_the_adjusted_frequency) {
  for (const double f : {0.5, 1.0, 4.0}) {
    const Job j = job(fmt::format("[controls]\nfrequency = {}\n", f));
    EXPECT_EQ(j.body->substeps,
              std::clamp(static_cast<int>(std::ceil(30 * f * j.body->baseline.frequency_hz / 24)), 1, 50));
  }
  EXPECT_EQ(job("[controls]\nfrequency = 100\n").body->substeps, 50);
  EXPECT_EQ(job("[timeline]\nsubsteps = 3\n[controls]\nfrequency = 100\n").body->substeps, 3);
}

// For tuning: the same job with other scalings is the scene with other dials.
TEST_F(Adjust, other_scalings_without_reading_again) {
  Job j = job("");
  const Job asked = job("[controls]\nfrequency = 2\nhalf_life = 0.5\namplitude = 3\nsag = 2\n");
  const Scalings loaded = j.body->scalings;
  const double damping = j.body->stiffness_damping;
  Scalings s = scalings_for(j.config, *j.body, {.frequency = 2, .amplitude = 3, .sag = 2, .half_life = 0.5});
  // The baselines are damped for different steps, so the factors differ a little; what comes out does not.
  EXPECT_NEAR(s.ck, asked.body->scalings.ck, 0.01);
  j = with_scalings(j, s);
  EXPECT_EQ(j.body->substeps, asked.body->substeps);
  // The half-life that damping is searched for is the root of a 3x3 matrix, known to the square root of rounding where
  // two of them nearly meet: frequencies one last bit apart give dampings that differ by 3e-11 of themselves.
  const double close = 1e-9 * asked.body->stiffness_damping;
  EXPECT_NEAR(j.body->stiffness_damping, asked.body->stiffness_damping, close);
  EXPECT_NEAR(j.body->frequency_hz, asked.body->frequency_hz, 1e-12);
  EXPECT_NEAR(j.body->adjusted.half_life_s, asked.body->adjusted.half_life_s, 1e-9);
  EXPECT_NEAR(j.body->adjusted.sag_m, asked.body->adjusted.sag_m, 1e-9);
  EXPECT_LT((j.body->model->gravity_force() - asked.body->model->gravity_force()).norm(), 1e-12);
  EXPECT_EQ(j.body->adjustment.epsilon, asked.body->adjustment.epsilon);
  for (size_t t = 0; t < mesh_.tets.size(); ++t) {
    EXPECT_EQ(j.body->model->spec().per_tet[t].youngs_modulus, asked.body->model->spec().per_tet[t].youngs_modulus);
    EXPECT_NEAR(j.body->model->spec().per_tet[t].stiffness_damping,
                asked.body->model->spec().per_tet[t].stiffness_damping, close);
  }
  // And back, bit for bit.
  j = with_scalings(j, loaded);
  EXPECT_EQ(j.body->stiffness_damping, damping);
  EXPECT_EQ(j.body->adjustment.epsilon.size(), 0);
  EXPECT_EQ(j.body->model->gravity_force(), job("").body->model->gravity_force());

  // Nothing has no shape: from 0 a dial comes up alike everywhere.
  Job none = job("[controls]\namplitude = 0\n");
  EXPECT_EQ(none.body->adjustment.epsilon, VecX::Zero(mesh_.n_vertices()));
  none = with_scalings(none, {.epsilon = 0.5});
  EXPECT_EQ(none.body->adjustment.epsilon, VecX::Constant(mesh_.n_vertices(), 0.5));
  EXPECT_EQ(none.body->parts[0].scalings.epsilon, 0.5);

  const Job bare = build_job(without_dials(asked.config));
  EXPECT_EQ(bare.body->scalings.mu, 1);
  EXPECT_TRUE(bare.body->adjustment.plain_inertia());
}

}  // namespace
}  // namespace supple
