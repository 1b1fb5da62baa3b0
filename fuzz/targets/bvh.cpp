#include "supple/io/bvh.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace supple;
  return fuzz::read_as("in.bvh", data, size, [](const std::string& file) { bvh_character(read_bvh(file)); });
}
