// live: a character in, its live pack out.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "supple/base/parallel.h"
#include "supple/scene/live_run.h"
#include "supple/scene/run.h"

namespace supple {

int run_live(const LiveCommand& c, const Console& console) {
  std::vector<std::string> set = c.set;
  const auto list = [](const std::vector<std::string>& words) {
    std::string text = "[";
    for (const std::string& w : words) text += (text.size() > 1 ? ", " : "") + fmt::format("\"{}\"", w);
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
  options.note = [&](const std::string& text) { console.note(text); };
  options.warn = [&](const std::string& text) { console.warn(text); };
  LiveResult result = make_live(scene, options);
  std::string text;
  for (const std::string& line : result.lines) text += line + "\n";
  std::string page;
  for (const std::string& f : result.files) {
    const std::string path = (std::filesystem::path(options.directory) / f).string();
    text += "  " + path + "\n";
    if (path.ends_with(".html")) page = path;
  }
  if (!page.empty()) text += "Look at it: open " + page + " in a browser\n";
  result.report["directory"] = options.directory;
  console.result(result.report, text);
  return 0;
}

}  // namespace supple
