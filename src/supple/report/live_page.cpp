#include "supple/report/live_page.h"

#include <fmt/format.h>

#include <string_view>

#include "supple/base/markup.h"
#include "supple/report/embed.h"
#include "supple/report/page_files.h"

SUPPLE_EMBED(live_loader, SUPPLE_THREE_GLTF_JS);
SUPPLE_EMBED(live_page, SUPPLE_PAGE_FOLDER "/live_page.html");
SUPPLE_EMBED(live_style, SUPPLE_PAGE_FOLDER "/live_page.css");
SUPPLE_EMBED(live_surface, SUPPLE_PAGE_FOLDER "/live_surface.js");
SUPPLE_EMBED(live_motion, SUPPLE_PAGE_FOLDER "/live_motion.js");
SUPPLE_EMBED(live_tool, SUPPLE_PAGE_FOLDER "/live_tool.js");
SUPPLE_EMBED(live_stage, SUPPLE_PAGE_FOLDER "/live_stage.js");
SUPPLE_EMBED(live_panel, SUPPLE_PAGE_FOLDER "/live_panel.js");
SUPPLE_EMBED(live_check, SUPPLE_PAGE_FOLDER "/live_check.js");
SUPPLE_EMBED(live_main, SUPPLE_PAGE_FOLDER "/live_main.js");
SUPPLE_EMBED(live_kinematics, SUPPLE_RUNTIME_FOLDER "/kinematics.js");
SUPPLE_EMBED(live_oscillators, SUPPLE_RUNTIME_FOLDER "/oscillators.js");
SUPPLE_EMBED(live_part, SUPPLE_RUNTIME_FOLDER "/part.js");
SUPPLE_EMBED(live_deform, SUPPLE_RUNTIME_FOLDER "/deform.js");
SUPPLE_EMBED(live_attach, SUPPLE_RUNTIME_FOLDER "/attach.js");

namespace supple {

namespace {

// A module as part of one script: imports go, and so does the word export.
std::string plain_script(std::string_view module) {
  std::string out;
  while (!module.empty()) {
    const size_t end = std::min(module.find('\n'), module.size() - 1) + 1;
    std::string_view line = module.substr(0, end);
    module.remove_prefix(end);
    if (line.starts_with("import ")) continue;
    if (line.starts_with("export ")) line.remove_prefix(7);
    out += line;
  }
  return out;
}

std::string runtime_script() {
  std::string out = "'use strict';\nconst supple_live = (() => {\n";
  for (std::string_view module :
       {SUPPLE_EMBEDDED(live_kinematics), SUPPLE_EMBEDDED(live_oscillators), SUPPLE_EMBEDDED(live_part),
        SUPPLE_EMBEDDED(live_deform), SUPPLE_EMBEDDED(live_attach)})
    out += plain_script(module) + "\n";
  return out + "return {LivePart, attach, nodesOf};\n})();\n";
}

std::string page_script() {
  std::string out;
  for (std::string_view script : {SUPPLE_EMBEDDED(live_surface), SUPPLE_EMBEDDED(live_motion),
                                  SUPPLE_EMBEDDED(live_tool), SUPPLE_EMBEDDED(live_stage), SUPPLE_EMBEDDED(live_panel),
                                  SUPPLE_EMBEDDED(live_check), SUPPLE_EMBEDDED(live_main)})
    out += std::string(script) + "\n";
  return out;
}

}  // namespace

std::string live_page(const std::string& title, const std::vector<LivePageModel>& models) {
  std::string packs;
  for (const LivePageModel& m : models)
    packs += fmt::format(
        "<script type=\"text/plain\" data-pack=\"{}\" data-title=\"{}\" data-kind=\"{}\" "
        "data-note=\"{}\">{}</script>\n",
        escape_markup(m.name), escape_markup(m.title), escape_markup(m.kind), escape_markup(m.note), base64(m.bytes));
  const std::pair<std::string_view, std::string> places[] = {
      {"TITLE", escape_markup(title)},
      {"STYLE", std::string(SUPPLE_EMBEDDED(live_style))},
      {"LICENCE", "<!--\n" + std::string(page_three_licence()) + "-->"},
      {"PACKS", std::move(packs)},
      {"THREE", std::string(page_three_js()) + "\n" + std::string(SUPPLE_EMBEDDED(live_loader))},
      {"RUNTIME", runtime_script()},
      {"SCRIPT", page_script()},
  };
  std::string out;
  std::string_view rest = SUPPLE_EMBEDDED(live_page);
  while (!rest.empty()) {
    const size_t open = std::min(rest.find("{{"), rest.size());
    out += rest.substr(0, open);
    rest.remove_prefix(open);
    if (rest.empty()) break;
    const size_t close = rest.find("}}");
    for (const auto& [name, text] : places)
      if (rest.substr(2, close - 2) == name) out += text;
    rest.remove_prefix(close + 2);
  }
  return out;
}

}  // namespace supple
