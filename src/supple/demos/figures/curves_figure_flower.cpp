// A flower that is shoved about: soft, stiff, and stiff with soft parts by the parameters of its rig.
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

// rms over the frames of how far the joints of a part are turned [rad].
double turned_rms(const CurvesTake& take, const std::string& part) {
  double sum = 0;
  int joints = 0;
  const LayerResult& layer = take.layer();
  for (size_t a = 0; a < layer.names.size(); ++a) {
    if (!layer.names[a].starts_with(part)) continue;
    sum += layer.curves.col(static_cast<Eigen::Index>(a)).squaredNorm() / static_cast<double>(layer.curves.rows());
    joints += layer.names[a].ends_with(".x");
  }
  return joints > 0 ? std::sqrt(sum / joints) : 0;
}

std::string in_degrees(double angle) { return fmt::format("{:.2f}", angle * 180 / M_PI); }

}  // namespace

std::vector<FlowerSwing> measure_flower(const FigureStage& stage) {
  const std::string directory = scene_directory(stage, "flower");
  write_text(directory + "/soft-parts.toml", rig_flower_example(directory, {.short_shot = stage.options().quick}));
  std::vector<FlowerSwing> out;
  for (const auto& [name, file] :
       {std::pair{"soft", "soft"}, std::pair{"stiff", "stiff"}, std::pair{"stiff, soft blossom", "soft-blossom"},
        std::pair{"stiff, soft blossom and leaves", "soft-parts"}}) {
    FlowerSwing swing{
        .name = name,
        .take = take_curves(stage, fmt::format("flower, {}", name), fmt::format("{}/{}.toml", directory, file))};
    swing.stem = turned_rms(swing.take, "stem");
    swing.blossom = turned_rms(swing.take, "blossom");
    swing.leaves = turned_rms(swing.take, "leaf_");
    out.push_back(std::move(swing));
  }
  return out;
}

Figure figure_rigged_flower(FigureStage& stage) {
  Figure f{.number = 6, .title = "A flower by the stiffness of its rig"};
  const std::vector<FlowerSwing> flowers = measure_flower(stage);
  const std::vector<int> frames = {flowers[3].take.busiest(), flowers[0].take.busiest()};
  std::vector<Image> strip;
  for (int frame : frames) {
    const auto at = static_cast<size_t>(frame);
    Points all;
    for (const FlowerSwing& s : flowers) all = together({&all, &s.take.found[at]});
    for (const FlowerSwing& s : flowers) {
      RenderMesh m = s.take.drawn(s.take.found[at]);
      color_by_field(s.take, m);
      RenderMesh net = m;
      net.vertices = s.take.keyed[at];
      net.colors.clear();
      net.fill = false, net.line_width = 0.3, net.line_color = {0.01, 0.03, 0.2};
      strip.push_back(render({m, net}, fit_camera(bounding_box(all), {-0.15, -0.1, -1}, 0.75, false, 0.02),
                             {.width = 240, .height = 320}));
    }
  }
  write_figure_picture(stage, f, "curves-flower.png", film_strip(strip, static_cast<int>(flowers.size())));
  PageTable table{.title = "How far joints are turned",
                  .note = "rms over the shot and the joints of a part.",
                  .head = {"material", "stem [deg]", "blossom [deg]", "leaves [deg]"},
                  .rows = {}};
  for (const FlowerSwing& s : flowers)
    table.rows.push_back({s.name, in_degrees(s.stem), in_degrees(s.blossom), in_degrees(s.leaves)});
  f.tables.push_back(table);
  f.caption = fmt::format(
      "A flower whose pot is shoved, at frames {} and {}, with what is keyed as a net: soft, stiff, stiff with a soft "
      "blossom, stiff with soft blossom and leaves. Blue: tets softer than those of the material, red: stiffer ones.",
      frames[0], frames[1]);
  return f;
}

}  // namespace supple::demos
