#include "supple/io/gltf/gltf_file.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>

#include "supple/io/bytes.h"
#include "supple/io/input_file.h"

namespace supple {

namespace {

constexpr uint32_t kMagic = 0x46546C67, kJson = 0x4E4F534A, kBin = 0x004E4942;  // "glTF", "JSON", "BIN"

// Finds the parts of a .glb: returns the JSON one and notes the binary one.
std::string_view split_glb(GltfFile& file) {
  const std::string& bytes = file.content;
  const std::string cut = "The file may be truncated: export or download it again.";
  if (bytes.size() < 20) file.fail("header", "the file ends inside the header", cut);
  if (const uint32_t version = word_at(bytes, 4); version != 2) {
    file.fail("header", fmt::format("this is glTF {}; only version 2 is read", version), "Export it as glTF 2.0.");
  }
  const size_t length = word_at(bytes, 8);
  if (length > bytes.size()) {
    file.fail("header", fmt::format("{} bytes were written, but only {} are there", length, bytes.size()), cut);
  }
  if (length < bytes.size()) {
    file.warnings.push_back(
        fmt::format("{} bytes after the end of the file's own data: ignored", bytes.size() - length));
  }
  std::string_view json;
  bool have_bin = false;
  for (size_t at = 12; at + 8 <= length;) {
    const size_t size = word_at(bytes, at);
    const uint32_t kind = word_at(bytes, at + 4);
    const std::string place = fmt::format("byte {}", at);
    at += 8;
    if (size > length - at) file.fail(place, fmt::format("a part of {} bytes does not fit into the file", size), cut);
    if (kind == kJson && json.empty()) {
      json = std::string_view(bytes).substr(at, size);
    } else if (kind == kBin && !have_bin) {
      have_bin = true;
      file.bin_begin = at;
      file.bin_length = size;
    }
    at += size;
  }
  if (json.empty()) file.fail("header", "the file has no JSON part", "It is not a .glb, or it is damaged.");
  return json;
}

}  // namespace

size_t byte_size(GltfComponent component) {
  switch (component) {
    case GltfComponent::i8:
    case GltfComponent::u8:
      return 1;
    case GltfComponent::i16:
    case GltfComponent::u16:
      return 2;
    default:
      return 4;
  }
}

std::string gltf_place(const char* kind, size_t index, const std::string& name) {
  return name.empty() ? fmt::format("{} {}", kind, index) : fmt::format("{} {} '{}'", kind, index, name);
}

GltfFile load_gltf(const std::string& path) {
  GltfFile file;
  file.path = path;
  file.content = read_whole_file(path, "");
  if (file.content.empty()) file.fail("", "the file is empty");
  const bool binary = file.content.size() >= 4 && word_at(file.content, 0) == kMagic;
  const std::string_view json = binary ? split_glb(file) : std::string_view(file.content);
  parse_gltf_json(file, json);
  return file;
}

}  // namespace supple
