#include "bench/record/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/record/statistics.h"

namespace supple::bench {

Row::Verdict Row::verdict() const {
  if (std::isnan(bar)) return Verdict::none;
  if (std::isnan(figure())) return Verdict::unknown;
  return (at_least ? figure() >= bar : figure() <= bar) ? Verdict::met : Verdict::missed;
}

Row row_of(std::string id, std::string label, const std::vector<double>& seconds, double scale, std::string unit) {
  Row row;
  row.id = std::move(id);
  row.label = std::move(label);
  row.value = scale * median(seconds);
  row.unit = std::move(unit);
  row.best = scale * smallest(seconds);
  row.spread = spread(seconds);
  row.repeats = static_cast<int>(seconds.size());
  return row;
}

void set_yardstick(Row& row, const std::string& name, const std::vector<double>& seconds, const std::string& ratio_unit,
                   double scale) {
  row.yardstick = name;
  row.yardstick_value = scale * median(seconds);
  row.ratio = row.value / row.yardstick_value;
  row.ratio_unit = ratio_unit;
}

const Row* Record::find(const std::string& id) const {
  for (const Row& row : rows)
    if (row.id == id) return &row;
  return nullptr;
}

std::vector<Change> compare(const Record& before, const Record& now, double allowed) {
  std::vector<Change> changes;
  for (const Row& row : now.rows) {
    const Row* old = before.find(row.id);
    if (!old || !(old->figure() > 0) || !std::isfinite(row.figure()) || old->figure_unit() != row.figure_unit())
      continue;
    Change c{.id = row.id, .label = row.label, .unit = row.figure_unit(), .before = old->figure(), .now = row.figure()};
    c.share = c.now / c.before - 1;
    double noise = allowed;
    for (const Row* r : {&row, old})
      if (std::isfinite(r->spread) && r->repeats > 0)
        noise = std::max(noise, 3 * r->spread / std::sqrt(static_cast<double>(r->repeats)));
    if (row.disturbed() || old->disturbed())
      c.kind = Change::Kind::disturbed;
    else if (std::abs(c.share) > noise)
      c.kind = (c.share > 0) == row.at_least ? Change::Kind::better : Change::Kind::worse;
    changes.push_back(c);
  }
  return changes;
}

namespace {
// Three digits that mean something.
std::string number(double x) {
  if (std::isnan(x)) return "-";
  if (x == std::round(x)) return fmt::format("{:.0f}", x);
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(std::abs(x)))), 0, 4);
  return fmt::format("{:.{}f}", x, digits);
}
std::string percent(double share) { return std::isnan(share) ? "" : fmt::format("{:.0f} %", 100 * share); }

const char* word(Row::Verdict verdict) {
  switch (verdict) {
    case Row::Verdict::none:
      return "";
    case Row::Verdict::met:
      return "met";
    case Row::Verdict::missed:
      return "MISSED";
    case Row::Verdict::unknown:
      return "no yardstick";
  }
  return "";
}
const char* word(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::same:
      return "";
    case Change::Kind::better:
      return "better";
    case Change::Kind::worse:
      return "WORSE";
    case Change::Kind::disturbed:
      return "(disturbed)";
  }
  return "";
}
std::string remark(const Row& row) {
  std::string text = word(row.verdict());
  if (row.disturbed()) text += fmt::format("{}(others took {:.1f} cores)", text.empty() ? "" : " ", row.others);
  return text;
}
std::string bar_text(const Row& row) {
  return std::isnan(row.bar) ? "" : fmt::format("{} {}", row.at_least ? ">=" : "<=", number(row.bar));
}
}  // namespace

std::string table_head() {
  return fmt::format("{:<50} {:>15} {:>8} {:>6} {:>18} {:>13} {:>8}  {}\n", "", "median", "best", "spread", "yardstick",
                     "ratio", "bar", "");
}

std::string table_line(const Row& row, bool details) {
  std::string yardstick, ratio;
  if (!std::isnan(row.ratio)) {
    yardstick = fmt::format("{} {}", row.yardstick, number(row.yardstick_value));
    ratio = number(row.ratio) + " " + row.ratio_unit;
  }
  std::string text = fmt::format("{:<50} {:>15} {:>8} {:>6} {:>18} {:>13} {:>8}  {}", row.label,
                                 number(row.value) + " " + row.unit, std::isnan(row.best) ? "" : number(row.best),
                                 percent(row.spread), yardstick, ratio, bar_text(row), remark(row));
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  if (!details || row.details.empty()) return text;
  std::string line = "   ";
  for (const auto& [name, value] : row.details) {
    if (std::isnan(value)) continue;
    const std::string part = fmt::format(" {} {},", name, number(value));
    if (line.size() + part.size() > 130) {
      text += line + '\n';
      line = "   ";
    }
    line += part;
  }
  line.back() = '\n';
  return text + line;
}

std::string bars_table(const Record& record) {
  std::string text;
  int met = 0, all = 0;
  for (const Row& row : record.rows) {
    if (row.verdict() == Row::Verdict::none) continue;
    ++all;
    met += row.verdict() == Row::Verdict::met;
    text += fmt::format("{:<62} {:>16} {:>9}  {}\n", row.label, number(row.figure()) + " " + row.figure_unit(),
                        bar_text(row), remark(row));
  }
  const auto disturbed =
      std::count_if(record.rows.begin(), record.rows.end(), [](const Row& r) { return r.disturbed(); });
  std::string trust;
  if (disturbed > 0)
    trust = fmt::format("{} of {} rows were measured beside other programs: do those again.\n", disturbed,
                        record.rows.size());
  if (all == 0) return trust;
  return fmt::format("{:<62} {:>16} {:>9}\n", "bars", "measured", "bar") + text +
         fmt::format("{} of {} met\n", met, all) + trust;
}

std::string compare_table(const std::vector<Change>& changes) {
  std::string text = fmt::format("{:<62} {:>10} {:>10} {:>9}\n", "", "before", "now", "change");
  for (const Change& c : changes) {
    text += fmt::format("{:<62} {:>10} {:>10} {:>+8.1f} %  {} {}\n", c.label, number(c.before), number(c.now),
                        100 * c.share, c.unit, word(c.kind));
  }
  return text;
}

}  // namespace supple::bench
