#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "supple/report/json.h"
#include "supple/scene/schema.h"

namespace supple {

namespace {

template <class... F>
struct Visitor : F... {
  using F::operator()...;
};
template <class... F>
Visitor(F...) -> Visitor<F...>;

Slot slot_in(const KeySpec& spec, SceneConfig& config) {
  if (table_count(config, spec.table) == 0) set_table_count(config, spec.table, 1);
  return spec.slot(config, 0);
}

std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", c);
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string number(double v) { return fmt::format("{}", v); }

std::string path_text(const FilePath& file, const std::string& directory) {
  if (file.empty() || file.path.empty() || directory.empty()) return file.text;
  if (std::filesystem::path(file.text).is_absolute()) return file.text;
  return std::filesystem::proximate(std::filesystem::absolute(file.path), std::filesystem::absolute(directory))
      .string();
}

// A map may be a name in the tet file; only an existing file is a path.
bool is_map_name(const FilePath& file) { return !std::filesystem::exists(file.path); }

}  // namespace

std::string toml_value(const KeySpec& spec, SceneConfig& config, size_t element, const std::string& directory) {
  const bool is_map = spec.key.ends_with("_map") || spec.key == "soft";
  const auto optional_number = [&](const auto& v) {
    if (v) return fmt::format("{}", *v);
    return spec.word.empty() ? std::string() : toml_text(spec.word);
  };
  return std::visit(
      Visitor{
          [](bool* v) { return std::string(*v ? "true" : "false"); },
          [](int* v) { return std::to_string(*v); },
          [&](double* v) { return !spec.word.empty() && *v == spec.word_value ? toml_text(spec.word) : number(*v); },
          [&](std::string* v) {
            if (spec.takes_bool && (*v == "true" || *v == "false")) return *v;
            return v->empty() ? std::string() : toml_text(*v);
          },
          [&](FilePath* v) {
            if (v->empty()) return std::string();
            return toml_text(is_map && is_map_name(*v) ? v->text : path_text(*v, directory));
          },
          [&](VertexList* v) {
            if (!v->file.empty()) return toml_text(path_text(v->file, directory));
            return v->indices.empty() ? std::string() : fmt::format("[{}]", fmt::join(v->indices, ", "));
          },
          [&](DialKeys* v) {
            if (!v->file.empty()) return toml_text(path_text(v->file, directory));
            std::vector<std::string> pairs;
            for (const auto& [frame, factor] : v->keys) pairs.push_back(fmt::format("[{}, {}]", frame, factor));
            return pairs.empty() ? std::string() : fmt::format("[{}]", fmt::join(pairs, ", "));
          },
          [&](NumberOrFile* v) {
            if (v->number) return number(*v->number);
            return v->file.empty() ? std::string() : toml_text(path_text(v->file, directory));
          },
          [&](RestChoice* v) {
            if (v->frame >= 0) return fmt::format("\"frame:{}\"", v->frame);
            return toml_text(v->file.empty() ? v->word : path_text(v->file, directory));
          },
          [](std::vector<std::string>* v) {
            std::vector<std::string> words;
            for (const std::string& w : *v) words.push_back(toml_text(w));
            return fmt::format("[{}]", fmt::join(words, ", "));
          },
          [&](std::vector<FilePath>* v) {
            std::vector<std::string> files;
            for (const FilePath& f : *v) files.push_back(toml_text(path_text(f, directory)));
            return files.empty() ? std::string() : fmt::format("[{}]", fmt::join(files, ", "));
          },
          [](std::vector<double>* v) { return v->empty() ? std::string() : fmt::format("[{}]", fmt::join(*v, ", ")); },
          [&](std::optional<int>* v) { return optional_number(*v); },
          [&](std::optional<double>* v) { return optional_number(*v); },
          [](std::optional<Vec3>* v) {
            return *v ? fmt::format("[{}, {}, {}]", (**v)[0], (**v)[1], (**v)[2]) : std::string();
          },
          [](std::optional<std::array<int, 2>>* v) {
            return *v ? fmt::format("[{}, {}]", (**v)[0], (**v)[1]) : std::string();
          },
          [](std::array<int, 3>* v) { return fmt::format("[{}, {}, {}]", (*v)[0], (*v)[1], (*v)[2]); },
      },
      spec.slot(config, element));
}

std::string type_of(const KeySpec& spec) {
  SceneConfig config;
  std::string type = std::visit(Visitor{
                                    [](bool*) { return "true or false"; },
                                    [](int*) { return "whole number"; },
                                    [](double*) { return "number"; },
                                    [](std::string*) { return "word"; },
                                    [](FilePath*) { return "file"; },
                                    [](VertexList*) { return "file, or list of whole numbers"; },
                                    [](DialKeys*) { return "list of [frame, factor], or file"; },
                                    [](NumberOrFile*) { return "number, or file"; },
                                    [](RestChoice*) { return "word, \"frame:N\" or file"; },
                                    [](std::vector<std::string>*) { return "list of words"; },
                                    [](std::vector<FilePath>*) { return "list of files"; },
                                    [](std::vector<double>*) { return "list of numbers"; },
                                    [](std::optional<int>*) { return "whole number"; },
                                    [](std::optional<double>*) { return "number"; },
                                    [](std::optional<Vec3>*) { return "three numbers"; },
                                    [](std::optional<std::array<int, 2>>*) { return "two whole numbers"; },
                                    [](std::array<int, 3>*) { return "three whole numbers"; },
                                },
                                slot_in(spec, config));
  if (spec.key.size() > 4 && spec.key.substr(spec.key.size() - 4) == "_map") type = "map or file";
  if (spec.takes_bool) type = "true, false or a word";
  if (!spec.word.empty()) type += fmt::format(" or \"{}\"", spec.word);
  return type;
}

std::string range_of(const KeySpec& spec) {
  if (!spec.choices.empty()) return fmt::format("{}", fmt::join(spec.choices, ", "));
  const bool from = std::isfinite(spec.low), to = std::isfinite(spec.high);
  const std::string low = fmt::format("{} {:g}", spec.low_open ? "above" : "at least", spec.low);
  const std::string high = fmt::format("{} {:g}", spec.high_open ? "below" : "at most", spec.high);
  if (from && to) return low + ", " + high;
  return from ? low : to ? high : "";
}

std::string default_of(const KeySpec& spec) {
  SceneConfig config;
  slot_in(spec, config);
  return toml_value(spec, config, 0, "");
}

std::string schema_text() {
  std::string out;
  for (const std::string& table : scene_tables()) {
    out += fmt::format("{}{}  # {}\n", out.empty() ? "" : "\n",
                       is_list(table) ? "[[" + table + "]]" : "[" + table + "]", table_doc(table));
    for (const KeySpec& spec : scene_keys()) {
      if (spec.table != table) continue;
      const std::string value = default_of(spec);
      out += fmt::format("  {:<22} {}", spec.key, type_of(spec));
      if (!spec.unit.empty()) out += fmt::format(" [{}]", spec.unit);
      if (const std::string range = range_of(spec); !range.empty()) out += fmt::format("; {}", range);
      if (spec.required) {
        out += "; required";
      } else if (!value.empty()) {
        out += fmt::format("; default {}", value);
      } else if (!spec.unset.empty()) {
        out += fmt::format("; unset: {}", spec.unset);
      }
      out += fmt::format("\n  {:<22} {}\n", "", spec.doc);
    }
  }
  return out;
}

Json schema_json() {
  Json root;
  Json& tables = root["tables"];
  for (const std::string& table : scene_tables()) {
    Json one;
    one["table"] = table;
    one["list"] = is_list(table);
    one["doc"] = table_doc(table);
    for (const KeySpec& spec : scene_keys()) {
      if (spec.table != table) continue;
      Json key;
      key["key"] = spec.key;
      key["type"] = type_of(spec);
      const std::string value = default_of(spec);
      key["default"] = value.empty() ? Json() : Json(value);
      key["unit"] = spec.unit;
      key["choices"] = Json::list(spec.choices);
      key["min"] = spec.low;  // null: no limit
      key["min_open"] = spec.low_open;
      key["max"] = spec.high;
      key["max_open"] = spec.high_open;
      key["word"] = spec.word.empty() ? Json() : Json(spec.word);
      key["unset"] = spec.unset.empty() ? Json() : Json(spec.unset);
      key["required"] = spec.required;
      key["doc"] = spec.doc;
      one["keys"].push_back(key);
    }
    tables.push_back(one);
  }
  for (const auto& pair : exclusive_keys()) root["exclusive"].push_back(Json::list(pair));
  return root;
}

std::string schema_markdown() {
  std::string out =
      "# Scene file: every key\n\n"
      "Written by `supple schema --markdown`; do not edit by hand. A scene is a TOML file. Lengths are in metres, "
      "times in "
      "seconds,\nmasses in kilograms. Relative paths are relative to the scene file. On the command line any key is "
      "set by "
      "`--set table.key=value`.\n";
  for (const std::string& table : scene_tables()) {
    out +=
        fmt::format("\n## {}\n\n{}\n\n| key | type | default | unit | allowed | meaning |\n|---|---|---|---|---|---|\n",
                    is_list(table) ? "[[" + table + "]]" : "[" + table + "]", table_doc(table));
    for (const KeySpec& spec : scene_keys()) {
      if (spec.table != table) continue;
      std::string value = default_of(spec);
      value = spec.required ? "required" : !value.empty() ? "`" + value + "`" : spec.unset;
      out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", spec.key, type_of(spec), value, spec.unit,
                         range_of(spec), spec.doc);
    }
  }
  out += "\nOf each of these pairs a scene has one at most:\n";
  for (const auto& pair : exclusive_keys()) out += fmt::format("- `{}` and `{}`\n", pair[0], pair[1]);
  return out;
}

}  // namespace supple
