// A .glb or .gltf as it is written: its lists with every index inside the list it points into; nothing decoded.
// Inside the room only.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "supple/anim/character.h"
#include "supple/base/error.h"

namespace supple {

struct GltfBuffer {
  std::string uri;  // empty: the binary part of a .glb
  size_t length = 0;
};

// EXT_meshopt_compression: what stands in place of a view's bytes.
struct GltfPacking {
  int buffer = -1;
  size_t offset = 0, length = 0, stride = 0, count = 0;
  std::string mode, filter;
};
struct GltfView {
  int buffer = -1;
  size_t offset = 0, length = 0;
  size_t stride = 0;  // 0: elements are adjacent
  std::optional<GltfPacking> packing;
};

enum class GltfComponent { i8 = 5120, u8 = 5121, i16 = 5122, u16 = 5123, u32 = 5125, f32 = 5126 };
size_t byte_size(GltfComponent component);

struct GltfSparse {
  size_t count = 0;
  int indices_view = -1, values_view = -1;
  size_t indices_offset = 0, values_offset = 0;
  GltfComponent indices_component = GltfComponent::u16;
};
struct GltfAccessor {
  int view = -1;  // -1: zeros, or what `sparse` or Draco say
  size_t offset = 0, count = 0;
  int width = 1;  // numbers an element
  GltfComponent component = GltfComponent::f32;
  bool normalized = false;
  std::optional<GltfSparse> sparse;
};

using GltfAttributes = std::map<std::string, int>;  // accessors
struct GltfPrimitive {
  GltfAttributes attributes;
  int indices = -1, material = -1, mode = 4;
  std::vector<GltfAttributes> targets;
  int draco_view = -1;
  std::map<std::string, int> draco_ids;
};
struct GltfMesh {
  std::string name;
  std::vector<GltfPrimitive> primitives;
  std::vector<double> weights;
  std::vector<std::string> target_names;
};
struct GltfSkin {
  std::string name;
  std::vector<int> joints;
  int inverse_binds = -1;
};
struct GltfChannel {
  int sampler = -1, node = -1;
  std::string path;
};
struct GltfSampler {
  int input = -1, output = -1;
  std::string interpolation;
};
struct GltfAnimation {
  std::string name;
  std::vector<GltfChannel> channels;
  std::vector<GltfSampler> samplers;
};

// Advice for contents that break the standard.
constexpr const char* kDamagedGltf = "The file is damaged, or its exporter is at fault: export it again.";

struct GltfFile {
  std::string path, content;  // the whole file
  size_t bin_begin = 0;       // the binary part of a .glb in `content`
  size_t bin_length = 0;
  std::vector<GltfBuffer> buffers;
  std::vector<GltfView> views;
  std::vector<GltfAccessor> accessors;
  std::vector<GltfMesh> meshes;
  std::vector<GltfSkin> skins;
  std::vector<GltfAnimation> animations;
  std::vector<std::string> materials;        // names
  std::vector<Node> nodes;                   // parents not yet known; rotations as written
  std::optional<std::vector<int>> scene;     // roots of the scene that is shown
  std::vector<std::string> extensions_used;  // and those required:
  std::vector<std::string> extensions_required;
  std::vector<std::string> warnings;

  [[noreturn]] void fail(const std::string& place, const std::string& what, const std::string& advice = "") const {
    throw InputError({path, 0, 0, place}, what, advice);
  }
};

// Reads the file itself; buffers beside it are left for GltfData. InputError for what is not glTF 2, for indices that
// point nowhere and for required extensions that change shapes and are unknown.
GltfFile load_gltf(const std::string& path);

// "mesh 2 'Eyes'"
std::string gltf_place(const char* kind, size_t index, const std::string& name);

// Fills the lists of `file` from the JSON part.
void parse_gltf_json(GltfFile& file, std::string_view json);

}  // namespace supple
