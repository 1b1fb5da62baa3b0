// Figures 2, 4 and 8: the linear sunflower, bent.
#include <fmt/format.h>

#include <cmath>

#include "supple/demos/figures/figure_bench.h"

namespace supple::demos {

using namespace pipeline;

namespace {

constexpr double kFps = 24;
// A short shot stops at frame 48; from a frame later on nothing drives it.
constexpr double kShortStop = 48 / kFps, kShortFree = 49 / kFps;

// A solid with each of the nets in turn, seen by one camera.
Image seen(const RenderMesh& solid, const std::vector<RenderMesh>& nets, const Vec3& direction, int width, int height) {
  Points all = solid.vertices;
  for (const RenderMesh& net : nets) all.insert(all.end(), net.vertices.begin(), net.vertices.end());
  const Camera camera = fit_camera(bounding_box(all), direction, static_cast<double>(width) / height, false);
  std::vector<Image> pictures;
  for (const RenderMesh& net : nets) {
    pictures.push_back(render({solid, net}, camera, {.width = width, .height = height}));
  }
  return film_strip(pictures);
}

struct Curve {
  double ratio;
  const FigureTake* take;
  RingEstimate ring;
};

PlotLine deflection_line(const FigureTake& take, const std::string& label) {
  PlotLine line{.label = label, .x = take.time, .y = take.along};
  for (double& y : line.y) y *= 1e3;
  return line;
}

}  // namespace

Figure figure_2(FigureStage& stage) {
  Figure f{.number = 2, .title = "Adjusting inertial amplitude"};
  FigureScene& scene = stage.scene("figure2", "sunflower-linear", {});
  constexpr int kFrame = 155, kStop = 150, kLast = 200;
  const std::vector<double> epsilons = {0.5, 1, 2};
  std::vector<const FigureTake*> takes;
  for (double epsilon : epsilons) takes.push_back(&scene.take({.epsilon = epsilon}, {kFrame}, kLast));
  const FigureTake& base = *takes[1];

  const RenderMesh solid = solid_at(scene.job(), base.frames.at(kFrame));
  const std::vector<RenderMesh> nets = {wire_at(scene.job(), takes[0]->frames.at(kFrame)),
                                        wire_at(scene.job(), takes[2]->frames.at(kFrame))};
  write_figure_picture(stage, f, "figure2.png", seen(solid, nets, {0, -0.05, -1}, 520, 720));

  Plot plot{.title = "Figure 2: the head about the stop at frame 150",
            .x_label = "frame",
            .y_label = "displacement of the top [mm]",
            .marks = {{kFrame, "frame 155"}},
            .height = 300};
  Columns csv;
  PageTable table{.title = "Measured about the stop",
                  .note = "Bend: dynamic displacement of the top. Its ratio to that of epsilon = 1 is prescribed.",
                  .head = {"epsilon", "bend at frame 155 [mm]", "ratio", "error", "amplitude ratio", "error",
                           "low after the stop [frame]"},
                  .rows = {}};
  auto bend_at = [&](const FigureTake& t, double frame) {
    size_t i = 0;
    while (i + 1 < t.time.size() && t.time[i] * kFps < frame - 1e-9) ++i;
    return t.along[i];
  };
  for (size_t k = 0; k < takes.size(); ++k) {
    const FigureTake& t = *takes[k];
    PlotLine line = deflection_line(t, fmt::format("epsilon {:g}", epsilons[k]));
    for (double& x : line.x) x *= kFps;
    csv.add(fmt::format("frame[epsilon={:g}]", epsilons[k]), line.x);
    csv.add(fmt::format("displacement_mm[epsilon={:g}]", epsilons[k]), line.y);
    // From a second before the stop on.
    const auto first = static_cast<long>(
        std::lower_bound(line.x.begin(), line.x.end(), static_cast<double>(kStop - 10)) - line.x.begin());
    line.x.erase(line.x.begin(), line.x.begin() + first), line.y.erase(line.y.begin(), line.y.begin() + first);
    plot.lines.push_back(line);
    // The swing back: its time does not change with epsilon.
    double low = 0, at = 0;
    for (size_t i = 0; i < line.x.size(); ++i)
      if (line.x[i] > kStop && line.x[i] < kStop + 8 && line.y[i] < low) low = line.y[i], at = line.x[i];
    const double bend = bend_at(t, kFrame), ratio = bend / bend_at(base, kFrame);
    const double amplitude = t.motion.amplitude / base.motion.amplitude;
    table.rows.push_back({number(epsilons[k]), number(1e3 * bend), number(ratio), percent(ratio, epsilons[k]),
                          number(amplitude), percent(amplitude, epsilons[k]), fmt::format("{:.2f}", at)});
  }
  write_figure_plots(stage, f, "figure2.svg", {plot}, 1);
  write_figure_csv(stage, f, "figure2.csv", csv);
  f.tables.push_back(table);
  f.caption =
      "Linear sunflower held at the bottom of its stem, moving to the right, stopped at frame 150; seen at frame 155. "
      "Solid: epsilon 1. Lines: epsilon 0.5 (left) and 2 (right). Less and more bend, in the same phase.";
  return f;
}

Figure figure_4(FigureStage& stage) {
  Figure f{.number = 4, .title = "Sag three times as large, frequency and amplitude kept"};
  // Three times softer than the example, or gravity would hardly show.
  FigureScene& scene = stage.scene(
      "figure4", "sunflower-linear", {.short_shot = true},
      {"material.youngs_modulus=8.3e6", "region.petals.youngs_modulus=1.33e6", "region.leaves.youngs_modulus=1.33e6"});
  constexpr int kSwing = 56;
  const Scalings more = scene.formula({.sag = 3});
  const FigureTake base = scene.take({}, {0, kSwing}), sagged = scene.take(more, {0, kSwing});
  SceneExperiment& e = scene.experiment();
  const Ring ring = e.ring({}, base.motion.rms_m / 10), ring_more = e.ring(more, base.motion.rms_m / 10);
  const double sag = e.sag(1), sag_more = e.sag(more.mu);

  const Job& job = scene.job();
  std::vector<Image> pictures = {
      seen(solid_at(job, base.frames.at(0)), {wire_at(job, sagged.frames.at(0))}, {-1, -0.05, -0.15}, 520, 720),
      seen(solid_at(job, base.frames.at(kSwing)), {wire_at(job, sagged.frames.at(kSwing))}, {-0.35, -0.05, -1}, 520,
           720)};
  write_figure_picture(stage, f, "figure4.png", film_strip(pictures));
  const auto row = [](const char* what, double asked, double before, double after, const char* unit) {
    const std::string format = fmt::format("{{}} {}", unit);
    return std::vector<std::string>{what,
                                    number(asked),
                                    fmt::format(fmt::runtime(format), number(before)),
                                    fmt::format(fmt::runtime(format), number(after)),
                                    number(after / before),
                                    percent(after / before, asked)};
  };
  f.tables.push_back({.title = "Prescribed and measured",
                      .note = "",
                      .head = {"", "prescribed ratio", "original", "adjusted", "ratio", "error"},
                      .rows = {row("sag", 3, 1e3 * sag, 1e3 * sag_more, "mm"),
                               row("frequency", 1, ring.frequency_hz, ring_more.frequency_hz, "Hz"),
                               row("half-life", 1, ring.half_life_s, ring_more.half_life_s, "s"),
                               row("amplitude (rms)", 1, 1e3 * base.motion.rms_m, 1e3 * sagged.motion.rms_m, "mm")}});
  Columns csv;
  csv.add("time_s", base.time);
  csv.add("top_original_m", base.along), csv.add("top_adjusted_m", sagged.along);
  write_figure_csv(stage, f, "figure4.csv", csv);
  f.caption =
      "Linear sunflower, three times softer than the example so that gravity shows. Solid: original. Lines: three "
      "times "
      "the sag. Left: hanging still, seen from the side. Right: 8 frames after the stop, from the front.";
  return f;
}

Figure figure_8(FigureStage& stage) {
  Figure f{.number = 8, .title = "Frequency, damping and inertial amplitude, one at a time"};
  FigureScene& scene = stage.short_sunflower();
  const FigureTake base = scene.take({});
  const RingEstimate base_ring = base.ring(kShortFree);
  // The first swing after the start, which nothing before it can touch.
  const auto swing = [](const FigureTake& t) { return t.peak(0, 1.9); };
  struct Panel {
    const char* name;
    double Ratios::*dial;
  };
  const std::vector<Panel> panels = {
      {"frequency", &Ratios::frequency}, {"half-life", &Ratios::half_life}, {"amplitude", &Ratios::amplitude}};
  PageTable table{.title = "Prescribed and measured, as ratios to the original",
                  .note =
                      "Frequency and half-life of the ringing after the stop; amplitude as the largest swing after "
                      "the start, and as Eq. 5 over the whole shot.",
                  .head = {"dial", "prescribed", "frequency", "half-life", "largest swing", "Eq. 5"},
                  .rows = {}};
  std::vector<Plot> plots;
  Columns csv;
  for (const Panel& panel : panels) {
    Plot plot{.title = fmt::format("Figure 8: {} times 0.5, 1 and 2", panel.name),
              .x_label = "time [s]",
              .y_label = "displacement of the top [mm]",
              .marks = {{kShortStop, "stop"}},
              .height = 260};
    for (double ratio : {0.5, 1.0, 2.0}) {
      Ratios asked;
      asked.*panel.dial = ratio;
      const FigureTake t = scene.take(scene.formula(asked));
      const RingEstimate ring = t.ring(kShortFree);
      const std::string label = panel.dial == &Ratios::frequency   ? fmt::format("{:.3f} Hz", ring.frequency_hz)
                                : panel.dial == &Ratios::half_life ? fmt::format("{:.3f} s", ring.half_life_s)
                                                                   : fmt::format("{:.1f} mm", 1e3 * swing(t));
      plot.lines.push_back(deflection_line(t, fmt::format("{:g} x: {}", ratio, label)));
      csv.add(fmt::format("time_s[{}={:g}]", panel.name, ratio), t.time);
      csv.add(fmt::format("displacement_mm[{}={:g}]", panel.name, ratio), plot.lines.back().y);
      const double f_ratio = ring.frequency_hz / base_ring.frequency_hz;
      const double h_ratio = ring.half_life_s / base_ring.half_life_s;
      table.rows.push_back({panel.name, number(ratio),
                            fmt::format("{} ({})", number(f_ratio), percent(f_ratio, asked.frequency)),
                            fmt::format("{} ({})", number(h_ratio), percent(h_ratio, asked.half_life)),
                            number(swing(t) / swing(base)), number(t.motion.amplitude / base.motion.amplitude)});
    }
    plots.push_back(plot);
  }
  write_figure_plots(stage, f, "figure8.svg", plots, 1);
  write_figure_csv(stage, f, "figure8.csv", csv);
  f.tables.push_back(table);
  f.caption =
      "Linear sunflower (1500 tets), started at frame 2 and stopped at 2 s: the top of the flower against its static "
      "place, scalings by the closed formulas for an impulse. In each panel one dial moves and two stay.";
  return f;
}

}  // namespace supple::demos
