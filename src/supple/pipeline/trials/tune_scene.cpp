#include "supple/pipeline/trials/tune_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/trials/reference_motion.h"
#include "supple/pipeline/trials/trials_file.h"
#include "supple/report/dials_json.h"
#include "supple/scene/write_scene.h"
#include "supple/tune/direct.h"

namespace supple::pipeline {

namespace {

constexpr int kLowPasses = 8;  // motions until the lowest frame is the one asked for

Json json_of(const Measured& m) {
  Json j = Json::object();
  auto put = [&](const char* key, const std::optional<double>& x) { j[key] = x ? Json(*x) : Json(); };
  put("frequency_hz", m.frequency_hz), put("half_life_s", m.half_life_s), put("sag_m", m.sag_m);
  put("amplitude", m.amplitude), put("amplitude_rms_m", m.rms_m), put("peak_m", m.peak_m);
  return j;
}

bool is_shaped(const SceneConfig& c) {
  const ControlsConfig& k = c.controls;
  for (const FilePath* map : {&k.frequency_map, &k.amplitude_map, &k.sag_map, &k.half_life_map})
    if (!map->empty()) return true;
  for (const DialKeys* keys : {&k.frequency_keys, &k.amplitude_keys, &k.sag_keys, &k.half_life_keys})
    if (!keys->empty()) return true;
  return std::any_of(c.regions.begin(), c.regions.end(), [](const RegionConfig& r) {
    return r.frequency || r.amplitude || r.sag || r.half_life || r.frequency_hz || r.sag_m || r.half_life_s;
  });
}

class Tuning {
 public:
  Tuning(const SceneConfig& scene, const TuneRequest& request, const std::string& directory, const Watch& watch)
      : scene_(scene),
        request_(request),
        watch_(watch),
        trials_((std::filesystem::path(directory) / "trials.json").string()),
        base_(build_job(without_dials(scene))),
        shaped_(is_shaped(scene) ? std::make_unique<Job>(build_job(scene)) : nullptr),
        experiment_(base_, shaped_.get()) {
    if (scene.expert.raw())
      throw InputError(scene.locate("expert"), "a raw scene has no dials to tune",
                       "remove chi, mu, ck and inertia_scale from [expert]");
    experiment_.watch = watch;
    fingerprint_ = fingerprint(base_) + (shaped_ ? fingerprint(*shaped_) : "");
    read_trials(trials_, fingerprint_, experiment_);
  }

  TuneOutcome go() {
    note("measuring the scene without dials");
    const Motion baseline = experiment_.run({});
    remember();
    if (!baseline.ok)
      throw InputError({.file = scene_.file}, "the scene without dials does not run: " + baseline.trouble,
                       "make `supple simulate` work on it first");
    if (baseline.amplitude <= 0)
      throw InputError({.file = scene_.file}, "nothing jiggles in this scene: there is no amplitude to scale",
                       "give it a motion, or timeline.test_motion = \"stop\"");
    const Ring ring = experiment_.ring({}, baseline.rms_m / 10);
    remember();
    const double sag = experiment_.sag(1);
    if (ring.found)
      note(
          fmt::format("without dials: frequency {:.4g} Hz, half-life {:.4g} s, sag {:.4g} mm, amplitude {:.4g} mm rms, "
                      "peak {:.4g} mm",
                      ring.frequency_hz, ring.half_life_s, 1e3 * sag, 1e3 * baseline.rms_m, 1e3 * baseline.peak_m));

    Ratios ratios = wanted(ring, sag, baseline);
    TuneOptions options{
        .start = scene_.controls.motion == "sustained" ? AmplitudeStart::sustained : AmplitudeStart::impulse,
        .amplitude_tolerance = request_.tolerance,
        .max_runs = request_.max_runs,
        .baseline = baseline};
    options.on_trial = [&](const Trial& t) { tell(t); };
    TuneOutcome out;
    out.result = tune(experiment_, ratios, options);
    if (request_.low_at) meet_low(ratios, options, out);
    out.scene = tuned_scene(out.result.scalings);
    out.notes = notes_;
    describe(out);
    return out;
  }

 private:
  void note(const std::string& text) const { watch_.note(text); }
  void remember() const { write_trials(trials_, fingerprint_, experiment_); }

  void tell(const Trial& t) {
    if (t.kind != Trial::Kind::sag) remember();
    std::string got;
    auto add = [&](const char* what, const std::optional<double>& x, double scale, const char* unit) {
      if (x) got += fmt::format(" {} {:.4g} {}", what, scale * *x, unit);
    };
    add("frequency", t.measured.frequency_hz, 1, "Hz");
    add("half-life", t.measured.half_life_s, 1, "s");
    add("sag", t.measured.sag_m, 1e3, "mm");
    add("amplitude", t.measured.rms_m, 1e3, "mm rms");
    note(fmt::format("{:<6} chi {:.4g} mu {:.4g} ck {:.4g} epsilon {:.4g}:{}{}", word_of(t.kind), t.scalings.chi,
                     t.scalings.mu, t.scalings.ck, t.scalings.epsilon, got, t.note.empty() ? "" : " (" + t.note + ")"));
  }

  // All forms of a wish as ratios to what was measured.
  Ratios wanted(const Ring& ring, double sag, const Motion& baseline) {
    const ControlsConfig& c = scene_.controls;
    Ratios r{.frequency = request_.frequency.value_or(c.frequency),
             .amplitude = request_.amplitude.value_or(c.amplitude),
             .sag = request_.sag.value_or(c.sag),
             .half_life = request_.half_life.value_or(c.half_life)};
    const double fps = base_.shot.fps;
    std::optional<double> hz = request_.frequency_hz, settle = request_.half_life_s, hang = request_.sag_m, peak;
    if (!hz && !request_.frequency) hz = c.frequency_hz;
    if (!settle && !request_.half_life) settle = c.half_life_s;
    if (!hang && !request_.sag) hang = c.sag_m;
    if (!request_.like.empty()) {
      const LikeNumbers like = read_like(request_.like, fps);
      for (const std::string& n : like.notes) say(n);
      // What is asked for in words of its own goes first.
      if (!hz && !request_.frequency) hz = like.frequency_hz;
      if (!settle && !request_.half_life) settle = like.half_life_s;
      if (!hang && !request_.sag) hang = like.sag_m;
      if (!request_.amplitude) peak = like.peak_m;
    }
    if (request_.frames_per_bounce) hz = frequency_for_bounce(fps, *request_.frames_per_bounce);
    if (request_.settle_by) {
      const double from = last_moving_frame(base_);
      settle = half_life_to_settle(fps, from, *request_.settle_by);
      say(fmt::format(
          "settled (5 % left) by frame {:g}, counted from the end of the motion at frame {:g}: a half-life of {:.4g} s",
          *request_.settle_by, from, *settle));
    }
    auto ratio = [&](const char* what, double target, double now) {
      if (now > 0 && std::isfinite(now)) return target / now;
      throw InputError({.file = scene_.file}, fmt::format("{} cannot be met: there is none to start from", what),
                       "ask for the others");
    };
    if (hz) r.frequency = ratio("a frequency", *hz, ring.found ? ring.frequency_hz : 0);
    if (settle) r.half_life = ratio("a half-life", *settle, ring.found ? ring.half_life_s : 0);
    if (hang && sag > 0) r.sag = ratio("a sag", *hang, sag);
    if (peak) r.amplitude = ratio("a peak", *peak, baseline.peak_m);
    return r;
  }

  // How the liveliest point swings once the driver stands still, and when it is lowest.
  struct Swinging {
    bool found = false;
    Swing swing;
    std::vector<double> lows;  // frames
    std::string reason;
    double nearest(double frame) const {
      double best = lows.empty() ? -1 : lows[0];
      for (double low : lows)
        if (std::abs(low - frame) < std::abs(best - frame)) best = low;
      return best;
    }
  };
  Swinging swinging(const Scalings& s) {
    const double from = last_moving_frame(base_);
    const std::vector<double>& low = experiment_.record(s).low;
    remember();
    Swinging out;
    if (static_cast<double>(low.size()) <= from + 1) {
      out.reason = "that motion did not run to its end";
      return out;
    }
    const RingEstimate ring = estimate_ring({low.begin() + static_cast<long>(from), low.end()}, 1 / base_.shot.fps);
    out.found = ring.found;
    out.reason = ring.reason;
    out.swing = {base_.shot.fps, from, ring.frequency_hz, ring.half_life_s, ring.phase_rad};
    if (ring.found) out.lows = low_frames(out.swing, base_.shot.n_frames() - 1);
    return out;
  }

  // The frequency is moved until the liveliest point is lowest at the frame asked for. How the swing begins depends on
  // the frequency too, so it is measured again each time; frequency against lowest frame by secants.
  void meet_low(Ratios& ratios, TuneOptions& options, TuneOutcome& out) {
    const double target = *request_.low_at;
    const Scalings start = out.result.scalings;
    auto at_ratio = [&](double x) {
      return Scalings{start.chi * x, start.mu * x * x, start.ck / (x * x), start.epsilon * x};
    };
    double x = 1, last_x = 0, last_miss = 0;
    for (int pass = 0; pass < kLowPasses; ++pass) {
      const Swinging now = swinging(at_ratio(x));
      if (!now.found) return say("--low-at: no free swing to time: " + now.reason);
      const double low = now.nearest(target), miss = low - target;
      note(fmt::format("lowest at frame {:.2f} with {:.4g} times the frequency", low, x));
      if (std::abs(miss) < 0.25) break;
      const LowAt guess = frequency_for_low_at(now.swing, target);
      if (!guess.reachable) return say("--low-at is out of reach: " + guess.note);
      double next = x * guess.ratio;
      const bool same_bounce = last_x > 0 && std::abs(miss - last_miss) > 1e-3;
      if (same_bounce) {
        const double secant = x - miss * (x - last_x) / (miss - last_miss);
        if (secant > 0.5 * x && secant < 2 * x) next = secant;
      }
      last_x = x, last_miss = miss;
      x = next;
    }
    ratios.frequency *= x;
    if (x != 1) out.result = tune(experiment_, ratios, options);
    const Swinging end = swinging(out.result.scalings);
    if (!end.found) return say("--low-at: no free swing to time: " + end.reason);
    const double low = end.nearest(target);
    say(fmt::format("lowest at frame {:.2f}, asked for {:g}{}", low, target,
                    std::abs(low - target) < 0.75 ? "" : ": the nearest reached"));
  }

  // An ordinary scene with the numbers in it.
  SceneConfig tuned_scene(const Scalings& s) {
    const Job job = with_scalings(shaped_ ? *shaped_ : base_, s);
    SceneConfig tuned = shaped_ ? scene_ : without_dials(scene_);
    tuned.timeline.substeps = job.body->substeps;
    if (shaped_) {
      // Maps, keys and regions hold on to dials: those are moved so that they give these scalings.
      const Scalings& loaded = job.body->fields.whole;
      const double chi = s.chi / loaded.chi, rule = scene_.controls.motion == "sustained" ? 2 : 1;
      ControlsConfig& c = tuned.controls;
      const double settled = job.body->adjusted.half_life_s;
      c.frequency *= chi;
      if (c.frequency_hz) c.frequency_hz = *c.frequency_hz * chi, c.frequency = 1;
      const double sag = loaded.mu > 0 ? s.mu / loaded.mu / (chi * chi) : 1;
      if (c.sag_m)
        c.sag_m = *c.sag_m * sag;
      else
        c.sag *= sag;
      c.amplitude *= loaded.epsilon > 0 ? s.epsilon / loaded.epsilon / std::pow(chi, rule) : 1;
      if (std::isfinite(settled)) c.half_life_s = settled, c.half_life = 1;
      return tuned;
    }
    ExpertConfig& e = tuned.expert;
    e.chi = s.chi, e.mu = s.mu, e.ck = s.ck;
    e.inertia_scale.number = s.epsilon;
    // The damping that c_k scales was found for the scene without dials, at its own step.
    if (job.body->parts.size() == 1 &&
        tuned.material.half_life_s.has_value() + !tuned.material.stiffness_damping.has_value() > 0) {
      tuned.material.half_life_s.reset();
      tuned.material.stiffness_damping = job.body->parts[0].baseline_damping;
    }
    return tuned;
  }

  void say(const std::string& text) {
    notes_.push_back(text);
    note(text);
  }

  void describe(TuneOutcome& out) {
    const TuneResult& r = out.result;
    Json& j = out.report;
    j["asked"] = json_of(r.asked), j["got"] = json_of(r.got);
    j["baseline"] = json_of(r.baseline), j["tuned"] = json_of(r.tuned);
    j["adjustment"] = json_of(r.scalings);
    for (const auto& [name, asked, got, dial] : dial_rows(r)) {
      Json& d = j["dials"][name];
      d["met"] = dial->met, d["applicable"] = dial->applicable, d["note"] = dial->note;
      if (!dial->note.empty()) out.notes.push_back(fmt::format("{}: {}", name, dial->note));
    }
    j["all_met"] = r.all_met();
    j["full_runs"] = r.full_runs;
    j["simulated"] = experiment_.simulated;
    j["trials"] = Json(Json::Array{});
    for (const Trial& t : r.trials) {
      Json trial;
      trial["kind"] = word_of(t.kind);
      trial["adjustment"] = json_of(t.scalings);
      trial["measured"] = json_of(t.measured);
      trial["note"] = t.note;
      j["trials"].push_back(trial);
    }
    j["notes"] = out.notes.empty() ? Json(Json::Array{}) : Json::list(out.notes);
  }

  SceneConfig scene_;
  TuneRequest request_;
  Watch watch_;
  std::string trials_, fingerprint_;
  Job base_;
  std::unique_ptr<Job> shaped_;
  SceneExperiment experiment_;
  std::vector<std::string> notes_;
};

}  // namespace

TuneOutcome tune_scene(const SceneConfig& scene, const TuneRequest& request, const std::string& directory,
                       const Watch& watch) {
  ResultFolder folder(directory);
  return Tuning(scene, request, directory, watch).go();
}

std::array<DialRow, 4> dial_rows(const TuneResult& r) {
  return {{{"frequency", r.asked.frequency, r.got.frequency, &r.frequency},
           {"amplitude", r.asked.amplitude, r.got.amplitude, &r.amplitude},
           {"sag", r.asked.sag, r.got.sag, &r.sag},
           {"half_life", r.asked.half_life, r.got.half_life, &r.half_life}}};
}

void write_tuned_scene(const std::string& path, const TuneOutcome& outcome) {
  const TuneResult& r = outcome.result;
  std::string text = "# Tuned. Ratios to the scene without dials, as measured:\n";
  for (const DialRow& d : dial_rows(r))
    text += fmt::format("#   {:<10} asked {:.4g}, got {:.4g}{}\n", d.name, d.asked, d.got,
                        !d.dial->applicable ? " (does not apply)"
                        : d.dial->met       ? ""
                                            : " (not met)");
  OutputFile out(path);
  out.write(text + to_toml(outcome.scene, std::filesystem::path(path).parent_path().string()));
  out.commit();
}

}  // namespace supple::pipeline
