#include "supple/scene/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/base/parallel.h"
#include "supple/base/timer.h"
#include "supple/inertia/static_track.h"
#include "supple/io/output_file.h"
#include "supple/io/point_cache.h"
#include "supple/io/tet_formats.h"
#include "supple/scene/history.h"
#include "supple/scene/load.h"
#include "supple/scene/run_report.h"
#include "supple/scene/surface_files.h"
#include "supple/sim/checkpoint.h"

namespace supple {

namespace fs = std::filesystem;

namespace {

constexpr int kCheckpointEvery = 10;  // frames

// Everything a run depends on, as one number: a checkpoint of another scene is refused.
std::string fingerprint(const Job& job) {
  SceneConfig config = job.config;
  config.solver.threads = 0;  // results do not depend on it
  std::string text = version() + to_toml(config, "");
  for (const auto& [file, hash] : job.inputs) text += file + hash;
  return hash_text(hash_bytes(text.data(), text.size()));
}

void prepare_directory(const RunOptions& o) {
  const fs::path dir = o.directory;
  std::error_code error;
  if (fs::exists(dir / "report.json") && !o.overwrite && !o.resume)
    throw InputError({.file = o.directory}, "holds a run already",
                     "choose another directory, or say --overwrite to replace it");
  fs::create_directories(dir / "checkpoint", error);
  if (error || !fs::is_directory(dir))
    throw InputError({.file = o.directory}, "cannot be made: " + error.message(),
                     "choose a directory that can be written");
  if (o.resume) return;
  // A replaced run leaves nothing behind that could be taken for the new one.
  for (const auto& entry : fs::directory_iterator(dir)) {
    const std::string name = entry.path().filename().string();
    for (const char* ours : {"surface", "tets.", "tets_vtu", "static.pc2", "amplitude.csv", "report.", "poster.png"})
      if (name.rfind(ours, 0) == 0) fs::remove_all(entry.path(), error);
  }
  for (const auto& entry : fs::directory_iterator(dir / "checkpoint")) fs::remove(entry.path(), error);
}

// The loop's own state besides State: what else a checkpoint holds.
struct Progress {
  int frame = 0;  // last finished, counted from 0
  RunTotals totals;
};

class Run {
 public:
  Run(const Job& job, const RunOptions& options)
      : job_(job),
        options_(options),
        model_(*job.model),
        stepper_(model_, job.drive, job.stepper_options()),
        track_(model_, job.drive, job.config.solver.linear, job.config.solver.tolerance),
        amplitude_(*model_.mass()),
        rest_(flatten(model_.mesh().vertices)) {}

  RunResult go() {
    Timer total;
    RunResult result;
    start();
    try {
      while (progress_.frame + 1 < job_.n_frames()) frame();
      finish();
    } catch (const Cancelled&) {
      keep();
      result.status = RunStatus::interrupted;
      result.message = fmt::format("interrupted after frame {}; go on with: supple simulate {} -o {} --resume",
                                   progress_.frame, job_.config.file, options_.directory);
    } catch (const SimulationFailure& e) {
      keep();
      result.status = RunStatus::failed;
      result.message = fmt::format("frame {:.2f}, {}: {}. Frames 0 to {} are kept in {}",
                                   (e.time_s() - job_.start_time()) * job_.fps, e.part(), e.cause(), progress_.frame,
                                   path("tets.pc2.part"));
    }
    progress_.totals.total_s += total.seconds();
    describe(result);
    return result;
  }

 private:
  std::string path(const std::string& name) const { return (fs::path(options_.directory) / name).string(); }

  void start() {
    const Modes modes = natural_modes(model_, 1, job_.config.solver.linear);
    if (modes.ok && job_.frequency_hz > 0) mode_ = model_.mass()->multiply(modes.shapes.col(0));
    if (options_.resume) return resume();
    const double t0 = job_.start_time(), h = job_.step();
    TimeInto timer(progress_.totals.static_s);
    const VecX p0 = track_.at(t0);
    VecX v0 = VecX::Zero(p0.size());
    if (job_.config.timeline.start == "moving") {
      StaticSolver solver(model_, job_.drive, job_.config.solver.linear, job_.config.solver.tolerance);
      v0 = (solver.solve(t0 + h, p0).u - solver.solve(t0 - h, p0).u) / (2 * h);
    }
    state_ = stepper_.start(t0, p0, v0);
    tets_.emplace(path("tets.pc2"), model_.n_vertices());
    static_.emplace(path("static.pc2"), model_.n_vertices());
    history_.emplace(path("amplitude.csv"), 0);
    tets_->append(rest_ + state_.u);
    static_->append(rest_ + p0);
  }

  void resume() {
    const Checkpoint c = read_checkpoint(path("checkpoint/state.bin"));
    if (c.fingerprint != fingerprint(job_))
      throw InputError({.file = path("checkpoint/state.bin")}, "the checkpoint belongs to another scene or version",
                       "run again without --resume");
    if (static_cast<int>(c.numbers.at("frame")) + 1 >= job_.n_frames())
      throw InputError({.file = options_.directory}, "the run there is complete: there is nothing to resume",
                       "say --overwrite to run it again");
    state_ = get_state(c);
    auto vector = [&](const char* name) { return c.vectors.at(name); };
    track_.set_history({vector("p"), vector("p_last"), vector("p_first"), vector("p_points")});
    progress_.frame = static_cast<int>(c.numbers.at("frame"));
    amplitude_.integral = c.numbers.at("amplitude_integral");
    amplitude_.time = c.numbers.at("amplitude_time");
    amplitude_.largest_peak = c.numbers.at("largest_peak");
    progress_.totals.get(c.numbers);
    tets_ = Pc2Writer::resume(path("tets.pc2"), model_.n_vertices(), progress_.frame + 1);
    static_ = Pc2Writer::resume(path("static.pc2"), model_.n_vertices(), progress_.frame + 1);
    history_.emplace(path("amplitude.csv"), progress_.frame * job_.substeps);
  }

  void checkpoint() {
    tets_->flush();
    static_->flush();
    history_->flush();
    Checkpoint c;
    c.fingerprint = fingerprint(job_);
    put(c, state_);
    const StaticTrack::History& h = track_.history();
    c.vectors["p"] = h.p, c.vectors["p_last"] = h.last;
    c.vectors["p_first"] = h.first, c.vectors["p_points"] = h.first_points;
    c.numbers["frame"] = progress_.frame;
    c.numbers["amplitude_integral"] = amplitude_.integral;
    c.numbers["amplitude_time"] = amplitude_.time;
    c.numbers["largest_peak"] = amplitude_.largest_peak;
    progress_.totals.put(c.numbers);
    write_checkpoint(path("checkpoint/state.bin"), c);
  }

  // One frame: all or nothing, so that what is kept is always whole frames.
  void frame() {
    State state = state_;
    std::vector<HistoryRow> rows;
    const Amplitude before = amplitude_;
    const StaticTrack::History track_before = track_.history();
    const RunTotals totals_before = progress_.totals;
    VecX p;
    try {
      for (int k = 1; k <= job_.substeps; ++k) {
        if (options_.cancelled && options_.cancelled()) throw Cancelled();
        rows.push_back(step(state, progress_.frame * job_.substeps + k, p));
      }
    } catch (...) {
      // The checkpoint to come is of the last whole frame.
      amplitude_.integral = before.integral, amplitude_.time = before.time;
      amplitude_.largest_peak = before.largest_peak;
      track_.set_history(track_before);
      progress_.totals = totals_before;
      throw;
    }
    state_ = std::move(state);
    for (const HistoryRow& row : rows) history_->add(row);
    TimeInto timer(progress_.totals.output_s);
    tets_->append(rest_ + state_.u);
    static_->append(rest_ + p);
    progress_.totals.inverted_max = std::max(progress_.totals.inverted_max, stepper_.count_inverted(state_));
    ++progress_.frame;
    if (progress_.frame % kCheckpointEvery == 0) checkpoint();
    if (options_.progress) options_.progress(progress_.frame, job_.n_frames() - 1);
  }

  HistoryRow step(State& state, int number, VecX& p) {
    RunTotals& totals = progress_.totals;
    StepReport report;
    {
      TimeInto timer(totals.dynamic_s);
      report = stepper_.step(state, job_.step());
      // The clock comes from the step's number, so that rounding does not pile up over a long shot.
      state.t = job_.start_time() + number * job_.step();
    }
    totals.add(report);
    TimeInto timer(totals.static_s);
    p = track_.at(state.t);
    amplitude_.add(track_.local_displacement(state.u, p), job_.step());
    return {.time = number * job_.step(),
            .amplitude = amplitude_.value(),
            .rms = amplitude_.rms,
            .peak = amplitude_.peak,
            .kinetic = stepper_.kinetic_energy(state),
            .elastic = stepper_.elastic_energy(state),
            .newton = static_cast<double>(report.newton_iterations),
            .step = report.h / std::max(1, report.substeps),
            .mode1 = mode_.size() > 0 ? mode_.dot(state.u - p) : 0};
  }

  void keep() { checkpoint(); }

  void finish() {
    TimeInto timer(progress_.totals.output_s);
    checkpoint();
    tets_->finish();
    static_->finish();
    history_->finish();
    write_tet_mesh(path("tets.msh"), model_.mesh());
    files_ = {"tets.pc2", "static.pc2", "tets.msh", "amplitude.csv"};
    const PointCache frames = read_pc2(path("tets.pc2"));
    for (const auto& f : write_surface_files(job_, frames, options_.directory, surface_notes_)) files_.push_back(f);
  }

  void describe(RunResult& result) {
    RunRecord record{.job = job_,
                     .status = result.status,
                     .message = result.message,
                     .frames_done = progress_.frame + 1,
                     .totals = progress_.totals,
                     .static_solves = track_.solves(),
                     .static_unconverged = track_.unconverged(),
                     .rows = history_->rows(),
                     .amplitude = amplitude_.value(),
                     .amplitude_rms = amplitude_.time_mean(),
                     .peak = amplitude_.largest_peak,
                     .notes = surface_notes_,
                     .solver = job_.config.solver.linear};
    write_run_report(record, options_.directory, result);
    result.files.insert(result.files.begin(), files_.begin(), files_.end());
  }

  const Job& job_;
  const RunOptions& options_;
  const Model& model_;
  Stepper stepper_;
  StaticTrack track_;
  Amplitude amplitude_;
  VecX rest_, mode_;
  State state_;
  Progress progress_;
  std::optional<Pc2Writer> tets_, static_;
  std::optional<History> history_;
  std::vector<std::string> files_, surface_notes_;
};

}  // namespace

RunResult run_job(const Job& job, const RunOptions& options) {
  prepare_directory(options);
  return Run(job, options).go();
}

std::string next_take(const std::string& parent) {
  for (int i = 1;; ++i) {
    const fs::path dir = fs::path(parent) / fmt::format("{:03}", i);
    if (!fs::exists(dir)) return dir.string();
  }
}

}  // namespace supple
