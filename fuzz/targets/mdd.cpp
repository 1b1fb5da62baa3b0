#include "fuzz/target.h"
#include "supple/io/point_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return supple::fuzz::read_as("in.mdd", data, size, [](const std::string& file) {
    supple::read_mdd(file, true);  // accepts more
    supple::read_mdd(file);
  });
}
