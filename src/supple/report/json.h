// A JSON value to build and to write: objects keep the order of their keys, and what is no number becomes null.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace supple {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;  // null
  Json(bool value) : value_(value) {}
  Json(int value) : value_(static_cast<int64_t>(value)) {}
  Json(int64_t value) : value_(value) {}
  Json(size_t value) : value_(static_cast<int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  template <class T>
  static Json list(const T& values) {
    Array array;
    for (const auto& v : values) array.emplace_back(v);
    return array;
  }
  static Json object() { return Object(); }

  // The member of an object, appended as null when new; a null value becomes an object.
  Json& operator[](const std::string& key);
  void push_back(Json value);  // a null value becomes an array

  // UTF-8 text; bytes that are not UTF-8 become U+FFFD. indent < 0: on one line.
  std::string text(int indent = 2) const;

 private:
  void write(std::string& out, int indent, int depth) const;
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> value_;
};

// The text with JSON's quotes and escapes around it.
std::string json_quoted(const std::string& text);

// JSON for a script element of a page: "</script>" inside it would end the element.
std::string script_safe(const std::string& json);

}  // namespace supple
