#include "fuzz/target.h"
#include "supple/io/tets/tet_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return supple::fuzz::read_as("in.vtk", data, size, [](const std::string& file) { supple::read_tet_mesh(file); });
}
