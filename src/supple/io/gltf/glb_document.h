// A glTF file as raw JSON and one buffer: for changing a few things and keeping all others, known or not.
// Inside the room only.
#pragma once
#include <cstdint>
#include <exception>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "supple/io/gltf/gltf_file.h"

namespace supple {

using OrderedJson = nlohmann::ordered_json;  // keys keep their order

constexpr int kGltfVertexData = 34962, kGltfTriangleData = 34963;  // uses of a view, by their numbers in glTF

// An accessor's elements, adjacent, sparse ones filled in.
struct GlbArray {
  GltfComponent component = GltfComponent::f32;
  int width = 1;
  bool normalized = false;
  size_t count = 0;
  std::string bytes;
  std::vector<float> floats() const;  // normalized integers as fractions
};

// What a list of numbers is, beside the numbers.
struct GlbArrayKind {
  const char* type = "SCALAR";  // by its name in glTF
  int use = 0;                  // of its view
  bool normalized = false;
  bool bounds = false;  // as the standard asks of positions and of times
};

// Indices and sizes inside the JSON were checked by load_gltf; ranges of bytes are checked here when they are read.
class GlbDocument {
 public:
  // Reads a .glb or .gltf. Everything it refers to is taken in: buffers become the one buffer (that of a .glb stays in
  // front, byte by byte), pictures become views, Draco and meshopt data becomes plain and its bytes are left out.
  // Pictures that cannot be found keep their address, with a warning.
  GlbDocument(const std::string& path, std::vector<std::string>& warnings);
  // A new one: it says which glTF it is, and no more.
  GlbDocument();
  ~GlbDocument();
  GlbDocument(const GlbDocument&) = delete;
  GlbDocument& operator=(const GlbDocument&) = delete;

  const GltfFile& file() const { return file_; }  // the lists as they were read
  OrderedJson& json() { return *json_; }
  const OrderedJson& json() const { return *json_; }

  // Each returns the index of what it adds.
  int add_view(std::string_view bytes, size_t stride = 0, int target = 0);
  int add_accessor(const OrderedJson& accessor);
  // Numbers with a view and an accessor of their own.
  int add_array(std::span<const float> values, const GlbArrayKind& kind);
  int add_array(std::span<const uint8_t> values, const GlbArrayKind& kind);
  int add_array(std::span<const uint16_t> values, const GlbArrayKind& kind);
  int add_array(std::span<const uint32_t> values, const GlbArrayKind& kind);
  // Lets a view that exists show other bytes; the old ones stay unused.
  void replace_view(int view, std::string_view bytes);

  GlbArray array(int accessor) const;
  size_t size() const;  // of the .glb, as it stands
  // Written beside and renamed at the end; InputError past the 4 GiB that a .glb can hold.
  void write(const std::string& path) const;

  [[noreturn]] void fail(const std::string& place, const std::string& what, const std::string& advice = "") const {
    file_.fail(place, what, advice);
  }
  // For what the JSON library throws where the file says something of another kind than the format has.
  [[noreturn]] void fail_of_kind(const std::exception& error) const;

 private:
  friend class GlbEmbedder;
  size_t append(std::string_view bytes);  // at a multiple of 4; returns where
  template <class T>
  int add_numbers(std::span<const T> values, GltfComponent component, const GlbArrayKind& kind);
  std::string_view view_bytes(int view) const;
  std::string json_text() const;

  GltfFile file_;
  std::unique_ptr<OrderedJson> json_;
  std::string bytes_;
  std::string other_chunks_;  // of the .glb, with their heads
};

}  // namespace supple
