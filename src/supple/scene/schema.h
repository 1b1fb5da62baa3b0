// Every key of a scene file in one table: the loader, the writer, `supple schema` and the reference page all come
// from it. A new key is a member in config.h and a row in schema.cpp.
#pragma once
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "supple/report/json.h"
#include "supple/scene/config.h"

namespace supple {

// Where the value of a key lives. Its type is the key's type.
using Slot =
    std::variant<bool*, int*, double*, std::string*, FilePath*, VertexList*, DialKeys*, NumberOrFile*, RestChoice*,
                 std::vector<std::string>*, std::vector<FilePath>*, std::vector<double>*, std::optional<int>*,
                 std::optional<double>*, std::optional<Vec3>*, std::optional<std::array<int, 2>>*, std::array<int, 3>*>;

struct KeySpec {
  std::string table, key;  // of [table]; "region" and "part" are lists, [[region]]
  std::string unit, doc;
  std::vector<std::string> choices;  // of words; empty: any
  bool takes_bool = false;           // of words: true and false are written without quotes
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;  // the end itself is not allowed
  std::string word;                          // accepted in place of a number
  double word_value = 0;                     // the number it stands for; for an optional number it stands for unset
  std::string unset;                         // what happens when there is no value, for keys without a default
  bool required = false;
  Slot (*slot)(SceneConfig& config, size_t element) = nullptr;  // element: of a list of tables, else 0

  std::string name() const { return table + "." + key; }
};

const std::vector<KeySpec>& scene_keys();
const KeySpec* find_key(const std::string& table, const std::string& key);  // null when unknown
const std::vector<std::string>& scene_tables();                             // in the order of the file
std::string table_doc(const std::string& table);

// Pairs of keys of which a scene (for "region.": one region) has one at most.
const std::vector<std::array<std::string, 2>>& exclusive_keys();

// Words for a reader: "number", "> 0", and the default as TOML ("" when there is none).
std::string type_of(const KeySpec& spec);
std::string range_of(const KeySpec& spec);
std::string default_of(const KeySpec& spec);

// The value of a key as TOML, "" when unset. Relative paths are written relative to `directory`.
std::string toml_value(const KeySpec& spec, SceneConfig& config, size_t element, const std::string& directory);

std::string schema_text();
Json schema_json();
std::string schema_markdown();  // docs/reference/scene.md

}  // namespace supple
