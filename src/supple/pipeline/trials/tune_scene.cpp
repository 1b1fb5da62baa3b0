#include "supple/pipeline/trials/tune_scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/deliver/stage_journal.h"
#include "supple/pipeline/job/subjects.h"
#include "supple/pipeline/setup/fingerprint.h"
#include "supple/pipeline/trials/part_settling.h"
#include "supple/pipeline/trials/wanted_scene.h"
#include "supple/report/dials_json.h"
#include "supple/scene/read_scene.h"
#include "supple/scene/write_scene.h"
#include "supple/tune/amount_search.h"
#include "supple/tune/giving_way.h"

namespace supple::pipeline {

namespace {

namespace fs = std::filesystem;

constexpr int kLowPasses = 6;      // until the lowest frame is the one asked for
constexpr double kLowNear = 0.25;  // frames
constexpr double kShown = 0.02;    // a dial that misses by less is met, where nothing closer was asked for
constexpr double kUnasked = 0.25;  // of the weight of what is asked for
const std::string kTrial = "motion ";
constexpr char kMet[] = "met";
constexpr double kStill = 1e-9;  // of the size: a part that goes no further goes nowhere

double finite_or(double x, double other) { return std::isfinite(x) ? x : other; }

StageJournal journal_of(const SceneConfig& scene, const TuneRequest& r, const std::string& directory) {
  const auto said = [](const std::optional<double>& x) { return x ? fmt::format("{:.17g}", *x) : "-"; };
  std::string dials;
  for (const auto* dial : {&r.frequency, &r.amplitude, &r.sag, &r.half_life, &r.frequency_hz, &r.half_life_s, &r.sag_m,
                           &r.frames_per_bounce, &r.settle_by, &r.low_at})
    dials += said(*dial) + " ";
  return {directory, "tune",
          fingerprint_with_files(scene, {{dials + r.like, fmt::format("{:.17g} {}", r.tolerance, r.max_runs)}})};
}

class Tuning {
 public:
  Tuning(const SceneConfig& scene, const TuneRequest& request, const std::string& directory, const Watch& watch)
      : scene_(scene),
        request_(request),
        directory_(directory),
        watch_(watch),
        journal_(journal_of(scene, request, directory)) {
    if (scene.expert.raw())
      throw InputError(scene.locate("expert"), "a raw scene has no dials to tune",
                       "remove chi, mu, ck and inertia_scale from [expert]");
    // The flesh of a character is chosen once.
    subject_ = make_subject(scene, true, watch);
    SceneConfig plain = without_dials(scene);
    plain.file.clear();
    base_ = std::make_unique<Job>(build_job(plain, true, subject_));
    if (scene_.flesh.empty()) scene_.flesh = base_->body->flesh;
    if (request.resume && journal_.is_of_other())
      throw InputError({.file = directory}, "what was tuned there is another scene or request",
                       "say what was said then, or --overwrite to begin anew");
    if (request.resume && journal_.is_begun())
      known_ = known_trials();
    else
      journal_.begin();
  }

  TuneOutcome go() {
    run_unadjusted();
    measure_unadjusted();
    wanted_ = wanted_scene(scene_, request_, *base_, before_.whole, out_.notes);
    meet();
    for (int pass = 0; request_.low_at && pass < kLowPasses && run_; ++pass) {
      const LowPoint low = low_point(*job_, heights_of(*job_, run_->tets(), run_->statics()), *request_.low_at);
      if (!low.found && low.frame == 0) {
        say("--low-at: no free swing to time: " + low.reason);
        break;
      }
      const bool last = std::abs(low.frame - *request_.low_at) < kLowNear || pass + 1 == kLowPasses || !low.found;
      const std::string text = fmt::format("lowest at frame {:.2f}, asked for {:g}", low.frame, *request_.low_at);
      if (last) {
        say(text + (std::abs(low.frame - *request_.low_at) < 0.75 ? "" : ": the nearest reached"));
        break;
      }
      watch_.note(text);
      ControlsConfig& c = wanted_.controls;
      if (c.frequency_hz)
        c.frequency_hz = *c.frequency_hz * low.ratio;
      else
        c.frequency *= low.ratio;
      meet();
    }
    deliver();
    return std::move(out_);
  }

 private:
  std::string path(const std::string& name) const { return (fs::path(directory_) / name).string(); }
  void say(const std::string& text) {
    out_.notes.push_back(text);
    watch_.note(text);
  }
  Watch named(const std::string& motion) const {
    Watch w = watch_;
    w.progress = [this, motion](std::string_view, int frame, int n) { watch_.progress(motion, frame, n); };
    w.note = {};
    return w;
  }

  // The run of the scene without dials, or the one that is there.
  void run_unadjusted() {
    const std::string folder = path("baseline"), mark = (fs::path(folder) / "fingerprint.txt").string();
    const std::string now = fingerprint(*base_);
    std::ifstream in(mark);
    std::string there;
    const bool known = std::getline(in, there) && there == now;
    if (known) {
      watch_.note("the scene without dials was run before");
      before_.tets = read_pc2((fs::path(folder) / "tets.pc2").string());
      before_.statics = read_pc2((fs::path(folder) / "static.pc2").string());
    } else {
      watch_.note("running the scene without dials");
      std::error_code none;
      fs::remove(mark, none);
      TakeRun run(*base_, {.directory = folder, .overwrite = true, .resume = goes_on(*base_, folder)},
                  named("without dials"));
      const RunResult r = run.simulate();
      ++out_.motions;
      if (r.status == RunStatus::interrupted) throw Cancelled();
      if (r.status != RunStatus::done)
        throw InputError({.file = scene_.file}, "the scene without dials does not run: " + r.message,
                         "make `supple simulate` work on it first");
      before_.tets = run.tets(), before_.statics = run.statics();
      write_text(mark, now + "\n");
    }
    const MeasuredPart whole = whole_body(*base_->body);
    before_.whole.amount_m = part_amounts({whole}, before_.tets, before_.statics)[0];
    before_.whole.peak_m = farthest_of(whole, before_.tets, before_.statics);
    if (before_.whole.amount_m <= kStill * base_->body->model->size())
      throw InputError({.file = scene_.file}, "nothing jiggles in this scene: there is no amplitude to scale",
                       "give it a motion, or timeline.test_motion = \"stop\"");
  }

  double release() const { return std::max(before_.whole.amount_m / 10, 1e-4 * base_->body->model->size()); }

  void measure_unadjusted() {
    const std::vector<MeasuredResponse> at_rest = measured_at_rest(*base_, release(), &before_.statics);
    const MeasuredResponse& slowest = slowest_of(at_rest);
    MeasuredResponse& w = before_.whole;
    w.ring_hz = slowest.ring_hz, w.ring_half_life_s = slowest.ring_half_life_s;
    w.sag_m = at_rest.size() == 1 ? at_rest[0].sag_m : base_->body->baseline.sag_m;
    watch_.note(
        fmt::format("without dials: frequency {:.4g} Hz, half-life {:.4g} s, sag {:.4g} mm, amplitude {:.4g} mm rms, "
                    "peak {:.4g} mm",
                    w.ring_hz, w.ring_half_life_s, 1e3 * w.sag_m, 1e3 * w.amount_m, 1e3 * w.peak_m));
  }

  // Parts as the dials have them, and what is wanted of each.
  void set_targets() {
    ready_ = ready_body(wanted_, *subject_);
    formulas_ = std::make_unique<Job>(build_job(wanted_, true, subject_, ready_));
    parts_ = measured_parts(*formulas_->body);
    Job before = *base_;
    auto body = std::make_shared<AdjustedBody>(*base_->body);
    body->parts = formulas_->body->parts, body->split = formulas_->body->split;
    before.body = std::move(body);
    before_.parts = measured_at_rest(before, release(), &before_.statics);
    const std::vector<double> amounts = part_amounts(parts_, before_.tets, before_.statics);
    for (size_t i = 0; i < parts_.size(); ++i) before_.parts[i].amount_m = amounts[i];
    targets_ = part_targets(*formulas_, parts_, before_);
  }

  void meet() {
    set_targets();
    double wanted_release = 0;
    for (const PartTarget& t : targets_) wanted_release = std::max(wanted_release, finite_or(t.amount_m, 0) / 10);
    if (!(wanted_release > 0)) wanted_release = release();
    settled_ = settle_parts(*formulas_, targets_, wanted_release, &before_.statics, [&](const Settling& s) {
      if (watch_.cancelled()) throw Cancelled();
      trace("rest", s.found, s.got, {});
    });
    search();
  }

  // Those whose amount is to be found: it is asked for, and there is some.
  std::vector<size_t> searched() const {
    std::vector<size_t> out;
    for (size_t i = 0; i < targets_.size(); ++i)
      if (targets_[i].amount_m > kStill * base_->body->model->size()) out.push_back(i);
    return out;
  }

  // d log amount / d log inertia, from how far each part gives way when any of them is pulled at.
  MatX coupling(const std::vector<size_t>& parts) const {
    const auto n = static_cast<Eigen::Index>(parts.size());
    MatX J = MatX::Identity(n, n);
    const std::vector<char> touching = touching_parts(*formulas_->body);
    if (std::none_of(touching.begin(), touching.end(), [](char c) { return c != 0; })) return J;
    const AdjustedBody& body = *formulas_->body;
    std::vector<SwayRegion> regions;
    for (const size_t i : parts) {
      std::vector<double> own(body.parts.size(), 0);
      own[i] = 1;
      SwayRegion r{.weight = smooth_on_vertices(body.model->mesh(), *body.split, own), .watched = {}, .reach = {}};
      r.weight.array() *= body.fields.epsilon.array();
      if (body.inertia.size() > 0) r.weight.array() *= body.inertia.array();
      r.watched = at_vertices(parts_[i].vertices);
      r.reach.assign(parts_[i].vertices.size(), 1);
      regions.push_back(std::move(r));
    }
    const GivingWay way(*body.model, regions, wanted_.solver.linear);
    if (!way.ok()) return J;
    constexpr double kStep = 0.05;
    const std::vector<double> ones(parts.size(), 1), now = way.shares(ones);
    for (Eigen::Index j = 0; j < n; ++j) {
      std::vector<double> more = ones;
      more[static_cast<size_t>(j)] += kStep;
      const std::vector<double> then = way.shares(more);
      for (Eigen::Index i = 0; i < n; ++i)
        J(i, j) = now[static_cast<size_t>(i)] > 0
                      ? std::log(then[static_cast<size_t>(i)] / now[static_cast<size_t>(i)]) / std::log(1 + kStep)
                      : (i == j ? 1 : 0);
    }
    return J;
  }

  void search() {
    const std::vector<size_t> parts = searched();
    std::vector<double> wanted;
    for (size_t i : parts) wanted.push_back(targets_[i].amount_m);
    AmountSearchOptions options{
        .tolerance = request_.tolerance, .max_runs = request_.max_runs, .coupling = coupling(parts)};
    // What somebody asked for goes before that what is beside it stays.
    for (size_t i : parts) options.weight.push_back(targets_[i].is_asked() ? 1 : kUnasked);
    const AmountFunction value = [&](const std::vector<double>& scale) { return trial(parts, scale); };
    if (parts.empty()) {
      value({});
      if (!run_) trial(parts, {}, Trial::last);
      return;
    }
    const AmountSearchResult found = search_amounts(wanted, value, options);
    search_note_ = found.met ? "" : found.reason;
    // What is delivered is the last that was simulated.
    if (found.best < 0) return;
    const bool is_last = found.best + 1 == static_cast<int>(found.trials.size());
    if (!is_last || !run_)
      trial(parts, found.trials[static_cast<size_t>(found.best)].scale, is_last ? Trial::last : Trial::again);
  }

  // A motion that is known from before is simulated only where it is to be delivered: again, after others, or as the
  // last that was simulated then, which is counted already.
  enum class Trial { new_one, again, last };

  AmountTrial trial(const std::vector<size_t>& parts, const std::vector<double>& scale, Trial kind = Trial::new_one) {
    AmountTrial out;
    std::vector<Scalings> found = settled_.found;
    for (size_t k = 0; k < parts.size(); ++k) found[parts[k]].epsilon *= scale[k];
    SceneConfig scene = wanted_;
    for (size_t i = 0; i < found.size(); ++i)
      scene.tuned.push_back({targets_[i].name, found[i].chi, found[i].mu, found[i].ck, found[i].epsilon});
    write_scene(scene);
    scene = load_scene(path("tuned.toml"));
    run_.reset();
    const auto ready = std::make_shared<ReadyBody>(*ready_);
    ready->adjusted = std::make_shared<const AdjustedBody>(tuned(scene, *formulas_->body, found));
    job_ = std::make_unique<Job>(build_job(scene, true, subject_, ready));
    if (kind != Trial::last) ++out_.motions;
    const std::string key = fingerprint(*job_);
    const auto known = known_.find(key);
    const std::vector<double> amounts =
        kind == Trial::new_one && known != known_.end() ? recalled(known->second) : simulated(key);
    out.ok = last_.status == RunStatus::done;
    out.trouble = last_.message;
    for (size_t k = 0; k < parts.size(); ++k) out.value.push_back(out.ok ? amounts[parts[k]] : 0);
    if (kind != Trial::last) trace("run", found, {}, amounts);
    return out;
  }

  // How far the parts of the motion go; empty: it failed.
  std::vector<double> simulated(const std::string& key) {
    run_ = std::make_unique<TakeRun>(
        *job_, RunOptions{.directory = directory_, .overwrite = true, .resume = goes_on(*job_, directory_)},
        named(fmt::format("motion {}", out_.motions - 1)));
    last_ = run_->simulate();
    if (last_.status == RunStatus::interrupted) throw Cancelled();
    std::vector<double> amounts;
    if (last_.status == RunStatus::done)
      amounts = part_amounts(parts_, run_->tets(), run_->statics());
    else
      run_.reset();
    std::string line = kTrial + key;
    for (const double x : amounts) line += fmt::format(" {:.17g}", x);
    if (!journal_.has(line)) journal_.tell(line);
    return amounts;
  }
  std::vector<double> recalled(const std::vector<double>& amounts) {
    last_ = {};
    if (amounts.empty()) last_.status = RunStatus::failed, last_.message = "failed before";
    return amounts;
  }
  std::map<std::string, std::vector<double>> known_trials() const {
    std::map<std::string, std::vector<double>> known;
    for (const std::string& line : journal_.stages()) {
      if (!line.starts_with(kTrial)) continue;
      std::istringstream in(line.substr(kTrial.size()));
      std::string key;
      in >> key;
      std::vector<double>& amounts = known[key];
      amounts.clear();
      for (double x; in >> x;) amounts.push_back(x);
    }
    return known;
  }
  bool goes_on(const Job& job, const std::string& folder) const { return request_.resume && can_go_on(job, folder); }

  void write_scene(const SceneConfig& scene) const {
    OutputFile file(path("tuned.toml"));
    file.write("# What is asked for, and under [[tuned]] what was found to give it.\n" + to_toml(scene, directory_));
    file.commit();
  }

  // A trial, told and kept.
  void trace(const std::string& kind, const std::vector<Scalings>& found, const std::vector<MeasuredResponse>& rest,
             const std::vector<double>& amounts) {
    Json j;
    j["kind"] = kind;
    std::string text;
    for (size_t i = 0; i < targets_.size(); ++i) {
      Json p;
      p["part"] = targets_[i].name;
      p["found"] = json_of(found[i]);
      std::string line = fmt::format("{:<5}{}{}chi {:.4g} mu {:.4g} ck {:.4g} epsilon {:.4g}:", kind,
                                     targets_.size() > 1 ? targets_[i].name : "", targets_.size() > 1 ? ": " : "",
                                     found[i].chi, found[i].mu, found[i].ck, found[i].epsilon);
      if (i < rest.size()) {
        p["frequency_hz"] = rest[i].ring_hz, p["half_life_s"] = rest[i].ring_half_life_s, p["sag_m"] = rest[i].sag_m;
        line += fmt::format(" {:.4g} Hz, half-life {:.4g} s, sag {:.4g} mm", rest[i].ring_hz, rest[i].ring_half_life_s,
                            1e3 * rest[i].sag_m);
      }
      if (i < amounts.size()) {
        p["amount_m"] = amounts[i];
        line += fmt::format(" goes {:.4g} of {:.4g} mm", 1e3 * amounts[i], 1e3 * targets_[i].amount_m);
      }
      j["parts"].push_back(p);
      watch_.note(line);
    }
    trials_.push_back(j);
  }

  void deliver() {
    Json& j = out_.report;
    j["trials"] = Json(Json::Array{});
    for (const Json& t : trials_) j["trials"].push_back(t);
    j["motions"] = out_.motions;
    out_.scene = path("tuned.toml");
    out_.take = last_;
    if (run_) {
      KnownResponses known{.baseline = before_.whole, .baseline_parts = {}};
      if (parts_.size() > 1) known.baseline_parts = before_.parts;
      for (const PartTarget& t : targets_) known.asked_parts.push_back(t.asked);
      if (targets_.size() == 1) known.asked = targets_[0].asked;
      out_.take = run_->deliver(known);
      judge();
      tell_beside();
    }
    j["dials"] = Json(Json::Array{});
    for (const TunedDial& d : out_.dials) {
      Json one;
      one["part"] = d.part, one["dial"] = d.dial, one["asked"] = d.asked, one["got"] = d.got;
      one["met"] = d.met, one["said"] = d.said, one["note"] = d.note;
      j["dials"].push_back(one);
    }
    j["all_met"] = out_.met();
    j["notes"] = out_.notes.empty() ? Json(Json::Array{}) : Json::list(out_.notes);
    write_text(path("trials.json"), j["trials"].text() + "\n");
    if (out_.take.status != RunStatus::done) return;
    if (out_.met()) journal_.tell(kMet);
    journal_.tell(kDelivered);
  }

  // As the take shows it.
  void judge() {
    for (const PartTarget& t : targets_) out_.asked = out_.asked || t.is_asked();
    for (size_t i = 0; i < targets_.size(); ++i) {
      const PartTarget& t = targets_[i];
      const MeasuredResponse& got = parts_.size() > 1 ? out_.take.measured_parts[i] : out_.take.measured;
      const MeasuredResponse& was = before_.parts[i];
      std::string not_measured;
      const auto dial = [&](const char* name, double asked, double now, double then, double near, bool said) {
        if (!std::isfinite(asked) || !(then > 0) || !std::isfinite(then) || std::isnan(now)) {
          if (said) not_measured += std::string(not_measured.empty() ? "" : ", ") + name;
          return;
        }
        TunedDial d{.part = t.name, .dial = name, .asked = asked, .got = now / then, .said = said};
        d.met = std::abs(d.got - asked) <= (said ? near : std::max(near, kShown)) * (asked > 0 ? asked : 1);
        if (!d.met) d.note = fmt::format("the nearest reached, {:+.1f} %", 100 * (d.got / (asked > 0 ? asked : 1) - 1));
        out_.dials.push_back(d);
      };
      dial("frequency", t.asked.frequency, got.ring_hz, was.ring_hz, kShown, t.said.frequency);
      const bool moves = was.amount_m > kStill * base_->body->model->size();
      dial("amplitude", t.asked.amplitude, got.amount_m, moves ? was.amount_m : 0, std::max(request_.tolerance, 1e-4),
           t.said.amplitude && moves);
      dial("sag", t.asked.sag, got.sag_m, was.sag_m, kShown, t.said.sag);
      dial("half_life", t.asked.half_life, got.ring_half_life_s, was.ring_half_life_s, kShown, t.said.half_life);
      if (!not_measured.empty())
        say(fmt::format("{}: {} cannot be measured here and goes by the formula", t.name, not_measured));
    }
    for (TunedDial& d : out_.dials)
      if (!d.met && d.dial == "amplitude" && !search_note_.empty()) d.note += "; " + search_note_;
  }

  // Flesh that nobody asked anything of is kept where it was as a whole. What of it is taken along by its neighbours is
  // told, region by region.
  void tell_beside() {
    if (parts_.size() < 2) return;
    std::vector<MeasuredPart> beside = measured_regions(*formulas_->body);
    std::erase_if(beside, [&](const MeasuredPart& r) {
      return std::any_of(r.vertices.begin(), r.vertices.end(), [&](int v) {
        const int part = formulas_->body->split->of_vertex[static_cast<size_t>(v)];
        return part < 0 || targets_[static_cast<size_t>(part)].is_asked();
      });
    });
    const std::vector<double> was = part_amounts(beside, before_.tets, before_.statics);
    const std::vector<double> now = part_amounts(beside, run_->tets(), run_->statics());
    for (size_t r = 0; r < beside.size(); ++r)
      if (was[r] > kStill * base_->body->model->size() && std::abs(now[r] / was[r] - 1) > kShown)
        say(fmt::format("{} was asked for nothing and goes {:.3g} times as far, as its neighbours take it along",
                        beside[r].name, now[r] / was[r]));
  }

  SceneConfig scene_, wanted_;
  TuneRequest request_;
  std::string directory_;
  Watch watch_;
  std::shared_ptr<const Subject> subject_;
  std::unique_ptr<Job> base_, formulas_, job_;  // job_: of the last motion
  std::shared_ptr<const ReadyBody> ready_;
  Unadjusted before_;
  std::vector<MeasuredPart> parts_;
  std::vector<PartTarget> targets_;
  Settling settled_;
  StageJournal journal_;
  std::map<std::string, std::vector<double>> known_;  // by fingerprint, how far the parts of a motion go
  std::unique_ptr<TakeRun> run_;
  RunResult last_;
  std::string search_note_;
  std::vector<Json> trials_;
  TuneOutcome out_;
};

}  // namespace

// What was asked for is what is to be met. A neighbour that is taken along is told, and is no failure.
bool TuneOutcome::met() const {
  const bool any = std::any_of(dials.begin(), dials.end(), [](const TunedDial& d) { return d.said; });
  return (any || !asked) &&
         std::all_of(dials.begin(), dials.end(), [&](const TunedDial& d) { return !d.said || d.met; });
}

TuneOutcome tune_scene(const SceneConfig& scene, const TuneRequest& request, const std::string& directory,
                       const Watch& watch) {
  const ResultFolder folder(directory);
  Tuning tuning(scene, request, directory, watch);
  return tuning.go();
}

std::optional<bool> tuned_already(const SceneConfig& scene, const TuneRequest& request, const std::string& directory) {
  const StageJournal journal = journal_of(scene, request, directory);
  if (!journal.has(kDelivered)) return {};
  return journal.has(kMet);
}

}  // namespace supple::pipeline
