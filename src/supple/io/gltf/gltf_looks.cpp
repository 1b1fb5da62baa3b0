#include "supple/io/gltf/gltf_looks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "supple/io/gltf/gltf_data.h"

namespace supple {

namespace {

using Json = nlohmann::json;

// What is not there or of another kind reads as nothing.
const Json& member(const Json& j, const char* key) {
  static const Json nothing;
  if (!j.is_object()) return nothing;
  const auto at = j.find(key);
  return at == j.end() ? nothing : *at;
}
const Json& entry(const Json& list, int index) {
  static const Json nothing;
  if (!list.is_array() || index < 0 || static_cast<size_t>(index) >= list.size()) return nothing;
  return list[static_cast<size_t>(index)];
}
double number(const Json& j, double otherwise) {
  return j.is_number() && std::isfinite(j.get<double>()) ? j.get<double>() : otherwise;
}
int index(const Json& j) { return j.is_number_integer() && j >= 0 && j < (1 << 30) ? j.get<int>() : -1; }

std::string kind_of(const std::string& bytes) {
  if (bytes.starts_with("\x89PNG")) return "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (bytes.starts_with("RIFF") && bytes.size() > 12 && bytes.compare(8, 4, "WEBP") == 0) return "image/webp";
  return "";
}

class LookReader {
 public:
  LookReader(const std::string& path, size_t budget) : file_(load_gltf(path)), data_(file_), budget_(budget) {
    const char* begin = file_.content.data();
    const char* end = begin + file_.content.size();
    if (file_.content.starts_with("glTF") && file_.content.size() >= 20) {
      const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(begin[12 + i])); };
      const size_t length = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
      end = begin + std::min(file_.content.size(), 20 + length);
      begin += 20;
    }
    json_ = Json::parse(begin, end, nullptr, false);
  }

  void read(GltfLooks& out) {
    for (const GltfMesh& mesh : file_.meshes) {
      out.of_primitive.emplace_back();
      for (const GltfPrimitive& p : mesh.primitives) out.of_primitive.back().push_back(p.material);
    }
    const Json& materials = member(json_, "materials");
    for (size_t i = 0; i < file_.materials.size(); ++i)
      out.materials.push_back(material(entry(materials, static_cast<int>(i)), file_.materials[i], out));
  }

 private:
  GltfLook material(const Json& j, const std::string& name, GltfLooks& out) {
    GltfLook look;
    look.name = name;
    const Json* surface = &member(j, "pbrMetallicRoughness");
    const char *factor_name = "baseColorFactor", *picture_name = "baseColorTexture";
    if (const Json& old = member(member(j, "extensions"), "KHR_materials_pbrSpecularGlossiness"); old.is_object())
      surface = &old, factor_name = "diffuseFactor", picture_name = "diffuseTexture";
    const Json& factor = member(*surface, factor_name);
    for (int a = 0; a < 3; ++a) look.color[a] = std::clamp(number(entry(factor, a), 1), 0.0, 1.0);
    const Json& mode = member(j, "alphaMode");
    if (mode == "BLEND") look.opacity = std::clamp(number(entry(factor, 3), 1), 0.0, 1.0);
    if (mode == "MASK") look.cut_out = number(member(j, "alphaCutoff"), 0.5);
    look.uv_to_picture << 1, 0, 0, 0, 1, 0;
    if (const Json& use = member(*surface, picture_name); use.is_object()) {
      look.picture = picture(use, out);
      // Of a picture that cannot be shown only its usual tone is known.
      if (look.picture < 0) look.color *= 0.7;
      place(member(member(use, "extensions"), "KHR_texture_transform"), look);
    }
    return look;
  }

  static void place(const Json& j, GltfLook& look) {
    if (!j.is_object()) return;
    const Json &offset = member(j, "offset"), &scale = member(j, "scale");
    const double turn = number(member(j, "rotation"), 0), c = std::cos(turn), s = std::sin(turn);
    const double sx = number(entry(scale, 0), 1), sy = number(entry(scale, 1), 1);
    look.uv_to_picture << c * sx, s * sy, number(entry(offset, 0), 0), -s * sx, c * sy, number(entry(offset, 1), 0);
  }

  int picture(const Json& use, GltfLooks& out) {
    if (number(member(use, "texCoord"), 0) != 0) return -1;
    const Json& texture = entry(member(json_, "textures"), index(member(use, "index")));
    int source = index(member(texture, "source"));
    if (const int webp = index(member(member(member(texture, "extensions"), "EXT_texture_webp"), "source")); webp >= 0)
      source = webp;
    const auto [known, fresh] = taken_.try_emplace(source, -1);
    if (!fresh) return known->second;
    GltfPicture p;
    try {
      const Json& image = entry(member(json_, "images"), source);
      if (const int view = index(member(image, "bufferView"));
          view >= 0 && static_cast<size_t>(view) < file_.views.size()) {
        const GltfBytes bytes = data_.view(view, "picture");
        p.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      } else if (member(image, "uri").is_string()) {
        p.bytes = load_gltf_uri(file_, {.uri = member(image, "uri").get<std::string>(), .length = 0}, "picture");
      }
    } catch (const InputError&) {
      return -1;
    }
    p.type = kind_of(p.bytes);
    if (p.type.empty() || p.bytes.size() > budget_) return -1;
    budget_ -= p.bytes.size();
    known->second = static_cast<int>(out.pictures.size());
    out.pictures.push_back(std::move(p));
    return known->second;
  }

  GltfFile file_;
  GltfData data_;
  Json json_;
  size_t budget_;
  std::map<int, int> taken_;
};

}  // namespace

GltfLook GltfLooks::of(int mesh, int primitive) const {
  if (mesh < 0 || static_cast<size_t>(mesh) >= of_primitive.size()) return {};
  const std::vector<int>& list = of_primitive[static_cast<size_t>(mesh)];
  if (primitive < 0 || static_cast<size_t>(primitive) >= list.size()) return {};
  const int m = list[static_cast<size_t>(primitive)];
  return m >= 0 && static_cast<size_t>(m) < materials.size() ? materials[static_cast<size_t>(m)] : GltfLook{};
}

GltfLooks read_gltf_looks(const std::string& path, size_t max_picture_bytes) {
  GltfLooks out;
  try {
    LookReader(path, max_picture_bytes).read(out);
  } catch (const InputError&) {
    return {};
  }
  return out;
}

}  // namespace supple
