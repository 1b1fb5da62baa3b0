#include "supple/pipeline/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <optional>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/folder_claim.h"
#include "supple/base/hash.h"
#include "supple/base/parallel.h"
#include "supple/base/timer.h"
#include "supple/inertia/simulation.h"
#include "supple/io/output_file.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/character/flesh_plan.h"
#include "supple/pipeline/deliver/checkpoint_file.h"
#include "supple/pipeline/deliver/history.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/deliver/surface_files.h"
#include "supple/pipeline/job/contact_setup.h"
#include "supple/pipeline/run/contact_log.h"
#include "supple/pipeline/run/report.h"
#include "supple/pipeline/run/run_stages.h"
#include "supple/pipeline/setup/adjusted_body.h"
#include "supple/pipeline/setup/fingerprint.h"
#include "supple/pipeline/setup/stage_cache.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr char kOtherDials[] = "other_dials";  // in a checkpoint: it is of a run with others

// Whether there is something to go on with. What is asked to go on may have been stopped before it had begun.
bool goes_on(const CheckpointFile& checkpoint, const RunOptions& o) {
  return (o.resume || o.from) && checkpoint.exists();
}

// Of all runs of this motion and body: they may differ in the dials that do not move the equilibrium.
std::string kin_of(const Job& job) {
  const SceneConfig& own = job.config;
  SceneConfig plain = without_dials(own);
  plain.file.clear();
  plain.controls.sag = own.controls.sag, plain.controls.sag_m = own.controls.sag_m;
  plain.controls.sag_map = own.controls.sag_map, plain.controls.sag_keys = own.controls.sag_keys;
  for (size_t k = 0; k < own.regions.size(); ++k)
    plain.regions[k].sag = own.regions[k].sag, plain.regions[k].sag_m = own.regions[k].sag_m;
  return "kin " + fingerprint(plain, job.notes.inputs);
}

uint64_t number_of(const Job& job) {
  const std::string text = fingerprint(job);
  return hash_bytes(text.data(), text.size());
}

// The run that is there becomes one of this job that was stopped at the frame.
void rewind(const Job& job, const CheckpointFile& checkpoint, const RunOptions& o) {
  if (job.shot.start.loop) throw InputError({.place = "--from"}, "a loop has no frame to begin from", "run it whole");
  Checkpoint c = checkpoint.kept(*o.from, kin_of(job));
  if (get_bits(c, "job") != number_of(job)) c.numbers[kOtherDials] = 1;
  c.numbers["reused_frames"] = c.numbers.at("frame");
  std::error_code error;
  fs::remove(fs::path(o.directory) / "report.json", error);
  checkpoint.forget_after(static_cast<int>(c.numbers.at("frame")));
  checkpoint.drop_state();
  checkpoint.journal().begin();
  checkpoint.write(std::move(c));
}

void prepare_directory(const Job& job, const CheckpointFile& checkpoint, const RunOptions& o) {
  require_inputs_apart(job.config, o.directory);
  if (o.from && !(o.resume && checkpoint.journal().is_begun())) rewind(job, checkpoint, o);
  const bool on = goes_on(checkpoint, o);
  if (on) {
    checkpoint.read();  // whatever is wrong with it is told before anything is made
  } else {
    require_free_names(o.directory, o.overwrite);
    clear_results(o.directory);
    checkpoint.remove();
  }
  checkpoint.prepare();
  checkpoint.journal().begin();
}

// The loop's own state besides the simulation's: what else a checkpoint holds.
struct Progress {
  int frame = 0;  // last finished, counted from 0
  RunTotals totals;
};

constexpr int kParts = 4;  // of the results: what is drawn, and three that are made of it

class Run {
 public:
  Run(const Job& job, const CheckpointFile& checkpoint, const RunOptions& options, const Watch& watch)
      : job_(job),
        checkpoint_(checkpoint),
        options_(options),
        goes_on_(goes_on(checkpoint, options)),
        watch_(watch),
        laps_(options.spent),
        model_(*job.body->model),
        contact_(set_up_contact(job, notes_)),
        sim_(contact_ ? *contact_->model : model_, with_knots(simulation_spec(job), contact_.get())),
        measure_(job, options.modes),
        known_(options.known),
        rest_(flatten(model_.mesh().vertices)) {
    if (contact_) contact_log_.emplace(*contact_);
    others_ = contact_ ? contact_->model->spec().n_bystanders : 0;
    if (others_ > 0) other_rest_ = flatten(contact_->model->mesh().vertices).tail(3 * others_);
    reused_ = job.subject->reused();
    if (options.plan && options.plan->found) reused_.push_back("plan");
    if (!goes_on_ && sim_.knots() && sim_.knots()->size() > 0) reused_.push_back("static track");
    if (goes_on_) note_reused_frames(checkpoint.read());
    if (!reused_.empty()) watch.note(fmt::format("re-used: {}", fmt::join(reused_, ", ")));
  }

  // All frames, in caches.
  RunResult simulate() {
    laps_.lap("set_up");
    return timed([&](RunResult&) {
      if (goes_on_)
        resume();
      else
        start();
      while (progress_.frame + 1 < job_.shot.n_frames()) frame();
      end_of_steps();
      close();
    });
  }

  RunResult deliver() {
    laps_.lap("measuring");
    RunResult result = timed([&](RunResult& r) {
      watch_.progress(kWriting, 0, kParts);
      r.message = finish();
      if (!r.message.empty()) r.status = RunStatus::failed;
    });
    return told(std::move(result));
  }

  // What is to be told of a simulation that came to its end, or did not.
  RunResult told(RunResult result) {
    if (disk_failed_) return result;  // a report would not be written either
    describe(result);
    if (result.status == RunStatus::done) checkpoint_.journal().tell(kDelivered);
    result.soft = std::move(surface_.soft);
    result.check = surface_.check.value_or(MotionCheck());
    if (result.status == RunStatus::done) watch_.progress(kWriting, kParts, kParts);
    return result;
  }

  void set_known(const KnownResponses& responses) { known_ = responses; }
  const PointCache& tets() const { return shown_; }
  const PointCache& statics() const { return still_; }

 private:
  template <class Work>
  RunResult timed(Work&& work) {
    Timer total;
    RunResult result;
    try {
      work(result);
    } catch (const Cancelled&) {
      keep();
      result.status = RunStatus::interrupted;
      result.message = "interrupted before the first frame";
      if (begun_) result.message = stopped_after(progress_.frame);
    } catch (const OutputFailure& e) {
      result.status = RunStatus::failed;
      result.message = fmt::format("{}. What is complete is kept: --resume goes on from there", e.what());
      disk_failed_ = true;
    } catch (const SimulationFailure& e) {
      keep();
      result.status = RunStatus::failed;
      result.message = fmt::format("frame {:.2f}{}, {}: {}", (e.time_s() - job_.shot.start_time()) * job_.shot.fps,
                                   begun_ ? "" : " of what comes before the first", e.part(), e.cause());
      if (begun_)
        result.message += fmt::format(". Frames 0 to {} are kept in {}", progress_.frame, path("tets.pc2.part"));
    } catch (const OwnFault& e) {
      keep();
      result.status = RunStatus::failed;
      result.message = fmt::format("after frame {}: {}", progress_.frame, e.what());
    }
    if (!stepped_) end_of_steps();
    laps_.lap("output");
    progress_.totals.total_s += total.seconds();
    return result;
  }

  // Of a run that was made anew from a frame on.
  void note_reused_frames(const Checkpoint& c) {
    const auto found = c.numbers.find("reused_frames");
    if (found == c.numbers.end()) return;
    reused_frames_ = static_cast<int>(found->second);
    reused_.push_back(fmt::format("frames 0 to {}", reused_frames_));
    notes_.push_back(
        fmt::format("frames 0 to {} are of a run before, which may have had other dials: what is measured over the "
                    "whole shot is of both",
                    reused_frames_));
  }

  int n_steps() const { return std::max(1, job_.shot.n_frames() - 1); }
  void tell(int done) const { watch_.progress(kSimulating, done, n_steps()); }
  std::string path(const std::string& name) const { return (fs::path(options_.directory) / name).string(); }

  void start() {
    tets_.emplace(path("tets.pc2"), model_.n_vertices());
    static_.emplace(path("static.pc2"), model_.n_vertices());
    if (others_ > 0) bodies_.emplace(path("bodies.pc2"), others_);
    history_.emplace(path("amplitude.csv"), 0, measure_.columns());
    beginning_ = begin(sim_, job_, watch_);
    progress_.totals.steps_warm_up = static_cast<int>(sim_.steps_taken());
    if (!beginning_.text.empty()) watch_.note(beginning_.text);
    begun_ = true;
    tell(0);
    if (contact_log_) contact_log_->begin(sim_.state());
    append(0);
  }

  // The body, its equilibrium and other bodies at a frame.
  void append(int frame) {
    tets_->append(rest_ + beginning_.fade.shown(sim_, frame).head(rest_.size()));
    static_->append(rest_ + sim_.p().head(rest_.size()));
    if (bodies_) bodies_->append(other_rest_ + sim_.state().u.tail(other_rest_.size()));
  }

  void resume() {
    const Checkpoint c = checkpoint_.read();
    if (c.numbers.count(kOtherDials) > 0) {
      // Flesh is where it was and moves as it did; what else a state has is made anew, as it depends on the dials.
      const State state = get_state(c);
      sim_.start_at(state.t, state.u, state.v);
    } else {
      sim_.load(c);
    }
    beginning_ = get_beginning(c);
    begun_ = true;
    progress_.frame = static_cast<int>(c.numbers.at("frame"));
    progress_.totals.get(c.numbers);
    earlier_ = progress_.totals;
    tets_ = Pc2Writer::resume(path("tets.pc2"), model_.n_vertices(), progress_.frame + 1);
    static_ = Pc2Writer::resume(path("static.pc2"), model_.n_vertices(), progress_.frame + 1);
    if (others_ > 0) bodies_ = Pc2Writer::resume(path("bodies.pc2"), others_, progress_.frame + 1);
    if (contact_log_) contact_log_->get(c);
    history_.emplace(path("amplitude.csv"), progress_.frame * job_.body->substeps, measure_.columns());
    list_hashes([&](const std::string& name, uint64_t now) {
      if (get_bits(c, "hash." + name) != now)
        throw InputError({.file = path(name + ".part")}, "is not what the run left there",
                         "run again without --resume");
    });
    tell(progress_.frame);
  }

  // Of what grows frame by frame.
  void list_hashes(const std::function<void(const std::string& name, uint64_t hash)>& take) const {
    take("tets.pc2", tets_->hash());
    take("static.pc2", static_->hash());
    if (bodies_) take("bodies.pc2", bodies_->hash());
    take("amplitude.csv", history_->hash());
  }

  void checkpoint() {
    tets_->flush();
    static_->flush();
    if (bodies_) bodies_->flush();
    history_->flush();
    Checkpoint c;
    sim_.save(c);
    put(c, beginning_);
    if (contact_log_) contact_log_->put(c);
    c.numbers["frame"] = progress_.frame;
    list_hashes([&](const std::string& name, uint64_t hash) { put_bits(c, "hash." + name, hash); });
    note_times();
    RunTotals totals = progress_.totals;
    totals.wall_s += laps_.seconds();
    totals.put(c.numbers);
    if (reused_frames_ > 0) c.numbers["reused_frames"] = reused_frames_;
    const int every = kCheckpointEvery * (1 + job_.shot.n_frames() / (kKeptOverRun * kCheckpointEvery));
    if (progress_.frame > 0 && progress_.frame % every == 0) {
      put_bits(c, "job", number_of(job_));
      checkpoint_.keep(progress_.frame, c, kin_of(job_));
    }
    checkpoint_.write(std::move(c));
  }

  // The simulation counts its seconds since it was made; a resumed run adds them to those before.
  void note_times() {
    RunTotals& t = progress_.totals;
    t.static_s += sim_.static_seconds() - counted_.static_s, counted_.static_s = sim_.static_seconds();
    t.dynamic_s += sim_.dynamic_seconds() - counted_.dynamic_s, counted_.dynamic_s = sim_.dynamic_seconds();
    t.adjusted_s += sim_.force_seconds() - counted_.adjusted_s, counted_.adjusted_s = sim_.force_seconds();
    const double contact = sim_.stepper().contact_seconds();
    t.contact_s += contact - counted_.contact_s, counted_.contact_s = contact;
    const int taken = static_cast<int>(sim_.steps_taken());
    t.steps_total += taken - counted_.steps_total, counted_.steps_total = taken;
    if (const AdjustedInertia* a = sim_.adjusted()) {
      t.irregular_frames = std::max(t.irregular_frames, a->irregular_frames());
      t.largest_spin = std::max(t.largest_spin, a->largest_spin());
    }
  }

  // One frame: all or nothing, so that what is kept is always whole frames.
  void frame() {
    std::vector<HistoryRow> rows;
    const Simulation::Mark before = sim_.mark();
    const RunTotals totals_before = progress_.totals;
    try {
      for (int k = 1; k <= job_.body->substeps; ++k) {
        if (watch_.cancelled()) throw Cancelled();
        rows.push_back(step());
      }
    } catch (...) {
      // The checkpoint to come is of the last whole frame.
      sim_.rewind(before);
      if (contact_log_) contact_log_->drop_frame();
      progress_.totals = totals_before;
      throw;
    }
    for (const HistoryRow& row : rows) history_->add(row);
    const TimeInto timer(progress_.totals.output_s);
    append(progress_.frame + 1);
    if (contact_log_) contact_log_->end_frame(progress_.frame + 1, sim_.state());
    progress_.totals.inverted_max =
        std::max(progress_.totals.inverted_max, sim_.stepper().count_inverted(sim_.state()));
    ++progress_.frame;
    if (progress_.frame % kCheckpointEvery == 0) checkpoint();
    renew_claims();
    tell(progress_.frame);
  }

  // What the steps took, by what for.
  void end_of_steps() {
    stepped_ = true;
    const double all = laps_.take();
    note_times();
    const RunTotals &t = progress_.totals, &e = earlier_;
    const double contact = t.contact_s - e.contact_s, writing = t.output_s - e.output_s;
    double rest = all - writing;
    for (const auto& [name, seconds] : {std::pair{"static", t.static_s - e.static_s},
                                        {"dynamic", t.dynamic_s - e.dynamic_s - contact},
                                        {"adjusted", t.adjusted_s - e.adjusted_s},
                                        {"contact", contact}}) {
      laps_.add(name, seconds);
      rest -= seconds;
    }
    laps_.add("measuring", rest);
    laps_.add("output", writing);
  }

  HistoryRow step() {
    const StepReport report = sim_.step();
    progress_.totals.add(report);
    if (contact_log_) contact_log_->add(report);
    const State& state = sim_.state();
    HistoryRow row{.time = static_cast<double>(sim_.steps_done()) * sim_.step_length(),
                   .amplitude = sim_.amplitude().value(),
                   .rms = sim_.amplitude().rms,
                   .peak = sim_.amplitude().peak,
                   .kinetic = sim_.stepper().kinetic_energy(state),
                   .elastic = sim_.stepper().elastic_energy(state),
                   .newton = static_cast<double>(report.newton_iterations),
                   .contacts = static_cast<double>(report.contact.pairs),
                   .step = report.h / std::max(1, report.substeps)};
    measure_.measure(sim_.q(), row);
    return row;
  }

  void keep() {
    if (begun_) checkpoint();
  }

  static SimulationSpec with_knots(SimulationSpec spec, const ContactSetup* contact) {
    if (contact) contact->put_into(spec);
    spec.knots = stage_cache().is_open() ? cached_knots() : nullptr;
    return spec;
  }

  void close() {
    const TimeInto timer(progress_.totals.output_s);
    checkpoint();
    if (sim_.knots() && sim_.knots()->changed()) keep_knots(sim_.knots_key(), *sim_.knots());
    tets_->finish();
    static_->finish();
    if (bodies_) bodies_->finish();
    history_->finish();
    checkpoint_.journal().tell(fmt::format("simulated {} frames", progress_.frame + 1));
    shown_ = read_pc2(path("tets.pc2")), still_ = read_pc2(path("static.pc2"));
  }

  // Why what was simulated is not delivered; "": it is.
  std::string finish() {
    TimeInto timer(progress_.totals.output_s);
    surface_ = drawn_surface(job_, shown_, still_);
    if (const int bad = first_not_finite(surface_.frames); bad >= 0) {
      surface_ = {};
      return fmt::format("frame {}: not all positions are finite; what was simulated is kept in {}", bad,
                         path("tets.pc2"));
    }
    if (const std::string why = surface_.check ? blown_up(*surface_.check) : ""; !why.empty()) {
      surface_ = {};
      return fmt::format(
          "{}; make it stiffer, throw it less, or keep the drawn shape (output.shape = \"keep\"); what was simulated "
          "is kept in {}",
          why, path("tets.pc2"));
    }
    watch_.progress(kWriting, 1, kParts);
    if (contact_) surface_.others = companions(job_, bodies_ ? read_pc2(path("bodies.pc2")) : PointCache());
    if (contact_log_) surface_.busiest = contact_log_->busiest_frame();
    write_tet_mesh(path("tets.msh"), model_.mesh());
    files_ = {"tets.pc2", "static.pc2", "tets.msh", "amplitude.csv"};
    if (bodies_) files_.push_back("bodies.pc2");
    for (const std::string& f : job_.subject->write_files(options_.directory)) files_.push_back(f);
    if (surface_.check) surface_notes_ = complaints(*surface_.check);
    // Side by side: none needs what another makes.
    std::vector<std::string> files;
    const std::vector<std::string>& formats = job_.config.output.formats;
    const bool beside = options_.while_writing && has_soft_clip(*job_.subject);
    const bool needed = std::find(formats.begin(), formats.end(), "glb") != formats.end();
    SoftClip taken = beside && needed ? surface_.soft : SoftClip();
    parallel_for(3, 1, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) {
        if (k == 0 && beside) options_.while_writing(needed ? taken : surface_.soft);
        if (k == 1) files = write_surface_files(job_.output(), surface_, options_.directory, surface_notes_);
        if (k == 2 && job_.config.output.report)
          pictures_ = run_pictures(job_, surface_, options_.directory, options_.softness.get());
        const std::lock_guard lock(telling_);
        watch_.progress(kWriting, ++written_, kParts);
      }
    });
    files_.insert(files_.end(), files.begin(), files.end());
    return "";
  }

  void describe(RunResult& result) {
    note_times();
    std::vector<std::string> notes = notes_;
    if (contact_log_)
      for (const std::string& w : contact_log_->warnings()) notes.push_back(w);
    for (const std::string& w : notes) watch_.note(w);
    notes.insert(notes.end(), surface_notes_.begin(), surface_notes_.end());
    RunRecord record{.job = job_,
                     .status = result.status,
                     .message = result.message,
                     .frames_done = begun_ ? progress_.frame + 1 : 0,
                     .totals = progress_.totals,
                     .track = sim_.track(),
                     .beginning = beginning_,
                     .measure = measure_,
                     .known = known_,
                     .shown = shown_,
                     .still = still_,
                     .plan = options_.plan.get(),
                     .rows = history_->rows(),
                     .notes = notes,
                     .contact = contact_log_ ? contact_log_->json() : Json(),
                     .surface = surface_,
                     .pictures = std::move(pictures_),
                     .solver = sim_.stepper().linear_solver(),
                     .reused = reused_,
                     .earlier = earlier_,
                     .spent = laps_};
    write_run_report(std::move(record), options_.directory, result);
    result.files.insert(result.files.begin(), files_.begin(), files_.end());
  }

  const Job& job_;
  const CheckpointFile& checkpoint_;
  const RunOptions& options_;
  const bool goes_on_;
  const Watch& watch_;
  Laps laps_;
  const Model& model_;  // the body alone
  std::vector<std::string> notes_;
  std::unique_ptr<ContactSetup> contact_;  // null: there is nothing to touch
  Simulation sim_;
  std::optional<ContactWatch> contact_log_;
  int others_ = 0;  // vertices of other bodies
  VecX other_rest_;
  RunMeasure measure_;
  KnownResponses known_;
  PointCache shown_, still_;  // as in tets.pc2 and static.pc2
  VecX rest_;
  Progress progress_;
  StartResult beginning_;
  bool begun_ = false;  // the first frame is there
  bool disk_failed_ = false;
  int reused_frames_ = 0;  // of a run before
  bool stepped_ = false;   // the time of its steps is divided
  RunTotals earlier_;      // of what is gone on with
  std::mutex telling_;
  int written_ = 1;    // parts of the results
  RunTotals counted_;  // seconds and steps of this simulation that are in the totals already
  std::optional<Pc2Writer> tets_, static_, bodies_;
  std::optional<History> history_;
  std::vector<std::string> files_, surface_notes_, reused_;
  DrawnFrames surface_;
  RunPictures pictures_;
};

}  // namespace

bool is_done(const Job& job, const std::string& directory) {
  return CheckpointFile(directory, fingerprint(job)).journal().has(kDelivered);
}

bool can_go_on(const Job& job, const std::string& directory) {
  const CheckpointFile file(directory, fingerprint(job));
  try {
    return file.exists() && file.journal().is_begun() && file.read().numbers.count("frame") > 0;
  } catch (const InputError&) {
    return false;
  }
}

struct TakeRun::Parts {
  ResultFolder folder;
  CheckpointFile checkpoint;
  RunOptions options;
  Watch watch;
  std::optional<Run> run;
};

TakeRun::TakeRun(const Job& job, const RunOptions& options, const Watch& watch)
    : parts_(new Parts{
          ResultFolder(options.directory), CheckpointFile(options.directory, fingerprint(job)), options, watch, {}}) {
  prepare_directory(job, parts_->checkpoint, parts_->options);
  parts_->run.emplace(job, parts_->checkpoint, parts_->options, parts_->watch);
}
TakeRun::~TakeRun() = default;

RunResult TakeRun::simulate() {
  RunResult result = parts_->run->simulate();
  if (result.status == RunStatus::done) return result;
  return parts_->run->told(std::move(result));
}
RunResult TakeRun::deliver(const KnownResponses& known) {
  parts_->run->set_known(known);
  return parts_->run->deliver();
}
const PointCache& TakeRun::tets() const { return parts_->run->tets(); }
const PointCache& TakeRun::statics() const { return parts_->run->statics(); }

RunResult run_job(const Job& job, const RunOptions& options, const Watch& watch) {
  watch.plan(stages_of_run(job));
  TakeRun run(job, options, watch);
  RunResult result = run.simulate();
  if (result.status != RunStatus::done) return result;
  return run.deliver(options.known);
}

}  // namespace supple::pipeline
