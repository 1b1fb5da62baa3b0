// Figures 10 and 11: sag and amplitude over frequency, on the linear sunflower.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/demos/figures/figure_bench.h"

namespace supple::demos {

using namespace pipeline;

namespace {

std::vector<double> frequency_ratios(bool quick) {
  return quick ? std::vector<double>{0.5, 1, 2} : std::vector<double>{0.5, 0.63, 0.794, 1, 1.26, 1.587, 2};
}

// Lines over the frequency ratio, one for each prescribed value.
struct Sweep {
  Plot plot;
  double worst = 0;  // relative to what was prescribed

  Sweep(const std::string& t, const std::string& y)
      : plot{.title = t, .x_label = "frequency ratio", .y_label = y, .log_x = true, .log_y = true, .height = 280} {}
  void start(double prescribed) {
    prescribed_ = prescribed;
    plot.lines.push_back({.label = prescribed < 0.4 ? "prescribed 1/3" : fmt::format("prescribed {:g}", prescribed),
                          .draw = PlotDraw::both});
  }
  void add(double frequency, double got) {
    plot.lines.back().x.push_back(frequency), plot.lines.back().y.push_back(got);
    worst = std::max(worst, std::abs(got / prescribed_ - 1));
  }

  // The plot with its worst error in the title.
  Plot done() const {
    Plot p = plot;
    p.title += fmt::format(" (off by {:.1f} % at most)", 100 * worst);
    return p;
  }

 private:
  double prescribed_ = 1;
};

void add_to(Columns& csv, const std::string& name, const Sweep& sweep) {
  for (const PlotLine& line : sweep.plot.lines) {
    csv.add(fmt::format("frequency[{} {}]", name, line.label), line.x);
    csv.add(fmt::format("{}[{}]", name, line.label), line.y);
  }
}

}  // namespace

Figure figure_10(FigureStage& stage) {
  Figure f{.number = 10, .title = "Interplay of frequency and sag"};
  FigureScene& scene = stage.short_sunflower();
  SceneExperiment& e = scene.experiment();
  const double sag = e.sag(1), release = 1e-3;
  const Ring base = e.ring({}, release);
  Sweep plain("Figure 10, top: gravity times the ratio, whatever the frequency", "sag ratio");
  Sweep held("Figure 10, bottom: gravity times the ratio and the frequency squared", "sag ratio");
  double off = 0;
  std::vector<double> measured;
  for (double prescribed : {1.0 / 3, 1.0, 3.0}) {
    plain.start(prescribed), held.start(prescribed);
    for (double asked : frequency_ratios(stage.options().quick)) {
      const Scalings s = scene.formula({.frequency = asked, .sag = prescribed});
      // Gravity does not change the frequency of a linear body; quick takes that on trust.
      if (!stage.options().quick || prescribed == 1) {
        measured.push_back(e.ring(s, release).frequency_hz / base.frequency_hz);
        off = std::max(off, std::abs(measured.back() / asked - 1));
      }
      const double chi2 = s.chi * s.chi;
      plain.add(asked, e.sag(prescribed / chi2) / sag);
      held.add(asked, e.sag(s.mu / chi2) / sag);
    }
  }
  write_figure_plots(stage, f, "figure10.svg", {plain.done(), held.done()}, 1);
  Columns csv;
  add_to(csv, "sag without correction", plain), add_to(csv, "sag with correction", held);
  csv.add("frequency measured [all in turn]", measured);
  write_figure_csv(stage, f, "figure10.csv", csv);
  f.tables.push_back({.title = "Largest errors over all points",
                      .note = "",
                      .head = {"", "against prescribed"},
                      .rows = {{"without correction", fmt::format("{:.1f} %", 100 * plain.worst)},
                               {"with correction", fmt::format("{:.3f} %", 100 * held.worst)},
                               {"frequency, in both", fmt::format("{:.3f} %", 100 * off)}}});
  f.caption = fmt::format(
      "Linear sunflower. Measured sag over frequency for sags prescribed as 1/3, 1 and 3 times {:.3f} mm. "
      "Without correction the sag falls as the square of the frequency; with it, it is as prescribed.",
      1e3 * sag);
  return f;
}

Figure figure_11(FigureStage& stage) {
  Figure f{.number = 11, .title = "Interplay of frequency and inertial amplitude"};
  FigureScene& scene = stage.short_sunflower();
  SceneExperiment& e = scene.experiment();
  const Motion baseline = scene.take({}).motion;
  Sweep plain("Figure 11, top: inertia not scaled for the frequency", "amplitude ratio");
  Sweep formula("Figure 11, middle: by the closed formula", "amplitude ratio");
  Sweep tuned("Figure 11, bottom: tuned", "amplitude ratio");
  int most_runs = 0, missed = 0;
  double off = 0;
  const std::vector<double> amplitudes = stage.options().quick ? std::vector{0.5, 2.0} : std::vector{0.5, 1.0, 2.0};
  for (double prescribed : amplitudes) {
    for (Sweep* s : {&plain, &formula, &tuned}) s->start(prescribed);
    for (double asked : frequency_ratios(stage.options().quick)) {
      stage.note(fmt::format("figure11: frequency {:.3g}, amplitude {:g}", asked, prescribed));
      const Ratios ratios{.frequency = asked, .amplitude = prescribed};
      Scalings s = scene.formula(ratios);
      formula.add(asked, scene.take(s).motion.amplitude / baseline.amplitude);
      s.epsilon = prescribed;
      plain.add(asked, scene.take(s).motion.amplitude / baseline.amplitude);
      const TuneResult r = tune(e, ratios, {.baseline = baseline});
      tuned.add(asked, r.got.amplitude);
      off = std::max(off, std::abs(r.got.frequency / asked - 1));
      most_runs = std::max(most_runs, r.full_runs);
      missed += !r.all_met();
    }
  }
  write_figure_plots(stage, f, "figure11.svg", {plain.done(), formula.done(), tuned.done()}, 1);
  Columns csv;
  add_to(csv, "amplitude without correction", plain);
  add_to(csv, "amplitude by formula", formula);
  add_to(csv, "amplitude tuned", tuned);
  write_figure_csv(stage, f, "figure11.csv", csv);
  f.tables.push_back(
      {.title = "Largest errors over all points",
       .note = fmt::format("Tuned: {} whole motions a point at most, {} points missed.", most_runs, missed),
       .head = {"", "against prescribed"},
       .rows = {{"inertia not scaled for the frequency", fmt::format("{:.1f} %", 100 * plain.worst)},
                {"closed formula", fmt::format("{:.1f} %", 100 * formula.worst)},
                {"tuned", fmt::format("{:.2f} %", 100 * tuned.worst)},
                {"frequency, tuned", fmt::format("{:.2f} %", 100 * off)}}});
  f.caption =
      "Linear sunflower, half-life kept. Measured amplitude (Eq. 5 over the whole shot) over frequency, for amplitudes "
      "prescribed. The closed formula is for one short push. Here a start and a stop follow one another and their "
      "swings meet in or out of phase; and at 24 frames a second each lasts a frame or two, which is not short at "
      "twice the frequency. Tuning measures and corrects.";
  return f;
}

}  // namespace supple::demos
