#include "supple/pipeline/run/report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "supple/base/hash.h"
#include "supple/base/memory.h"
#include "supple/base/parallel.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/character/flesh_plan.h"
#include "supple/pipeline/deliver/made.h"
#include "supple/pipeline/deliver/page_motion.h"
#include "supple/pipeline/deliver/portrait.h"
#include "supple/pipeline/deliver/surface_files.h"
#include "supple/pipeline/job/memory_need.h"
#include "supple/pipeline/run/matched_json.h"
#include "supple/pipeline/run/measured_dials.h"
#include "supple/pipeline/run/plots.h"
#include "supple/pipeline/run/response_card.h"
#include "supple/report/cuts_json.h"
#include "supple/report/html.h"
#include "supple/report/timings.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline {

namespace {

constexpr std::array<std::pair<const char*, int RunTotals::*>, 12> kCounts = {{
    {"steps", &RunTotals::steps},
    {"steps_total", &RunTotals::steps_total},
    {"steps_warm_up", &RunTotals::steps_warm_up},
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
constexpr std::array<std::pair<const char*, double RunTotals::*>, 9> kSums = {{
    {"tie_residual", &RunTotals::tie_residual},
    {"static_s", &RunTotals::static_s},
    {"dynamic_s", &RunTotals::dynamic_s},
    {"adjusted_s", &RunTotals::adjusted_s},
    {"contact_s", &RunTotals::contact_s},
    {"largest_spin", &RunTotals::largest_spin},
    {"output_s", &RunTotals::output_s},
    {"total_s", &RunTotals::total_s},
    {"wall_s", &RunTotals::wall_s},
}};

constexpr size_t kJumpsNamed = 5;

std::vector<std::string> all_warnings(const RunRecord& r) {
  std::vector<std::string> w = r.job.notes.warnings;
  if (r.totals.retries > 0)
    w.push_back(fmt::format("{} steps did not converge at full length and were repeated in halves", r.totals.retries));
  if (r.totals.untangling > 0)
    w.push_back(fmt::format("{} steps had springs on to undo tets that stayed inside out", r.totals.untangling));
  if (r.track.unconverged() > 0)
    w.push_back(
        fmt::format("the equilibrium shape was found only roughly at {} instants: amplitudes there are uncertain",
                    r.track.unconverged()));
  // What counts of a character is told by its check: skinning folds tets that no flesh is in.
  if (r.totals.inverted_max > 0 && !r.surface.check)
    w.push_back(fmt::format("up to {} tets were inside out at the end of a frame", r.totals.inverted_max));
  if (r.totals.tie_residual > 1e-6 * r.job.body->model->size())
    w.push_back(fmt::format("tied points miss their targets by up to {:.3g} mm: more of them than the tets can follow",
                            1e3 * r.totals.tie_residual));
  const double per_period = r.job.body->frequency_hz > 0 ? 1 / (r.job.body->step() * r.job.body->frequency_hz) : 1e9;
  if (per_period < 12)
    w.push_back(
        fmt::format("only {:.1f} steps a period of {:.2f} Hz: the integrator changes frequency and half-life; "
                    "raise timeline.substeps",
                    per_period, r.job.body->frequency_hz));
  if (r.totals.irregular_frames > 0)
    w.push_back(
        fmt::format("the flesh is flat or inside out around up to {} vertices: their frames were taken from "
                    "their neighbours",
                    r.totals.irregular_frames));
  const std::vector<BranchJump>& jumps = r.track.jumps();
  for (size_t i = 0; i < std::min(jumps.size(), kJumpsNamed); ++i)
    w.push_back(
        fmt::format("frame {:.1f}, {}: the equilibrium shape jumps by {:.3g} mm to another one; the jump is "
                    "spread over a few frames",
                    (jumps[i].t - r.job.shot.start_time()) * r.job.shot.fps,
                    r.job.body->model->part_of(jumps[i].vertex), 1e3 * jumps[i].distance));
  if (jumps.size() > kJumpsNamed)
    w.push_back(fmt::format("the equilibrium shape jumps {} more times", jumps.size() - kJumpsNamed));
  const double first_mode = 2 * std::numbers::pi * r.job.body->frequency_hz;
  if (!r.job.body->adjustment.plain_inertia() && first_mode > 0 && r.totals.largest_spin > first_mode)
    w.push_back(
        fmt::format("epsilon x spin exceeds the first natural frequency ({:.3g} against {:.3g} rad/s): no "
                    "bounded answer for a linear material; turn slower, raise Speed or lower Amount",
                    r.totals.largest_spin, first_mode));
  w.insert(w.end(), r.notes.begin(), r.notes.end());
  return w;
}

}  // namespace

const char* word_of(RunStatus s) {
  return s == RunStatus::done ? "done" : s == RunStatus::interrupted ? "interrupted" : "failed";
}

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

RunPictures run_pictures(const Job& job, const DrawnFrames& surface, const std::string& directory,
                         SharedPicture* softness) {
  RunPictures pictures;
  SharedPicture own;
  SharedPicture& shared = softness ? *softness : own;
  parallel_for(4, 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      if (k == 0) pictures.motion = run_motion(job, surface, directory);
      if (k == 1) pictures.poster_png = poster_png(job.output(), surface);
      if (k == 2) pictures.moving_png = moving_png(job.output(), surface);
      if (k == 3)
        std::call_once(shared.made, [&] {
          const std::optional<Image> picture = job.subject->softness_picture();
          if (!picture) return;
          const std::vector<uint8_t> png = encode_png(*picture);
          shared.png.assign(png.begin(), png.end());
        });
    }
  });
  pictures.softness_png = shared.png;
  return pictures;
}

void write_run_report(RunRecord r, const std::string& directory, RunResult& result) {
  const Job& job = r.job;
  const Model& model = *job.body->model;
  RunNumbers numbers = r.measure.numbers(r.rows);
  KnownResponses known = r.known;
  if (r.status == RunStatus::done) add_measured(job, r.shown, r.still, numbers, known);
  const std::vector<std::string> warnings = all_warnings(r);

  Json j = Json::object();
  j["version"] = version();
  j["status"] = word_of(r.status);
  if (!r.message.empty()) j["message"] = r.message;
  for (const auto& [file, hash] : job.notes.inputs) j["inputs"][file] = hash;
  j["scene"] = to_toml(job.config, directory);
  j["made"] = made_json(job.config, directory);
  j["memory"]["estimated_bytes"] = std::round(memory_need(size_of(job)));
  j["memory"]["peak_bytes"] = peak_memory_bytes();
  j["reused"] = r.reused.empty() ? Json(Json::Array{}) : Json::list(r.reused);
  j["model"]["vertices"] = model.n_vertices();
  j["model"]["tets"] = model.mesh().n_tets();
  j["model"]["unknowns"] = 3 * model.constraints().map().n_free();
  j["model"]["driven_vertices"] = model.spec().driven.size();
  j["model"]["tied_points"] = model.spec().ties.size();
  j["model"]["springs"] = model.spec().springs.size();
  j["model"]["mass_kg"] = model.mass()->total();
  j["model"]["material"] = name_of(model.spec().material);
  for (const MatchedShare& m : job.body->matched) j["model"]["anti_locking"].push_back(matched_json(m));
  j["model"]["surface_vertices"] = job.surface.mesh.n_vertices();
  j["timeline"]["fps"] = job.shot.fps;
  j["timeline"]["substeps"] = job.body->substeps;
  j["timeline"]["frames"] = job.shot.n_frames();
  j["timeline"]["frames_done"] = r.frames_done;
  j["timeline"]["integrator"] = job.config.solver.integrator;
  j["timeline"]["start"] = job.shot.start.start;
  j["timeline"]["loop"] = job.shot.start.loop;
  j["timeline"]["because"] = job.shot.start.why;
  if (job.shot.start.loop) j["timeline"]["period"] = job.shot.start.period;
  j["timeline"]["cuts"] = json_of(job.shot.start.cuts);
  j["timeline"]["over_cuts"] = job.config.timeline.cuts;
  if (r.beginning.looped) {
    j["timeline"]["closing_error"] = r.beginning.closing_error;
    j["timeline"]["warm_up_periods"] = r.beginning.periods;
    j["timeline"]["faded_frames"] = r.beginning.fade.empty() ? 0 : static_cast<int>(r.beginning.fade.q.size()) - 1;
  }
  put_responses(j, job, numbers, known);
  j["damping"]["stiffness_damping"] = job.body->stiffness_damping;
  j["damping"]["mass_damping"] = model.spec().mass_damping;
  j["damping"]["half_life_with_integrator_s"] =
      job.body->frequency_hz > 0
          ? Json(discrete_half_life(integrator_from_name(job.config.solver.integrator), job.body->step(),
                                    2 * M_PI * job.body->frequency_hz, job.body->stiffness_damping,
                                    model.spec().mass_damping, job.config.expert.stage_fraction))
          : Json();
  j["timings_s"] = timings_json(r.spent, r.earlier.wall_s);
  const double overhead = r.totals.dynamic_s > 0 ? 100 * (r.totals.static_s + r.totals.adjusted_s) / r.totals.dynamic_s
                                                 : std::numeric_limits<double>::quiet_NaN();
  j["overhead_percent"] = overhead;
  if (const bool touching = job.surroundings != nullptr; touching)
    j["contact"] = std::move(r.contact);
  else
    j["contact"]["on"] = false;
  Json& s = j["solver"];
  for (auto [name, field] : kCounts) s[name] = r.totals.*field;
  s["unconverged"] = r.track.unconverged();
  s["static_solves"] = r.track.solves();
  s["linear"] = r.solver;
  s["threads"] = thread_count();
  j["warnings"] = warnings.empty() ? Json(Json::Array{}) : Json::list(warnings);
  if (r.status == RunStatus::done) j["hashes"] = hashes_json(result_hashes(directory));

  result.best_effort = r.track.unconverged() > 0;
  result.frequency_hz = job.body->frequency_hz;
  result.sag_m = numbers.whole.sag_m;
  result.half_life_s = job.body->adjusted.half_life_s;
  result.amplitude_rms_m = numbers.whole.amplitude_rms_m;
  result.peak_m = numbers.whole.peak_m;
  result.frames = r.frames_done, result.steps = r.totals.steps, result.steps_total = r.totals.steps_total;
  result.seconds = r.totals.total_s;
  result.measured = numbers.whole;
  result.measured_parts = numbers.parts;

  SubjectReport told = job.subject->report({job.shot.first_frame, r.surface.frames, r.surface.input});
  if (!told.key.empty()) j[told.key] = std::move(told.json);
  if (r.status == RunStatus::done && r.surface.check) {
    j[told.key]["motion"] = to_json(*r.surface.check);
    if (r.plan) j[told.key]["forecast"] = forecast_json(r.plan->clips, job.config.surface.clip, *r.surface.check);
  }
  const std::filesystem::path dir = directory;
  if (r.status == RunStatus::done && job.config.output.report) {
    write_text((dir / "poster.png").string(), r.pictures.poster_png);
    if (!r.pictures.moving_png.empty()) {
      write_text((dir / "moving.png").string(), r.pictures.moving_png);
      result.files.push_back("moving.png");
    }
    if (!r.pictures.softness_png.empty()) {
      write_text((dir / "softness.png").string(), r.pictures.softness_png);
      result.files.push_back("softness.png");
    }
    ReportPage page{.title = job.subject->appearance().title(job.config),
                    .summary = fmt::format("{} frames at {:g} a second, {} tets, {}", job.shot.n_frames(), job.shot.fps,
                                           model.mesh().n_tets(), name_of(model.spec().material)),
                    .poster_png = std::move(r.pictures.poster_png),
                    .poster_alt = "the surface at the first frame, at its largest departure and at the last frame",
                    .warnings = warnings};
    page.motion = std::move(r.pictures.motion);
    ResponseCard card = response_card(job, numbers, known);
    page.card = std::move(card.rows);
    page.card_notes = std::move(card.notes);
    page.tables = std::move(card.regions);
    for (PageTable& table : told.tables) page.tables.push_back(std::move(table));
    page.plots = run_plots(job, r.measure, numbers, r.rows);
    for (Plot& p : told.plots) page.plots.push_back(std::move(p));
    page.facts = {
        {"vertices", std::to_string(model.n_vertices())},
        {"tets", std::to_string(model.mesh().n_tets())},
        {"steps", std::to_string(r.totals.steps)},
        {"Newton iterations", std::to_string(r.totals.newton_iterations)},
        {"time in dynamics", fmt::format("{:.2f} s", r.totals.dynamic_s)},
        {"time in statics", fmt::format("{:.2f} s", r.totals.static_s)},
        {"time in adjusted inertia", fmt::format("{:.2f} s", r.totals.adjusted_s)},
        {"statics and adjustment", std::isfinite(overhead) ? fmt::format("{:.0f} % of dynamics", overhead) : ""},
        {"version", version()}};
    if (job.surroundings)
      page.facts.insert(page.facts.end() - 1, {"time in contact", fmt::format("{:.2f} s", r.totals.contact_s)});
    page.data = j;
    write_text((dir / "report.html").string(), to_html(page));
    result.files.push_back("report.html");
    result.files.push_back("poster.png");
  }
  r.spent.lap("report");
  j["timings_s"] = timings_json(r.spent, r.earlier.wall_s);
  write_text((dir / "report.json").string(), j.text() + "\n");
  result.spent = r.spent;
  result.files.push_back("report.json");
  result.report = std::move(j);
}

}  // namespace supple::pipeline
