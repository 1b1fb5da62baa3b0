// A directory of a test's own, gone with the test.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

namespace supple {

class Scratch {
 public:
  Scratch() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name =
        std::string("supple_") + info->test_suite_name() + "_" + info->name() + "_" + std::to_string(getpid());
    for (char& c : name) c = c == '/' ? '_' : c;
    // Thousands of small files: in memory where the system has room for files there.
    const bool memory = getenv("TMPDIR") == nullptr && access("/dev/shm", W_OK) == 0;
    dir_ = (memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) / name;
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(dir_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  std::string put(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string get(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path dir_;
};

// The bytes of a value by arithmetic on its bits, independent of the machine's order.
template <class T>
std::string bytes_of(T value, bool big_endian) {
  unsigned long long bits = 0;
  if constexpr (std::is_same_v<T, float>) {
    bits = std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    bits = std::bit_cast<uint64_t>(value);
  } else {
    bits = static_cast<unsigned long long>(value);
  }
  std::string text;
  for (size_t i = 0; i < sizeof(T); ++i) {
    const size_t shift = 8 * (big_endian ? sizeof(T) - 1 - i : i);
    text += static_cast<char>(bits >> shift & 0xff);
  }
  return text;
}

// All of these are said in the text.
inline void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' in: " << text;
}

}  // namespace supple
