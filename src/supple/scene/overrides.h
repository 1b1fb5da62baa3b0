// Keys of a scene that the call sets: as text, or with their values as data.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace supple {

// Of the type that the key has in config.h; files by their names, choices by their words.
using KeyValue = std::variant<bool, int, double, std::string, std::vector<std::string>, std::vector<double>>;

// Of a list ([[region]], [[body]]) the key is what follows the last dot, and the name may have dots, colons and spaces
// of its own: region.ear.L.frequency. Either may be in quotes as in TOML: region."a=b".frequency,
// region.'a.b'.frequency.
struct Override {
  std::string text;               // "table.key=value", value as in TOML, bare words are strings; with a value the key
  std::optional<KeyValue> value;  // "region.NAME.key" for a region the scene has, likewise for bodies
  std::string region;             // "": as text says; else of that region, made where there is none, and text is
                                  // "key=value"

  Override(std::string assignment) : text(std::move(assignment)) {}
  Override(const char* assignment) : text(assignment) {}
  Override(std::string key, KeyValue data) : text(std::move(key)), value(std::move(data)) {}
  std::string key() const { return value ? text : text.substr(0, end_of_key(text)); }
  // Where the key of "key=value" ends; npos: nothing is assigned. What is in quotes does not count.
  static size_t end_of_key(const std::string& text);
};

// In the order in which they are said. One replaces keys of the file that exclude it.
class Overrides {
 public:
  Overrides() = default;
  Overrides(std::initializer_list<Override> list) : list_(list) {}
  Overrides(const std::vector<std::string>& texts) { add(texts); }

  void add(const std::vector<std::string>& texts) { list_.insert(list_.end(), texts.begin(), texts.end()); }
  void set(const std::string& key, KeyValue value) { list_.emplace_back(key, std::move(value)); }
  // A key of a region, which is made where the scene has none of that name.
  void set_region(const std::string& name, const std::string& assignment) {
    list_.emplace_back(assignment);
    list_.back().region = name;
  }
  // What is not given is left as it is.
  template <class T>
  void set_given(const std::string& key, const std::optional<T>& value) {
    if (value) set(key, *value);
  }
  void set_given(const std::string& key, const std::string& text) {
    if (!text.empty()) set(key, text);
  }
  void set_given(const std::string& key, const std::vector<std::string>& words) {
    if (!words.empty()) set(key, words);
  }

  bool empty() const { return list_.empty(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<Override> list_;
};

}  // namespace supple
