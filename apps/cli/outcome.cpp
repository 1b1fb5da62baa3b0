#include "outcome.h"

#include <filesystem>

#include "error_json.h"
#include "supple/base/parallel.h"
#include "supple/base/printable.h"

namespace supple {

Outcome run_on(const Console& console, const SceneConfig& scene, const OutputFolder& folder) {
  if (console.threads() == 0) set_thread_count(scene.solver.threads);
  return run_scene(scene, folder, console.watch());
}

std::string listed(const Outcome& outcome, const std::string& directory) {
  std::string text;
  for (const std::string& line : outcome.lines) text += printable(line) + "\n";
  for (const std::string& f : outcome.files)
    text += "  " + printable((std::filesystem::path(directory) / f).string()) + "\n";
  return text;
}

int tell(const Outcome& outcome, const Console& console, const std::string& text, bool strict) {
  if (outcome.status == RunStatus::done) {
    console.result(outcome.report, text);
    if (outcome.incomplete) {
      console.error(outcome.message);
      return 3;
    }
    return strict && outcome.best_effort ? 1 : 0;
  }
  const bool stopped = outcome.status == RunStatus::interrupted;
  console.error(outcome.message);
  Json report = outcome.report;
  report["error"] = error_json(stopped ? "interrupted" : "failure", outcome.message);
  console.result(report, "");
  return stopped ? 130 : 1;
}

}  // namespace supple
