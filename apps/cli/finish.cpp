// finish: another take of a finished run, without simulating.
#include "supple/pipeline/takes/refinish.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "commands.h"
#include "supple/base/error.h"
#include "supple/base/reading_scope.h"

namespace supple {

using namespace pipeline;

namespace {

// "3cm", "25 mm", "0.03": metres.
double length_from(const std::string& text, const Console& console) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  std::string unit(at, end);
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  const double metres = unit.empty() || unit == "m" ? 1 : unit == "cm" ? 1e-2 : unit == "mm" ? 1e-3 : 0;
  if (error != std::errc() || metres == 0 || !(value >= 0 && value < 1e6))
    throw InputError({.place = "--limit " + text}, "is no length", "write it as 3cm, 25mm or 0.03 (in metres)");
  if (unit.empty() && value >= 1)
    console.warn(
        fmt::format("--limit {0:g}: is it {0:g} m? lengths are in metres: {0:g}cm, or {1:g}", value, value / 100));
  return value * metres;
}

}  // namespace

int run_finish(const FinishCommand& c, const Console& console) {
  Overrides set = c.set;
  set.set_given("output.mix", c.mix);
  if (!c.limit.empty()) set.set("output.limit_m", length_from(c.limit, console));
  if (!c.axis.empty()) set.add({"output.axis=[" + c.axis + "]"});
  set.set_given("output.smooth", c.smooth);
  set.set_given("output.smooth_frames", c.smooth_frames);
  return finish_and_tell({.directory = c.directory, .set = set}, c.out, console);
}

int finish_and_tell(FinishRequest request, const std::string& out, const Console& console) {
  (std::filesystem::path(out).extension() == ".glb" ? request.glb : request.out) = out;
  const FinishResult r = finish_run(request, console.watch());
  for (const std::string& w : r.warnings) console.warn(w);
  std::string text;
  if (r.changed)
    text += fmt::format("departure {:.2f} mm rms, {:.2f} mm largest; as simulated {:.2f} and {:.2f} mm\n",
                        1e3 * r.shown.rms, 1e3 * r.shown.largest, 1e3 * r.simulated.rms, 1e3 * r.simulated.largest);
  else
    text += "no finishing is set: the same as the run\n";
  if (!r.glb.empty()) text += "  " + r.glb + "\n";
  for (const std::string& f : r.files) text += "  " + (std::filesystem::path(r.directory) / f).generic_string() + "\n";
  text +=
      fmt::format("Look at both: supple compare {} {}{}\n", request.directory, r.directory, reading_scope().options());
  Json result = r.report;
  result["files"] = Json::list(r.files);
  console.result(result, text);
  return 0;
}

}  // namespace supple
