// What `supple run` costs on characters, cold: from the file to the soft file, nothing found in a cache.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench.h"
#include "memory.h"
#include "supple/base/error.h"
#include "supple/base/timer.h"
#include "supple/pipeline/job/job.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/scene/read_scene.h"

namespace supple::bench {

using namespace pipeline;

namespace {

namespace fs = std::filesystem;

// Where the time of one run went [s], as its report has it.
struct Spent {
  double set_up = 0, stepping = 0, adjusted = 0, output = 0, wall = 0;
  double frames = 0, steps = 0, steps_total = 0, tets = 0;
};

double number(const nlohmann::json& j, const char* table, const char* key) {
  return j.contains(table) && j[table].contains(key) && j[table][key].is_number() ? j[table][key].get<double>() : 0;
}

Spent spent_in(const std::string& folder) {
  const auto of = [](const fs::path& directory) {
    std::ifstream in(directory / "report.json");
    return nlohmann::json::parse(in);
  };
  const nlohmann::json whole = of(folder);
  Spent s{.wall = number(whole, "timings_s", "wall")};
  for (const char* part : {"reading", "planning", "set_up"}) s.set_up += number(whole, "timings_s", part);
  std::vector<nlohmann::json> runs = {whole};
  if (whole.contains("clips")) {
    runs.clear();
    for (const auto& clip : whole["clips"])
      if (clip["status"] == "done") runs.push_back(of(fs::path(folder) / clip["folder"].get<std::string>()));
  }
  for (const nlohmann::json& j : runs) {
    for (const char* part : {"dynamic", "static", "contact"}) s.stepping += number(j, "timings_s", part);
    s.adjusted += number(j, "timings_s", "adjusted");
    s.output += number(j, "timings_s", "output");
    s.frames += number(j, "timeline", "frames"), s.tets = number(j, "model", "tets");
    s.steps += number(j, "solver", "steps"), s.steps_total += number(j, "solver", "steps_total");
  }
  return s;
}

void cost_of_run(Bench& bench, const std::string& file, const std::string& clip, bool preview) {
  const std::string name = fs::path(file).filename().string(), preset = preview ? "preview" : "final";
  const fs::path folder = fs::temp_directory_path() / fmt::format("supple_bench_{}", getpid());
  const SceneConfig scene = character_scene({.file = file, .clip = clip, .set = {{"tets.preset=" + preset}}});
  std::vector<double> seconds;
  Spent spent;
  const MemoryPeak memory;
  for (int r = 0; r < std::max(1, bench.options.repeats / 5); ++r) {
    fs::create_directories(folder);
    const Timer timer;
    const RunCharacterResult result = run_character(
        scene, clip,
        {.out = (folder / "soft.glb").string(), .directory = (folder / "take").string(), .overwrite = true});
    seconds.push_back(timer.seconds());
    if (result.status == RunStatus::done) spent = spent_in((folder / "take").string());
    fs::remove_all(folder);
    if (result.status != RunStatus::done) return bench.note(fmt::format("{}: {}", name, result.message));
    if (!result.message.empty()) bench.note(fmt::format("{}: {}", name, result.message));
  }
  const double bytes = memory.bytes();
  const Job job = build_job(scene, false);
  CholmodYardstick f(step_matrix(job.model(), job.body->step()));
  f.sample(5);

  const std::string id = fmt::format("character/{}/{}/{}", name, clip.empty() ? "first" : clip, preset),
                    label = fmt::format("{}{}, {}", name, clip.empty() ? "" : " " + clip, preset);
  Row row = row_of(id, label, seconds, 1, "s");
  set_yardstick(row, "F", f.seconds(), "F", 1);
  row.details = {{"set-up s", spent.set_up}, {"stepping s", spent.stepping},     {"adjusted s", spent.adjusted},
                 {"output s", spent.output}, {"frames", spent.frames},           {"tets", spent.tets},
                 {"steps", spent.steps},     {"steps taken", spent.steps_total}, {"peak MB", 1e-6 * bytes}};
  Row whole = row_of(id + "/seconds", label + ", seconds", seconds, 1, "s");
  whole.bar = preview ? bench.options.preview_s : bench.options.final_s;
  // Clips side by side are at work together: what they spent is a share of what all of them did.
  const double work = spent.set_up + spent.stepping + spent.adjusted + spent.output;
  const auto share = [&](const char* what, const std::string& words, double part, double of, double bar,
                         bool at_least) {
    Row r;
    r.id = id + "/" + what, r.label = label + ", " + words;
    r.value = 100 * part / of, r.unit = "%", r.repeats = 1, r.bar = bar, r.at_least = at_least;
    return r;
  };
  bench.add({std::move(row), std::move(whole),
             share("stepping", "stepping of all work", spent.stepping + spent.adjusted, work, 50, true),
             share("adjusted", "adjusted inertia beside plain stepping", spent.adjusted, spent.stepping, 10, false)});
}

}  // namespace

void measure_characters(Bench& bench) {
  bench.heading("`supple run`, cold; F: of the step matrix");
  if (bench.options.characters.empty()) return bench.note("name one: characters --file fox.glb --clip Run");
  for (const std::string& file : bench.options.characters)
    for (const bool preview : {true, false}) {
      try {
        cost_of_run(bench, file, bench.options.clip, preview);
      } catch (const InputError& e) {
        bench.note(e.what());
      }
    }
}

}  // namespace supple::bench
