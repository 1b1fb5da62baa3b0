#include "supple/report/html.h"

#include <fmt/format.h>

namespace supple {

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t k) -> unsigned { return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0; };
    const unsigned word = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += kDigits[word >> 18];
    out += kDigits[word >> 12 & 63];
    out += i + 1 < bytes.size() ? kDigits[word >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[word & 63] : '=';
  }
  return out;
}

namespace {

constexpr const char* kStyle = R"css(
body { font: 16px/1.5 sans-serif; color: #111; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .25rem 1rem .25rem 0; vertical-align: top; }
th { font-weight: 600; } thead th { border-bottom: 2px solid #111; } tbody td, tbody th { border-bottom: 1px solid #ccc; }
img, svg { max-width: 100%; height: auto; } .warnings { border-left: 4px solid #111; padding-left: 1rem; }
)css";

// "</script>" inside the data would end the element that holds it.
std::string script_safe(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string to_html(const ReportPage& page) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      escape_markup(page.title), kStyle);
  if (!page.summary.empty()) html += fmt::format("<p>{}</p>\n", escape_markup(page.summary));
  if (!page.poster_png.empty()) {
    html += fmt::format("<p><img alt=\"{}\" src=\"data:image/png;base64,{}\"/></p>\n", escape_markup(page.poster_alt),
                        base64(page.poster_png));
  }
  if (!page.warnings.empty()) {
    html += "<h2>Warnings</h2>\n<ul class=\"warnings\">\n";
    for (const std::string& warning : page.warnings) html += fmt::format("<li>{}</li>\n", escape_markup(warning));
    html += "</ul>\n";
  }
  if (!page.card.empty()) {
    html +=
        "<h2>Asked / "
        "got</h2>\n<table>\n<thead><tr><th></th><th>Asked</th><th>Got</th><th></th></tr></thead>\n<tbody>\n";
    for (const AskedGot& row : page.card) {
      html +=
          fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n", escape_markup(row.what),
                      escape_markup(row.asked), escape_markup(row.got), escape_markup(row.note));
    }
    html += "</tbody>\n</table>\n";
  }
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
  return html + "</body>\n</html>\n";
}

}  // namespace supple
