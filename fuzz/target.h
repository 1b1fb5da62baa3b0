// What fuzz targets share. A target is one source with LLVMFuzzerTestOneInput: libFuzzer calls it with bytes of its own
// making (fuzz/CMakeLists.txt), the suite with those of tests/fuzz/regressions.
//
// InputError and SimulationFailure are the right answers to bad input. Whatever else happens is a finding.
#pragma once
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "supple/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace supple::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A folder of the process's own, in memory where there is room for files there; gone when the process ends.
class PrivateFolder {
 public:
  PrivateFolder() {
    const bool memory = access("/dev/shm", W_OK) == 0;
    path_ = (memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
            ("supple_fuzz_" + std::to_string(getpid()));
    std::filesystem::create_directories(path_);
  }
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string put(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline const PrivateFolder& folder() {
  static const PrivateFolder one;
  return one;
}

template <class Call>
void attempt(Call call) {
  try {
    call();
  } catch (const InputError&) {
  } catch (const SimulationFailure&) {
  }
}

// The bytes as a file of this name, read.
template <class Read>
int read_as(const char* name, const uint8_t* data, size_t size, Read read) {
  const std::string file = folder().put(name, text_of(data, size));
  attempt([&] { read(file); });
  return 0;
}

}  // namespace supple::fuzz
