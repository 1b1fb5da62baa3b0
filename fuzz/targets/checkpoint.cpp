// The bytes are what a checkpoint holds; its mark and hash are put before them, which no fuzzer would ever guess. Whole
// files are taken as they are.
#include "supple/sim/checkpoint.h"
#include "fuzz/target.h"
#include "supple/base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace supple;
  std::string file(fuzz::text_of(data, size));
  if (!file.starts_with("SUPPLCK3")) {
    const uint64_t hash = hash_bytes(file.data(), file.size());
    file.insert(0, reinterpret_cast<const char*>(&hash), sizeof hash);
    file.insert(0, "SUPPLCK3");
  }
  return fuzz::read_as("state.bin", reinterpret_cast<const uint8_t*>(file.data()), file.size(),
                       [](const std::string& path) { read_checkpoint(path); });
}
