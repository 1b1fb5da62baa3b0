#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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

TEST(SvgPlot, lines_differ_by_dashes_not_by_colour_alone) {
  const std::string svg = to_svg(sample_plot());
  EXPECT_EQ(count(svg, "<path "), 2u);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"7 3\""), 2u);  // the second line and its key
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
  // x runs from 64 to 530, y from 256 (0) up to 30 (4).
  const std::string svg = to_svg(plot);
  EXPECT_NE(svg.find("M64.00 256.00L530.00 30.00"), std::string::npos) << svg;
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
}

TEST(Html, an_empty_page_is_still_a_page) {
  const std::string html = to_html(ReportPage());
  EXPECT_EQ(markup_fault(html), "");
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("Warnings"), std::string::npos);
}

TEST(Base64, of_known_texts) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A");
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
