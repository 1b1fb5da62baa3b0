#include "supple/scene/run_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "supple/base/hash.h"
#include "supple/base/parallel.h"
#include "supple/io/output_file.h"
#include "supple/report/html.h"
#include "supple/scene/surface_files.h"
#include "supple/sim/ringdown.h"

namespace supple {

namespace {

constexpr std::array<std::pair<const char*, int RunTotals::*>, 10> kCounts = {{
    {"steps", &RunTotals::steps},
    {"newton_iterations", &RunTotals::newton_iterations},
    {"factorizations", &RunTotals::factorizations},
    {"projected", &RunTotals::projected},
    {"retries", &RunTotals::retries},
    {"untangling", &RunTotals::untangling},
    {"cuts", &RunTotals::cuts},
    {"inverted_max", &RunTotals::inverted_max},
    {"krylov", &RunTotals::krylov},
    {"irregular_frames", &RunTotals::irregular_frames},
}};
constexpr std::array<std::pair<const char*, double RunTotals::*>, 7> kSums = {{
    {"tie_residual", &RunTotals::tie_residual},
    {"static_s", &RunTotals::static_s},
    {"dynamic_s", &RunTotals::dynamic_s},
    {"adjusted_s", &RunTotals::adjusted_s},
    {"largest_spin", &RunTotals::largest_spin},
    {"output_s", &RunTotals::output_s},
    {"total_s", &RunTotals::total_s},
}};

// From which row on the driven points no longer move: what follows is the flesh's own ringing.
size_t first_still_row(const RunRecord& r) {
  const Job& job = r.job;
  auto points = [&](double t) {
    VecX x(0);
    for (const auto* track : {&job.drive.vertices, &job.drive.ties, &job.drive.springs})
      if (*track) x = (*track)->at(t);
    return x;
  };
  if (r.rows.empty()) return 0;
  const VecX last = points(job.start_time() + r.rows.back().time);
  size_t first = r.rows.size();
  while (first > 0) {
    const VecX x = points(job.start_time() + r.rows[first - 1].time);
    if (x.size() > 0 && (x - last).cwiseAbs().maxCoeff() > 1e-9 * job.model->size()) break;
    --first;
  }
  return std::min(first + 1, r.rows.size());
}

Ringdown ringdown(const RunRecord& r) {
  std::vector<double> y;
  for (size_t i = first_still_row(r); i < r.rows.size(); ++i) y.push_back(r.rows[i].mode1);
  // Fewer than two periods say little.
  if (static_cast<double>(y.size()) * r.job.step() * r.job.frequency_hz < 2) return {};
  return fit_ringdown(y, r.job.step());
}

const char* word_of(RunStatus s) {
  return s == RunStatus::done ? "done" : s == RunStatus::interrupted ? "interrupted" : "failed";
}

std::vector<std::string> all_warnings(const RunRecord& r) {
  std::vector<std::string> w = r.job.warnings;
  if (r.totals.retries > 0)
    w.push_back(fmt::format("{} steps did not converge at full length and were repeated in halves", r.totals.retries));
  if (r.totals.untangling > 0)
    w.push_back(fmt::format("{} steps had springs on to undo tets that stayed inside out", r.totals.untangling));
  if (r.totals.cuts > 0)
    w.push_back(fmt::format("the motion jumps {} times; the flesh was taken along", r.totals.cuts));
  if (r.track.unconverged() > 0)
    w.push_back(
        fmt::format("the equilibrium shape was found only roughly at {} instants: amplitudes there are uncertain",
                    r.track.unconverged()));
  if (r.totals.inverted_max > 0)
    w.push_back(fmt::format("up to {} tets were inside out at the end of a frame", r.totals.inverted_max));
  if (r.totals.tie_residual > 1e-6 * r.job.model->size())
    w.push_back(fmt::format("tied points miss their targets by up to {:.3g} mm: more of them than the tets can follow",
                            1e3 * r.totals.tie_residual));
  const double per_period = r.job.frequency_hz > 0 ? 1 / (r.job.step() * r.job.frequency_hz) : 1e9;
  if (per_period < 12)
    w.push_back(
        fmt::format("only {:.1f} steps a period of {:.2f} Hz: the integrator changes frequency and half-life; "
                    "raise timeline.substeps",
                    per_period, r.job.frequency_hz));
  w.insert(w.end(), r.notes.begin(), r.notes.end());
  return w;
}

Plot plot_of(const RunRecord& r, const char* title, const char* unit,
             const std::vector<std::pair<const char*, double HistoryRow::*>>& columns, double scale) {
  Plot plot{.title = title, .x_label = "time [s]", .y_label = unit};
  for (auto [label, field] : columns) {
    PlotLine line{.label = label};
    for (const HistoryRow& row : r.rows) {
      line.x.push_back(row.time);
      line.y.push_back(scale * row.*field);
    }
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

void write_text(const std::string& path, const std::string& text) {
  OutputFile out(path);
  out.write(text);
  out.commit();
}

}  // namespace

void RunTotals::add(const StepReport& r) {
  steps += r.substeps;
  newton_iterations += r.newton_iterations;
  factorizations += r.factorizations;
  projected += r.projected;
  retries += r.retries;
  untangling += r.untangling;
  cuts += r.cuts;
  krylov += r.krylov;
  tie_residual = std::max(tie_residual, r.tie_residual);
}

void RunTotals::put(std::map<std::string, double>& numbers) const {
  for (auto [name, field] : kCounts) numbers[name] = this->*field;
  for (auto [name, field] : kSums) numbers[name] = this->*field;
}

void RunTotals::get(const std::map<std::string, double>& numbers) {
  for (auto [name, field] : kCounts) this->*field = static_cast<int>(numbers.at(name));
  for (auto [name, field] : kSums) this->*field = numbers.at(name);
}

void write_run_report(const RunRecord& r, const std::string& directory, RunResult& result) {
  const Job& job = r.job;
  const Model& model = *job.model;
  const Sag sag = gravity_sag(model, job.config.solver.linear, job.config.solver.tolerance);
  const double settle = half_life(job.frequency_hz, job.stiffness_damping, model.spec().mass_damping);
  const Ringdown ring = ringdown(r);
  const std::vector<std::string> warnings = all_warnings(r);

  Json j = Json::object();
  j["version"] = version();
  j["status"] = word_of(r.status);
  if (!r.message.empty()) j["message"] = r.message;
  for (const auto& [file, hash] : job.inputs) j["inputs"][file] = hash;
  j["model"]["vertices"] = model.n_vertices();
  j["model"]["tets"] = model.mesh().n_tets();
  j["model"]["unknowns"] = 3 * model.constraints().map().n_free();
  j["model"]["driven_vertices"] = model.spec().driven.size();
  j["model"]["tied_points"] = model.spec().ties.size();
  j["model"]["springs"] = model.spec().springs.size();
  j["model"]["mass_kg"] = model.mass()->total();
  j["model"]["material"] = name_of(model.spec().material);
  j["model"]["surface_vertices"] = job.surface.mesh.n_vertices();
  j["timeline"]["fps"] = job.fps;
  j["timeline"]["substeps"] = job.substeps;
  j["timeline"]["frames"] = job.n_frames();
  j["timeline"]["frames_done"] = r.frames_done;
  j["timeline"]["integrator"] = job.config.solver.integrator;
  for (const char* which : {"baseline", "adjusted"}) {
    j[which]["frequency_hz"] = job.frequency_hz;
    j[which]["sag_m"] = sag.sag_m;
    j[which]["half_life_s"] = settle;
  }
  for (const char* dial : {"frequency", "amplitude", "sag", "half_life"}) j["controls"][dial] = 1.0;
  for (const char* scale : {"chi", "mu", "ck", "epsilon"}) j["adjustment"][scale] = 1.0;
  Json& measured = j["measured"];
  measured["amplitude"] = r.amplitude;
  measured["amplitude_rms_m"] = r.amplitude_rms;
  measured["peak_m"] = r.peak;
  measured["frequency_hz"] = ring.found ? Json(ring.frequency_hz) : Json();
  measured["half_life_s"] = ring.found ? Json(ring.half_life_s) : Json();
  measured["sag_m"] = sag.converged ? Json(sag.sag_m) : Json();
  j["damping"]["stiffness_damping"] = job.stiffness_damping;
  j["damping"]["mass_damping"] = model.spec().mass_damping;
  j["damping"]["half_life_with_integrator_s"] =
      job.frequency_hz > 0 ? Json(discrete_half_life(integrator_from_name(job.config.solver.integrator), job.step(),
                                                     2 * M_PI * job.frequency_hz, job.stiffness_damping,
                                                     model.spec().mass_damping, job.config.expert.stage_fraction))
                           : Json();
  Json& t = j["timings_s"];
  t["static"] = r.totals.static_s, t["dynamic"] = r.totals.dynamic_s, t["adjusted"] = r.totals.adjusted_s,
  t["contact"] = 0.0;
  t["output"] = r.totals.output_s, t["total"] = r.totals.total_s;
  Json& s = j["solver"];
  for (auto [name, field] : kCounts) s[name] = r.totals.*field;
  s["unconverged"] = r.track.unconverged();
  s["static_solves"] = r.track.solves();
  s["linear"] = make_solver(r.solver, model.constraints().map().n_free())->name();
  s["threads"] = thread_count();
  j["warnings"] = warnings.empty() ? Json(Json::Array{}) : Json::list(warnings);

  result.best_effort = r.track.unconverged() > 0;
  result.frequency_hz = job.frequency_hz;
  result.sag_m = sag.sag_m;
  result.half_life_s = settle;
  result.amplitude_rms_m = r.amplitude_rms;
  result.peak_m = r.peak;

  const std::filesystem::path dir = directory;
  if (r.status == RunStatus::done && job.config.output.report) {
    const PointCache frames = read_pc2((dir / "tets.pc2").string());
    const std::string poster = poster_png(job, frames);
    write_text((dir / "poster.png").string(), poster);
    auto seconds = [](double x) {
      return std::isfinite(x) ? fmt::format("{:.3f} s", x) : std::string("never settles");
    };
    ReportPage page{
        .title = job.config.file.empty() ? "Supple run" : std::filesystem::path(job.config.file).stem().string(),
        .summary = fmt::format("{} frames at {:g} a second, {} tets, {}", job.n_frames(), job.fps,
                               model.mesh().n_tets(), name_of(model.spec().material)),
        .poster_png = poster,
        .poster_alt = "the surface at the first frame, at its largest departure and at the last frame",
        .warnings = warnings};
    page.card = {{"Speed (frequency)", fmt::format("{:.3f} Hz", job.frequency_hz),
                  ring.found ? fmt::format("{:.3f} Hz", ring.frequency_hz) : "",
                  ring.found ? "" : "no still stretch to measure on"},
                 {"Settle (half-life)", seconds(settle), ring.found ? seconds(ring.half_life_s) : "", ""},
                 {"Sag", fmt::format("{:.2f} mm", 1e3 * sag.sag_m), fmt::format("{:.2f} mm", 1e3 * sag.sag_m),
                  sag.converged ? "" : "the equilibrium was found only roughly"},
                 {"Amount (amplitude)", "",
                  fmt::format("{:.2f} mm rms, {:.2f} mm peak", 1e3 * r.amplitude_rms, 1e3 * r.peak), ""}};
    page.plots = {
        plot_of(r, "Dynamic displacement", "[mm]", {{"peak", &HistoryRow::peak}, {"rms", &HistoryRow::rms}}, 1e3),
        plot_of(r, "Energy", "[J]", {{"kinetic", &HistoryRow::kinetic}, {"elastic", &HistoryRow::elastic}}, 1),
        plot_of(r, "First mode", "[m kg^1/2]", {{"mode 1", &HistoryRow::mode1}}, 1)};
    page.facts = {{"vertices", std::to_string(model.n_vertices())},
                  {"tets", std::to_string(model.mesh().n_tets())},
                  {"steps", std::to_string(r.totals.steps)},
                  {"Newton iterations", std::to_string(r.totals.newton_iterations)},
                  {"time in dynamics", fmt::format("{:.2f} s", r.totals.dynamic_s)},
                  {"time in statics", fmt::format("{:.2f} s", r.totals.static_s)},
                  {"version", version()}};
    page.data = j;
    write_text((dir / "report.html").string(), to_html(page));
    result.files.push_back("report.html");
    result.files.push_back("poster.png");
  }
  write_text((dir / "report.json").string(), j.text() + "\n");
  result.files.push_back("report.json");
  result.report = std::move(j);
}

}  // namespace supple
