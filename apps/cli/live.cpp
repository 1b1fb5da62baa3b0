// live: a character in, its live pack out.
#include <filesystem>

#include "commands.h"
#include "outcome.h"
#include "supple/demos/examples/examples_live.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/live/run.h"

namespace supple {

using namespace demos;
using namespace pipeline;
using namespace pipeline::live;

namespace {

int tell_live(const Outcome& outcome, const std::string& directory, const Console& console) {
  std::string text = listed(outcome, directory), page;
  for (const std::string& f : outcome.files)
    if (f.ends_with(".html")) page = (std::filesystem::path(directory) / f).string();
  if (!page.empty()) text += "Look at it: open " + page + " in a browser\n";
  return tell(outcome, console, text);
}

}  // namespace

int run_live(const LiveCommand& c, const Console& console) {
  Overrides set = c.set;
  set.set_given("live.deliver", c.deliver);
  set.set_given("live.clips", c.clips);
  set.set_given("live.modes", c.modes);
  const SceneConfig scene = live_scene(c.file, set);
  const ResultFolder directory = folder_of_results(c.out, c.resume);
  const OutputFolder folder{
      .directory = directory.path(), .overwrite = c.overwrite, .resume = c.resume, .product = Product::live_pack};
  return tell_live(run_on(console, scene, folder), folder.directory, console);
}

int run_live_demo(const DemoOptions& o, const Console& console) {
  const ResultFolder directory = folder_or_next(o.out);
  const std::string& dir = directory.path();
  LiveResult result = make_live_example(dir, o.set, console.watch());
  Outcome outcome{.files = result.files, .lines = result.lines, .report = std::move(result.report)};
  outcome.report["directory"] = dir;
  return tell_live(outcome, dir, console);
}

}  // namespace supple
