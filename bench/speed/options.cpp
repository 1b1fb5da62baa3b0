#include "options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <thread>

#include "bench.h"

namespace supple::bench {

namespace {
// "20k", "20000"; 0: it is no number of tets.
int size_from(const std::string& text) {
  char* end = nullptr;
  double n = std::strtod(text.c_str(), &end);
  if (*end == 'k') n *= 1000, ++end;
  return *end == 0 && n >= 6 && n <= 1e7 ? static_cast<int>(std::lround(n)) : 0;
}
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}
}  // namespace

std::optional<int> parse(int argc, char** argv, Options& o) {
  CLI::App app(
      "Times what the engine is made of, beside yardsticks of the same run. Ratios are what counts: machines differ, "
      "and are disturbed.");
  std::string help = "Sections to run, and files to cost (scene .toml, tets, .glb characters). Sections:";
  for (const Section& s : sections()) help += std::string("\n  ") + s.name + ": " + s.summary;
  help += "\n  all";
  std::vector<std::string> words;
  std::string sizes_text, shapes_text = "beam,cube", solvers_text;
  app.add_option("what", words, help);
  // One word each: a list would swallow the sections that follow.
  app.add_option("--sizes", sizes_text, "Numbers of tets; 5k,20k when not given");
  app.add_option("--shape", shapes_text, "beam, cube or both: beam,cube")->capture_default_str();
  app.add_option("--solvers", solvers_text, "More back ends for the section factor, such as mumps,eigen");
  app.add_option("--repeats", o.repeats, "Of short measurements")->check(CLI::Range(1, 1000));
  app.add_option("--threads", o.threads, "Where not one")->check(CLI::Range(1, 256));
  app.add_option("--file", o.characters, "A character for the section characters; again for each of several")
      ->allow_extra_args(false);
  app.add_option("--clip", o.clip, "Which of its clips, by name or number, or all; default the first");
  app.add_option("--preview-s", o.preview_s, "Seconds that its preview shall take at most");
  app.add_option("--final-s", o.final_s, "Seconds that the final run shall take at most");
  app.add_flag("--full", o.full, "Sizes up to 300k and 400k, examples in their own size: may take an hour");
  app.add_option("--json", o.json, "Write the rows to this file");
  app.add_option("--compare", o.compare, "An earlier file to compare with");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  }
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (app.count("--threads") == 0) o.threads = std::min(o.threads, cores);
  if (sizes_text.empty()) sizes_text = o.full ? "5k,20k,100k,300k" : "5k,20k";
  for (const std::string& word : split(sizes_text)) {
    o.sizes.push_back(size_from(word));
    if (o.sizes.back() == 0) return app.exit(CLI::ValidationError("--sizes", "'" + word + "' is no number of tets"));
  }
  std::sort(o.sizes.begin(), o.sizes.end());
  for (const std::string& word : split(shapes_text)) {
    if (word != "beam" && word != "cube")
      return app.exit(CLI::ValidationError("--shape", "there is no '" + word + "'"));
    o.shapes.push_back(word == "beam" ? Shape::beam : Shape::cube);
  }
  o.solvers = split(solvers_text);
  // What has a dot or a slash is a file.
  for (const std::string& w : words) {
    if (w.find_first_of("./") != std::string::npos) {
      o.files.push_back(w);
      continue;
    }
    const auto& list = sections();
    if (w == "all") {
      for (const Section& s : list)
        if (std::string(s.name) != "files" && std::string(s.name) != "characters") o.sections.push_back(s.name);
      continue;
    }
    if (std::none_of(list.begin(), list.end(), [&](const Section& s) { return w == s.name; }))
      return app.exit(CLI::ValidationError("what", "there is no section '" + w + "'"));
    o.sections.push_back(w);
  }
  if (o.sections.empty() && o.files.empty())
    for (const Section& s : sections())
      if (s.by_default) o.sections.push_back(s.name);
  const bool asked = std::find(o.sections.begin(), o.sections.end(), "files") != o.sections.end();
  if (!o.files.empty() && !asked) o.sections.push_back("files");
  return std::nullopt;
}

}  // namespace supple::bench
