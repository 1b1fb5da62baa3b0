#include "supple/scene/trials_file.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "supple/io/output_file.h"

namespace supple {

namespace {
using nlohmann::json;
// JSON has no infinity.
json number(double x) { return std::isfinite(x) ? json(x) : json(); }
double number(const json& j) { return j.is_number() ? j.get<double>() : std::numeric_limits<double>::infinity(); }
}  // namespace

void read_trials(const std::string& path, const std::string& fingerprint, SceneExperiment& experiment) {
  std::ifstream in(path);
  const json file = json::parse(in, nullptr, false);
  try {
    if (file.is_discarded() || file.at("fingerprint") != fingerprint) return;
    for (const auto& [key, r] : file.at("rings").items())
      experiment.rings[key] = {.found = r.at("found"),
                               .frequency_hz = number(r.at("frequency_hz")),
                               .half_life_s = number(r.at("half_life_s")),
                               .trouble = r.at("trouble")};
    for (const auto& [key, r] : file.at("runs").items()) {
      Recorded run;
      run.motion = {.ok = r.at("ok"),
                    .amplitude = number(r.at("amplitude")),
                    .rms_m = number(r.at("rms_m")),
                    .peak_m = number(r.at("peak_m")),
                    .trouble = r.at("trouble")};
      run.low = r.at("low").get<std::vector<double>>();
      experiment.runs[key] = std::move(run);
    }
  } catch (const json::exception&) {
    experiment.rings.clear();
    experiment.runs.clear();
  }
}

void write_trials(const std::string& path, const std::string& fingerprint, const SceneExperiment& experiment) {
  json file = {{"fingerprint", fingerprint}, {"rings", json::object()}, {"runs", json::object()}};
  for (const auto& [key, r] : experiment.rings)
    file["rings"][key] = {{"found", r.found},
                          {"frequency_hz", number(r.frequency_hz)},
                          {"half_life_s", number(r.half_life_s)},
                          {"trouble", r.trouble}};
  for (const auto& [key, r] : experiment.runs)
    file["runs"][key] = {{"ok", r.motion.ok},
                         {"amplitude", number(r.motion.amplitude)},
                         {"rms_m", number(r.motion.rms_m)},
                         {"peak_m", number(r.motion.peak_m)},
                         {"trouble", r.motion.trouble},
                         {"low", r.low}};
  OutputFile out(path);
  out.write(file.dump(1) + "\n");
  out.commit();
}

}  // namespace supple
