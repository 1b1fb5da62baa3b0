#include "supple/demos/figures/figure_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/base/markup.h"
#include "supple/base/timer.h"
#include "supple/io/output_file.h"

namespace supple::demos {

namespace fs = std::filesystem;

namespace {

bool is_shown(const std::string& file) { return file.ends_with(".png") || file.ends_with(".svg"); }

std::string markdown_of(const std::string& heading, const std::vector<Figure>& figures) {
  std::string text = fmt::format("# {}\n", heading);
  for (const Figure& f : figures) {
    text += fmt::format("\n## Figure {}: {}\n\n{}\n\n", f.number, f.title, f.caption);
    for (const std::string& file : f.files)
      text += is_shown(file) ? fmt::format("![Figure {}]({})\n\n", f.number, file)
                             : fmt::format("Numbers: [{0}]({0})\n\n", file);
    for (const PageTable& t : f.tables) {
      text += fmt::format("{}.{}{}\n\n| {} |\n|", t.title, t.note.empty() ? "" : " ", t.note, fmt::join(t.head, " | "));
      for (size_t i = 0; i < t.head.size(); ++i) text += " --- |";
      text += "\n";
      for (const auto& row : t.rows) text += fmt::format("| {} |\n", fmt::join(row, " | "));
      text += "\n";
    }
  }
  return text;
}

std::string html_of(const std::string& heading, const std::vector<Figure>& figures) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      escape_markup(heading) +
      "</title>\n<style>\nbody { font: 16px/1.5 sans-serif; color: #111; background: #fff; max-width: 1060px; margin: "
      "2em auto; "
      "padding: 0 1em; }\nimg { max-width: 100%; height: auto; display: block; margin: 1em 0; }\n"
      "table { border-collapse: collapse; margin: 1em 0; }\ncaption { text-align: left; }\n"
      "th, td { border-bottom: 1px solid #bbb; padding: 0.25em 0.8em; text-align: right; }\n"
      "th:first-child, td:first-child { text-align: left; }\n</style>\n</head>\n<body>\n<h1>" +
      escape_markup(heading) + "</h1>\n";
  for (const Figure& f : figures) {
    const std::string caption = escape_markup(f.caption);
    text += fmt::format("<h2>Figure {}: {}</h2>\n<p>{}</p>\n", f.number, escape_markup(f.title), caption);
    for (const std::string& file : f.files)
      text += is_shown(file)
                  ? fmt::format("<img src=\"{}\" alt=\"Figure {}: {}\">\n", file, f.number, escape_markup(f.title))
                  : fmt::format("<p>Numbers: <a href=\"{0}\">{0}</a></p>\n", file);
    for (const PageTable& t : f.tables) {
      text += fmt::format("<table>\n<caption>{}. {}</caption>\n<tr>", escape_markup(t.title), escape_markup(t.note));
      for (const std::string& h : t.head) text += fmt::format("<th scope=\"col\">{}</th>", escape_markup(h));
      text += "</tr>\n";
      for (const auto& row : t.rows) {
        text += "<tr>";
        for (const std::string& cell : row) text += fmt::format("<td>{}</td>", escape_markup(cell));
        text += "</tr>\n";
      }
      text += "</table>\n";
    }
  }
  return text + "</body>\n</html>\n";
}

}  // namespace

std::vector<int> numbers_of(std::span<const FigureMaker> makers) {
  std::vector<int> numbers;
  for (const FigureMaker& m : makers) numbers.push_back(m.number);
  return numbers;
}

std::vector<Figure> make_figures(std::span<const FigureMaker> makers, const std::string& heading,
                                 const FigureOptions& options, const Watch& watch) {
  const std::vector<int> known = numbers_of(makers);
  const auto among = [](const std::vector<int>& list, int n) {
    return std::find(list.begin(), list.end(), n) != list.end();
  };
  for (int n : options.only)
    if (!among(known, n))
      throw InputError({.place = "figures"}, fmt::format("there is no figure {} here", n),
                       fmt::format("Figures: {}.", fmt::join(known, ", ")));
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error)
    throw InputError({.file = options.directory}, "cannot be made: " + error.message(), "choose another directory");
  FigureStage stage(options, watch);
  std::vector<Figure> figures;
  for (const FigureMaker& m : makers) {
    if (!options.only.empty() && !among(options.only, m.number)) continue;
    const Timer timer;
    figures.push_back(m.make(stage));
    stage.note(fmt::format("figure {} in {:.0f} s", m.number, timer.seconds()));
    // After each: a command that is stopped leaves an index of what is there.
    write_text((fs::path(options.directory) / "figures.md").string(), markdown_of(heading, figures));
    write_text((fs::path(options.directory) / "index.html").string(), html_of(heading, figures));
  }
  return figures;
}

}  // namespace supple::demos
