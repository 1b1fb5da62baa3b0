#include "supple/io/obj.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return supple::fuzz::read_as("in.obj", data, size, [](const std::string& file) { supple::read_obj(file); });
}
