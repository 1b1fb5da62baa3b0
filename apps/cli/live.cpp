// live: a character in, its live pack out.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "supple/base/parallel.h"
#include "supple/scene/examples_live.h"
#include "supple/scene/live_run.h"
#include "supple/scene/run.h"

namespace supple {

namespace {

void tell(LiveResult& result, const std::string& directory, const Console& console) {
  std::string text, page;
  for (const std::string& line : result.lines) text += line + "\n";
  for (const std::string& f : result.files) {
    const std::string path = (std::filesystem::path(directory) / f).string();
    text += "  " + path + "\n";
    if (path.ends_with(".html")) page = path;
  }
  if (!page.empty()) text += "Look at it: open " + page + " in a browser\n";
  result.report["directory"] = directory;
  console.result(result.report, text);
}

}  // namespace

int run_live(const LiveCommand& c, const Console& console) {
  std::vector<std::string> set = c.set;
  const auto list = [](const std::vector<std::string>& words) {
    std::string text = "[";
    for (const std::string& w : words) text += (text.size() > 1 ? ", " : "") + json_quoted(w);  // as TOML has it, too
    return text + "]";
  };
  if (!c.deliver.empty()) set.push_back("live.deliver=" + list(c.deliver));
  if (!c.clips.empty()) set.push_back("live.clips=" + list(c.clips));
  if (c.modes) set.push_back(fmt::format("live.modes={}", *c.modes));
  const SceneConfig scene = live_scene(c.file, set);
  if (console.threads() == 0) set_thread_count(scene.solver.threads);
  LiveOptions options;
  options.directory = c.out.empty() ? next_take() : c.out;
  options.overwrite = c.overwrite;
  LiveResult result = make_live(scene, options, console.watch());
  tell(result, options.directory, console);
  return 0;
}

int run_live_demo(const DemoOptions& o, const Console& console) {
  const std::string dir = o.out.empty() ? next_take() : o.out;
  LiveResult result = make_live_example(dir, o.set, console.watch());
  tell(result, dir, console);
  return 0;
}

}  // namespace supple
