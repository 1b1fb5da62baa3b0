#include "supple/report/json.h"

#include <fmt/format.h>

#include <cmath>

namespace supple {

Json& Json::operator[](const std::string& key) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Object();
  Object& object = std::get<Object>(value_);
  for (auto& [name, value] : object)
    if (name == key) return value;
  return object.emplace_back(key, Json()).second;
}

void Json::push_back(Json value) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Array();
  std::get<Array>(value_).push_back(std::move(value));
}

std::string Json::text(int indent) const {
  std::string out;
  write(out, indent, 0);
  return out;
}

namespace {

// Length of the valid UTF-8 sequence at text[i], or 0.
size_t utf8_length(const std::string& text, size_t i) {
  const auto byte = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  const size_t n = lead >= 0xC2 && lead < 0xE0   ? 2
                   : lead >= 0xE0 && lead < 0xF0 ? 3
                   : lead >= 0xF0 && lead < 0xF5 ? 4
                                                 : 0;
  for (size_t k = 1; k < n; ++k)
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates and code points beyond the last.
  const unsigned second = byte(i + 1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
  return n;
}

}  // namespace

std::string json_quoted(const std::string& text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const size_t n = utf8_length(text, i);
    const char c = text[i];
    if (n == 0) {
      out += "\xEF\xBF\xBD";
    } else if (n > 1) {
      out.append(text, i, n);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
    i += n == 0 ? 1 : n;
  }
  return out + '"';
}

void Json::write(std::string& out, int indent, int depth) const {
  const auto new_line = [&](int level) {
    if (indent >= 0) out += '\n' + std::string(static_cast<size_t>(indent * level), ' ');
  };
  if (const auto* b = std::get_if<bool>(&value_)) {
    out += *b ? "true" : "false";
  } else if (const auto* i = std::get_if<int64_t>(&value_)) {
    out += std::to_string(*i);
  } else if (const auto* d = std::get_if<double>(&value_)) {
    out += std::isfinite(*d) ? fmt::format("{}", *d) : "null";
  } else if (const auto* s = std::get_if<std::string>(&value_)) {
    out += json_quoted(*s);
  } else if (const auto* array = std::get_if<Array>(&value_)) {
    out += '[';
    for (size_t k = 0; k < array->size(); ++k) {
      if (k > 0) out += ',';
      new_line(depth + 1);
      (*array)[k].write(out, indent, depth + 1);
    }
    if (!array->empty()) new_line(depth);
    out += ']';
  } else if (const auto* object = std::get_if<Object>(&value_)) {
    out += '{';
    for (size_t k = 0; k < object->size(); ++k) {
      if (k > 0) out += ',';
      new_line(depth + 1);
      out += json_quoted((*object)[k].first) + (indent >= 0 ? ": " : ":");
      (*object)[k].second.write(out, indent, depth + 1);
    }
    if (!object->empty()) new_line(depth);
    out += '}';
  } else {
    out += "null";
  }
}

std::string script_safe(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace supple
