#include "supple/pipeline/run/response_card.h"
#include "supple/pipeline/setup/dial_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include "supple/report/dials_json.h"

namespace supple::pipeline {

namespace {

constexpr double kUnknown = MeasuredResponse::kUnknown;
constexpr double kNeverSettles = 3600;  // [s] of half-life: beyond any shot

// The body or one part of it, with all that is known about it.
struct Told {
  std::string name;
  size_t n_vertices = 0;
  double mass = 0;
  DialRatios asked;  // NaN: parts differ
  Scalings scalings;
  Response baseline, adjusted;  // by the formulas
  MeasuredResponse measured, before;
  // What should show.
  double asked_hz = 0, asked_sag_m = 0, asked_half_life_s = 0;
  bool before_measured() const { return std::isfinite(before.amplitude_rms_m) || std::isfinite(before.amount_m); }
};

bool finite(double x) { return std::isfinite(x); }
double ratio(double now, double before) {
  return finite(now) && before > 0 && finite(before) ? now / before : kUnknown;
}

double first_of(double a, double b) { return finite(a) ? a : b; }

bool mapped(const Job& job) {
  const ControlsConfig& c = job.config.controls;
  return !c.frequency_map.empty() || !c.amplitude_map.empty() || !c.sag_map.empty() || !c.half_life_map.empty();
}
bool raw(const Job& job, const KnownResponses& known) { return job.config.expert.raw() && !known.asked; }
bool by_region(const Job& job) { return job.body->parts.size() > 1 || (mapped(job) && !job.body->parts.empty()); }

constexpr std::array kDials = {&DialRatios::frequency, &DialRatios::amplitude, &DialRatios::sag,
                               &DialRatios::half_life};

bool near(double x, double y) { return std::abs(x - y) <= 1e-9 * std::abs(y); }
bool same(const DialRatios& a, const DialRatios& b) {
  return std::all_of(kDials.begin(), kDials.end(), [&](auto dial) { return near(a.*dial, b.*dial); });
}

// Dials of a part with the means of the maps over it.
DialRatios asked_of_part(const Job& job, size_t i) {
  DialRatios asked = job.body->parts[i].asked;
  // A half-life where there was no damping is no ratio.
  if (std::isinf(job.body->parts[i].baseline.half_life_s) && asked.half_life == 0) asked.half_life = kUnknown;
  if (!mapped(job) || job.config.expert.raw()) return asked;
  const auto mean = [&](size_t k) { return mean_over(job.body->maps[k], job.body->parts[i].vertices); };
  asked.frequency *= mean(0), asked.amplitude *= mean(1), asked.sag *= mean(2), asked.half_life *= mean(3);
  return asked;
}

// Of the whole body: what all parts have in common; NaN where they differ.
DialRatios asked_of_body(const Job& job) {
  if (job.body->parts.empty()) return {};
  DialRatios common = asked_of_part(job, 0);
  for (size_t i = 1; i < job.body->parts.size(); ++i) {
    const DialRatios asked = asked_of_part(job, i);
    for (auto dial : kDials)
      if (!near(asked.*dial, common.*dial)) common.*dial = kUnknown;
  }
  return common;
}

void set_asked(Told& s, const Job& job, const KnownResponses& known) {
  s.asked_hz = s.adjusted.frequency_hz;
  s.asked_sag_m = s.adjusted.sag_m;
  s.asked_half_life_s = s.adjusted.half_life_s;
  if (raw(job, known)) return;
  const auto times = [](double r, double measured, double formula, double& out) {
    const double value = r * (finite(measured) ? measured : formula);
    if (finite(value) && value > 0) out = value;
  };
  const double hz = first_of(s.before.ring_hz, s.before.frequency_hz);
  times(s.asked.half_life, first_of(s.before.ring_half_life_s, s.before.half_life_s), s.baseline.half_life_s,
        s.asked_half_life_s);
  if (finite(hz)) times(s.asked.frequency, hz, s.baseline.frequency_hz, s.asked_hz);
  times(s.asked.sag, s.before.sag_m, s.baseline.sag_m, s.asked_sag_m);
  // What is said in numbers of its own is that number.
  if (known.asked || !known.asked_parts.empty() || mapped(job)) return;
  const AskedValues said = asked_values(job.config, s.name);
  const auto put = [](const std::optional<double>& value, double before, double& out, double& as_ratio) {
    if (!value) return;
    out = *value;
    if (const double r = ratio(*value, before); finite(r)) as_ratio = r;
  };
  put(said.frequency_hz, hz, s.asked_hz, s.asked.frequency);
  put(said.half_life_s, first_of(s.before.ring_half_life_s, s.before.half_life_s), s.asked_half_life_s,
      s.asked.half_life);
  put(said.sag_m, s.before.sag_m, s.asked_sag_m, s.asked.sag);
}

Told body_of(const Job& job, const RunNumbers& n, const KnownResponses& known) {
  Told s{.name = "body",
         .mass = job.body->model->free_mass(),
         .asked = known.asked.value_or(asked_of_body(job)),
         .scalings = job.body->scalings,
         .baseline = job.body->baseline,
         .adjusted = job.body->adjusted,
         .measured = n.whole,
         .before = known.baseline};
  for (const PartNumbers& p : job.body->parts) s.n_vertices += p.vertices.size();
  if (!finite(s.before.sag_m)) s.before.sag_m = job.body->baseline.sag_m;
  set_asked(s, job, known);
  return s;
}

std::vector<Told> parts_of(const Job& job, const RunNumbers& n, const KnownResponses& known) {
  std::vector<Told> list;
  for (size_t i = 0; by_region(job) && i < job.body->parts.size(); ++i) {
    const PartNumbers& p = job.body->parts[i];
    Told s{.name = p.name,
           .n_vertices = p.vertices.size(),
           .mass = p.mass,
           .asked = i < known.asked_parts.size() ? known.asked_parts[i] : asked_of_part(job, i),
           .scalings = p.scalings,
           .baseline = p.baseline,
           .adjusted = p.adjusted,
           .measured = n.parts.empty() ? n.whole : n.parts[i]};
    if (i < known.baseline_parts.size()) s.before = known.baseline_parts[i];
    if (n.parts.empty()) s.before = known.baseline;
    if (!finite(s.before.sag_m)) s.before.sag_m = p.baseline.sag_m;
    set_asked(s, job, known);
    list.push_back(std::move(s));
  }
  return list;
}

DialRatios measured_ratios(const Told& s) {
  // Like beside like.
  return {.frequency = first_of(ratio(s.measured.ring_hz, s.before.ring_hz),
                                ratio(s.measured.frequency_hz, s.before.frequency_hz)),
          .amplitude = first_of(ratio(s.measured.amount_m, s.before.amount_m),
                                ratio(s.measured.amplitude_rms_m, s.before.amplitude_rms_m)),
          .sag = ratio(s.measured.sag_m, s.before.sag_m),
          .half_life = first_of(ratio(s.measured.ring_half_life_s, s.before.ring_half_life_s),
                                ratio(s.measured.half_life_s, s.before.half_life_s))};
}

std::string ratio_text(double r) { return finite(r) ? fmt::format("\u00d7{:.3g}", r) : ""; }

// "x2, 4.6 Hz" of what is there of the two.
std::string both(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + ", " + b; }

std::string rms_text(double metres) { return finite(metres) ? length_text(metres) + " rms" : ""; }

bool adjusted(const Job& job, const Told& body) {
  const Scalings& s = job.body->scalings;
  return !same(body.asked, DialRatios{}) || s.chi != 1 || s.mu != 1 || s.ck != 1 || s.epsilon != 1 ||
         !job.body->adjustment.plain_inertia() || job.body->adjustment.keyed();
}

std::string pair_text(const std::string& asked, const std::string& got) {
  return (asked.empty() ? "\u2013" : asked) + " / " + (got.empty() ? "\u2013" : got);
}

// What the run itself shows, else what a ring-down does; what stands beside another number is measured as that is.
bool both_ring(const Told& s) { return finite(s.measured.ring_hz) && finite(s.before.ring_hz); }
double shown_hz(const Told& s, const MeasuredResponse& m) {
  return both_ring(s) ? m.ring_hz : first_of(m.frequency_hz, m.ring_hz);
}
double shown_amount(const MeasuredResponse& m) { return first_of(m.amount_m, m.amplitude_rms_m); }
double shown_half_life(const Told& s, const MeasuredResponse& m) {
  return both_ring(s) || std::isnan(m.half_life_s) ? m.ring_half_life_s : m.half_life_s;
}

std::string plain(double x, double unit, const char* name) {
  if (std::isnan(x)) return "";
  return std::isinf(x) ? "never" : fmt::format("{:.3g}{}{}", x * unit, *name ? " " : "", name);
}

PageTable region_table(const std::vector<Told>& parts, bool is_mapped) {
  PageTable t{.title = "Asked / got by region",
              .head = {"Region", "Speed [Hz]", "Amount", "Peak", "Sag [mm]", "Settle [s]"}};
  for (const Told& s : parts) {
    const DialRatios got = measured_ratios(s);
    t.rows.push_back({s.name, pair_text(plain(s.asked_hz, 1, ""), plain(shown_hz(s, s.measured), 1, "")),
                      pair_text(ratio_text(s.asked.amplitude),
                                both(s.before_measured() ? ratio_text(got.amplitude) : "",
                                     finite(s.measured.amount_m) ? length_text(s.measured.amount_m)
                                                                 : rms_text(s.measured.amplitude_rms_m))),
                      length_text(s.measured.peak_m),
                      pair_text(plain(s.asked_sag_m, 1e3, ""), plain(s.measured.sag_m, 1e3, "")),
                      pair_text(plain(s.asked_half_life_s, 1, ""), plain(shown_half_life(s, s.measured), 1, ""))});
  }
  t.note = "Each cell: asked / got. \u2013: not measured, or nothing asked.";
  if (is_mapped) t.note += " Where maps vary a dial over a region, asked is the mean.";
  return t;
}

std::vector<std::string> notes_of(const Job& job, const RunNumbers& n, const KnownResponses& known) {
  std::vector<std::string> notes;
  if (finite(n.whole.frequency_hz) && !finite(known.baseline.frequency_hz))
    notes.push_back(
        "Speed asked is that of small swings about the rest shape; got is the ringing after the motion has stopped, "
        "about the sagged shape.");
  if (by_region(job) && !n.ring_down_note.empty())
    notes.push_back("Speed and settle of regions are " + n.ring_down_note + ", with all else held.");
  if (raw(job, known)) notes.push_back("The scene has raw scalings: asked is what the linear formulas make of them.");
  if (mapped(job)) notes.push_back("Maps vary the dials over the body: asked are means over each part.");
  if (job.body->adjustment.keyed() || !job.body->adjustment.inertia.empty()) {
    const double end = job.shot.start_time() + (job.shot.n_frames() - 1) / job.shot.fps;
    notes.push_back(fmt::format(
        "The dials change over the shot: asked is without the keys. At its end they multiply Speed by {:.3g}.",
        std::sqrt(job.body->adjustment.stiffness.at(end))));
  }
  return notes;
}

Json json_of(const MeasuredResponse& m) {
  Json j;
  j["amplitude"] = m.amplitude, j["amplitude_rms_m"] = m.amplitude_rms_m, j["peak_m"] = m.peak_m;
  j["frequency_hz"] = m.frequency_hz, j["half_life_s"] = m.half_life_s, j["sag_m"] = m.sag_m;
  j["amount_m"] = m.amount_m;
  j["ring_down"]["frequency_hz"] = m.ring_hz, j["ring_down"]["half_life_s"] = m.ring_half_life_s;
  return j;
}

void put(Json& j, const Told& s) {
  j["baseline"] = json_of(s.baseline);
  j["adjusted"] = json_of(s.adjusted);
  j["controls"] = json_of(s.asked);
  j["adjustment"] = json_of(s.scalings);
  j["measured"] = json_of(s.measured);
  j["measured_ratio"] = json_of(measured_ratios(s));
  j["measured_ratio"]["peak"] = ratio(s.measured.peak_m, s.before.peak_m);
}

}  // namespace

std::string speed_text(double frequency_hz, double fps) {
  if (!finite(frequency_hz) || frequency_hz <= 0) return "";
  return fmt::format("{:.3g} Hz, {:.3g} frames a bounce", frequency_hz, fps / frequency_hz);
}

std::string settle_text(double half_life_s, double fps) {
  if (std::isnan(half_life_s)) return "";
  if (half_life_s > kNeverSettles) return "never settles";
  return fmt::format("{:.3g} s, 5 % left after {:.3g} frames", half_life_s, half_life_s * std::log2(20) * fps);
}

std::string length_text(double metres) {
  if (!finite(metres)) return "";
  if (std::abs(metres) >= 1) return fmt::format("{:.3g} m", metres);
  return std::abs(metres) < 1e-9 ? "0 mm" : fmt::format("{:.3g} mm", 1e3 * metres);
}

ResponseCard response_card(const Job& job, const RunNumbers& n, const KnownResponses& known) {
  const Told s = body_of(job, n, known);
  const DialRatios got = measured_ratios(s);
  const bool dialled = adjusted(job, s), is_raw = raw(job, known);
  // Ratios of parts may differ while the number asked for is one.
  const auto dial = [&](double r, bool absolute) {
    if (is_raw || (std::isnan(r) && (absolute || job.body->parts.size() == 1))) return std::string();
    return std::isnan(r) ? "by region" : ratio_text(r);
  };
  const auto asked = [&](double r, bool absolute, const std::string& value) { return both(dial(r, absolute), value); };
  const ControlsConfig& c = job.config.controls;
  const auto if_dialled = [&](const std::string& text) { return dialled ? text : ""; };
  ResponseCard card;
  card.rows.push_back(
      {.what = "Speed (frequency)",
       .asked = asked(s.asked.frequency, c.frequency_hz.has_value(), speed_text(s.asked_hz, job.shot.fps)),
       .got = both(ratio_text(got.frequency), speed_text(shown_hz(s, s.measured), job.shot.fps)),
       .note = both_ring(s)                      ? n.ring_down_note
               : finite(s.measured.frequency_hz) ? ""
               : finite(s.measured.ring_hz)      ? n.ring_down_note
                                                 : n.ring_note,
       .before = if_dialled(speed_text(first_of(shown_hz(s, s.before), s.baseline.frequency_hz), job.shot.fps))});
  AskedGot amount{.what = "Amount (amplitude)",
                  .got = both(ratio_text(got.amplitude), rms_text(shown_amount(s.measured))),
                  .before = if_dialled(rms_text(shown_amount(s.before)))};
  if (s.before_measured()) {
    amount.asked = asked(s.asked.amplitude, false, rms_text(s.asked.amplitude * shown_amount(s.before)));
  } else if (dialled) {
    if (!is_raw)
      amount.asked = dial(s.asked.amplitude, false) + (finite(s.asked.amplitude) ? " of the unadjusted run" : "");
    amount.note = "run `supple tune` to measure the unadjusted run";
  }
  card.rows.push_back(amount);
  card.rows.push_back(
      {.what = "Peak",
       .got = both(ratio_text(ratio(s.measured.peak_m, s.before.peak_m)), length_text(s.measured.peak_m)),
       .before = if_dialled(length_text(s.before.peak_m))});
  card.rows.push_back({.what = "Sag",
                       .asked = asked(s.asked.sag, c.sag_m.has_value(), length_text(s.asked_sag_m)),
                       .got = both(dialled ? ratio_text(got.sag) : "", length_text(s.measured.sag_m)),
                       .note = finite(s.measured.sag_m) ? "" : "no equilibrium was found under gravity",
                       .before = if_dialled(length_text(s.before.sag_m))});
  const bool got_half_life = finite(shown_half_life(s, s.measured));
  card.rows.push_back(
      {.what = "Settle (half-life)",
       .asked = asked(s.asked.half_life, c.half_life_s.has_value(), settle_text(s.asked_half_life_s, job.shot.fps)),
       .got = both(ratio_text(got.half_life), settle_text(shown_half_life(s, s.measured), job.shot.fps)),
       // Said once, beside the speed, when both are missing.
       .note = both_ring(s)                      ? n.ring_down_note
               : finite(s.measured.half_life_s)  ? n.ring_note
               : got_half_life                   ? n.ring_down_note
               : finite(s.measured.frequency_hz) ? n.ring_note
                                                 : "",
       .before =
           if_dialled(settle_text(first_of(shown_half_life(s, s.before), s.baseline.half_life_s), job.shot.fps))});
  card.notes = notes_of(job, n, known);
  if (by_region(job)) card.regions = {region_table(parts_of(job, n, known), mapped(job))};
  return card;
}

void put_responses(Json& report, const Job& job, const RunNumbers& n, const KnownResponses& known) {
  const Told body = body_of(job, n, known);
  put(report, body);
  // Where parts differ, what the scene says for those that are not told otherwise.
  const ControlsConfig& c = job.config.controls;
  if (std::isnan(body.asked.frequency) && !c.frequency_hz) report["controls"]["frequency"] = c.frequency;
  if (std::isnan(body.asked.amplitude)) report["controls"]["amplitude"] = c.amplitude;
  if (std::isnan(body.asked.sag) && !c.sag_m) report["controls"]["sag"] = c.sag;
  if (std::isnan(body.asked.half_life) && !c.half_life_s) report["controls"]["half_life"] = c.half_life;
  if (!n.ring_note.empty()) report["measured"]["note"] = n.ring_note;
  if (!n.ring_down_note.empty()) report["measured"]["ring_down"]["note"] = n.ring_down_note;
  report["regions"] = Json(Json::Array{});
  for (const Told& s : parts_of(job, n, known)) {
    Json j;
    j["name"] = s.name;
    j["vertices"] = s.n_vertices;
    j["mass_kg"] = s.mass;
    put(j, s);
    report["regions"].push_back(std::move(j));
  }
}

}  // namespace supple::pipeline
