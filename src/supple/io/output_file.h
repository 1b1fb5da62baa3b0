// A file that appears under its name only when it is complete.
#pragma once
#include <fmt/format.h>

#include <bit>
#include <span>
#include <string>
#include <string_view>

#include "supple/base/part_file.h"
#include "supple/io/bytes.h"

namespace supple {

// Written to PATH.part; commit() gives it its name. Without commit() the part is removed. InputError: it cannot be
// made; OutputFailure: the disk is full.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() > kFlushAt) flush();
  }
  template <class T>
  void raw(T value, std::endian order = std::endian::little) {
    value = in_order(value, order);
    write({reinterpret_cast<const char*>(&value), sizeof(T)});
  }
  template <class T>
  void raw_list(std::span<const T> values, std::endian order = std::endian::little) {
    if (order == std::endian::native) return write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    for (const T& value : values) raw(value, order);
  }
  size_t size() const { return file_.size() + buffer_.size(); }
  void commit();

 private:
  static constexpr size_t kFlushAt = size_t{1} << 20;
  void flush();
  PartFile file_;
  std::string buffer_;
  bool done_ = false;
};

// A whole file at once.
void write_text(const std::string& path, std::string_view text);

}  // namespace supple
