// Figures 6 and 9: the jellyfish, spun.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/demos/figures/figure_bench.h"

namespace supple::demos {

using namespace pipeline;

namespace {

constexpr int kTentacles = 8;

// Root and tip of each tentacle, as vertices of the tets.
struct Tentacle {
  int root = -1, tip = -1;
};
std::vector<Tentacle> tentacles_of(const TetMesh& mesh) {
  const auto name = std::find(mesh.region_names.begin(), mesh.region_names.end(), "tentacles");
  const int region = static_cast<int>(name - mesh.region_names.begin());
  std::vector<Tentacle> list(kTentacles);
  for (int t = 0; t < mesh.n_tets(); ++t) {
    if (mesh.tet_region[static_cast<size_t>(t)] != region) continue;
    for (int v : mesh.tets[static_cast<size_t>(t)]) {
      const Vec3& x = mesh.vertices[static_cast<size_t>(v)];
      const double turn = std::atan2(x.z(), x.x()) / (2 * std::numbers::pi) * kTentacles;
      Tentacle& mine = list[static_cast<size_t>((static_cast<int>(std::lround(turn)) + kTentacles) % kTentacles)];
      const auto height = [&](int i) { return mesh.vertices[static_cast<size_t>(i)].y(); };
      if (mine.root < 0 || height(v) > height(mine.root)) mine.root = v;
      if (mine.tip < 0 || height(v) < height(mine.tip)) mine.tip = v;
    }
  }
  std::erase_if(list, [](const Tentacle& t) { return t.root < 0 || t.root == t.tip; });
  return list;
}

// Mean angle of the tentacles from straight down [deg].
double tentacle_angle(const Job& job, const VecX& u) {
  const TetMesh& mesh = job.body->model->mesh();
  double sum = 0;
  const std::vector<Tentacle> list = tentacles_of(mesh);
  for (const Tentacle& t : list) {
    const auto at = [&](int v) -> Vec3 { return mesh.vertices[static_cast<size_t>(v)] + u.segment<3>(3 * v); };
    const Vec3 d = at(t.tip) - at(t.root);
    sum += std::atan2(std::hypot(d.x(), d.z()), -d.y());
  }
  return sum / static_cast<double>(std::max<size_t>(1, list.size())) * 180 / std::numbers::pi;
}

int lowest_tip(const Job& job) {
  const TetMesh& mesh = job.body->model->mesh();
  int best = 0;
  for (const Tentacle& t : tentacles_of(mesh))
    if (mesh.vertices[static_cast<size_t>(t.tip)].y() < mesh.vertices[static_cast<size_t>(best)].y()) best = t.tip;
  return best;
}

PlotLine rms_line(const FigureTake& take, const std::string& label) {
  PlotLine line{.label = label, .x = take.time, .y = take.rms};
  for (double& y : line.y) y *= 1e3;
  return line;
}

}  // namespace

Figure figure_6(FigureStage& stage) {
  Figure f{.number = 6, .title = "Scaling inertial forces"};
  FigureScene& scene = stage.short_jellyfish();
  const int last = scene.job().shot.n_frames() - 1;
  scene.follow(lowest_tip(scene.job()), Vec3::UnitY());
  const FigureTake plain = scene.take({}, {0, last}), twice = scene.take({.epsilon = 2}, {last});
  const VecX rest = VecX::Zero(plain.frames.at(0).size());
  Points all;
  for (const VecX* u : {&plain.frames.at(last), &twice.frames.at(last)}) {
    const Points points = scene.job().drawing()->displaced(*u);
    all.insert(all.end(), points.begin(), points.end());
  }
  constexpr int width = 560, height = 420;
  const Camera camera = fit_camera(bounding_box(all), {-0.2, -0.12, -1}, 4.0 / 3, false, 0.02);
  std::vector<Image> pictures;
  for (const VecX* u : {&plain.frames.at(last), &twice.frames.at(last)})
    pictures.push_back(render({solid_at(scene.job(), *u)}, camera, {.width = width, .height = height}));
  write_figure_picture(stage, f, "figure6.png", film_strip(pictures));

  PageTable table{
      .title = "Measured in the last frame",
      .note = "Angle: from each tentacle's root to its tip, against straight down; mean of eight.",
      .head = {"", "tentacles' angle", "opened by", "displacement of a tip [mm]", "rms [mm]", "Eq. 5 ratio"},
      .rows = {{"at rest", fmt::format("{:.1f} deg", tentacle_angle(scene.job(), rest)), "", "", "", ""}}};
  const double before = tentacle_angle(scene.job(), rest);
  for (const FigureTake* t : {&plain, &twice}) {
    const double angle = tentacle_angle(scene.job(), t->frames.at(last));
    table.rows.push_back({t == &plain ? "epsilon 1" : "epsilon 2", fmt::format("{:.1f} deg", angle),
                          fmt::format("{:.1f} deg", angle - before), number(1e3 * t->length.back()),
                          number(1e3 * t->rms.back()), number(t->motion.amplitude / plain.motion.amplitude)});
  }
  Columns csv;
  csv.add("time_s", plain.time);
  csv.add("tip_m[epsilon=1]", plain.length), csv.add("rms_m[epsilon=1]", plain.rms);
  csv.add("tip_m[epsilon=2]", twice.length), csv.add("rms_m[epsilon=2]", twice.rms);
  write_figure_csv(stage, f, "figure6.csv", csv);
  f.tables.push_back(table);
  f.caption =
      "Jellyfish (StVK) whose core spins about the upright axis, once round in 1.3 s. Left: epsilon 1. Right: epsilon "
      "2: tentacles and bell open further.";
  return f;
}

Figure figure_9(FigureStage& stage) {
  Figure f{.number = 9, .title = "Frequency and inertial amplitude, nonlinear"};
  FigureScene& scene = stage.short_jellyfish();
  scene.job().config.controls.motion = "sustained";
  scene.follow(lowest_tip(scene.job()), Vec3::UnitY());
  SceneExperiment& e = scene.experiment();
  const FigureTake base = scene.take({});
  const Ring base_ring = e.ring({}, base.motion.rms_m / 10);
  Columns csv;
  PageTable table{.title = "Prescribed and measured, as ratios to the original",
                  .note = "Frequency of a small ring-down; amplitude as Eq. 5 over the shot.",
                  .head = {"", "frequency prescribed", "measured", "epsilon", "amplitude prescribed", "measured"},
                  .rows = {}};
  std::vector<Plot> plots;
  const auto panel = [&](const std::string& title) {
    plots.push_back({.title = title,
                     .x_label = "time [s]",
                     .y_label = "rms displacement [mm]",
                     .y_from_zero = true,
                     .height = 240});
  };
  const auto add = [&](const std::string& label, const Scalings& s, double frequency, double amplitude) {
    const FigureTake t = scene.take(s);
    const double got = t.motion.amplitude / base.motion.amplitude;
    plots.back().lines.push_back(rms_line(t, fmt::format("{}: amplitude x {:.2f}", label, got)));
    const std::string panel_name(1, static_cast<char>('a' + static_cast<int>(plots.size()) - 1));
    csv.add(fmt::format("time_s[{} {}]", panel_name, label), t.time);
    csv.add(fmt::format("rms_m[{} {}]", panel_name, label), t.rms);
    csv.add(fmt::format("tip_m[{} {}]", panel_name, label), t.length);
    const double f_got = e.ring(s, base.motion.rms_m / 10).frequency_hz / base_ring.frequency_hz;
    table.rows.push_back({fmt::format("({}) {}", panel_name, label), number(frequency), number(f_got),
                          number(s.epsilon), amplitude > 0 ? number(amplitude) : "none", number(got)});
  };
  panel("Figure 9 (a): epsilon alone");
  for (double epsilon : {0.5, 1.0, 2.0}) add(fmt::format("epsilon {:g}", epsilon), {.epsilon = epsilon}, 1, 0);
  panel("Figure 9 (b): frequency alone");
  Scalings slow = scene.formula({.frequency = 0.5});
  slow.epsilon = 1;
  add("original", {}, 1, 1);
  add("half the frequency", slow, 0.5, 0);
  panel("Figure 9 (c): frequency, and epsilon so that the amplitude is back");
  stage.note("figure9: tuning");
  const TuneResult r = tune(e, {.frequency = 0.5}, {.start = AmplitudeStart::sustained, .baseline = base.motion});
  add("original", {}, 1, 1);
  add("half the frequency", r.scalings, 0.5, 1);
  write_figure_plots(stage, f, "figure9.svg", plots, 1);
  write_figure_csv(stage, f, "figure9.csv", csv);
  f.tables.push_back(table);
  f.caption = fmt::format(
      "Jellyfish (StVK), core spun up to a constant rate within 1 s. (a) epsilon alone; the frequency stays. (b) Half "
      "the frequency: the amplitude grows. (c) Half the frequency with epsilon {:.3g}, found by tuning in {} whole "
      "motions: the amplitude is back.",
      r.scalings.epsilon, r.full_runs);
  return f;
}

}  // namespace supple::demos
