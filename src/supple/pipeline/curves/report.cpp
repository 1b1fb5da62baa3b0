#include "supple/pipeline/curves/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/base/hash.h"
#include "supple/base/parallel.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/deliver/made.h"
#include "supple/pipeline/deliver/page_motion.h"
#include "supple/pipeline/deliver/portrait.h"
#include "supple/report/cuts_json.h"
#include "supple/report/dials_json.h"
#include "supple/report/html.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline::curves {

namespace {

constexpr size_t kLinesAPlot = 9, kMostPlots = 12;
constexpr double kMetWell = 0.1;  // a misfit that need not be told

const char* unit_of(Quantity q) { return q == Quantity::angle ? "rad" : q == Quantity::length ? "m" : ""; }

// Parameters that another stiffness is asked of, in vain.
std::vector<std::string> without_effect(const LayerResult& l) {
  std::vector<std::string> names;
  for (int a : l.fit->without_effect)
    if (l.fit->asked[a] != 1) names.push_back(l.names[static_cast<size_t>(a)]);
  return names;
}

// What the stiffness that was asked for has become, where that is not it.
std::vector<std::string> stiffness_warnings(const LayerResult& l) {
  std::vector<std::string> out;
  const MaterialFit& fit = *l.fit;
  if (fit.misfit > kMetWell) {
    Eigen::Index worst = 0;
    VecX off = (fit.got.cwiseQuotient(fit.asked).array().max(1e-30)).log().abs();
    for (int a : fit.without_effect) off[a] = 0;
    off.maxCoeff(&worst);
    out.push_back(fmt::format(
        "layer {}: the stiffness asked for is met within {:.0f} %; furthest from it is {}: asked {:.3g}, got {:.3g}",
        l.name, 100 * fit.misfit, l.names[static_cast<size_t>(worst)], fit.asked[worst], fit.got[worst]));
  }
  const std::vector<std::string> none = without_effect(l);
  if (none.empty()) return out;
  const size_t shown = std::min<size_t>(none.size(), 6);
  std::string text =
      fmt::format("{}", fmt::join(none.begin(), none.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (none.size() > shown) text += fmt::format(" and {} more", none.size() - shown);
  out.push_back(fmt::format("layer {}: stiffness asked of {} has no effect: nothing resists there", l.name, text));
  return out;
}

Json layer_json(const LayerResult& l) {
  Json j;
  j["name"] = l.name;
  j["parameters"] = Json::list(l.names);
  j["dimensions"]["n"] = l.n_interior, j["dimensions"]["s"] = l.n_rigged, j["dimensions"]["p"] = l.n_parameters;
  j["tets"] = l.tets.n_tets();
  j["substeps"] = l.substeps;
  j["seconds_a_frame"] = l.totals.seconds_a_frame();
  Json& s = j["solver"];
  s["steps"] = l.totals.steps, s["iterations"] = l.totals.iterations, s["factorizations"] = l.totals.factorizations;
  s["retries"] = l.totals.retries, s["inverted_max"] = l.totals.inverted_max;
  s["unconverged"] = l.totals.unconverged, s["contacts_max"] = l.totals.contacts_max;
  j["baseline"] = json_of(l.numbers.baseline);
  j["adjusted"] = json_of(l.numbers.adjusted);
  j["controls"] = json_of(l.numbers.asked);
  j["adjustment"] = json_of(l.numbers.scalings);
  j["youngs_modulus"] = l.numbers.youngs_modulus;
  j["stiffness_damping"] = l.numbers.stiffness_damping;
  j["departure_rms_m"] = l.departure_rms_m;
  if (l.cycles > 0) j["loop"]["cycles"] = l.cycles, j["loop"]["closing_error"] = l.closing_error;
  if (l.fit) {
    Json& m = j["material"];
    m["misfit"] = l.fit->misfit, m["converged"] = l.fit->converged, m["refits"] = l.totals.refits;
    for (size_t a = 0; a < l.names.size(); ++a) {
      Json one;
      one["asked"] = l.fit->asked[static_cast<Eigen::Index>(a)];
      one["got"] = l.fit->got[static_cast<Eigen::Index>(a)];
      m["parameters"][l.names[a]] = std::move(one);
    }
    if (const std::vector<std::string> none = without_effect(l); !none.empty()) m["without_effect"] = Json::list(none);
  }
  if (l.modes) {
    j["modes"]["count"] = static_cast<int>(l.modes->U.cols());
    j["modes"]["left_out"] = l.modes->left_out;
    j["modes"]["energy"] =
        Json::list(std::vector<double>(l.modes->energy.data(), l.modes->energy.data() + l.modes->energy.size()));
  }
  return j;
}

std::string text_of_hz(double hz) { return hz > 0 ? fmt::format("{:.3g} Hz", hz) : "none"; }
std::string text_of_s(double s) { return std::isfinite(s) ? fmt::format("{:.3g} s", s) : "endless"; }

std::vector<AskedGot> curves_card(const CurvesResult& result) {
  std::vector<AskedGot> rows;
  for (const LayerResult& l : result.layers) {
    const std::string whose = result.layers.size() > 1 ? l.name + ": " : "";
    const LayerNumbers& n = l.numbers;
    rows.push_back({.what = whose + "Speed",
                    .asked = fmt::format("\u00d7 {:.3g}", n.asked.frequency),
                    .got = text_of_hz(n.adjusted.frequency_hz),
                    .note = "",
                    .before = text_of_hz(n.baseline.frequency_hz)});
    rows.push_back({.what = whose + "Settle",
                    .asked = fmt::format("\u00d7 {:.3g}", n.asked.half_life),
                    .got = text_of_s(n.adjusted.half_life_s),
                    .note = n.damping_limit == DampingChoice::Limit::integrator ? "the integrator damps more than that"
                            : n.damping_limit == DampingChoice::Limit::critical ? "nothing settles faster"
                                                                                : "",
                    .before = text_of_s(n.baseline.half_life_s)});
    rows.push_back({.what = whose + "Amount",
                    .asked = fmt::format("\u00d7 {:.3g}", n.asked.amplitude),
                    .got = fmt::format("{:.3g} mm from what is keyed, rms", 1e3 * l.departure_rms_m),
                    .note = fmt::format("inertia times {:.3g}", n.scalings.epsilon),
                    .before = ""});
    if (n.asked.sag != 1)
      rows.push_back({.what = whose + "Sag",
                      .asked = fmt::format("\u00d7 {:.3g}", n.asked.sag),
                      .got = fmt::format("{:.3g} mm", 1e3 * n.adjusted.sag_m),
                      .note = "",
                      .before = fmt::format("{:.3g} mm", 1e3 * n.baseline.sag_m)});
  }
  return rows;
}

std::vector<Plot> curve_plots(const CurvesSetup& setup, const CurvesResult& result) {
  std::vector<Plot> plots;
  const auto& all = setup.rig.rig->parameters();
  const KeyedParameters keyed = keyed_with(setup.rig.rig, setup.keys);
  for (const LayerResult& l : result.layers) {
    for (size_t a = 0; a < l.free.size() && plots.size() < kMostPlots;) {
      const RigParameter& p = all[static_cast<size_t>(l.free[a])];
      Plot plot;
      plot.title = result.layers.size() > 1 ? l.name : "Curves";
      plot.x_label = "frame";
      plot.y_label = unit_of(p.quantity);
      for (; a < l.free.size() && plot.lines.size() < kLinesAPlot; ++a) {
        if (all[static_cast<size_t>(l.free[a])].quantity != p.quantity) break;
        PlotLine line;
        line.label = l.names[a];
        for (Eigen::Index f = 0; f < l.curves.rows(); ++f) {
          line.x.push_back(static_cast<double>(setup.rig.time.first + f));
          line.y.push_back(l.curves(f, static_cast<Eigen::Index>(a)));
        }
        plot.lines.push_back(std::move(line));
      }
      plots.push_back(std::move(plot));
    }
    if (!l.modes) continue;
    Plot plot;
    plot.title = "Modes";
    plot.x_label = "frame";
    for (Eigen::Index k = 0; k < std::min<Eigen::Index>(l.mode_curves.cols(), kLinesAPlot); ++k) {
      PlotLine line;
      line.label = fmt::format("mode.{}", k + 1);
      for (Eigen::Index f = 0; f < l.mode_curves.rows(); ++f) {
        line.x.push_back(static_cast<double>(setup.rig.time.first + f));
        line.y.push_back(l.mode_curves(f, k));
      }
      plot.lines.push_back(std::move(line));
    }
    plots.push_back(std::move(plot));
  }
  return plots;
}

std::vector<PageTable> curves_tables(const CurvesResult& result) {
  std::vector<PageTable> out;
  PageTable sizes{.title = "Layers",
                  .note = "n: coordinates inside, s: on the surface, p: parameters that were simulated.",
                  .head = {"layer", "n", "s", "p", "substeps", "iterations a step", "seconds a frame"},
                  .rows = {}};
  for (const LayerResult& l : result.layers)
    sizes.rows.push_back({l.name, std::to_string(l.n_interior), std::to_string(l.n_rigged),
                          std::to_string(l.n_parameters), std::to_string(l.substeps),
                          fmt::format("{:.1f}", l.totals.steps > 0 ? double(l.totals.iterations) / l.totals.steps : 0),
                          fmt::format("{:.3g}", l.totals.seconds_a_frame())});
  out.push_back(std::move(sizes));
  for (const LayerResult& l : result.layers) {
    if (!l.fit) continue;
    PageTable t{.title = "Stiffness of parameters: " + l.name,
                .note = fmt::format("Misfit over the whole matrix: {:.3g}.", l.fit->misfit),
                .head = {"parameter", "asked", "got"},
                .rows = {}};
    for (size_t a = 0; a < l.names.size(); ++a)
      t.rows.push_back({l.names[a], fmt::format("{:.3g}", l.fit->asked[static_cast<Eigen::Index>(a)]),
                        fmt::format("{:.3g}", l.fit->got[static_cast<Eigen::Index>(a)])});
    out.push_back(std::move(t));
  }
  return out;
}

int all_tets(const CurvesResult& result) {
  int n = 0;
  for (const LayerResult& l : result.layers) n += l.tets.n_tets();
  return n;
}

std::string curves_title(const CurvesSetup& setup) {
  const SceneConfig& c = setup.config;
  if (setup.rig.character) {
    const std::string name = std::filesystem::path(c.surface.file.path).stem().string();
    return setup.rig.clip.empty() ? name : name + ": " + setup.rig.clip;
  }
  return c.file.empty() ? "Curves" : std::filesystem::path(c.file).stem().string();
}

}  // namespace

std::vector<std::string> curves_warnings(const CurvesSetup& setup, const CurvesResult& result,
                                         const CurvesWritten& written) {
  std::vector<std::string> w = setup.warnings;
  const auto add = [&](const std::string& text) {
    if (std::find(w.begin(), w.end(), text) == w.end()) w.push_back(text);
  };
  for (const LayerResult& l : result.layers) {
    for (const std::string& text : l.warnings) add(text);
    if (l.totals.retries > 0)
      add(fmt::format("layer {}: {} steps did not converge at full length and were repeated in halves", l.name,
                      l.totals.retries));
    if (l.totals.inverted_max > 0)
      add(fmt::format("layer {}: up to {} tets were inside out at the end of a step", l.name, l.totals.inverted_max));
    if (l.totals.unconverged > 0)
      add(fmt::format("layer {}: no equilibrium was found at {} frames; that of the frame before stands in", l.name,
                      l.totals.unconverged));
    if (l.fit)
      for (const std::string& text : stiffness_warnings(l)) add(text);
    if (l.fit && !l.fit->converged) add(fmt::format("layer {}: the material is found only roughly", l.name));
  }
  for (const std::string& text : written.notes) add(text);
  return w;
}

Json curves_json(const CurvesSetup& setup, const CurvesResult& result, const CurvesWritten& written,
                 const std::string& directory) {
  Json j = Json::object();
  j["version"] = version();
  j["status"] = "done";
  for (const auto& [file, hash] : setup.inputs) j["inputs"][file] = hash;
  j["scene"] = to_toml(setup.config, directory);
  j["made"] = made_json(setup.config, directory);
  j["hashes"] = hashes_json(result_hashes(directory));
  j["rig"]["points"] = setup.rig.rig->n_points();
  j["rig"]["parameters"] = setup.rig.rig->n_parameters();
  j["rig"]["derivatives"] = setup.rig.rig->has_derivatives() ? "exact" : "differences";
  j["model"]["vertices"] = setup.tets.mesh.n_vertices();
  j["model"]["tets"] = setup.tets.mesh.n_tets();
  j["model"]["rigged_vertices"] = setup.tets.rigged.size();
  j["model"]["coincident_vertices"] = setup.tets.coincident;
  j["model"]["surface_vertices"] = setup.rig.rest.size();
  j["timeline"]["fps"] = setup.rig.time.fps;
  j["timeline"]["first_frame"] = setup.rig.time.first;
  j["timeline"]["frames"] = setup.rig.time.n_frames;
  j["timeline"]["integrator"] = setup.config.solver.integrator;
  j["timeline"]["loop"] = setup.rig.time.loop;
  j["timeline"]["because"] = setup.rig.time.why;
  j["timeline"]["cuts"] = json_of(setup.rig.time.found);
  j["timeline"]["over_cuts"] = setup.config.timeline.cuts;
  j["layers"] = Json(Json::Array{});
  for (const LayerResult& l : result.layers) j["layers"].push_back(layer_json(l));
  if (written.keys.channels > 0) {
    Json& k = j["keys"];
    k["clip"] = written.keys.clip;
    k["channels"] = written.keys.channels, k["keys"] = written.keys.keys;
    k["frames"] = written.keys.frames;
    k["error_rad"] = written.keys.angle_rad, k["error_m"] = written.keys.length_m,
    k["error_factor"] = written.keys.factor;
  }
  j["timings_s"]["total"] = result.total_s;
  j["solver"]["threads"] = thread_count();
  const std::vector<std::string> warnings = curves_warnings(setup, result, written);
  j["warnings"] = warnings.empty() ? Json(Json::Array{}) : Json::list(warnings);
  return j;
}

std::vector<std::string> write_curves_page(const CurvesSetup& setup, const CurvesResult& result,
                                           const CurvesDrawn& drawn, const CurvesWritten& written, const Json& json,
                                           const std::string& directory) {
  const std::filesystem::path dir = directory;
  ReportPage page;
  page.title = curves_title(setup);
  page.summary = fmt::format("{} frames at {:g} a second, {} parameters filled in, {} tets", setup.rig.time.n_frames,
                             setup.rig.time.fps, setup.rig.all_free().size(), all_tets(result));
  const OutputRequest out{setup.config, *drawn.appearance, setup.rig.time.fps};
  page.motion = pack_motion(motion_source(out, drawn.frames, {}));
  page.poster_png = poster_png(out, drawn.frames);
  page.poster_alt = "the surface at the first frame, at its largest departure and at the last frame";
  page.card = curves_card(result);
  page.tables = curves_tables(result);
  page.warnings = curves_warnings(setup, result, written);
  page.plots = curve_plots(setup, result);
  page.facts = {{"parameters of the rig", std::to_string(setup.rig.rig->n_parameters())},
                {"tets", std::to_string(all_tets(result))},
                {"time", fmt::format("{:.2f} s", result.total_s)},
                {"version", version()}};
  if (written.keys.channels > 0)
    page.facts.insert(page.facts.begin(),
                      {"keys", fmt::format("{} in {} channels of the clip \"{}\"; within {:.2g} rad, {:.2g} mm",
                                           written.keys.keys, written.keys.channels, written.keys.clip,
                                           written.keys.angle_rad, 1e3 * written.keys.length_m)});
  page.data = json;
  write_text((dir / "poster.png").string(), page.poster_png);
  write_text((dir / "moving.png").string(), moving_png(out, drawn.frames));
  write_text((dir / "report.html").string(), to_html(page));
  return {"report.html", "poster.png", "moving.png"};
}

}  // namespace supple::pipeline::curves
