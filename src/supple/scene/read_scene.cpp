#include "supple/scene/read_scene.h"
#include "supple/scene/consistency.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "supple/base/read_file.h"
#include "supple/base/reading_scope.h"
#include "supple/scene/parse_toml.h"
#include "supple/scene/schema.h"
#include "supple/scene/spelling.h"

namespace supple {

namespace {

constexpr const char* kNamesInToml = "Names of tables and keys are letters, digits, - and _, or stand in quotes.";
constexpr const char* kNamedKey = "Write --set region.NAME.key=value, NAME in quotes where it has some.";

// What a value of the file is, in the words of type_of.
std::string kind_of(const toml::node& node) {
  if (node.is_boolean()) return node.as_boolean()->get() ? "true" : "false";
  if (node.is_integer()) return fmt::format("the number {}", node.as_integer()->get());
  if (node.is_floating_point()) return fmt::format("the number {:g}", node.as_floating_point()->get());
  if (node.is_string()) return fmt::format("the text \"{}\"", node.as_string()->get());
  if (node.is_array()) return fmt::format("a list of {}", node.as_array()->size());
  if (node.is_table()) return "a table";
  return "a date or time";
}

// The name of a key in SceneConfig::where.
std::string where_name(const std::string& table, size_t element, const std::string& key) {
  return is_list(table) ? fmt::format("{}.{}.{}", table, element, key) : table + "." + key;
}

// A value that is data, as the only one of a table.
toml::table as_node(const KeyValue& value) {
  toml::table holder;
  const auto put_list = [&](const auto& list) {
    toml::array array;
    for (const auto& entry : list) array.push_back(entry);
    holder.insert("value", std::move(array));
  };
  if (const auto* words = std::get_if<std::vector<std::string>>(&value)) {
    put_list(*words);
  } else if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    put_list(*numbers);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    holder.insert("value", *text);
  } else if (const auto* number = std::get_if<double>(&value)) {
    holder.insert("value", *number);
  } else if (const auto* whole = std::get_if<int>(&value)) {
    holder.insert("value", *whole);
  } else {
    holder.insert("value", std::get<bool>(value));
  }
  return holder;
}

// Puts TOML values into a scene. Faults are thrown as InputError at the place of the value.
class Loader {
 public:
  Loader(SceneConfig& scene, std::vector<InputError>& problems) : scene_(scene), problems_(problems) {}

  void read_file(const std::string& path);
  void read_text(const std::string& text, const std::string& path);
  void read_override(const Override& override);

 private:
  // Where errors about a value point to, and where its relative paths start.
  struct Source {
    std::string file, directory;
    bool located = true;  // line and column mean something
  };

  Location at(const toml::source_region& region, const std::string& key) const {
    Location where;
    where.file = source_.file;
    if (source_.located) {
      where.line = static_cast<int>(region.begin.line);
      where.column = static_cast<int>(region.begin.column);
      where.place = "key " + key;
    }
    return where;
  }
  template <class F>
  void guarded(F&& f) {
    try {
      f();
    } catch (const InputError& e) {
      problems_.push_back(e);
    }
  }

  // prefix: of keys in tables below it, with its dot.
  void read_table(const std::string& table, const toml::table& content, size_t element, const std::string& prefix = "");
  void read_list(const std::string& table, const toml::source_region& place, const toml::node& value);
  void read_key(const std::string& table, size_t element, const std::string& key, const toml::source_region& place,
                const toml::node& value);
  void assign(const KeySpec& spec, size_t element, const toml::node& node);
  void clear(const std::string& name, size_t element);
  struct KeyPath {
    std::string table, element, key;
  };
  KeyPath key_path(const std::string& name) const;
  size_t element_named(const std::string& table, const std::string& own, bool make);
  void refuse_in_call(const std::string& table, const std::string& name);
  toml::table parsed(const std::string& text) const;

  // One value, checked against the table's row.
  [[noreturn]] void reject(const KeySpec& spec, const toml::node& node, const std::string& what) const;
  double number(const KeySpec& spec, const toml::node& node) const;
  int whole(const KeySpec& spec, const toml::node& node) const;
  std::string text(const KeySpec& spec, const toml::node& node) const;
  FilePath file(const KeySpec& spec, const toml::node& node) const;
  RestChoice rest(const KeySpec& spec, const toml::node& node) const;
  std::vector<std::array<double, 2>> dial_keys(const KeySpec& spec, const toml::array& array) const;
  const toml::array& list(const KeySpec& spec, const toml::node& node, size_t size) const;
  void require_in_range(const KeySpec& spec, const toml::node& node, double value) const;
  bool is_word(const KeySpec& spec, const toml::node& node) const {
    return !spec.word.empty() && node.is_string() && node.as_string()->get() == spec.word;
  }

  SceneConfig& scene_;
  std::vector<InputError>& problems_;
  Source source_;
  std::string name_;                  // of the key being read, for messages
  std::set<std::string> overridden_;  // names set by overrides
};

void Loader::reject(const KeySpec& spec, const toml::node& node, const std::string& what) const {
  std::string advice = spec.doc;
  const std::string range = range_of(spec);
  if (!range.empty()) advice += (spec.choices.empty() ? " Allowed: " : " One of: ") + range + ".";
  if (!spec.unit.empty()) advice += fmt::format(" Unit: {}.", spec.unit);
  throw InputError(at(node.source(), name_), what, advice);
}

void Loader::require_in_range(const KeySpec& spec, const toml::node& node, double value) const {
  if (!std::isfinite(value)) reject(spec, node, fmt::format("{} is not a finite number", spec.key));
  const bool low = spec.low_open ? value > spec.low : value >= spec.low;
  const bool high = spec.high_open ? value < spec.high : value <= spec.high;
  if (!low || !high) reject(spec, node, fmt::format("{} is {:g}, but must be {}", spec.key, value, range_of(spec)));
}

double Loader::number(const KeySpec& spec, const toml::node& node) const {
  if (!node.is_number())
    reject(spec, node, fmt::format("{} needs a {}, not {}", spec.key, type_of(spec), kind_of(node)));
  const double value = *node.value<double>();
  require_in_range(spec, node, value);
  return value;
}

int Loader::whole(const KeySpec& spec, const toml::node& node) const {
  if (!node.is_integer())
    reject(spec, node, fmt::format("{} needs {}, not {}", spec.key, type_of(spec), kind_of(node)));
  const int64_t value = node.as_integer()->get();
  require_in_range(spec, node, static_cast<double>(value));
  if (value > std::numeric_limits<int>::max() || value < std::numeric_limits<int>::min())
    reject(spec, node, fmt::format("{} is {}, which is too large", spec.key, value));
  return static_cast<int>(value);
}

std::string Loader::text(const KeySpec& spec, const toml::node& node) const {
  if (spec.takes_bool && node.is_boolean()) return node.as_boolean()->get() ? "true" : "false";
  if (!node.is_string())
    reject(spec, node, fmt::format("{} needs a {}, not {}", spec.key, type_of(spec), kind_of(node)));
  std::string value = node.as_string()->get();
  if (value.empty()) reject(spec, node, fmt::format("{} is empty", spec.key));
  if (value.find('\0') != std::string::npos) reject(spec, node, fmt::format("{} holds a zero byte", spec.key));
  if (!spec.choices.empty() && std::find(spec.choices.begin(), spec.choices.end(), value) == spec.choices.end())
    throw InputError(at(node.source(), name_), fmt::format("{} does not know \"{}\"", spec.key, value),
                     choice_advice(value, spec));
  return value;
}

FilePath Loader::file(const KeySpec& spec, const toml::node& node) const {
  FilePath result;
  result.text = text(spec, node);
  result.path = (std::filesystem::path(source_.directory) / result.text).lexically_normal().string();
  // What a file says is held to its folder; what the call says was said by a person.
  if (source_.located) reading_scope().require(result.path, source_.directory, at(node.source(), name_));
  note_named_file(result.path);
  return result;
}

RestChoice Loader::rest(const KeySpec& spec, const toml::node& node) const {
  constexpr std::string_view kFrame = "frame:";
  const bool plain = node.is_string() && node.as_string()->get().find('.') == std::string::npos;
  const bool frame = node.is_string() && node.as_string()->get().starts_with(kFrame);
  RestChoice value;
  if (frame) {
    const std::string number = node.as_string()->get().substr(kFrame.size());
    if (number.empty() || number.size() > 9 || number.find_first_not_of("0123456789") != std::string::npos)
      reject(spec, node, fmt::format("\"{}\" is no frame", number));
    value.word.clear();
    value.frame = std::stoi(number);
  } else if (!node.is_string() || plain) {
    value.word = text(spec, node);
  } else {
    KeySpec any = spec;
    any.choices.clear();
    value.word.clear();
    value.file = file(any, node);
  }
  return value;
}

std::vector<std::array<double, 2>> Loader::dial_keys(const KeySpec& spec, const toml::array& array) const {
  if (array.empty()) reject(spec, array, fmt::format("{} is an empty list", spec.key));
  std::vector<std::array<double, 2>> keys;
  for (const toml::node& entry : array) {
    const toml::array* pair = entry.as_array();
    if (!pair || pair->size() != 2 || !(*pair)[0].is_number())
      reject(spec, entry, fmt::format("{} needs pairs [frame, factor], not {}", spec.key, kind_of(entry)));
    const double frame = *(*pair)[0].value<double>();
    if (!std::isfinite(frame)) reject(spec, entry, "the frame is not a finite number");
    if (!keys.empty() && frame <= keys.back()[0])
      reject(spec, entry, fmt::format("frame {:g} does not come after frame {:g}", frame, keys.back()[0]));
    keys.push_back({frame, number(spec, (*pair)[1])});
  }
  return keys;
}

const toml::array& Loader::list(const KeySpec& spec, const toml::node& node, size_t size) const {
  if (!node.is_array()) reject(spec, node, fmt::format("{} needs {}, not {}", spec.key, type_of(spec), kind_of(node)));
  const toml::array& array = *node.as_array();
  if (size > 0 && array.size() != size)
    reject(spec, node, fmt::format("{} needs {}, not {}", spec.key, type_of(spec), array.size()));
  return array;
}

void Loader::assign(const KeySpec& spec, size_t element, const toml::node& node) {
  const Slot slot = spec.slot(scene_, element);
  if (auto* b = std::get_if<bool*>(&slot)) {
    if (!node.is_boolean()) reject(spec, node, fmt::format("{} needs true or false, not {}", spec.key, kind_of(node)));
    **b = node.as_boolean()->get();
  } else if (auto* i = std::get_if<int*>(&slot)) {
    **i = whole(spec, node);
  } else if (auto* d = std::get_if<double*>(&slot)) {
    **d = is_word(spec, node) ? spec.word_value : number(spec, node);
  } else if (auto* s = std::get_if<std::string*>(&slot)) {
    **s = text(spec, node);
  } else if (auto* f = std::get_if<FilePath*>(&slot)) {
    **f = file(spec, node);
  } else if (auto* v = std::get_if<VertexList*>(&slot)) {
    VertexList vertices;
    if (node.is_array()) {
      for (const toml::node& entry : *node.as_array()) vertices.indices.push_back(whole(spec, entry));
      if (vertices.indices.empty()) reject(spec, node, fmt::format("{} is an empty list", spec.key));
    } else {
      vertices.file = file(spec, node);
    }
    **v = vertices;
  } else if (auto* keys = std::get_if<DialKeys*>(&slot)) {
    DialKeys value;
    if (node.is_array()) {
      value.keys = dial_keys(spec, *node.as_array());
    } else {
      value.file = file(spec, node);
    }
    **keys = value;
  } else if (auto* either = std::get_if<NumberOrFile*>(&slot)) {
    NumberOrFile value;
    if (node.is_number()) {
      value.number = number(spec, node);
    } else {
      value.file = file(spec, node);
    }
    **either = value;
  } else if (auto* shape = std::get_if<RestChoice*>(&slot)) {
    **shape = rest(spec, node);
  } else if (auto* words = std::get_if<std::vector<std::string>*>(&slot)) {
    std::vector<std::string> values;
    for (const toml::node& entry : list(spec, node, 0)) {
      values.push_back(text(spec, entry));
      if (std::count(values.begin(), values.end(), values.back()) > 1)
        reject(spec, entry, fmt::format("\"{}\" is there twice", values.back()));
    }
    **words = values;
  } else if (auto* files = std::get_if<std::vector<FilePath>*>(&slot)) {
    std::vector<FilePath> values;
    for (const toml::node& entry : list(spec, node, 0)) values.push_back(file(spec, entry));
    **files = values;
  } else if (auto* numbers = std::get_if<std::vector<double>*>(&slot)) {
    std::vector<double> values;
    for (const toml::node& entry : list(spec, node, 0)) values.push_back(number(spec, entry));
    **numbers = values;
  } else if (auto* three = std::get_if<std::array<int, 3>*>(&slot)) {
    const toml::array& array = list(spec, node, 3);
    **three = {whole(spec, array[0]), whole(spec, array[1]), whole(spec, array[2])};
  } else if (auto* oi = std::get_if<std::optional<int>*>(&slot)) {
    **oi = is_word(spec, node) ? std::nullopt : std::optional(whole(spec, node));
  } else if (auto* od = std::get_if<std::optional<double>*>(&slot)) {
    **od = is_word(spec, node) ? std::nullopt : std::optional(number(spec, node));
  } else if (auto* vec = std::get_if<std::optional<Vec3>*>(&slot)) {
    Vec3 value;
    const toml::array& array = list(spec, node, 3);
    for (size_t k = 0; k < 3; ++k) value[static_cast<Eigen::Index>(k)] = number(spec, array[k]);
    **vec = value;
  } else if (auto* range = std::get_if<std::optional<std::array<int, 2>>*>(&slot)) {
    const toml::array& array = list(spec, node, 2);
    const std::array<int, 2> value = {whole(spec, array[0]), whole(spec, array[1])};
    if (value[0] > value[1])
      reject(spec, node, fmt::format("{} runs backwards: {} to {}", spec.key, value[0], value[1]));
    **range = value;
  }
}

void Loader::read_key(const std::string& table, size_t element, const std::string& key,
                      const toml::source_region& place, const toml::node& value) {
  name_ = table + "." + key;
  const KeySpec* spec = find_key(table, key);
  if (!spec) {
    const std::vector<std::string> known = keys_of(table);
    std::string advice = suggestion(key, known, "Keys of [" + table + "]");
    if (nearest_word(key, known.data(), known.data() + known.size()).empty()) {
      for (const KeySpec& other : scene_keys())
        if (other.key == key && !is_list(other.table)) advice = fmt::format("It belongs to [{}].", other.table);
    }
    throw InputError(at(place, name_), fmt::format("[{}] has no key {}", table, key), advice);
  }
  assign(*spec, element, value);
  scene_.where[where_name(table, element, key)] = at(value.source(), name_);
}

void Loader::read_table(const std::string& table, const toml::table& content, size_t element,
                        const std::string& prefix) {
  const auto has_keys_below = [&](const std::string& key) {
    const std::vector<std::string> known = keys_of(table);
    return std::any_of(known.begin(), known.end(), [&](const std::string& k) { return k.starts_with(key + "."); });
  };
  bool keys = content.empty();
  for (const auto& [key, value] : content) {
    const std::string name = prefix + std::string(key.str());
    if (is_list(table + "." + name)) {
      read_list(table + "." + name, key.source(), value);
    } else if (value.is_table() && has_keys_below(name)) {
      read_table(table, *value.as_table(), element, name + ".");
    } else {
      keys = true;
      guarded([&, &k = key, &v = value] { read_key(table, element, name, k.source(), v); });
    }
  }
  if (table == "contact" && keys) scene_.contact.present = true;
  if (table == "enrich") scene_.enrich.present = true;
  if (table.starts_with("curves")) scene_.curves.present = true;
  for (const KeySpec& spec : scene_keys()) {
    if (!is_list(table) || !prefix.empty() || spec.table != table || !spec.required || content.contains(spec.key))
      continue;
    problems_.emplace_back(at(content.source(), spec.name()), fmt::format("[[{}]] lacks {}", table, spec.key),
                           spec.doc);
  }
}

void Loader::read_list(const std::string& table, const toml::source_region& place, const toml::node& value) {
  if (!value.is_array_of_tables()) {
    problems_.emplace_back(at(place, table), table + " is a list of tables",
                           fmt::format("Write [[{}]], with double brackets.", table));
    return;
  }
  for (const toml::node& entry : *value.as_array()) {
    const size_t element = table_count(scene_, table);
    set_table_count(scene_, table, element + 1);
    read_table(table, *entry.as_table(), element);
  }
}

void Loader::read_file(const std::string& path) {
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault)) throw InputError({path}, "it is a folder, not a scene file");
  read_text(read_regular_file(path, "", kLargestText), path);
}

void Loader::read_text(const std::string& text, const std::string& path) {
  source_ = {path, std::filesystem::path(path).parent_path().string(), true};
  scene_.file = path;
  toml::table root;
  try {
    root = parse_toml(text, path);
  } catch (const toml::parse_error& e) {
    Location where{path, static_cast<int>(e.source().begin.line), static_cast<int>(e.source().begin.column), ""};
    throw InputError(where, fmt::format("not valid TOML: {}", e.description()));
  } catch (const BrokenToml& e) {
    throw InputError({.file = path, .line = e.line}, "not valid TOML: this line cannot be read", kNamesInToml);
  }
  for (const auto& [key, value] : root) {
    const std::string table(key.str());
    const std::vector<std::string>& tables = scene_tables();
    if (std::find(tables.begin(), tables.end(), table) == tables.end()) {
      std::string advice = suggestion(table, tables, "Tables");
      for (const KeySpec& spec : scene_keys())
        if (spec.key == table && !is_list(spec.table) && !value.is_table())
          advice = fmt::format("It belongs to [{}].", spec.table);
      const bool is_table = value.is_table() || value.is_array_of_tables();
      problems_.emplace_back(
          at(key.source(), table),
          is_table ? fmt::format("there is no table [{}]", table) : fmt::format("the key {} is in no table", table),
          advice);
    } else if (is_list(table)) {
      read_list(table, key.source(), value);
    } else if (!value.is_table()) {
      problems_.emplace_back(at(key.source(), table), fmt::format("{} is a table, not {}", table, kind_of(value)),
                             fmt::format("Write [{}] on a line of its own, and its keys below.", table));
    } else {
      read_table(table, *value.as_table(), 0);
    }
  }
}

// The value of an override, as the only one of a table. As TOML; what is no TOML value is a word, unless it looks like
// a list, a table or text gone wrong.
toml::table Loader::parsed(const std::string& text) const {
  toml::table holder;
  std::string value = text;
  // .7 is a number to anybody but TOML.
  if (const size_t dot = value.find('.'); dot <= 1 && dot + 1 < value.size() &&
                                          std::isdigit(static_cast<unsigned char>(value[dot + 1])) &&
                                          (dot == 0 || value[0] == '-' || value[0] == '+'))
    value.insert(dot, "0");
  try {
    holder = parse_toml("value = " + value + "\n");
    if (holder.size() != 1) throw InputError({source_.file}, "more than one value");
  } catch (const toml::parse_error& e) {
    if (value.empty() || value.find_first_of("\"'[]{}=\n#") != std::string::npos)
      throw InputError({source_.file}, fmt::format("\"{}\" is no value: {}", value, e.description()));
    holder.clear();
    holder.insert("value", value);
  } catch (const BrokenToml&) {
    throw InputError({source_.file}, fmt::format("\"{}\" is no value", value), kNamesInToml);
  }
  return holder;
}

// "table.NAME.key" in its three parts, each without its quotes; of a plain table the name is empty.
Loader::KeyPath Loader::key_path(const std::string& name) const {
  const auto wrong = [&](const std::string& what) { throw InputError({source_.file}, what, kNamedKey); };
  KeyPath path;
  const size_t dot = name.find('.');
  path.table = name.substr(0, dot);
  std::string rest = name.substr(dot + 1);
  if (path.table != "region" && path.table != "body") {
    path.key = rest;
    return path;
  }
  const auto unquoted = [&](const std::string& quoted) {
    try {
      return parse_toml("value = " + quoted + "\n")["value"].value_or(std::string());
    } catch (const toml::parse_error& e) {
      wrong(fmt::format("{} is no text in quotes: {}", quoted, e.description()));
    } catch (const BrokenToml&) {
      wrong(fmt::format("{} is no text in quotes", quoted));
    }
    return std::string();
  };
  if (rest[0] == '"' || rest[0] == '\'') {
    size_t end = 1;
    while (end < rest.size() && rest[end] != rest[0]) end += rest[0] == '"' && rest[end] == '\\' ? 2 : 1;
    if (end >= rest.size()) wrong(fmt::format("the quotes of {} are not closed", rest));
    if (end + 1 >= rest.size() || rest[end + 1] != '.') wrong(fmt::format("which {}?", path.table));
    path.element = unquoted(rest.substr(0, end + 1));
    path.key = rest.substr(end + 2);
  } else {
    // Keys of bodies may have a dot of their own, and names of bodies have none.
    const bool quoted_key = !rest.empty() && (rest.back() == '"' || rest.back() == '\'');
    const size_t end = path.table == "body" ? rest.find('.')
                       : quoted_key         ? rest.rfind(std::string(".") + rest.back(), rest.size() - 2)
                                            : rest.rfind('.');
    if (end == 0 || end == std::string::npos) wrong(fmt::format("which {}?", path.table));
    path.element = rest.substr(0, end);
    path.key = rest.substr(end + 1);
  }
  if (!path.key.empty() && (path.key[0] == '"' || path.key[0] == '\'')) path.key = unquoted(path.key);
  return path;
}

// The element of a list that is meant; `make`: it may be new.
size_t Loader::element_named(const std::string& table, const std::string& own, bool make) {
  std::vector<std::string> names;
  if (table == "region") {
    for (const RegionConfig& r : scene_.regions) names.push_back(r.name);
  } else {
    for (const BodyConfig& b : scene_.bodies) names.push_back(b.name);
  }
  const auto element = static_cast<size_t>(std::find(names.begin(), names.end(), own) - names.begin());
  if (element < names.size()) return element;
  if (!make)
    throw InputError({source_.file}, fmt::format("the scene has no [[{}]] named {}", table, own),
                     names.empty()
                         ? fmt::format("Write [[{}]] name = \"...\" into it first.", table)
                         : suggestion(own, names, table == "region" ? "Regions of the scene" : "Bodies of the scene"));
  scene_.regions.push_back({});
  scene_.regions.back().name = own;
  scene_.where[where_name("region", element, "name")] = {source_.file};
  return element;
}

void Loader::read_override(const Override& override) {
  const std::string name = override.key();
  KeyPath path;
  std::string prefix;  // "table." or "region.NAME."
  if (!override.region.empty()) {
    source_ = {"--region " + override.region, ".", false};
    if (name.size() >= override.text.size())
      throw InputError({source_.file}, fmt::format("\"{}\" is not of the form key=value", override.text),
                       "For example --region belly:amplitude=2,frequency=0.7");
    path = {"region", override.region, name};
    if (!find_key("region", name) || name == "name") {
      std::vector<std::string> known = keys_of("region");
      known.erase(std::remove(known.begin(), known.end(), "name"), known.end());
      throw InputError({source_.file}, fmt::format("[region] has no key {}", name),
                       suggestion(name, known, "Keys of [region]"));
    }
    prefix = "region." + override.region + ".";
  } else {
    source_ = {"--set " + name, ".", false};
    const size_t dot = name.find('.');
    const bool assigns = override.value || name.size() < override.text.size();
    if (!assigns && (name.starts_with("region.") || name.starts_with("body.")))
      throw InputError({"--set " + override.text}, "there is no = outside of quotes", kNamedKey);
    if (!assigns || dot == std::string::npos || dot == 0 || name.back() == '.')
      throw InputError({"--set " + override.text}, "not of the form table.key=value",
                       "For example --set material.density=1100");
    const std::string table = name.substr(0, dot);
    const std::vector<std::string>& tables = scene_tables();
    if (std::find(tables.begin(), tables.end(), table) == tables.end())
      throw InputError({source_.file}, fmt::format("there is no table [{}]", table),
                       suggestion(table, tables, "Tables"));
    refuse_in_call(table, name);
    path = key_path(name);
    prefix = path.element.empty() ? table + "." : table + "." + path.element + ".";
  }
  const auto& [table, own, key] = path;
  const size_t element = is_list(table) ? element_named(table, own, !override.region.empty()) : 0;

  const toml::table holder = override.value ? as_node(*override.value) : parsed(override.text.substr(name.size() + 1));
  const toml::node& node = *holder.get("value");
  read_key(table, element, key, node.source(), node);
  overridden_.insert(prefix + key);
  for (const auto& pair : exclusive_keys()) {
    for (size_t k = 0; k < 2; ++k) {
      const std::string other = pair[1 - k].substr(pair[1 - k].find('.') + 1);
      if (pair[k] == table + "." + key && !overridden_.count(prefix + other)) clear(pair[1 - k], element);
    }
  }
}

// Tables that a call does not change, and those that are there by being changed.
void Loader::refuse_in_call(const std::string& table, const std::string& name) {
  const size_t dot = name.find('.');
  const bool in_list = is_list(name.substr(0, std::max(name.find('.', dot + 1), dot + 1)));
  if (table == "part") throw InputError({source_.file}, "the roles of parts are given in the scene file, not by --set");
  if (table == "flesh") throw InputError({source_.file}, "[[flesh]] is given in the scene file, not by --set");
  if (table == "tuned") throw InputError({source_.file}, "[[tuned]] is given in the scene file, not by --set");
  if (table == "contact" && in_list)
    throw InputError({source_.file}, "obstacles and planes are given in the scene file, not by --set");
  if (table == "live" && in_list)
    throw InputError({source_.file}, "live parts are given in the scene file, not by --set");
  if (table == "curves" && in_list)
    throw InputError({source_.file},
                     "deformers, layers, stiffness and handles are given in the scene file, not by --set");
  if (table == "contact") scene_.contact.present = true;
  if (table == "enrich") scene_.enrich.present = true;
  if (table == "curves") scene_.curves.present = true;
}

// Back to the default.
void Loader::clear(const std::string& name, size_t element) {
  const size_t dot = name.find('.');
  const std::string table = name.substr(0, dot), key = name.substr(dot + 1);
  const KeySpec* spec = find_key(table, key);
  SceneConfig fresh;
  set_table_count(fresh, table, table_count(scene_, table));
  const Slot original = spec->slot(fresh, element);
  std::visit([&](auto* v) { *v = *std::get<decltype(v)>(original); }, spec->slot(scene_, element));
  scene_.where.erase(where_name(table, element, key));
}

}  // namespace

namespace {

// text: null: what the file holds.
SceneConfig load(const std::string* text, const std::string& path, const Overrides& overrides,
                 std::vector<InputError>& problems) {
  SceneConfig scene;
  Loader loader(scene, problems);
  try {
    if (text)
      loader.read_text(*text, path);
    else
      loader.read_file(path);
    for (const Override& override : overrides) {
      try {
        loader.read_override(override);
      } catch (const InputError& e) {
        problems.push_back(e);
      }
    }
    // A key that could not be read would count as missing.
    if (problems.empty()) check_consistency(scene, problems);
  } catch (const InputError& e) {
    problems.push_back(e);
  }
  std::stable_sort(problems.begin(), problems.end(), [](const InputError& a, const InputError& b) {
    const auto order = [](const InputError& e) {
      return std::tuple(e.where().line == 0, e.where().line, e.where().column);
    };
    return order(a) < order(b);
  });
  return scene;
}

}  // namespace

SceneConfig load_scene(const std::string& path, const Overrides& overrides, std::vector<InputError>& problems) {
  return load(nullptr, path, overrides, problems);
}

SceneConfig load_scene_text(const std::string& text, const std::string& path, const Overrides& overrides) {
  std::vector<InputError> problems;
  SceneConfig scene = load(&text, path, overrides, problems);
  if (!problems.empty()) throw problems.front();
  return scene;
}

SceneConfig load_fragment(const std::string& path) {
  SceneConfig scene;
  std::vector<InputError> problems;
  Loader loader(scene, problems);
  loader.read_file(path);
  if (!problems.empty()) throw problems.front();
  return scene;
}

namespace {

enum class ReadFor { flesh, enrich, curves };

SceneConfig load_one_file(const std::string& surface, ReadFor what, const Overrides& overrides) {
  SceneConfig scene;
  std::vector<InputError> problems;
  Loader loader(scene, problems);
  scene.surface.file = {surface, surface};
  scene.enrich.present = what == ReadFor::enrich;
  scene.curves.present = what == ReadFor::curves;
  for (const Override& override : overrides) loader.read_override(override);
  if (problems.empty()) check_consistency(scene, problems);
  if (!problems.empty()) throw problems.front();
  return scene;
}

}  // namespace

SceneConfig load_character_scene(const std::string& character, const Overrides& overrides) {
  return load_one_file(character, ReadFor::flesh, overrides);
}

SceneConfig load_surface_scene(const std::string& surface, const Overrides& overrides) {
  return load_one_file(surface, ReadFor::enrich, overrides);
}

SceneConfig load_rig_scene(const std::string& surface, const Overrides& overrides) {
  return load_one_file(surface, ReadFor::curves, overrides);
}

SceneConfig load_scene(const std::string& path, const Overrides& overrides) {
  std::vector<InputError> problems;
  SceneConfig scene = load_scene(path, overrides, problems);
  if (!problems.empty()) throw problems.front();
  return scene;
}

}  // namespace supple
