// compare: two takes in one page.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "supple/base/error.h"
#include "supple/base/printable.h"
#include "supple/pipeline/takes/compare_runs.h"

namespace supple {

using namespace pipeline;

namespace fs = std::filesystem;

namespace {

std::string last_name(const std::string& directory) {
  const fs::path p = fs::path(directory).lexically_normal();
  const std::string name = (p.has_filename() ? p : p.parent_path()).filename().string();
  return name.empty() || name == "." || name == ".." ? "take" : name;
}

}  // namespace

int run_compare(const CompareCommand& c, const Console& console) {
  const std::string out = c.out.empty() ? fmt::format("compare_{}_{}.html", last_name(c.a), last_name(c.b)) : c.out;
  if (const fs::path parent = fs::path(out).parent_path(); !parent.empty() && !fs::is_directory(parent))
    throw InputError({.file = parent.string()}, "is no folder", "make it first, or choose another");
  if (fs::is_directory(out)) throw InputError({.file = out}, "is a folder", "name the page, as compare.html");
  CompareResult r = compare_runs(c.a, c.b, console.watch());
  write_comparison(r, out);
  std::string text;
  if (r.same_mesh)
    text = fmt::format("distance between them {:.2f} mm rms ({:.2g} % of the size), largest {:.2f} mm at frame {}\n",
                       1e3 * r.rms_m, r.size_m > 0 ? 100 * r.rms_m / r.size_m : 0, 1e3 * r.largest_m, r.worst_frame);
  else
    text = printable(r.why_not) + ": only their numbers are compared\n";
  if (r.preview) text += "preview against final: " + text_of(*r.preview) + "\n";
  r.json["page"] = out;
  console.result(r.json, text + fmt::format("Look at it: open {} in a browser\n", out));
  return 0;
}

}  // namespace supple
