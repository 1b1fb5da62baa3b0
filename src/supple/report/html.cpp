#include "supple/report/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "supple/base/markup.h"
#include "supple/report/motion_html.h"
#include "supple/report/page_files.h"

namespace supple {

namespace {

constexpr const char* kStyle = R"css(
body { font: 16px/1.45 sans-serif; color: #111; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem 1.25rem .3rem 0; vertical-align: top; }
th { font-weight: 600; } thead th { border-bottom: 2px solid #111; } tbody td, tbody th { border-bottom: 1px solid #ccc; }
tbody th { white-space: nowrap; } td.note, p.note { color: #333; font-size: .875rem; } p.note { margin: .5rem 0; }
.wide { overflow-x: auto; } figure { margin: 1rem 0; } img, svg { max-width: 100%; height: auto; }
#beside:empty { display: none; }
.warnings { border-left: 4px solid #111; padding-left: 2rem; } .warnings li { margin: .25rem 0; }
@media print { figure, tr { break-inside: avoid; } }
)css";

std::string cell(const std::string& text) { return "<td>" + escape_markup(text) + "</td>"; }
std::string note(const std::string& text) { return "<p class=\"note\">" + escape_markup(text) + "</p>\n"; }

std::string card_of(const ReportPage& page) {
  if (page.card.empty()) return "";
  const bool before =
      std::any_of(page.card.begin(), page.card.end(), [](const AskedGot& row) { return !row.before.empty(); });
  std::string html = fmt::format(
      "<h2>Asked / got</h2>\n<div class=\"wide\">\n<table>\n<thead><tr><th></th>{}<th>Asked</th><th>Got</th><th></th>"
      "</tr></thead>\n<tbody>\n",
      before ? "<th>Without dials</th>" : "");
  for (const AskedGot& row : page.card)
    html += fmt::format("<tr><th scope=\"row\">{}</th>{}{}{}<td class=\"note\">{}</td></tr>\n", escape_markup(row.what),
                        before ? cell(row.before) : "", cell(row.asked), cell(row.got), escape_markup(row.note));
  html += "</tbody>\n</table>\n</div>\n";
  for (const std::string& text : page.card_notes) html += note(text);
  return html;
}

std::string table_of(const PageTable& table) {
  std::string html = fmt::format("<h2>{}</h2>\n<div class=\"wide\">\n<table>\n<thead><tr>", escape_markup(table.title));
  for (const std::string& head : table.head) html += "<th>" + escape_markup(head) + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (size_t i = 0; i < row.size(); ++i)
      html += i == 0 ? "<th scope=\"row\">" + escape_markup(row[i]) + "</th>" : cell(row[i]);
    html += "</tr>\n";
  }
  html += "</tbody>\n</table>\n</div>\n";
  return table.note.empty() ? html : html + note(table.note);
}

constexpr const char *kBeside = "<p id=\"beside\">", *kBesideEnds = "</p>\n";

}  // namespace

std::string with_beside(std::string html, const std::string& line) {
  const size_t begin = html.find(kBeside);
  if (begin == std::string::npos) return html;
  const size_t from = begin + std::string_view(kBeside).size(), end = html.find(kBesideEnds, from);
  if (end != std::string::npos) html.replace(from, end - from, escape_markup(line));
  return html;
}

std::string to_html(const ReportPage& page) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{0}</title>\n<style>{1}{2}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      escape_markup(page.title), kStyle, page.motion ? page_viewer_css() : "");
  if (!page.summary.empty()) html += fmt::format("<p>{}</p>\n", escape_markup(page.summary));
  html += fmt::format("{}{}", kBeside, kBesideEnds);
  if (page.motion) html += viewer_html(*page.motion);
  if (!page.poster_png.empty()) {
    html += fmt::format("<p id=\"poster\"><img alt=\"{}\" src=\"data:image/png;base64,{}\"/></p>\n",
                        escape_markup(page.poster_alt), base64(page.poster_png));
  }
  if (page.motion) html += "<p id=\"no-viewer\" class=\"note\" hidden=\"\"></p>\n";
  if (!page.warnings.empty()) {
    html += "<h2>Warnings</h2>\n<ul class=\"warnings\">\n";
    for (const std::string& warning : page.warnings) html += fmt::format("<li>{}</li>\n", escape_markup(warning));
    html += "</ul>\n";
  }
  html += card_of(page);
  for (const PageTable& table : page.tables) html += table_of(table);
  if (!page.plots.empty()) html += "<h2>Plots</h2>\n";
  for (const Plot& plot : page.plots) html += "<figure>\n" + to_svg(plot) + "</figure>\n";
  if (!page.facts.empty()) {
    html += "<h2>Run</h2>\n<table>\n<tbody>\n";
    for (const Fact& fact : page.facts) {
      html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape_markup(fact.name),
                          escape_markup(fact.value));
    }
    html += "</tbody>\n</table>\n";
  }
  html += "<script type=\"application/json\" id=\"report\">\n" + script_safe(page.data.text()) + "\n</script>\n";
  if (page.motion) html += viewer_scripts(*page.motion);
  return html + "</body>\n</html>\n";
}

}  // namespace supple
