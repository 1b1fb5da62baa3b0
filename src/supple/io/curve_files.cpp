#include "supple/io/curve_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/io/curve_json.h"
#include "supple/io/input_file.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

enum class CurveFormat { csv, json };

CurveFormat curve_format(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".csv") return CurveFormat::csv;
  if (ending == ".json") return CurveFormat::json;
  throw InputError({path, 0, 0, ""}, fmt::format("curves are .csv or .json, not '{}'", ending), "Change the name.");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

class CsvCurves {
 public:
  explicit CsvCurves(const std::string& path) : in_(path) {}

  CurveTable read() {
    std::vector<double> flat;
    bool headed = false;
    while (in_.remaining() > 0) {
      std::string_view text = in_.rest_of_line();
      if (!headed && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the mark of some spreadsheets
      text = trimmed(text);
      if (text.empty() || text.front() == '#') continue;
      const std::vector<std::string> cells = split(text);
      if (headed) {
        row(cells, flat);
      } else {
        header(cells, text);
        headed = true;
      }
    }
    if (table_.frames.empty()) in_.fail(headed ? "there are no frames" : "there is nothing in the file");
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    table_.values = Eigen::Map<const Rows>(flat.data(), static_cast<Eigen::Index>(table_.frames.size()),
                                           static_cast<Eigen::Index>(table_.names.size()));
    table_.fps = 0;
    return std::move(table_);
  }

 private:
  // Cells between commas; a quote within quotes is doubled.
  std::vector<std::string> split(std::string_view text) const {
    std::vector<std::string> cells;
    for (size_t i = 0;; ++i) {
      while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
      std::string cell;
      if (i < text.size() && text[i] == '"') {
        for (++i;; ++i) {
          if (i >= text.size()) in_.fail("a quote is not closed on its line");
          if (text[i] == '"' && (i + 1 >= text.size() || text[++i] != '"')) break;
          cell += text[i];
        }
        if (i < text.size() && text[i] == '"') ++i;  // the closing one ends the line
        while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
        if (i < text.size() && text[i] != ',') in_.fail("there is text after a quoted name", "Put a comma between.");
      } else {
        const size_t end = std::min(text.find(',', i), text.size());
        cell = trimmed(text.substr(i, end - i));
        i = end;
      }
      cells.push_back(std::move(cell));
      if (i >= text.size()) return cells;
    }
  }

  void header(const std::vector<std::string>& cells, std::string_view text) {
    if (cells[0] != "frame" && cells[0] != "Frame") {
      const bool other = text.find(';') != std::string_view::npos || text.find('\t') != std::string_view::npos;
      in_.fail(fmt::format("the first column should be frame, not '{:.40}'", cells[0]),
               other ? "Columns are parted by commas: save it so."
                     : "The first line has the names of the columns: frame, then the parameters.");
    }
    if (cells.size() < 2) in_.fail("there is no column but frame");
    std::set<std::string> seen;
    for (size_t c = 1; c < cells.size(); ++c) {
      if (cells[c].empty()) in_.fail(fmt::format("column {} has no name", c + 1));
      if (!seen.insert(cells[c]).second) in_.fail(fmt::format("the name '{}' is there twice", cells[c]));
      table_.names.push_back(cells[c]);
    }
  }

  void row(const std::vector<std::string>& cells, std::vector<double>& flat) {
    if (cells.size() != table_.names.size() + 1) {
      in_.fail(fmt::format("the line has {} numbers, and there are {} columns", cells.size(), table_.names.size() + 1),
               cells.size() < table_.names.size() + 1 ? "The file may be cut off." : "");
    }
    for (size_t c = 0; c < cells.size(); ++c) {
      const std::string_view name = c == 0 ? std::string_view("frame") : std::string_view(table_.names[c - 1]);
      double value = 0;
      if (!parse_number(cells[c], value))
        in_.fail(fmt::format("'{}' should be a finite number, not \"{:.40}\"", name, cells[c]));
      if (c > 0) {
        flat.push_back(value);
        continue;
      }
      if (!table_.frames.empty() && !(value > table_.frames.back()))
        in_.fail(fmt::format("frame {} does not come after frame {}", value, table_.frames.back()));
      table_.frames.push_back(value);
    }
  }

  InputFile in_;
  CurveTable table_;
};

std::string csv_name(const std::string& name) {
  const bool plain = name.find_first_of(",\"#;") == std::string::npos && trimmed(name).size() == name.size();
  if (plain) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// The shortest text that is read as the same bits. JSON has no whole number -0.
std::string exact(double x) { return x == 0 && std::signbit(x) ? "-0.0" : fmt::format("{}", x); }

void require_table(const std::string& path, const CurveTable& t) {
  const auto fail = [&](const std::string& what) { throw InputError({path, 0, 0, ""}, "not written: " + what); };
  if (t.names.empty() || t.frames.empty()) fail("there are no curves, or no frames");
  if (t.values.rows() != static_cast<Eigen::Index>(t.frames.size()) ||
      t.values.cols() != static_cast<Eigen::Index>(t.names.size())) {
    fail(fmt::format("{} x {} values do not fit {} frames of {} curves", t.values.rows(), t.values.cols(),
                     t.frames.size(), t.names.size()));
  }
  if (!std::isfinite(t.fps)) fail("the frames a second are not finite");
  std::set<std::string> seen;
  for (size_t c = 0; c < t.names.size(); ++c) {
    const std::string& name = t.names[c];
    if (name.empty() || name.find_first_of("\r\n") != std::string::npos)
      fail(fmt::format("curve {} has no name, or one of several lines", c));
    if (!seen.insert(name).second) fail(fmt::format("the name '{}' is there twice", name));
    if (!t.values.col(static_cast<Eigen::Index>(c)).allFinite()) fail(fmt::format("'{}' is not finite", name));
  }
  for (size_t k = 0; k < t.frames.size(); ++k) {
    if (!std::isfinite(t.frames[k]) || (k > 0 && !(t.frames[k] > t.frames[k - 1])))
      fail(fmt::format("frame {} does not come after the one before", t.frames[k]));
  }
}

void write_csv(const std::string& path, const CurveTable& t) {
  OutputFile out(path);
  out.print("frame");
  for (const std::string& name : t.names) out.print(",{}", csv_name(name));
  out.print("\n");
  for (size_t k = 0; k < t.frames.size(); ++k) {
    out.print("{}", exact(t.frames[k]));
    for (const double x : t.values.row(static_cast<Eigen::Index>(k))) out.print(",{}", exact(x));
    out.print("\n");
  }
  out.commit();
}

void write_json(const std::string& path, const CurveTable& t) {
  OutputFile out(path);
  const auto list = [&](const auto& numbers) {
    const char* before = "[";
    for (const double x : numbers) {
      out.print("{}{}", before, exact(x));
      before = ", ";
    }
    out.print("]");
  };
  out.print("{{\n");
  if (t.fps > 0) out.print("  \"fps\": {},\n", exact(t.fps));
  out.print("  \"frames\": ");
  list(t.frames);
  out.print(",\n  \"curves\": {{");
  for (size_t c = 0; c < t.names.size(); ++c) {
    std::string name;
    try {
      name = nlohmann::json(t.names[c]).dump();
    } catch (const nlohmann::json::exception&) {
      throw InputError({path, 0, 0, ""}, fmt::format("not written: the name of curve {} is not UTF-8", c));
    }
    out.print("{}\n    {}: ", c > 0 ? "," : "", name);
    list(t.values.col(static_cast<Eigen::Index>(c)));
  }
  out.print("\n  }}\n}}\n");
  out.commit();
}

}  // namespace

CurveTable read_curves(const std::string& path) {
  return curve_format(path) == CurveFormat::csv ? CsvCurves(path).read() : read_curve_json(path);
}

void write_curves(const std::string& path, const CurveTable& curves) {
  const CurveFormat format = curve_format(path);
  require_table(path, curves);
  if (format == CurveFormat::csv) {
    write_csv(path, curves);
  } else {
    write_json(path, curves);
  }
}

}  // namespace supple
