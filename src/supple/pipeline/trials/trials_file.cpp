#include "supple/pipeline/trials/trials_file.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "supple/io/output_file.h"

namespace supple::pipeline {

namespace {
using TrialJson = nlohmann::json;
// JSON has no infinity.
TrialJson trial_number(double x) { return std::isfinite(x) ? TrialJson(x) : TrialJson(); }
double trial_number(const TrialJson& j) {
  return j.is_number() ? j.get<double>() : std::numeric_limits<double>::infinity();
}
}  // namespace

void read_trials(const std::string& path, const std::string& fingerprint, SceneExperiment& experiment) {
  std::ifstream in(path);
  const TrialJson file = TrialJson::parse(in, nullptr, false);
  try {
    if (file.is_discarded() || file.at("fingerprint") != fingerprint) return;
    for (const auto& [key, r] : file.at("rings").items())
      experiment.rings[key] = {.found = r.at("found"),
                               .frequency_hz = trial_number(r.at("frequency_hz")),
                               .half_life_s = trial_number(r.at("half_life_s")),
                               .trouble = r.at("trouble")};
    for (const auto& [key, r] : file.at("runs").items()) {
      Recorded run;
      run.motion = {.ok = r.at("ok"),
                    .amplitude = trial_number(r.at("amplitude")),
                    .rms_m = trial_number(r.at("rms_m")),
                    .peak_m = trial_number(r.at("peak_m")),
                    .trouble = r.at("trouble")};
      run.low = r.at("low").get<std::vector<double>>();
      experiment.runs[key] = std::move(run);
    }
  } catch (const TrialJson::exception&) {
    experiment.rings.clear();
    experiment.runs.clear();
  }
}

void write_trials(const std::string& path, const std::string& fingerprint, const SceneExperiment& experiment) {
  TrialJson file = {{"fingerprint", fingerprint}, {"rings", TrialJson::object()}, {"runs", TrialJson::object()}};
  for (const auto& [key, r] : experiment.rings)
    file["rings"][key] = {{"found", r.found},
                          {"frequency_hz", trial_number(r.frequency_hz)},
                          {"half_life_s", trial_number(r.half_life_s)},
                          {"trouble", r.trouble}};
  for (const auto& [key, r] : experiment.runs)
    file["runs"][key] = {{"ok", r.motion.ok},
                         {"amplitude", trial_number(r.motion.amplitude)},
                         {"rms_m", trial_number(r.motion.rms_m)},
                         {"peak_m", trial_number(r.motion.peak_m)},
                         {"trouble", r.motion.trouble},
                         {"low", r.low}};
  OutputFile out(path);
  out.write(file.dump(1) + "\n");
  out.commit();
}

}  // namespace supple::pipeline
