// The ribbon of gltf_builder.h with its vertices compressed.
#pragma once
#include <draco/compression/encode.h>
#include <draco/mesh/mesh.h>
#include <meshoptimizer.h>

#include "tests/io/gltf/gltf_builder.h"

namespace supple {

// Plain accessors keep their type and count and lose their data, as exporters write it.
inline GltfBuilder with_draco(const Ribbon& ribbon, int method) {
  GltfBuilder b = ribbon.file();
  draco::Mesh mesh;
  mesh.set_num_points(12);
  for (size_t t = 0; t < ribbon.indices.size(); t += 3) {
    draco::Mesh::Face face;
    for (size_t k = 0; k < 3; ++k) face[k] = draco::PointIndex(ribbon.indices[t + k]);
    mesh.AddFace(face);
  }
  Json ids;
  auto add = [&](const char* name, draco::GeometryAttribute::Type type, const auto& values, draco::DataType kind,
                 bool normalized = false) {
    const size_t width = values.size() / 12, stride = width * sizeof(values[0]);
    draco::GeometryAttribute attribute;
    attribute.Init(type, nullptr, static_cast<int8_t>(width), kind, normalized, static_cast<int64_t>(stride), 0);
    const int id = mesh.AddAttribute(attribute, true, 12);
    for (uint32_t v = 0; v < 12; ++v) {
      mesh.attribute(id)->SetAttributeValue(draco::AttributeValueIndex(v), values.data() + v * width);
    }
    ids[name] = mesh.attribute(id)->unique_id();
    b.json["accessors"][b.primitive()["attributes"][name].get<int>()].erase("bufferView");
  };
  using Kind = draco::GeometryAttribute;
  add("POSITION", Kind::POSITION, ribbon.positions, draco::DT_FLOAT32);
  add("NORMAL", Kind::NORMAL, ribbon.normals, draco::DT_FLOAT32);
  add("JOINTS_0", Kind::GENERIC, ribbon.joints, draco::DT_UINT8);
  add("WEIGHTS_0", Kind::GENERIC, ribbon.weights, draco::DT_FLOAT32);
  add("COLOR_0", Kind::COLOR, ribbon.colors, draco::DT_UINT8, true);
  b.json["accessors"][b.primitive()["indices"].get<int>()].erase("bufferView");

  draco::Encoder encoder;
  encoder.SetEncodingMethod(method);
  encoder.SetAttributeQuantization(Kind::POSITION, 14);
  encoder.SetAttributeQuantization(Kind::NORMAL, 10);
  draco::EncoderBuffer out;
  EXPECT_TRUE(encoder.EncodeMeshToBuffer(mesh, &out).ok());
  const int view = b.view(std::string(out.data(), out.size()));
  b.primitive()["extensions"]["KHR_draco_mesh_compression"] = {{"bufferView", view}, {"attributes", ids}};
  b.json["extensionsRequired"] = {"KHR_draco_mesh_compression"};
  return b;
}

// Packs bytes into the binary part; the view itself lies in a second buffer that has no data.
inline int meshopt_view(GltfBuilder& b, const std::string& extension, const std::string& bytes, size_t count,
                        size_t stride, const std::string& mode, const std::string& filter = "NONE") {
  std::vector<unsigned char> out(bytes.size() + 4096);
  size_t size = 0;
  if (mode == "ATTRIBUTES") {
    size = meshopt_encodeVertexBuffer(out.data(), out.size(), bytes.data(), count, stride);
  } else {
    std::vector<unsigned> indices(count);
    for (size_t i = 0; i < count; ++i) std::memcpy(&indices[i], bytes.data() + i * stride, stride);
    size = mode == "TRIANGLES" ? meshopt_encodeIndexBuffer(out.data(), out.size(), indices.data(), count)
                               : meshopt_encodeIndexSequence(out.data(), out.size(), indices.data(), count);
  }
  EXPECT_GT(size, 0u);
  if (b.json["buffers"].size() < 2) {
    b.push("buffers", {{"byteLength", 1 << 20}, {"extensions", {{extension, {{"fallback", true}}}}}});
  }
  const int view = b.view(std::string(reinterpret_cast<const char*>(out.data()), size));
  Json& v = b.json["bufferViews"][view];
  Json packing = {{"buffer", 0},  {"byteOffset", v["byteOffset"]}, {"byteLength", size}, {"count", count},
                  {"mode", mode}, {"byteStride", stride}};
  if (filter != "NONE") packing["filter"] = filter;
  v = {{"buffer", 1}, {"byteOffset", 0}, {"byteLength", bytes.size()}, {"extensions", {{extension, packing}}}};
  if (mode == "ATTRIBUTES") v["byteStride"] = stride;
  return view;
}

// mode: of the indices; wide: 32 bits each.
inline GltfBuilder with_meshopt(const Ribbon& ribbon, const std::string& extension, const std::string& mode,
                                bool wide) {
  GltfBuilder b = ribbon.file();
  auto repack = [&](int accessor, const std::string& bytes, size_t count, size_t stride, const std::string& how) {
    b.json["accessors"][accessor]["bufferView"] = meshopt_view(b, extension, bytes, count, stride, how);
  };
  const Json attributes = b.primitive()["attributes"];
  repack(attributes["POSITION"], packed(ribbon.positions), 12, 12, "ATTRIBUTES");
  repack(attributes["WEIGHTS_0"], packed(ribbon.weights), 12, 16, "ATTRIBUTES");
  repack(attributes["JOINTS_0"], packed(ribbon.joints), 12, 4, "ATTRIBUTES");
  const std::vector<uint32_t> indices32(ribbon.indices.begin(), ribbon.indices.end());
  const int indices = b.primitive()["indices"];
  b.json["accessors"][indices]["componentType"] = wide ? 5125 : 5123;
  repack(indices, wide ? packed(indices32) : packed(ribbon.indices), indices32.size(), wide ? 4 : 2, mode);
  b.json["extensionsRequired"] = {extension};
  return b;
}

// The ribbon, plain or compressed in one of these ways.
inline GltfBuilder ribbon_as(const std::string& kind) {
  if (kind == "edgebreaker") return with_draco(Ribbon(), draco::MESH_EDGEBREAKER_ENCODING);
  if (kind == "draco") return with_draco(Ribbon(), draco::MESH_SEQUENTIAL_ENCODING);
  if (kind == "meshopt") return with_meshopt(Ribbon(), "EXT_meshopt_compression", "TRIANGLES", false);
  return Ribbon().file();
}

}  // namespace supple
