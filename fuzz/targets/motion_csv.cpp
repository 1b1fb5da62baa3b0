#include "supple/io/motion_csv.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return supple::fuzz::read_as("in.csv", data, size, [](const std::string& file) { supple::read_motion_csv(file); });
}
