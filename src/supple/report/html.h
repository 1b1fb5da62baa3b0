// report.html: one self-contained page that says what was asked, what came out, and shows it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/report/json.h"
#include "supple/report/motion.h"
#include "supple/report/svg_plot.h"

namespace supple {

struct AskedGot {
  std::string what, asked, got, note;  // any but `what` may be empty
  std::string before;                  // without what was asked; the column is there when any row has it
};

struct PageTable {
  std::string title, note;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // the first cell names the row
};

struct Fact {
  std::string name, value;
};

struct ReportPage {
  std::string title, summary;
  std::string poster_png;              // the bytes of a PNG file, or empty
  std::string poster_alt;              // what the picture shows, for those who do not see it
  std::optional<PackedMotion> motion;  // shown in place of the poster where the browser can
  std::vector<AskedGot> card;
  std::vector<std::string> card_notes;  // under it, a paragraph each
  std::vector<PageTable> tables;        // after it
  std::vector<std::string> warnings;
  std::vector<Plot> plots;
  std::vector<Fact> facts;  // sizes, times, versions
  Json data;                // the content of report.json, kept in the page for scripts
};

std::string to_html(const ReportPage& page);

// The page with a line about what came to lie beside it since it was written, in place of an earlier one.
std::string with_beside(std::string html, const std::string& line);

}  // namespace supple
