#include "supple/io/gltf/glb_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "supple/io/gltf/gltf_data.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

double component_at(const std::string& bytes, size_t at, GltfComponent component) {
  return gltf_number_at(reinterpret_cast<const unsigned char*>(bytes.data()) + at, component);
}

// Whole and not negative, as load_gltf has seen to; some exporters write 12.0 for 12.
size_t number(const OrderedJson& object, const char* key, size_t fallback = 0) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return fallback;
  return found->is_number_unsigned() ? found->get<size_t>() : static_cast<size_t>(found->get<double>());
}

int type_width(const std::string& type) {
  static const std::map<std::string, int> widths = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                                                    {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
  return widths.at(type);
}

size_t padded(size_t n) { return (n + 3) / 4 * 4; }

}  // namespace

std::vector<float> GlbArray::floats() const {
  const size_t each = byte_size(component);
  std::vector<float> out(count * static_cast<size_t>(width));
  for (size_t i = 0; i < out.size(); ++i) {
    const double raw = component_at(bytes, i * each, component);
    out[i] = static_cast<float>(normalized ? gltf_fraction(component, raw) : raw);
  }
  return out;
}

GlbDocument::GlbDocument() : json_(std::make_unique<OrderedJson>()) { json()["asset"] = {{"version", "2.0"}}; }

GlbDocument::~GlbDocument() = default;

size_t GlbDocument::append(std::string_view bytes) {
  bytes_.resize(padded(bytes_.size()), '\0');
  const size_t at = bytes_.size();
  bytes_ += bytes;
  return at;
}

int GlbDocument::add_view(std::string_view bytes, size_t stride, int target) {
  OrderedJson view = {{"buffer", 0}, {"byteOffset", append(bytes)}, {"byteLength", bytes.size()}};
  if (stride > 0) view["byteStride"] = stride;
  if (target > 0) view["target"] = target;
  OrderedJson& views = json()["bufferViews"];
  views.push_back(std::move(view));
  return static_cast<int>(views.size()) - 1;
}

int GlbDocument::add_accessor(const OrderedJson& accessor) {
  OrderedJson& accessors = json()["accessors"];
  accessors.push_back(accessor);
  return static_cast<int>(accessors.size()) - 1;
}

template <class T>
int GlbDocument::add_numbers(std::span<const T> values, GltfComponent component, const GlbArrayKind& kind) {
  const auto width = static_cast<size_t>(type_width(kind.type));
  const int view = add_view({reinterpret_cast<const char*>(values.data()), values.size_bytes()}, 0, kind.use);
  OrderedJson a = {{"bufferView", view}, {"componentType", static_cast<int>(component)}};
  if (kind.normalized) a["normalized"] = true;
  a["count"] = values.size() / width;
  a["type"] = kind.type;
  if (kind.bounds) {
    std::vector<T> low(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width)), high = low;
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t k = i % width;
      low[k] = std::min(low[k], values[i]);
      high[k] = std::max(high[k], values[i]);
    }
    a["min"] = low;
    a["max"] = high;
  }
  return add_accessor(a);
}
int GlbDocument::add_array(std::span<const float> values, const GlbArrayKind& kind) {
  return add_numbers(values, GltfComponent::f32, kind);
}
int GlbDocument::add_array(std::span<const uint8_t> values, const GlbArrayKind& kind) {
  return add_numbers(values, GltfComponent::u8, kind);
}
int GlbDocument::add_array(std::span<const uint16_t> values, const GlbArrayKind& kind) {
  return add_numbers(values, GltfComponent::u16, kind);
}
int GlbDocument::add_array(std::span<const uint32_t> values, const GlbArrayKind& kind) {
  return add_numbers(values, GltfComponent::u32, kind);
}

void GlbDocument::replace_view(int view, std::string_view bytes) {
  OrderedJson& v = json()["bufferViews"][static_cast<size_t>(view)];
  v["buffer"] = 0;
  v["byteOffset"] = append(bytes);
  v["byteLength"] = bytes.size();
}

std::string_view GlbDocument::view_bytes(int view) const {
  const OrderedJson& v = json().at("bufferViews").at(static_cast<size_t>(view));
  const size_t at = number(v, "byteOffset"), length = number(v, "byteLength");
  if (at > bytes_.size() || length > bytes_.size() - at) {
    fail(fmt::format("buffer view {}", view),
         fmt::format("it reaches past the end of the {} bytes there are", bytes_.size()), "The file may be truncated.");
  }
  return std::string_view(bytes_).substr(at, length);
}

GlbArray GlbDocument::array(int accessor) const {
  const OrderedJson& a = json().at("accessors").at(static_cast<size_t>(accessor));
  const std::string place = fmt::format("accessor {}", accessor);
  GlbArray out;
  out.component = static_cast<GltfComponent>(number(a, "componentType"));
  out.width = type_width(a.at("type").get<std::string>());
  out.normalized = a.value("normalized", false);
  out.count = number(a, "count");
  const size_t each = byte_size(out.component) * static_cast<size_t>(out.width);
  // Elements i of a view, at `offset`, `stride` apart; the view must hold all of them.
  auto require = [&](std::string_view view, size_t offset, size_t stride, size_t count, size_t size) {
    if (count > 0 &&
        (offset > view.size() || size > view.size() - offset || count - 1 > (view.size() - offset - size) / stride)) {
      fail(place, fmt::format("it has {} elements, but its buffer view is too short for them", count),
           "The file may be truncated.");
    }
  };
  constexpr size_t kMostNumbers = size_t{1} << 25;  // that no bytes of the file stand for
  if (a.contains("bufferView")) {
    const std::string_view view = view_bytes(a["bufferView"].get<int>());
    const size_t given = number(json().at("bufferViews").at(a["bufferView"].get<size_t>()), "byteStride");
    const size_t stride = given > 0 ? given : each, offset = number(a, "byteOffset");
    require(view, offset, stride, out.count, each);
    out.bytes.resize(out.count * each);
    for (size_t i = 0; i < out.count; ++i) std::memcpy(&out.bytes[i * each], &view[offset + i * stride], each);
  } else {
    if (out.count > kMostNumbers / static_cast<size_t>(out.width))
      fail(place, fmt::format("{} elements are too many", out.count));
    out.bytes.assign(out.count * each, '\0');
  }
  if (a.contains("sparse")) {
    const OrderedJson &s = a["sparse"], &si = s.at("indices"), &sv = s.at("values");
    const size_t count = number(s, "count"), at = number(si, "byteOffset"), from = number(sv, "byteOffset");
    const auto kind = static_cast<GltfComponent>(number(si, "componentType"));
    const std::string indices(view_bytes(si.at("bufferView").get<int>()));
    const std::string_view values = view_bytes(sv.at("bufferView").get<int>());
    require(indices, at, byte_size(kind), count, byte_size(kind));
    require(values, from, each, count, each);
    for (size_t i = 0; i < count; ++i) {
      const auto index = static_cast<size_t>(component_at(indices, at + i * byte_size(kind), kind));
      if (index >= out.count) fail(place, fmt::format("sparse index {} is out of range", index));
      std::memcpy(&out.bytes[index * each], &values[from + i * each], each);
    }
  }
  return out;
}

std::string GlbDocument::json_text() const {
  std::string text = json().dump();
  text.resize(padded(text.size()), ' ');
  return text;
}

size_t GlbDocument::size() const {
  return 12 + 8 + json_text().size() + (bytes_.empty() ? 0 : 8 + padded(bytes_.size())) + other_chunks_.size();
}

void GlbDocument::fail_of_kind(const std::exception& error) const {
  fail("JSON part", fmt::format("a value has the wrong kind: {}", error.what()),
       "The file is damaged, or its exporter is at fault: export it again.");
}

void GlbDocument::write(const std::string& path) const {
  // The buffer's length is known only now.
  OrderedJson& whole = *json_;
  if (!bytes_.empty()) {
    OrderedJson& buffers = whole["buffers"];
    if (buffers.empty()) buffers.push_back(OrderedJson::object());
    buffers[0]["byteLength"] = bytes_.size();
  }
  const std::string text = json_text();
  const size_t total = size();
  if (total > UINT32_MAX) {
    throw InputError({path, 0, 0, ""},
                     fmt::format("not written: {} bytes are more than a .glb can hold (4 GiB)", total),
                     "Use fewer clips, or fewer targets.");
  }
  OutputFile out(path);
  out.write("glTF");
  out.raw(uint32_t{2});
  out.raw(static_cast<uint32_t>(total));
  out.raw(static_cast<uint32_t>(text.size()));
  out.write("JSON");
  out.write(text);
  if (!bytes_.empty()) {
    out.raw(static_cast<uint32_t>(padded(bytes_.size())));
    out.write(std::string_view("BIN\0", 4));
    out.write(bytes_);
    out.write(std::string(padded(bytes_.size()) - bytes_.size(), '\0'));
  }
  out.write(other_chunks_);
  out.commit();
}

}  // namespace supple
