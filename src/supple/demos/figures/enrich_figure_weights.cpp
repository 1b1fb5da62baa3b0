// Softness from 0 to 1: an elephant walks, and its flesh goes its own way more and more.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/demos/examples/examples_enrich_animals.h"
#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/enriched/enriched.h"

namespace supple::demos {

namespace {

constexpr double kSoftness[] = {0, 0.25, 0.5, 0.75, 1};

}  // namespace

SoftnessSweep measure_softness(const FigureStage& stage) {
  const bool quick = stage.options().quick;
  const std::string directory = scene_directory(stage, "walk"), scene = directory + "/walk.toml";
  write_text(scene, walk_example(directory, {.short_shot = quick}));
  // As many runs as values: fewer tets than the example has, and the first strides.
  const std::vector<std::string> size = quick ? std::vector<std::string>{"tets.count=1200"}
                                              : std::vector<std::string>{"tets.count=6000", "timeline.range=[0,89]"};
  SoftnessSweep out;
  FittedAnimation fit;
  std::vector<std::vector<Points>> all;
  for (double s : kSoftness) {
    std::vector<std::string> overrides = size;
    overrides.push_back(fmt::format("enrich.softness={}", s));
    EnrichTake take =
        take_enriched(stage, fmt::format("walk-{:g}", s), scene, overrides, fit.frames.empty() ? nullptr : &fit);
    fit = take.subject->setup().fit;
    all.push_back(take.drawn());
    double sum = 0, largest = 0, largest_rms = 0;
    for (int f = 0; f < take.n_frames(); ++f) {
      const Points input = take.input(f), &x = all.back()[static_cast<size_t>(f)];
      const double rms = rms_distance(x, input);
      sum += rms * rms;
      for (size_t v = 0; v < x.size(); ++v) largest = std::max(largest, (x[v] - input[v]).norm());
      if (rms > largest_rms) largest_rms = rms, out.frame = f, out.input = input;
    }
    out.softness.push_back(s);
    out.rms.push_back(std::sqrt(sum / take.n_frames()));
    out.largest.push_back(largest);
    out.size = take.subject->setup().size();
    out.mesh = take.job.surface.mesh;
  }
  for (const std::vector<Points>& frames : all) out.shapes.push_back(frames[static_cast<size_t>(out.frame)]);
  return out;
}

Figure figure_weights(FigureStage& stage) {
  Figure f{.number = 6, .title = "From the input to physics, by softness"};
  const SoftnessSweep sweep = measure_softness(stage);
  Points everywhere;
  for (const Points& x : sweep.shapes) everywhere.insert(everywhere.end(), x.begin(), x.end());
  const Camera camera = fit_camera(bounding_box(everywhere), {-1, -0.12, -0.5}, 1.1, false, 0.02);
  RenderMesh net;
  net.vertices = sweep.input, net.triangles = sweep.mesh.triangles;
  net.fill = false, net.line_width = 0.3, net.line_color = {0.01, 0.03, 0.2};
  std::vector<Image> strip;
  for (const Points& x : sweep.shapes) {
    RenderMesh m;
    m.vertices = x, m.triangles = sweep.mesh.triangles;
    for (const Vec3& c : sweep.mesh.colors) m.colors.push_back(Vec3(0.36, 0.37, 0.40) + c[0] * Vec3(0.30, 0.10, -0.05));
    strip.push_back(render({m, net}, camera, {.width = 440, .height = 400}));
  }
  write_figure_picture(stage, f, "weights.png", film_strip(strip, 3));

  Columns csv;
  std::vector<double> rms, largest;
  PageTable table{.title = "Departure from the input",
                  .note = "Over all vertices and frames, as a share of the size of the elephant.",
                  .head = {"softness", "rms [%]", "largest [%]"},
                  .rows = {}};
  for (size_t k = 0; k < sweep.softness.size(); ++k) {
    rms.push_back(100 * sweep.rms[k] / sweep.size);
    largest.push_back(100 * sweep.largest[k] / sweep.size);
    table.rows.push_back({number(sweep.softness[k]), number(rms[k], 3), number(largest[k], 3)});
  }
  const Plot plot{.title = "Departure from the input",
                  .x_label = "softness",
                  .y_label = "rms [% of the size]",
                  .lines = {{.label = "rms", .x = sweep.softness, .y = rms, .draw = PlotDraw::both}},
                  .marks = {},
                  .y_from_zero = true,
                  .width = 520,
                  .height = 300};
  csv.add("softness", sweep.softness);
  csv.add("rms_percent", rms);
  csv.add("largest_percent", largest);
  write_figure_plots(stage, f, "weights.svg", {plot}, 1);
  write_figure_csv(stage, f, "weights.csv", csv);
  f.tables.push_back(table);
  f.caption = fmt::format(
      "The walking elephant at frame {}, its ears, trunk, belly, sides and tail (reddish) with softness 0, 0.25, 0.5, "
      "0.75 and 1; the input as a net. At 0 the result is the input; departure grows to {:.2f} % of its size (rms) at "
      "1.",
      sweep.frame, rms.back());
  return f;
}

}  // namespace supple::demos
