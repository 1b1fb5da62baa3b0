#include "measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/base/timer.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/trials/experiment.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace demos;
using namespace pipeline;

namespace {

constexpr const char* kHead =
    "scene,frequency,amplitude,sag,half_life,formula_frequency,formula_amplitude,formula_sag,formula_half_life,"
    "tuned_frequency,tuned_amplitude,tuned_sag,tuned_half_life,met_frequency,met_amplitude,met_sag,met_half_life,"
    "chi,mu,ck,epsilon,full_runs,rings,seconds,note";

std::array<double, 4> as_array(const Ratios& r) { return {r.frequency, r.amplitude, r.sag, r.half_life}; }

class PointBench {
 public:
  PointBench(const DialScene& scene, const std::string& directory, int part)
      : scene_(scene), job_(build(scene, directory, part)) {
    const Motion motion = experiment_.run({});
    if (!motion.ok) throw SimulationFailure(0, scene.name, "the baseline does not run: " + motion.trouble);
    baseline_ = motion;
    ring_ = experiment_.ring({}, motion.rms_m / 10);
    sag_ = experiment_.sag(1);
    fmt::print(stderr,
               "{}: {} tets, {} frames; {:.4g} Hz, half-life {:.4g} s, sag {:.4g} mm, amplitude {:.4g} mm rms\n",
               scene.name, job_.body->model->mesh().n_tets(), job_.shot.n_frames(), ring_.frequency_hz,
               ring_.half_life_s, 1e3 * sag_, 1e3 * motion.rms_m);
  }

  bool has_sag() const { return sag_ > 0; }

  PointRow measure(const Ratios& asked) {
    const Timer timer;
    PointRow row{.scene = scene_.name, .asked = as_array(asked)};
    by_formula(asked, row);
    by_tune(asked, row);
    row.seconds = timer.seconds();
    std::replace(row.note.begin(), row.note.end(), ',', ';');
    return row;
  }

 private:
  static Job build(const DialScene& scene, const std::string& directory, int part) {
    // Each part has a copy of its own: others may be reading theirs.
    const std::filesystem::path dir = std::filesystem::path(directory) / fmt::format("scene-{}-{}", scene.name, part);
    SceneConfig config = load_scene(write_example(scene.example, dir.string(), scene.size), scene.overrides);
    config.timeline.substeps.reset();  // as many as the adjusted frequency calls for
    config.solver.integrator = "tr-bdf2";
    return build_job(config);
  }

  bool sustained() const { return scene_.name == "jellyfish"; }

  void by_formula(const Ratios& asked, PointRow& row) {
    job_.config.controls.motion = sustained() ? "sustained" : "impulse";
    const Scalings s = scalings_for(job_.config, *job_.body, asked);
    const double release = baseline_.rms_m * asked.amplitude / 10;
    if (ring_.found) {
      const Ring ring = experiment_.ring(s, release);
      if (ring.found) {
        row.formula[0] = ring.frequency_hz / ring_.frequency_hz;
        row.formula[3] = ring.half_life_s / ring_.half_life_s;
      }
    }
    if (has_sag()) row.formula[2] = experiment_.sag(s.mu / (s.chi * s.chi)) / sag_;
    const Motion motion = experiment_.run(s);
    if (motion.ok) row.formula[1] = motion.amplitude / baseline_.amplitude;
  }

  void by_tune(const Ratios& asked, PointRow& row) {
    TuneOptions options;
    options.start = sustained() ? AmplitudeStart::sustained : AmplitudeStart::impulse;
    options.baseline = baseline_;
    const TuneResult r = tune(experiment_, asked, options);
    const std::array<const Dial*, 4> dials = {&r.frequency, &r.amplitude, &r.sag, &r.half_life};
    const std::array<double, 4> got = as_array(r.got);
    const std::array<bool, 4> measured = {r.tuned.frequency_hz.has_value(), r.tuned.amplitude.has_value(),
                                          r.tuned.sag_m.has_value(), r.tuned.half_life_s.has_value()};
    for (size_t d = 0; d < 4; ++d) {
      row.met[d] = dials[d]->met;
      if (dials[d]->applicable && measured[d]) row.tuned[d] = got[d];
      if (dials[d]->applicable && !dials[d]->note.empty())
        row.note += fmt::format("{}{}: {}", row.note.empty() ? "" : "; ", kDialNames[d], dials[d]->note);
    }
    row.scalings = r.scalings;
    row.full_runs = r.full_runs;
    for (const Trial& t : r.trials) row.rings += t.kind == Trial::Kind::ring;
  }

  const DialScene& scene_;
  Job job_;
  SceneExperiment experiment_{job_, nullptr};
  Motion baseline_;
  Ring ring_;
  double sag_ = 0;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  std::istringstream in(line);
  while (std::getline(in, cell, ',')) cells.push_back(cell);
  if (!line.empty() && line.back() == ',') cells.emplace_back();
  return cells;
}

}  // namespace

int PointRow::moved() const { return dials_moved({asked[0], asked[1], asked[2], asked[3]}); }

void measure_points(const DialScene& scene, const std::string& directory, int part, int n_parts,
                    const std::vector<int>& only) {
  set_thread_count(1);
  PointBench points(scene, directory, part);
  const std::vector<Ratios> grid = dial_points(scene.all_points, points.has_sag());
  const std::string path =
      (std::filesystem::path(directory) / fmt::format("{}-{}-of-{}.csv", scene.name, part, n_parts)).string();
  std::vector<PointRow> rows;
  for (size_t i = 0; i < grid.size(); ++i) {
    const int number = static_cast<int>(i);
    if (number % n_parts != part - 1) continue;
    if (!only.empty() && std::find(only.begin(), only.end(), number) == only.end()) continue;
    rows.push_back(points.measure(grid[i]));
    OutputFile out(path);
    out.write(to_csv(rows));
    out.commit();
    const PointRow& r = rows.back();
    std::string text = fmt::format("{:>3}", number);
    for (size_t d = 0; d < 4; ++d)
      text += fmt::format("  {} {:.3g}: {:+.2f} % {:+.2f} %", kDialNames[d], r.asked[d],
                          100 * (r.formula[d] / r.asked[d] - 1), 100 * (r.tuned[d] / r.asked[d] - 1));
    fmt::print(stderr, "{}  {} runs, {} rings, {:.1f} s  {}\n", text, r.full_runs, r.rings, r.seconds, r.note);
  }
}

std::string to_csv(const std::vector<PointRow>& rows) {
  std::string text = std::string(kHead) + "\n";
  const auto number = [](double x) { return std::isfinite(x) ? fmt::format("{:.6g}", x) : std::string(); };
  for (const PointRow& r : rows) {
    text += r.scene;
    for (const auto* values : {&r.asked, &r.formula, &r.tuned})
      for (double x : *values) text += "," + number(x);
    for (bool met : r.met) text += met ? ",1" : ",0";
    const Scalings& s = r.scalings;
    text += fmt::format(",{:.6g},{:.6g},{:.6g},{:.6g},{},{},{:.2f},{}\n", s.chi, s.mu, s.ck, s.epsilon, r.full_runs,
                        r.rings, r.seconds, r.note);
  }
  return text;
}

std::vector<PointRow> read_csv(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line) || line != kHead)
    throw InputError({.file = path}, "is no table of bench_dials", "name directories it has written to");
  std::vector<PointRow> rows;
  for (int n = 2; std::getline(in, line); ++n) {
    const std::vector<std::string> c = cells_of(line);
    if (c.size() != 25) throw InputError({.file = path, .line = n}, fmt::format("{} cells, not 25", c.size()));
    PointRow r{.scene = c[0]};
    const auto number = [&](size_t i) {
      if (c[i].empty()) return PointRow::kNone;
      try {
        return std::stod(c[i]);
      } catch (const std::exception&) {
        throw InputError({.file = path, .line = n}, "'" + c[i] + "' is no number");
      }
    };
    for (size_t d = 0; d < 4; ++d) {
      r.asked[d] = number(1 + d), r.formula[d] = number(5 + d), r.tuned[d] = number(9 + d);
      r.met[d] = c[13 + d] == "1";
    }
    r.scalings = {number(17), number(18), number(19), number(20)};
    r.full_runs = static_cast<int>(number(21)), r.rings = static_cast<int>(number(22)), r.seconds = number(23);
    r.note = c[24];
    rows.push_back(r);
  }
  return rows;
}

}  // namespace supple
