// Squash and stretch: a sphere that is keyed, that is keyed and scaled by physics, and that is thrown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/demos/examples/examples_curves.h"
#include "supple/demos/figures/curves_figure_bench.h"
#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/io/output_file.h"

namespace supple::demos {

using namespace pipeline::curves;

namespace {

constexpr int kSphereFrames[] = {0, 4, 8, 10, 13, 16, 19};

Image sphere_at(const CurvesTake& take, const Points& x, const Vec3& color) {
  RenderMesh m;
  m.vertices = x;
  m.triangles = take.setup->rig.triangles;
  m.color = color;
  double middle = 0;
  for (const Vec3& v : x) middle += v.x() / static_cast<double>(x.size());
  const Box box{Vec3(middle - 0.72, -0.1, -0.5), Vec3(middle + 0.72, 2.1, 0.5)};
  return render({m}, fit_camera(box, {0, -0.08, -1}, 0.66, false), {.width = 150, .height = 226, .ground = true});
}

}  // namespace

SphereTakes measure_sphere(const FigureStage& stage) {
  const std::string directory = scene_directory(stage, "sphere"), scene = directory + "/scaled.toml";
  write_text(scene, rig_sphere_example(directory, {.short_shot = stage.options().quick}));
  SphereTakes out;
  out.scaled = take_curves(stage, "scaled sphere", scene);
  out.passive = take_curves(stage, "thrown sphere", directory + "/passive.toml");
  const std::vector<double> keyed = out.scaled.curve("body.scale.y"), free = out.passive.curve("body.scale.y");
  out.lowest = *std::min_element(keyed.begin(), keyed.end());
  out.highest = *std::max_element(keyed.begin(), keyed.end());
  out.squashed = *std::min_element(free.begin(), free.end());
  for (const Points& frame : out.passive.found)
    for (const Vec3& x : frame) out.deepest = std::max(out.deepest, -x.y());
  return out;
}

Figure figure_rigged_sphere(FigureStage& stage) {
  Figure f{.number = 2, .title = "Squash and stretch of a sphere"};
  const SphereTakes s = measure_sphere(stage);
  std::vector<Image> strip;
  for (int k : kSphereFrames)
    strip.push_back(sphere_at(s.scaled, s.scaled.keyed[static_cast<size_t>(k)], {0.4, 0.4, 0.42}));
  for (int k : kSphereFrames)
    strip.push_back(sphere_at(s.scaled, s.scaled.found[static_cast<size_t>(k)], {0.62, 0.42, 0.18}));
  for (int k : kSphereFrames)
    strip.push_back(sphere_at(s.passive, s.passive.found[static_cast<size_t>(k)], {0.55, 0.2, 0.16}));
  write_figure_picture(stage, f, "curves-sphere.png", film_strip(strip, static_cast<int>(std::size(kSphereFrames))));

  Columns csv;
  csv.add("seconds", s.scaled.seconds());
  Plot scales{.title = "Vertical scale",
              .x_label = "time [s]",
              .y_label = "factor",
              .lines = {{.label = "keyed path", .x = s.scaled.seconds(), .y = s.scaled.curve("body.scale.y")},
                        {.label = "thrown", .x = s.passive.seconds(), .y = s.passive.curve("body.scale.y")}},
              .marks = {},
              .width = 560,
              .height = 260};
  Plot heights{.title = "Height",
               .x_label = "time [s]",
               .y_label = "translation.y [m]",
               .lines = {{.label = "keyed path", .x = s.scaled.seconds(), .y = s.scaled.curve("body.translation.y")},
                         {.label = "thrown", .x = s.passive.seconds(), .y = s.passive.curve("body.translation.y")}},
               .marks = {},
               .width = 560,
               .height = 260};
  for (const char* axis : {"x", "y", "z"}) {
    csv.add(fmt::format("keyed.scale.{}", axis), s.scaled.curve(fmt::format("body.scale.{}", axis)));
    csv.add(fmt::format("thrown.scale.{}", axis), s.passive.curve(fmt::format("body.scale.{}", axis)));
  }
  csv.add("keyed.height_m", s.scaled.curve("body.translation.y"));
  csv.add("thrown.height_m", s.passive.curve("body.translation.y"));
  write_figure_plots(stage, f, "curves-sphere.svg", {heights, scales}, 2);
  write_figure_csv(stage, f, "curves-sphere.csv", csv);
  f.caption = fmt::format(
      "Frames {} from left to right. Above: moved by keys alone. Middle: the same keys, its three scales by physics: "
      "it is squashed to {:.2f} of its height where the path turns at the ground and stretched to {:.2f}. Below: "
      "thrown, with scales and place by physics: the ground squashes it to {:.2f} and its surface is never more than "
      "{:.1f} mm below.",
      fmt::join(kSphereFrames, ", "), s.lowest, s.highest, s.squashed, 1e3 * s.deepest);
  return f;
}

}  // namespace supple::demos
