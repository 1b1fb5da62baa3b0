#include "fuzz/target.h"
#include "supple/io/point_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return supple::fuzz::read_as("in.pc2", data, size, [](const std::string& file) {
    supple::read_pc2(file, true);  // accepts more
    supple::read_pc2(file);
  });
}
