#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/record/record.h"
#include "supple/base/error.h"

namespace supple::bench {

namespace {
using Ordered = nlohmann::ordered_json;

// What is not a number has no place in JSON.
void put(Ordered& object, const char* key, double value) {
  if (std::isfinite(value)) object[key] = value;
}
double get(const Ordered& object, const char* key) {
  return object.contains(key) ? object.at(key).get<double>() : kUnknown;
}
}  // namespace

std::string to_json(const Record& record) {
  Ordered root;
  root["format"] = "supple-bench 1";
  for (const auto& [key, value] : record.machine) root["machine"][key] = value;
  root["rows"] = Ordered::array();
  for (const Row& row : record.rows) {
    Ordered r;
    r["id"] = row.id;
    r["label"] = row.label;
    put(r, "value", row.value);
    r["unit"] = row.unit;
    put(r, "best", row.best);
    put(r, "spread", row.spread);
    r["repeats"] = row.repeats;
    if (!row.yardstick.empty()) {
      r["yardstick"] = row.yardstick;
      put(r, "yardstick_value", row.yardstick_value);
      put(r, "ratio", row.ratio);
      r["ratio_unit"] = row.ratio_unit;
    }
    put(r, "bar", row.bar);
    if (row.at_least) r["at_least"] = true;
    put(r, "others", row.others);
    for (const auto& [name, value] : row.details)
      if (std::isfinite(value)) r["details"][name] = value;
    root["rows"].push_back(std::move(r));
  }
  return root.dump(2) + "\n";
}

Record from_json(const std::string& text, const std::string& name) {
  try {
    const Ordered root = Ordered::parse(text);
    Record record;
    if (root.at("format") != "supple-bench 1") throw InputError({.file = name}, "is not a record of the benchmarks");
    if (root.contains("machine"))
      for (const auto& [key, value] : root.at("machine").items()) record.machine.emplace_back(key, value);
    for (const Ordered& r : root.at("rows")) {
      Row row;
      row.id = r.at("id");
      row.label = r.at("label");
      row.value = get(r, "value");
      row.unit = r.at("unit");
      row.best = get(r, "best");
      row.spread = get(r, "spread");
      row.repeats = r.at("repeats");
      if (r.contains("yardstick")) {
        row.yardstick = r.at("yardstick");
        row.yardstick_value = get(r, "yardstick_value");
        row.ratio = get(r, "ratio");
        row.ratio_unit = r.at("ratio_unit");
      }
      row.bar = get(r, "bar");
      row.at_least = r.value("at_least", false);
      row.others = get(r, "others");
      if (r.contains("details"))
        for (const auto& [key, value] : r.at("details").items()) row.details.emplace_back(key, value);
      record.rows.push_back(std::move(row));
    }
    return record;
  } catch (const nlohmann::json::exception& e) {
    throw InputError({.file = name}, std::string("is not a record of the benchmarks: ") + e.what());
  }
}

void write_record(const Record& record, const std::string& path) {
  const std::string part = path + ".part";
  {
    std::ofstream out(part);
    out << to_json(record);
    if (!out.flush()) throw InputError({.file = path}, "cannot be written");
  }
  if (std::rename(part.c_str(), path.c_str()) != 0) throw InputError({.file = path}, "cannot be written");
}

Record read_record(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw InputError({.file = path}, "cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return from_json(text.str(), path);
}

}  // namespace supple::bench
