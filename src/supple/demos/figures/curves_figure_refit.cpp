// Where a material that was fitted at rest is wrong: a control that moves the joint on which another acts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/demos/examples/examples_curves.h"
#include "supple/demos/figures/curves_figure_bench.h"
#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/io/output_file.h"
#include "supple/scene/read_scene.h"

namespace supple::demos {

using namespace pipeline::curves;

namespace {

constexpr double kAskedOfJoint = 10, kRefitBeyond = 0.05;

// A bar along x that is bent down by two joints: "left", at a fixed place, and "right", whose place another parameter,
// "slide", moves inwards. A rig in code, which offers no derivatives.
class SlidingJoint final : public RigMap {
 public:
  explicit SlidingJoint(Points rest) : rest_(std::move(rest)) {
    parameters_ = {
        {"left", Quantity::angle, 0, 0.1}, {"right", Quantity::angle, 0, 0.1}, {"slide", Quantity::factor, 0, 0.1}};
  }
  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return static_cast<int>(rest_.size()); }
  VecX evaluate(const VecX& p, double) const override {
    VecX s(3 * n_points());
    for (size_t i = 0; i < rest_.size(); ++i) {
      const Vec3& x = rest_[i];
      const bool right = x.x() > 0;
      const Vec3 y =
          bent_half(Vec3(std::abs(x.x()), x.y(), x.z()), right ? p[1] : p[0], right ? kOut - kWay * p[2] : kOut);
      s.segment<3>(3 * static_cast<Eigen::Index>(i)) = Vec3(right ? y.x() : -y.x(), y.y(), y.z());
    }
    return s;
  }

 private:
  static constexpr double kOut = 0.40, kWay = 0.35,
                          kLong = 0.30;  // [m] where a joint begins, its way inwards, its length

  // By an arc from x = from on, straight beyond it.
  static Vec3 bent_half(const Vec3& x, double angle, double from) {
    const double s = x.x() - from, along = std::clamp(s, 0.0, kLong), turn = angle * along / kLong;
    if (s <= 0) return x;
    const double half = turn / 2, chord = std::abs(half) > 1e-6 ? along * std::sin(half) / half : along;
    const Vec3 end(from + chord * std::cos(half), -chord * std::sin(half), 0);
    const Vec3 tangent(std::cos(turn), -std::sin(turn), 0), normal(std::sin(turn), std::cos(turn), 0);
    return end + (s - along) * tangent + x.y() * normal + Vec3(0, 0, x.z());
  }

  Points rest_;
  std::vector<RigParameter> parameters_;
};

FittedAnew::Way slid(const FigureStage& stage, const CurvesSetup& setup, FittedAnew& out) {
  stage.note(fmt::format("running sliding joint, refit {:g}", setup.config.curves.refit));
  CurvesLayer layer = make_layer(setup, 0, setup.keys);
  FittedAnew::Way way;
  way.fields.push_back(layer.body->spec().stiffness);
  Watch watch = stage.quiet();
  watch.progress = [&](std::string_view, int, int) { way.fields.push_back(layer.body->spec().stiffness); };
  const LayerResult result = run_layer(setup, layer, watch);
  way.refits = result.totals.refits;
  const std::unique_ptr<RigBody> plain = with_stiffness(layer, {}, setup.rig.rig);
  const KeyedParameters keyed = keyed_with(setup.rig.rig, setup.keys);
  for (size_t f = 0; f < way.fields.size(); ++f) {
    const double t = static_cast<double>(f) / setup.rig.time.fps;
    VecX p = keyed(t);
    for (size_t a = 0; a < result.free.size(); ++a)
      p[result.free[a]] = result.curves(static_cast<Eigen::Index>(f), static_cast<Eigen::Index>(a));
    way.misfit.push_back(material_misfit(*plain, layer.base_free, layer.stiffness, way.fields[f], p, t));
    way.felt.push_back(felt_stiffness(*plain, layer.base_free, way.fields[f], p, t)[1]);
    way.bend.push_back(p[1]);
    const VecX x = setup.rig.rig->evaluate(p, t);
    Points shape;
    for (Eigen::Index i = 0; i < x.size(); i += 3) shape.push_back(x.segment<3>(i));
    way.shapes.push_back(std::move(shape));
  }
  out.tets = result.tets;
  return way;
}

}  // namespace

FittedAnew measure_fitted_anew(const FigureStage& stage) {
  const std::string directory = scene_directory(stage, "bar"), scene = directory + "/alike.toml";
  write_text(scene, rig_bar_example(directory, {}));
  CurvesSetup setup = *set_up_curves(load_scene(scene));
  setup.rig.rig = setup.rig.still = std::make_shared<SlidingJoint>(setup.rig.rest);
  setup.rig.free = {{0, 1}};
  setup.config.curve_stiffness = {{.match = "right", .scale = kAskedOfJoint}};
  const int n = setup.rig.time.n_frames;
  VecX slide(n);
  for (int f = 0; f < n; ++f) {
    const double s = std::clamp((f - 0.1 * n) / (0.7 * n), 0.0, 1.0);
    slide[f] = s * s * (3 - 2 * s);
  }
  setup.keys = CurveSamples(setup.rig.time.fps, n, false);
  setup.keys.set(2, slide);
  FittedAnew out;
  out.asked = kAskedOfJoint;
  out.rest = setup.rig.rest, out.triangles = setup.rig.triangles;
  setup.config.curves.refit = 0;
  out.once = slid(stage, setup, out);
  setup.config.curves.refit = kRefitBeyond;
  out.anew = slid(stage, setup, out);
  return out;
}

Figure figure_fitted_anew(FigureStage& stage) {
  Figure f{.number = 10, .title = "A material fitted anew, away from rest"};
  const FittedAnew bar = measure_fitted_anew(stage);
  const size_t last = bar.once.shapes.size() - 1;
  std::vector<Image> rows;
  for (const auto& [way, frame] :
       {std::pair{&bar.once, size_t{0}}, std::pair{&bar.once, last}, std::pair{&bar.anew, last}}) {
    RenderMesh m;
    m.vertices = way->shapes[frame], m.triangles = bar.triangles;
    color_by_field(bar.rest, bar.tets, way->fields[frame], m);
    m.smooth = false, m.line_width = 0.6;
    const Camera camera{.eye = Vec3(0, -0.05, 5),
                        .target = Vec3(0, -0.05, 0),
                        .up = Vec3::UnitY(),
                        .perspective = false,
                        .fov_deg = 30,
                        .view_height = 0.66};
    rows.push_back(render({m}, camera, {.width = 560, .height = 210}));
  }
  write_figure_picture(stage, f, "curves-refit.png", film_strip(rows, 1));
  std::vector<double> frames;
  for (size_t k = 0; k <= last; ++k) frames.push_back(static_cast<double>(k));
  Plot misfit{.title = "Misfit",
              .x_label = "frame",
              .y_label = "relative",
              .lines = {},
              .marks = {},
              .y_from_zero = true,
              .width = 520,
              .height = 260};
  Plot felt{.title = fmt::format("Stiffness of the joint, {:g} asked", bar.asked),
            .x_label = "frame",
            .y_label = "factor",
            .lines = {},
            .marks = {},
            .y_from_zero = true,
            .width = 520,
            .height = 260};
  Columns csv;
  csv.add("frame", frames);
  PageTable table{.title = "The joint at the last frame",
                  .note = fmt::format("{:g} times the stiffness of equal tets is asked for.", bar.asked),
                  .head = {"material", "misfit", "stiffness", "bend [deg]", "fits"},
                  .rows = {}};
  for (const auto& [name, way] : {std::pair{"fitted at rest", &bar.once}, std::pair{"fitted anew", &bar.anew}}) {
    misfit.lines.push_back({.label = name, .x = frames, .y = way->misfit});
    felt.lines.push_back({.label = name, .x = frames, .y = way->felt});
    csv.add(fmt::format("misfit[{}]", name), way->misfit);
    csv.add(fmt::format("stiffness[{}]", name), way->felt);
    csv.add(fmt::format("bend_rad[{}]", name), way->bend);
    table.rows.push_back({name, fmt::format("{:.3f}", way->misfit.back()), fmt::format("{:.2f}", way->felt.back()),
                          fmt::format("{:.2f}", way->bend.back() * 180 / M_PI), fmt::format("{}", 1 + way->refits)});
  }
  write_figure_plots(stage, f, "curves-refit.svg", {misfit, felt}, 2);
  write_figure_csv(stage, f, "curves-refit.csv", csv);
  f.tables.push_back(table);
  f.caption = fmt::format(
      "A bar that hangs on its middle; a key slides its right joint inwards over the shot. Above: the first frame, "
      "with "
      "stiff tets (red) where the joint is. Middle: the last frame with the same tets, which miss what is asked by "
      "{:.0f} %: the joint is {:.1f} times as stiff as with equal tets instead of {:g} times. Below: with curves.refit "
      "= "
      "{:g}, {} fits on the way, {:.0f} % and {:.1f} times.",
      100 * bar.once.misfit.back(), bar.once.felt.back(), bar.asked, kRefitBeyond, bar.anew.refits,
      100 * bar.anew.misfit.back(), bar.anew.felt.back());
  return f;
}

}  // namespace supple::demos
