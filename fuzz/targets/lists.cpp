// Lists of indices and of numbers, one a line.
#include "fuzz/target.h"
#include "supple/io/index_list.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace supple;
  fuzz::read_as("in.txt", data, size, [](const std::string& file) { read_index_list(file, 1000); });
  return fuzz::read_as("in.txt", data, size, [](const std::string& file) { read_scalar_list(file); });
}
