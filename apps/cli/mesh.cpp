#include <fmt/format.h>

#include "commands.h"
#include "supple/pipeline/files/mesh_file.h"

namespace supple {

using namespace pipeline;

int run_mesh(const MeshOptions& options, const Console& console) {
  MeshRequest request;
  request.in = options.surface;
  request.out = options.out;
  request.cage.edge = options.edge;
  request.cage.count = options.count;
  request.cage.preset = options.preset;
  request.cage.sheet_thickness = options.sheet_thickness;
  request.cage.edges_across = options.edges_across;
  request.cage.graded = !options.no_grading;
  request.cage.keep_apart = !options.together;
  const MeshReport report = mesh_file(request);
  for (const std::string& note : report.notes) console.note(note);
  Json json = report.json();
  json["in"] = options.surface;
  json["out"] = options.out;
  console.result(json, fmt::format("{}: {}", options.out, report.text()));
  return 0;
}

}  // namespace supple
