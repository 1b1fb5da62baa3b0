// curves: a rig with some parameters keyed in, curves of the others out.
#include <fmt/format.h>

#include <unistd.h>

#include "commands.h"
#include "outcome.h"
#include "supple/base/error.h"
#include "supple/base/printable.h"
#include "supple/pipeline/curves/curves.h"
#include "supple/pipeline/deliver/result_folder.h"

namespace supple {

using namespace pipeline;
using namespace pipeline::curves;

namespace {

Overrides curves_overrides(const CurvesCommand& c) {
  Overrides set;
  set.set_given("surface.clip", c.clip);
  set.set_given("curves.keys", c.keys);
  set.set_given("curves.free", c.free);
  set.set_given("curves.frequency_hz", c.frequency_hz);
  set.add(c.set);
  return set;
}

}  // namespace

int run_curves_command(const CurvesCommand& c, const Console& console) {
  SceneConfig scene = curves_scene(c.file, curves_overrides(c));
  scene.may_run = c.allow_run;
  if (c.list) {
    Json json;
    json["parameters"] = Json(Json::Array{});
    std::string text;
    for (const RigParameter& p : list_parameters(scene)) {
      const char* unit = p.quantity == Quantity::angle ? "rad" : p.quantity == Quantity::length ? "m" : "1";
      Json one;
      one["name"] = p.name, one["unit"] = unit, one["rest"] = p.rest;
      json["parameters"].push_back(std::move(one));
      text += fmt::format("{:<40} [{}], at rest {:.6g}\n", printable(p.name), unit, p.rest);
    }
    console.result(json, text);
    return 0;
  }
  if (c.serve) {
    serve_scene(scene, STDIN_FILENO, STDOUT_FILENO);
    return 0;
  }
  const ResultFolder directory = folder_of_results(c.out, c.resume);
  const OutputFolder folder{.directory = directory.path(), .overwrite = c.overwrite, .resume = c.resume};
  const Outcome outcome = run_on(console, scene, folder);
  return tell(outcome, console, listed(outcome, folder.directory));
}

}  // namespace supple
