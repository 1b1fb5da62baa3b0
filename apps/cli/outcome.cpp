#include "outcome.h"

#include <filesystem>

#include "call.h"
#include "error_json.h"
#include "interrupt.h"
#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/base/printable.h"

namespace supple {

Outcome run_on(const Console& console, const SceneConfig& scene, const OutputFolder& folder) {
  if (console.threads() == 0) set_thread_count(scene.solver.threads);
  return run_scene(scene, folder, console.watch());
}

ResultFolder folder_of_results(const std::string& named, bool resume, const char* option, bool from) {
  if ((resume || from) && named.empty())
    throw InputError({.place = resume ? "--resume" : "--from"}, "which run?",
                     std::string("Name its directory with ") + option + ".");
  ResultFolder folder = pipeline::folder_or_next(named);
  can_be_gone_on_with(folder.path(), named.empty() ? option : "");
  return folder;
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
  const bool goes_on = stopped || outcome.message.find("--resume") != std::string::npos;
  const std::string message = outcome.message + (goes_on ? how_to_go_on() : "");
  console.error(message);
  Json report = outcome.report;
  report["error"] = error_json(stopped ? "interrupted" : "failure", message);
  console.result(report, "");
  return stopped ? interrupted_status() : 1;
}

}  // namespace supple
