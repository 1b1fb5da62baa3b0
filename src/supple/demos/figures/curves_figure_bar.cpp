// Materials by rig parameters: a bar that hangs on its middle, and which of its shapes are stiffer.
#include <fmt/format.h>

#include <cmath>

#include "supple/demos/examples/examples_curves.h"
#include "supple/demos/figures/curves_figure_bench.h"
#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/io/output_file.h"

namespace supple::demos {

using namespace pipeline::curves;

namespace {

// The middle of the cross-section that is at x at rest.
Vec3 section_middle(const CurvesTake& take, const Points& shape, double x) {
  Vec3 sum = Vec3::Zero();
  double count = 0;
  const Points& rest = take.setup->rig.rest;
  for (size_t v = 0; v < rest.size(); ++v)
    if (std::abs(rest[v].x() - x) < 1e-6) sum += shape[v], count += 1;
  return sum / count;
}

BarSide side_of(const CurvesTake& take, const Points& shape, double sign) {
  const Vec3 a = section_middle(take, shape, 0), b = section_middle(take, shape, sign * 0.5),
             c = section_middle(take, shape, sign * 0.75);
  const auto down = [&](const Vec3& from, const Vec3& to) {
    return std::atan2(from.y() - to.y(), sign * (to.x() - from.x()));
  };
  return {.tip = a.y() - c.y(), .inner = down(a, b), .outer = down(b, c) - down(a, b)};
}

Image bar_picture(const std::vector<RenderMesh>& meshes, int width, int height, double wide) {
  const Camera camera{.eye = Vec3(0, 0.1, 5),
                      .target = Vec3(0, 0.1, 0),
                      .up = Vec3::UnitY(),
                      .perspective = false,
                      .fov_deg = 30,
                      .view_height = wide * height / width};
  return render(meshes, camera, {.width = width, .height = height});
}

std::string degrees(double angle) { return fmt::format("{:.2f}", angle * 180 / M_PI); }

}  // namespace

std::vector<BarBend> measure_bar(const FigureStage& stage) {
  // Always the whole shot, which is short: it has come to rest at its end.
  const std::string directory = scene_directory(stage, "bar");
  write_text(directory + "/alike.toml", rig_bar_example(directory, {}));
  std::vector<BarBend> out;
  for (const auto& [name, file] : {std::pair{"all alike", "alike"}, std::pair{"p3 and p4 ten times", "stiff-right"},
                                   std::pair{"p4 ten times", "stiff-end"}}) {
    BarBend bend{.name = name,
                 .left = {},
                 .right = {},
                 .take = take_curves(stage, fmt::format("bar, {}", name), fmt::format("{}/{}.toml", directory, file))};
    bend.left = side_of(bend.take, bend.take.found.back(), -1);
    bend.right = side_of(bend.take, bend.take.found.back(), 1);
    out.push_back(std::move(bend));
  }
  return out;
}

Figure figure_rigged_bar(FigureStage& stage) {
  Figure f{.number = 3, .title = "Stiffness of rig parameters on a bar"};
  const std::vector<BarBend> bars = measure_bar(stage);
  const CurvesTake& plain = bars[0].take;
  // Above: its four shapes.
  std::vector<Image> shapes;
  for (int k = 1; k <= 4; ++k) {
    VecX p = plain.setup->rig.rig->rest();
    const auto& all = plain.setup->rig.rig->parameters();
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].name == fmt::format("bend.p{}", k)) p[static_cast<Eigen::Index>(i)] = 1;
    const VecX x = plain.setup->rig.rig->evaluate(p, 0);
    RenderMesh m;
    for (Eigen::Index i = 0; i < x.size(); i += 3) m.vertices.push_back(x.segment<3>(i));
    m.triangles = plain.setup->rig.triangles;
    m.smooth = false, m.line_width = 0.5, m.color = {0.6, 0.55, 0.35};
    shapes.push_back(bar_picture({m}, 237, 120, 1.75));
  }
  std::vector<Image> rows = {film_strip(shapes)};
  PageTable table{.title = "The bar at the end of the shot",
                  .note =
                      "Below its middle, and bent from there to two thirds of the way (inner) and beyond (outer). "
                      "Parameters p1 to p4, and how stiff they are against equal tets, as asked and as fitted.",
                  .head = {"asked", "left end [mm]", "right end [mm]", "left inner, outer [deg]",
                           "right inner, outer [deg]", "p1, p2, p3, p4", "stiffness as fitted"},
                  .rows = {}};
  Columns csv;
  for (const BarBend& bar : bars) {
    RenderMesh m = bar.take.drawn(bar.take.found.back());
    color_by_field(bar.take, m);
    m.smooth = false, m.line_width = 0.6;
    rows.push_back(bar_picture({m}, 960, 300, 2.1));
    std::string values, fitted = "-";
    for (int k = 1; k <= 4; ++k)
      values += fmt::format("{}{:.3f}", k > 1 ? ", " : "", bar.take.curve(fmt::format("bend.p{}", k)).back());
    if (const auto& fit = bar.take.layer().fit) {
      fitted = "";
      for (double got : fit->got) fitted += fmt::format("{}{:.2f}", fitted.empty() ? "" : ", ", got);
      fitted += fmt::format(" (misfit {:.2f})", fit->misfit);
    }
    table.rows.push_back({bar.name, fmt::format("{:.1f}", 1e3 * bar.left.tip),
                          fmt::format("{:.1f}", 1e3 * bar.right.tip),
                          degrees(bar.left.inner) + ", " + degrees(bar.left.outer),
                          degrees(bar.right.inner) + ", " + degrees(bar.right.outer), values, fitted});
    for (int k = 1; k <= 4; ++k)
      csv.add(fmt::format("p{}[{}]", k, bar.name), bar.take.curve(fmt::format("bend.p{}", k)));
  }
  write_figure_picture(stage, f, "curves-bar.png", film_strip(rows, 1));
  write_figure_csv(stage, f, "curves-bar.csv", csv);
  f.tables.push_back(table);
  f.caption = fmt::format(
      "Above: the shapes p1 to p4, which bend the outermost parts (p1, p4) and whole halves (p2, p3). Below: the bar "
      "hangs on its middle; with equal stiffness its ends are {:.1f} and {:.1f} mm below it, with p3 and p4 ten times "
      "as stiff {:.1f} and {:.1f} mm, with p4 alone {:.1f} and {:.1f} mm. Red: stiffer tets, blue: softer ones. With "
      "p4 "
      "alone the outer part of the right half is bent {:.1f} times less than on the left and the inner part {:.1f} "
      "times as much, though p3 reaches both.",
      1e3 * bars[0].left.tip, 1e3 * bars[0].right.tip, 1e3 * bars[1].left.tip, 1e3 * bars[1].right.tip,
      1e3 * bars[2].left.tip, 1e3 * bars[2].right.tip, bars[2].left.outer / bars[2].right.outer,
      bars[2].right.inner / bars[2].left.inner);
  return f;
}

}  // namespace supple::demos
