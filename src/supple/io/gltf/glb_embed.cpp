// Taking in what a glTF file refers to: the constructor of GlbDocument.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/io/bytes.h"
#include "supple/io/gltf/glb_document.h"
#include "supple/io/gltf/gltf_data.h"

namespace supple {

namespace {

constexpr int kIndexData = 34963;  // use of a view, by its number in glTF
const char* const kDraco = "KHR_draco_mesh_compression";
const char* const kMeshopt[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};

void drop_extension(OrderedJson& object, const char* name) {
  const auto all = object.find("extensions");
  if (all == object.end() || !all->is_object()) return;
  all->erase(name);
  if (all->empty()) object.erase("extensions");
}

void drop_from_list(OrderedJson& root, const char* key, const char* name) {
  const auto list = root.find(key);
  if (list == root.end() || !list->is_array()) return;
  for (size_t i = list->size(); i-- > 0;) {
    if ((*list)[i] == name) list->erase(i);
  }
  if (list->empty()) root.erase(key);
}

template <class T>
void put(std::string& bytes, double value) {
  const T stored = in_order(static_cast<T>(value), std::endian::little);
  bytes.append(reinterpret_cast<const char*>(&stored), sizeof stored);
}

void put_component(std::string& bytes, double value, GltfComponent component) {
  switch (component) {
    case GltfComponent::i8:
      return put<int8_t>(bytes, value);
    case GltfComponent::u8:
      return put<uint8_t>(bytes, value);
    case GltfComponent::i16:
      return put<int16_t>(bytes, value);
    case GltfComponent::u16:
      return put<uint16_t>(bytes, value);
    case GltfComponent::u32:
      return put<uint32_t>(bytes, value);
    case GltfComponent::f32:
      return put<float>(bytes, value);
  }
}

std::string picture_type(const std::string& bytes, const std::string& uri) {
  if (bytes.starts_with("\x89PNG")) return "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (bytes.starts_with("\xABKTX 20")) return "image/ktx2";
  if (bytes.starts_with("RIFF") && bytes.size() > 12 && bytes.compare(8, 4, "WEBP") == 0) return "image/webp";
  if (!uri.starts_with("data:")) return "";
  return uri.substr(5, uri.find_first_of(";,") - 5);
}

}  // namespace

class GlbEmbedder {
 public:
  GlbEmbedder(GlbDocument& doc, std::vector<std::string>& warnings)
      : doc_(doc), file_(doc.file_), json_(doc.json()), data_(doc.file_), warnings_(warnings) {}

  void run() {
    for (size_t m = 0; m < file_.meshes.size(); ++m) {
      for (const GltfPrimitive& p : file_.meshes[m].primitives) {
        if (p.draco_view >= 0) draco_views_.insert(p.draco_view);
      }
    }
    const bool packed =
        std::any_of(file_.views.begin(), file_.views.end(), [](auto& v) { return v.packing.has_value(); });
    const bool own = file_.bin_begin > 0 && file_.buffers.size() == 1 && file_.buffers[0].uri.empty();
    if (own && !packed && draco_views_.empty()) {
      if (file_.buffers[0].length > file_.bin_length) {
        doc_.fail("buffer 0",
                  fmt::format("it should have {} bytes, but {} are there", file_.buffers[0].length, file_.bin_length),
                  "The file is truncated or damaged: export or download it again.");
      }
      doc_.bytes_ = file_.content.substr(file_.bin_begin, file_.buffers[0].length);
    } else if (!file_.buffers.empty()) {
      gather_views();
    }
    unpack_draco();
    if (packed) refresh_unpacked();
    embed_pictures();
    for (const char* name : {kDraco, kMeshopt[0], kMeshopt[1]}) {
      drop_from_list(json_, "extensionsUsed", name);
      drop_from_list(json_, "extensionsRequired", name);
    }
  }

 private:
  // All views into one buffer, plain. Views that touch or overlap stay so: they are copied together.
  void gather_views() {
    struct Piece {
      GltfBytes bytes;
      int view;
    };
    std::vector<Piece> pieces;
    for (int i = 0; i < static_cast<int>(file_.views.size()); ++i) {
      if (draco_views_.count(i) == 0) pieces.push_back({data_.view(i, ""), i});
    }
    const std::less<const unsigned char*> before;
    std::sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) {
      return a.bytes.data() == b.bytes.data() ? a.view < b.view : before(a.bytes.data(), b.bytes.data());
    });
    for (size_t first = 0; first < pieces.size();) {
      const unsigned char *begin = pieces[first].bytes.data(), *end = begin + pieces[first].bytes.size();
      size_t last = first + 1;
      for (; last < pieces.size() && !before(end, pieces[last].bytes.data()); ++last) {
        end = std::max(end, pieces[last].bytes.data() + pieces[last].bytes.size(), before);
      }
      // Elements stay aligned as they were: unpacked views begin at a multiple of 4.
      const GltfView& head = file_.views[static_cast<size_t>(pieces[first].view)];
      const size_t phase = head.packing ? 0 : head.offset % 4;
      doc_.append("");
      doc_.bytes_.resize(doc_.bytes_.size() + phase, '\0');
      const size_t at = doc_.bytes_.size();
      doc_.bytes_.append(reinterpret_cast<const char*>(begin), static_cast<size_t>(end - begin));
      for (; first < last; ++first) {
        OrderedJson& view = json_["bufferViews"][static_cast<size_t>(pieces[first].view)];
        view["buffer"] = 0;
        view["byteOffset"] = at + static_cast<size_t>(pieces[first].bytes.data() - begin);
        view["byteLength"] = pieces[first].bytes.size();
        for (const char* name : kMeshopt) drop_extension(view, name);
      }
    }
    OrderedJson buffer = json_["buffers"][0];
    buffer.erase("uri");
    for (const char* name : kMeshopt) drop_extension(buffer, name);
    json_["buffers"] = OrderedJson::array({buffer});
  }

  // The view that held the compressed data takes the first plain list, so that none is left without a use.
  int plain_view(int draco_view, const std::string& bytes, size_t stride, int use) {
    if (!reused_.insert(draco_view).second) return doc_.add_view(bytes, stride, use);
    OrderedJson view = {{"buffer", 0}, {"byteOffset", 0}, {"byteLength", 0}};
    if (stride > 0) view["byteStride"] = stride;
    view["target"] = use;
    json_["bufferViews"][static_cast<size_t>(draco_view)] = std::move(view);
    doc_.replace_view(draco_view, bytes);
    return draco_view;
  }

  void unpack_draco() {
    for (size_t m = 0; m < file_.meshes.size(); ++m) {
      const GltfMesh& mesh = file_.meshes[m];
      for (size_t p = 0; p < mesh.primitives.size(); ++p) {
        if (mesh.primitives[p].draco_view < 0) continue;
        const std::string place = fmt::format("{}, primitive {}", gltf_place("mesh", m, mesh.name), p);
        unpack_primitive(mesh.primitives[p], json_["meshes"][m]["primitives"][p], place);
      }
    }
  }

  void unpack_primitive(const GltfPrimitive& primitive, OrderedJson& out, const std::string& place) {
    const DracoMesh draco(file_, data_.view(primitive.draco_view, place), place);
    std::map<std::string, std::vector<double>> decoded;
    for (const auto& [name, id] : primitive.draco_ids) {
      const auto attribute = primitive.attributes.find(name);
      if (attribute == primitive.attributes.end() || !plain_.insert(attribute->second).second) continue;
      decoded[name] = draco.values(id, accessor_of(primitive, name), false, place + ", " + name);
    }
    level_weights(primitive, decoded);
    for (const auto& [name, values] : decoded) {
      const GltfAccessor& a = accessor_of(primitive, name);
      const size_t width = static_cast<size_t>(a.width), each = width * byte_size(a.component);
      const size_t stride = (each + 3) / 4 * 4;
      std::string bytes;
      for (size_t i = 0; i < values.size(); ++i) {
        put_component(bytes, values[i], a.component);
        if (i % width == width - 1) bytes.append(stride - each, '\0');
      }
      const int view = plain_view(primitive.draco_view, bytes, stride, kGltfVertexData);
      settle(primitive.attributes.at(name), view, draco.n_vertices());
    }
    const std::vector<uint32_t> indices = draco.indices();
    int accessor = primitive.indices;
    if (accessor < 0) {
      accessor = doc_.add_accessor({{"componentType", static_cast<int>(GltfComponent::u32)}, {"type", "SCALAR"}});
      out["indices"] = accessor;
    }
    if (plain_.insert(accessor).second) {
      OrderedJson& a = json_["accessors"][static_cast<size_t>(accessor)];
      auto component = static_cast<GltfComponent>(a["componentType"].get<int>());
      if (draco.n_vertices() >= (size_t{1} << 8 * byte_size(component)) - 1) component = GltfComponent::u32;
      a["componentType"] = static_cast<int>(component);
      std::string bytes;
      for (const uint32_t i : indices) put_component(bytes, i, component);
      settle(accessor, plain_view(primitive.draco_view, bytes, 0, kIndexData), indices.size());
    }
    if (primitive.mode == 5) out["mode"] = 4;  // what was a strip has been decoded to single triangles
    drop_extension(out, kDraco);
  }

  const GltfAccessor& accessor_of(const GltfPrimitive& primitive, const std::string& name) const {
    return file_.accessors[static_cast<size_t>(primitive.attributes.at(name))];
  }

  // Draco rounds skin weights one by one; plain ones must sum to 1.
  void level_weights(const GltfPrimitive& primitive, std::map<std::string, std::vector<double>>& decoded) const {
    std::vector<std::vector<double>*> sets;
    for (auto& [name, values] : decoded) {
      const GltfAccessor& a = accessor_of(primitive, name);
      if (name.starts_with("WEIGHTS_") && a.width == 4 && a.component == GltfComponent::f32) sets.push_back(&values);
    }
    if (sets.empty()) return;
    for (size_t i = 0; i + 3 < sets[0]->size(); i += 4) {
      double sum = 0;
      for (const auto* set : sets) {
        for (size_t k = i; k < i + 4; ++k) sum += (*set)[k];
      }
      if (!(sum > 0)) continue;
      for (auto* set : sets) {
        for (size_t k = i; k < i + 4; ++k) (*set)[k] /= sum;
      }
    }
  }

  void settle(int accessor, int view, size_t count) {
    OrderedJson& a = json_["accessors"][static_cast<size_t>(accessor)];
    a.erase("byteOffset");
    a["bufferView"] = view;
    a["count"] = count;
    refresh_bounds(accessor);
  }

  // Decoding rounds: bounds that the file states must be those of the numbers there now.
  void refresh_bounds(int accessor) {
    OrderedJson& a = json_["accessors"][static_cast<size_t>(accessor)];
    if (!a.contains("min") && !a.contains("max")) return;
    GlbArray array = doc_.array(accessor);
    array.normalized = false;  // bounds are of the integers themselves
    const std::vector<float> values = array.floats();
    const size_t width = static_cast<size_t>(array.width);
    std::vector<double> low(width, INFINITY), high(width, -INFINITY);
    for (size_t i = 0; i < values.size(); ++i) {
      low[i % width] = std::min(low[i % width], static_cast<double>(values[i]));
      high[i % width] = std::max(high[i % width], static_cast<double>(values[i]));
    }
    auto as_json = [&](const std::vector<double>& bound) {
      OrderedJson list = OrderedJson::array();
      for (const double b : bound) {
        if (array.component == GltfComponent::f32) {
          list.push_back(b);
        } else {
          list.push_back(static_cast<int64_t>(b));
        }
      }
      return list;
    };
    if (values.empty()) return;
    if (a.contains("min")) a["min"] = as_json(low);
    if (a.contains("max")) a["max"] = as_json(high);
  }

  void refresh_unpacked() {
    for (int i = 0; i < static_cast<int>(file_.accessors.size()); ++i) {
      const int view = file_.accessors[static_cast<size_t>(i)].view;
      if (view >= 0 && plain_.count(i) == 0 && file_.views[static_cast<size_t>(view)].packing) refresh_bounds(i);
    }
  }

  void embed_pictures() {
    const auto images = json_.find("images");
    if (images == json_.end() || !images->is_array()) return;
    for (size_t i = 0; i < images->size(); ++i) {
      OrderedJson& image = (*images)[i];
      if (!image.is_object() || !image.contains("uri") || !image["uri"].is_string()) continue;
      const std::string uri = image["uri"].get<std::string>(), place = fmt::format("image {}", i);
      try {
        const std::string bytes = load_gltf_uri(file_, {uri, 0}, place);
        const std::string type = picture_type(bytes, uri);
        if (type.empty()) file_.fail(place, fmt::format("\"{:.200}\" is no known kind of picture", uri));
        image.erase("uri");
        image["bufferView"] = doc_.add_view(bytes);
        image["mimeType"] = type;
      } catch (const InputError& error) {
        warnings_.push_back(std::string(error.what()) + " (it is not embedded)");
      }
    }
  }

  GlbDocument& doc_;
  const GltfFile& file_;
  OrderedJson& json_;
  GltfData data_;
  std::vector<std::string>& warnings_;
  std::set<int> draco_views_, reused_, plain_;  // plain_: accessors that were decoded
};

GlbDocument::GlbDocument(const std::string& path, std::vector<std::string>& warnings)
    : file_(load_gltf(path)), json_(std::make_unique<OrderedJson>()) {
  std::string_view text = file_.content;
  if (text.starts_with("glTF")) {  // load_gltf has checked the chunks
    constexpr uint32_t kJsonChunk = 0x4E4F534A;
    text = {};
    for (size_t at = 12; at + 8 <= word_at(file_.content, 8);) {
      const size_t size = word_at(file_.content, at);
      const bool is_json = word_at(file_.content, at + 4) == kJsonChunk && text.empty();
      if (is_json) {
        text = std::string_view(file_.content).substr(at + 8, size);
      } else if (at + 8 != file_.bin_begin) {
        other_chunks_ += std::string_view(file_.content).substr(at, 8 + size);
      }
      at += 8 + size;
    }
  }
  try {
    json() = OrderedJson::parse(text.begin(), text.end());
    GlbEmbedder(*this, warnings).run();
  } catch (const nlohmann::json::exception& error) {
    fail_of_kind(error);
  }
  std::string().swap(file_.content);
}

}  // namespace supple
