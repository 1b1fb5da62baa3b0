#include <fmt/format.h>

#include "commands.h"
#include "error_json.h"
#include "supple/base/printable.h"
#include "supple/pipeline/files/check_file.h"

namespace supple {

using namespace pipeline;

int run_check(const CheckOptions& options, const Console& console) {
  const FileCheck check = check_file(options.file, options.set);
  for (const InputError& e : check.problems) console.error(e.what());
  for (const std::string& warning : check.warnings) console.warn(warning);
  Json json;
  json["file"] = check.file;
  json["kind"] = check.kind;
  json["ok"] = check.ok();
  json["facts"] = check.facts;
  json["warnings"] = Json::list(check.warnings);
  Json::Array problems;
  for (const InputError& e : check.problems) problems.push_back(error_json(e));
  json["problems"] = problems;
  if (!check.ok()) json["error"] = problems[0];

  std::string text;
  for (const std::string& line : check.lines) text += printable(line) + "\n";
  if (check.ok()) text += fmt::format("{}: good {}\n", printable(check.file), check.kind);
  console.result(json, text);
  return check.ok() ? 0 : 2;
}

}  // namespace supple
