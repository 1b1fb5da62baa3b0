// The elephant's walk with what its rig leaves open filled in (figure 5), and its work-out by handles (figure 8).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/demos/examples/examples_curves.h"
#include "supple/demos/figures/curves_figure_bench.h"
#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/demos/gallery/toys.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/curves/handles.h"

namespace supple::demos {

using namespace pipeline::curves;

namespace {

constexpr double kHandleRadius = 0.05;  // [m] as drawn

Image walker(const std::vector<RenderMesh>& meshes, const Points& all, const Vec3& direction) {
  return render(meshes, fit_camera(bounding_box(all), direction, 0.95, false, 0.02), {.width = 290, .height = 305});
}

RenderMesh handles_at(const Points& places) {
  const TriMesh ball = make_ball(kHandleRadius, 4);
  RenderMesh m;
  m.color = {0.8, 0.03, 0.02};
  for (const Vec3& at : places) {
    const int first = static_cast<int>(m.vertices.size());
    for (const Vec3& x : ball.vertices) m.vertices.push_back(at + x);
    for (const Tri& t : ball.triangles) m.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  return m;
}

std::vector<double> misses(const CurvesTake& take, const std::vector<int>& points, const std::vector<Points>& targets) {
  std::vector<double> list;
  for (size_t k = 0; k < points.size(); ++k) {
    double sum = 0;
    for (size_t f = 0; f < targets.size(); ++f)
      sum += (take.found[f][static_cast<size_t>(points[k])] - targets[f][k]).squaredNorm();
    list.push_back(std::sqrt(sum / static_cast<double>(targets.size())));
  }
  return list;
}

}  // namespace

Figure figure_rigged_walk(FigureStage& stage) {
  Figure f{.number = 5, .title = "A walk, filled in"};
  const std::string directory = scene_directory(stage, "walk");
  write_text(directory + "/walk.toml", rig_elephant_example(directory, {.short_shot = stage.options().quick}));
  const CurvesTake take = take_curves(stage, "walk", directory + "/walk.toml");
  const int n = take.n_frames();
  const std::vector<int> frames = {n / 5, 2 * n / 5, 3 * n / 5, 4 * n / 5};
  const Vec3 views[] = {{-1, -0.1, -0.5}, {-0.5, 0.1, -1}, {-1, -0.1, 0.6}, {1, -0.1, -0.35}};
  std::vector<Image> keyed, found;
  for (size_t k = 0; k < frames.size(); ++k) {
    const auto at = static_cast<size_t>(frames[k]);
    const Points all = together({&take.keyed[at], &take.found[at]});
    keyed.push_back(walker({take.drawn(take.keyed[at])}, all, views[k]));
    found.push_back(walker({take.drawn(take.found[at])}, all, views[k]));
  }
  keyed.insert(keyed.end(), found.begin(), found.end());
  write_figure_picture(stage, f, "curves-walk.png", film_strip(keyed, static_cast<int>(frames.size())));
  PageTable table{.title = "What is filled in, layer by layer",
                  .note = "Motion: of the surface against what was keyed before, rms over all frames.",
                  .head = {"layer", "parameters", "Hz", "motion [mm]", "s a frame"},
                  .rows = {}};
  std::string list;
  for (const LayerResult& l : take.result.layers) {
    table.rows.push_back(
        {l.name, fmt::format("{}", l.n_parameters), fmt::format("{:.2g}", l.numbers.adjusted.frequency_hz),
         fmt::format("{:.1f}", 1e3 * l.departure_rms_m), fmt::format("{:.3f}", l.totals.seconds_a_frame())});
    list += fmt::format("{}{} {:.0f} mm", list.empty() ? "" : ", ", l.name, 1e3 * l.departure_rms_m);
  }
  f.tables.push_back(table);
  f.caption = fmt::format(
      "Above: the clip as keyed, at frames {}. Below: what is reddish is filled in by physics, one part after the "
      "other "
      "({}).",
      fmt::join(frames, ", "), list);
  return f;
}

WorkoutPulls measure_workout(const FigureStage& stage) {
  const std::string directory = scene_directory(stage, "workout"), scene = directory + "/workout.toml";
  write_text(scene, rig_workout_example(directory, {.short_shot = stage.options().quick}));
  WorkoutPulls out;
  out.moving = take_curves(stage, "work-out", scene);
  out.posed = take_curves(stage, "work-out, posed", directory + "/static.toml");
  const CurvesSetup& setup = *out.moving.setup;
  const CurvesHandles handles = read_handles(setup.config, setup.rig, keyed_with(setup.rig.rig, setup.keys));
  out.points = handles.points;
  for (const CurveHandleConfig& h : setup.config.curve_handles) out.names.push_back(h.name);
  for (double t : out.moving.seconds()) {
    const VecX x = handles.targets(t);
    Points places;
    for (Eigen::Index i = 0; i < x.size(); i += 3) places.push_back(x.segment<3>(i));
    for (size_t k = 0; k < places.size() && !out.targets.empty(); ++k)
      out.travel = std::max(out.travel, (places[k] - out.targets.front()[k]).norm());
    out.targets.push_back(std::move(places));
  }
  out.moving_miss = misses(out.moving, out.points, out.targets);
  out.posed_miss = misses(out.posed, out.points, out.targets);
  return out;
}

Figure figure_workout(FigureStage& stage) {
  Figure f{.number = 8, .title = "A work-out by handles"};
  const WorkoutPulls w = measure_workout(stage);
  const int n = w.moving.n_frames();
  std::vector<int> frames = {0, n / 8, 55 * n / 96, 2 * n / 3, 79 * n / 96};
  std::vector<Image> strip;
  for (const CurvesTake* take : {&w.posed, &w.moving})
    for (int frame : frames) {
      const auto at = static_cast<size_t>(frame);
      const Points all = together({&w.posed.found[at], &w.moving.found[at], &w.targets[at], &w.targets[0]});
      const RenderMesh handles = handles_at(w.targets[at]);
      RenderMesh body = take->drawn(take->found[at]);
      body.colors.clear();
      body.color = {0.42, 0.43, 0.46};
      strip.push_back(walker({body, handles}, all, {-0.8, -0.12, -1}));
    }
  write_figure_picture(stage, f, "curves-workout.png", film_strip(strip, static_cast<int>(frames.size())));
  PageTable table{.title = "How near the handles are to where they are pulled",
                  .note = "rms over the shot.",
                  .head = {"handle", "posed [mm]", "with inertia [mm]"},
                  .rows = {}};
  for (size_t k = 0; k < w.names.size(); ++k)
    table.rows.push_back(
        {w.names[k], fmt::format("{:.1f}", 1e3 * w.posed_miss[k]), fmt::format("{:.1f}", 1e3 * w.moving_miss[k])});
  f.tables.push_back(table);
  f.caption = fmt::format(
      "Frames {}: an elephant that is pulled by eight handles (red: where they are to be), all {} parameters free; "
      "above "
      "posed, every frame in equilibrium, below with inertia. The trunk's handle goes {:.2f} m away.",
      fmt::join(frames, ", "), w.moving.layer().n_parameters, w.travel);
  return f;
}

}  // namespace supple::demos
