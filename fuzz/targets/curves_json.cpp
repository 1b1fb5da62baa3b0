#include "fuzz/target.h"
#include "supple/io/curve_files.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return supple::fuzz::read_as("in.json", data, size, [](const std::string& file) { supple::read_curves(file); });
}
