#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "supple/report/html.h"
#include "supple/report/json.h"
#include "supple/report/svg_plot.h"

namespace supple {
namespace {

// Every element closes in order, attributes are quoted, and no stray < or & is left. Returns what is wrong, or "".
std::string markup_fault(const std::string& text) {
  std::vector<std::string> open;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      const size_t end = text.find(';', i);
      if (end == std::string::npos || end - i > 7) return "bare & at " + std::to_string(i);
    }
    if (text[i] != '<') continue;
    size_t end = i + 1;
    for (bool quoted = false; end < text.size() && (quoted || text[end] != '>'); ++end) {
      if (text[end] == '"') quoted = !quoted;
      if (text[end] == '<') return "bare < at " + std::to_string(i);
    }
    if (end >= text.size()) return "tag without end";
    const std::string tag = text.substr(i + 1, end - i - 1);
    if (tag[0] == '!') {
      i = end;
      continue;
    }
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /\n", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected </" + tag.substr(1) + ">";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    i = end;
    if (name == "style" && tag[0] != '/') i = text.find("</style>", i) - 1;
  }
  return open.empty() ? "" : "open: " + open.back();
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

Plot sample_plot() {
  Plot plot;
  plot.title = "Tip <height> & \"more\"";
  plot.x_label = "time [s]";
  plot.y_label = "z [m]";
  plot.lines = {{"simulated", {0, 1, 2, 3}, {0, 1, 0.5, 0.25}}, {"static & held", {0, 3}, {0.2, 0.2}}};
  return plot;
}

TEST(MarkupFault, sees_faults) {
  EXPECT_EQ(markup_fault("<a b=\"c>d\"><e/></a>"), "");
  EXPECT_NE(markup_fault("<a><b></a></b>"), "");
  EXPECT_NE(markup_fault("<a>x & y</a>"), "");
  EXPECT_NE(markup_fault("<a>"), "");
}

TEST(SvgPlot, is_well_formed_and_escaped) {
  const std::string svg = to_svg(sample_plot());
  EXPECT_EQ(markup_fault(svg), "") << svg;
  EXPECT_NE(svg.find("Tip &lt;height&gt; &amp; &quot;more&quot;"), std::string::npos);
  EXPECT_NE(svg.find("static &amp; held"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

// Without colour a line is still told from every other, by its dashes or its marker; both are in its key too.
TEST(SvgPlot, lines_differ_without_colour) {
  std::set<std::pair<std::string, std::string>> looks;
  for (size_t k = 0; k < 42; ++k) looks.emplace(line_look(k).dash, line_look(k).marker);
  EXPECT_EQ(looks.size(), 42u);
  const std::string svg = to_svg(sample_plot());
  for (size_t k : {0u, 1u}) {
    const LineLook look = line_look(k);
    EXPECT_GE(count(svg, look.marker), 2u) << k;  // on the line and in its key
    if (*look.dash) {
      EXPECT_EQ(count(svg, std::string("stroke-dasharray=\"") + look.dash + "\""), 2u);
    }
  }
}

TEST(SvgPlot, points_have_a_marker_each_and_no_line) {
  Plot plot = sample_plot();
  plot.lines.resize(1);
  plot.lines[0].draw = PlotDraw::points;
  const std::string svg = to_svg(plot);
  EXPECT_EQ(count(svg, line_look(0).marker), 5u);  // four points and the key
  EXPECT_EQ(count(svg, "<path d=\""), 5u);
  plot.lines[0].draw = PlotDraw::both;
  EXPECT_EQ(count(to_svg(plot), "<path d=\""), 6u);
}

TEST(SvgPlot, marks_stand_where_they_say) {
  Plot plot;
  plot.width = 700;  // x from 68 to 680
  plot.lines = {{"", {0, 10}, {0, 4}}};
  plot.marks = {{5, "half <way>"}, {11, "outside"}, {NAN, "nowhere"}};
  const std::string svg = to_svg(plot);
  EXPECT_NE(svg.find("x1=\"374.00\" x2=\"374.00\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("half &lt;way&gt;"), std::string::npos);
  EXPECT_EQ(svg.find("outside"), std::string::npos);
  EXPECT_EQ(svg.find("nowhere"), std::string::npos);
}

TEST(SvgPlot, logarithms) {
  Plot plot;
  plot.width = 768, plot.height = 276;  // x from 68 to 748, y from 232 up to 32
  plot.log_x = plot.log_y = true;
  plot.lines = {{"", {1, 10, 0, 100}, {0.01, 0.1, 0.5, -1}}, {"", {100}, {1}}};
  const std::string svg = to_svg(plot);
  EXPECT_NE(svg.find("M68.00 232.00L408.00 132.00"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  for (const auto& [low, high] : {std::pair{1.0, 100.0}, {3.0, 4.0}, {1e-9, 1e9}, {0.02, 0.7}, {1.0, 1.0}}) {
    const std::vector<double> ticks = log_ticks(low, high, 5);
    ASSERT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 8u);
    EXPECT_LE(ticks.front(), low * (1 + 1e-9));
    EXPECT_GE(ticks.back(), high * (1 - 1e-9));
    EXPECT_TRUE(std::is_sorted(ticks.begin(), ticks.end()));
  }
}

// A long record is thinned to what the pixels can show: nothing above or below is lost.
TEST(SvgPlot, long_lines_keep_their_extremes) {
  Plot plot;
  plot.lines = {{"", {}, {}}};
  for (int i = 0; i < 200000; ++i) {
    plot.lines[0].x.push_back(i);
    plot.lines[0].y.push_back(i == 77777 ? 4 : i == 123456 ? 0 : 2);
  }
  const std::string svg = to_svg(plot);
  EXPECT_LT(svg.size(), 80000u);
  EXPECT_NE(svg.find(" 32.00L"), std::string::npos);
  EXPECT_NE(svg.find(" 196.00L"), std::string::npos);
}

TEST(SvgPlot, panels_share_one_element) {
  const Plot plot = sample_plot();
  const std::string svg = to_svg(std::vector<Plot>{plot, plot, Plot()}, 2);
  EXPECT_EQ(markup_fault(svg), "");
  EXPECT_EQ(count(svg, "<svg "), 1u);
  EXPECT_NE(svg.find("viewBox=\"0 0 1720 480\""), std::string::npos);
  EXPECT_NE(svg.find("translate(860 0)"), std::string::npos);
  EXPECT_NE(svg.find("translate(0 240)"), std::string::npos);
  EXPECT_EQ(markup_fault(to_svg(std::vector<Plot>{}, 2)), "");
}

TEST(SvgPlot, labels_stay_inside_and_apart) {
  Plot plot;
  for (int k = 0; k < 9; ++k) plot.lines.push_back({"line " + std::to_string(k), {0, 1}, {0, 0}});
  plot.lines[3].label = std::string(300, 'w');
  plot.lines[4].label = std::string(100, ' ') + "\xC3\xA9";
  const std::string svg = to_svg(plot);
  EXPECT_EQ(markup_fault(svg), "");
  EXPECT_EQ(svg.find(std::string(60, 'w')), std::string::npos);
  EXPECT_NE(svg.find("www\u2026"), std::string::npos);
  std::set<std::string> heights;
  for (size_t at = svg.find("<line x1=\"582"); at != std::string::npos; at = svg.find("<line x1=\"582", at + 1)) {
    const size_t y = svg.find("y1=\"", at) + 4;
    heights.insert(svg.substr(y, svg.find('"', y) - y));
    EXPECT_LE(std::stod(svg.substr(y)), 240.0);
  }
  EXPECT_EQ(heights.size(), 9u);
}

TEST(SvgPlot, gaps_where_values_are_not_finite) {
  Plot plot = sample_plot();
  const double inf = std::numeric_limits<double>::infinity();
  plot.lines = {{"a", {0, 1, 2, 3, 4, 5}, {0, 1, NAN, 1, inf, 2}}};
  const std::string svg = to_svg(plot);
  const size_t from = svg.find("<path d=\"") + 9;
  const std::string d = svg.substr(from, svg.find('"', from) - from);
  EXPECT_EQ(count(d, "M"), 3u) << d;
  EXPECT_EQ(count(d, "L"), 1u) << d;
  EXPECT_EQ(count(d, "h0.01"), 2u) << d;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(SvgPlot, nothing_to_draw) {
  Plot plot = sample_plot();
  plot.lines = {};
  EXPECT_NE(to_svg(plot).find("no data"), std::string::npos);
  plot.lines = {{"empty", {}, {}}, {"bad", {0, NAN}, {NAN, 1}}};
  EXPECT_NE(to_svg(plot).find("no data"), std::string::npos);
  EXPECT_EQ(markup_fault(to_svg(plot)), "");
}

TEST(SvgPlot, flat_lines_and_single_points_have_finite_axes) {
  for (const double y : {0.0, 5.0, -1e-30, 1e12}) {
    Plot plot = sample_plot();
    plot.lines = {{"one", {2}, {y}}};
    const std::string svg = to_svg(plot);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  }
}

TEST(SvgPlot, values_land_where_the_axes_say) {
  Plot plot;
  plot.lines = {{"", {0, 10}, {0, 4}}};
  plot.width = 640, plot.height = 300;
  // x runs from 68 to 620, y from 256 (0) up to 32 (4).
  const std::string svg = to_svg(plot);
  EXPECT_NE(svg.find("M68.00 256.00L620.00 32.00"), std::string::npos) << svg;
}

TEST(SvgPlot, ticks_are_round_and_cover) {
  EXPECT_EQ(nice_ticks(0, 4, 4), (std::vector<double>{0, 1, 2, 3, 4}));
  for (const auto& [low, high] : {std::pair{0.013, 0.17}, {-3.3, 8.1}, {1e-9, 3e-9}, {5.0, 5.0}, {0.0, 0.0}}) {
    const std::vector<double> ticks = nice_ticks(low, high, 5);
    ASSERT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 12u);
    EXPECT_LE(ticks.front(), low + 1e-12);
    EXPECT_GE(ticks.back(), high - 1e-12);
  }
}

TEST(Html, is_well_formed_self_contained_and_escaped) {
  ReportPage page;
  page.title = "Fox <run> & jump";
  page.summary = "72 frames";
  page.poster_png = std::string("\x89PNG\r\n", 6);
  page.poster_alt = "the \"fox\"";
  page.card = {{"Speed", "0.5", "0.498", "within 1 %"}, {"Amount", "", "1.2", ""}};
  page.warnings = {"12 tets <inverted>"};
  page.plots = {sample_plot(), Plot()};
  page.facts = {{"tets", "4650"}};
  page.data["note"] = "</script><b>";
  const std::string html = to_html(page);
  EXPECT_EQ(markup_fault(html), "") << html;
  EXPECT_NE(html.find("data:image/png;base64,iVBORw0K"), std::string::npos);
  EXPECT_NE(html.find("<td>0.498</td>"), std::string::npos);
  EXPECT_NE(html.find("12 tets &lt;inverted&gt;"), std::string::npos);
  EXPECT_EQ(count(html, "</script>"), 1u);
  EXPECT_EQ(html.find("src=\"http"), std::string::npos);
  EXPECT_EQ(html.find("href="), std::string::npos);
  EXPECT_EQ(html.find("Without dials"), std::string::npos);
}

TEST(Html, card_with_notes_and_tables) {
  ReportPage page;
  page.card = {{.what = "Speed", .asked = "x2", .got = "x1.99", .before = "1 <Hz>"}, {.what = "Peak", .got = "2 mm"}};
  page.card_notes = {"first & last"};
  page.tables = {{"By region", "a note", {"Region", "Speed"}, {{"ear.L", "1 / 2"}, {"<tail>", "3 / 4"}}}};
  const std::string html = to_html(page);
  EXPECT_EQ(markup_fault(html), "") << html;
  EXPECT_NE(html.find("<th>Without dials</th>"), std::string::npos);
  EXPECT_NE(html.find("<td>1 &lt;Hz&gt;</td><td>x2</td><td>x1.99</td>"), std::string::npos);
  EXPECT_NE(html.find("first &amp; last"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">&lt;tail&gt;</th><td>3 / 4</td>"), std::string::npos);
}

TEST(Html, an_empty_page_is_still_a_page) {
  const std::string html = to_html(ReportPage());
  EXPECT_EQ(markup_fault(html), "");
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("Warnings"), std::string::npos);
}

TEST(JsonValue, writes_what_it_holds) {
  Json json;
  json["b"] = true;
  json["i"] = 3;
  json["d"] = 0.1;
  json["none"] = std::nan("");
  json["list"] = Json::list(std::vector<double>{1, 2.5});
  json["empty"] = Json::object();
  json["nest"]["deep"] = "x";
  json["i"] = 4;
  EXPECT_EQ(json.text(-1),
            "{\"b\":true,\"i\":4,\"d\":0.1,\"none\":null,\"list\":[1,2.5],\"empty\":{},\"nest\":{\"deep\":\"x\"}}");
  EXPECT_EQ(Json().text(), "null");
  EXPECT_EQ(json["nest"].text(2), "{\n  \"deep\": \"x\"\n}");
}

TEST(JsonValue, doubles_come_back_to_the_last_bit) {
  for (const double v : {1.0 / 3, 1e-300, 6.02214076e23, -0.0, 123456789.123456789})
    EXPECT_EQ(std::stod(Json(v).text()), v);
}

TEST(JsonValue, quotes_control_characters_and_broken_utf8) {
  EXPECT_EQ(json_quoted("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
  EXPECT_EQ(json_quoted("caf\xC3\xA9 \xF0\x9F\xA6\x8A"), "\"caf\xC3\xA9 \xF0\x9F\xA6\x8A\"");
  EXPECT_EQ(json_quoted("\xC3"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(json_quoted("\xE0\x80\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(json_quoted("\xFFok"), "\"\xEF\xBF\xBDok\"");
}

}  // namespace
}  // namespace supple
