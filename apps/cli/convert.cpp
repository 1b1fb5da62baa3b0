#include "supple/pipeline/files/convert_file.h"

#include <fmt/format.h>

#include "commands.h"

namespace supple {

using namespace pipeline;

int run_convert(const ConvertOptions& options, const Console& console) {
  ConvertRequest request;
  request.in = options.in;
  request.out = options.out;
  request.repair = options.repair;
  if (options.fps > 0) request.fps = options.fps;
  const ConvertReport report = convert_file(request);
  for (const std::string& note : report.notes) console.note(note);
  Json json;
  json["in"] = options.in;
  json["out"] = options.out;
  json["summary"] = report.summary;
  json["notes"] = Json::list(report.notes);
  console.result(json, fmt::format("{}: {}\n", options.out, report.summary));
  return 0;
}

}  // namespace supple
