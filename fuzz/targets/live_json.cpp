// A live pack as the file beside a .glb.
#include "supple/io/gltf/live_json.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return supple::fuzz::read_as("in.json", data, size, [](const std::string& file) { supple::read_live(file); });
}
