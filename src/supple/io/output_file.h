// A file that appears under its name only when it is complete.
#pragma once
#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "supple/io/bytes.h"

namespace supple {

// Written to PATH.part; commit() renames it. Without commit() the part is removed. Failures are InputErrors: the
// path, or the room on the disk, is the user's to mend.
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
  size_t size() const { return written_ + buffer_.size(); }
  std::ofstream& stream();  // for writers of others; flushes first
  void commit();

 private:
  static constexpr size_t kFlushAt = size_t{1} << 20;
  void flush();
  std::string path_, part_, buffer_;
  std::ofstream out_;
  size_t written_ = 0;
  bool done_ = false;
};

// A whole file at once.
void write_text(const std::string& path, std::string_view text);

// The part file over its final name.
void rename_into_place(const std::string& part, const std::string& path);

}  // namespace supple
