// A character, decoded whole, and the file as what is written changes it.
#include "fuzz/target.h"
#include "supple/anim/drawn.h"
#include "supple/io/gltf/glb_document.h"
#include "supple/io/gltf/gltf_read.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace supple;
  const char* name = fuzz::text_of(data, size).starts_with("glTF") ? "in.glb" : "in.gltf";
  fuzz::read_as(name, data, size, [](const std::string& file) { lay_out(read_gltf(file)); });
  return fuzz::read_as(name, data, size, [](const std::string& file) {
    std::vector<std::string> warnings;
    const GlbDocument document(file, warnings);
    for (size_t k = 0; k < document.file().accessors.size() && k < 64; ++k) document.array(static_cast<int>(k));
  });
}
