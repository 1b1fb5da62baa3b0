#include <draco/compression/decode.h>
#include <fmt/format.h>

#include <limits>
#include <new>

#include "supple/io/gltf/gltf_data.h"

namespace supple {

namespace {
const char* const kDamagedDraco = "The file is damaged: export it again, or without Draco compression.";
}

struct DracoMesh::Decoded {
  std::unique_ptr<draco::Mesh> mesh;
};

DracoMesh::DracoMesh(const GltfFile& file, GltfBytes bytes, const std::string& place)
    : file_(file), decoded_(std::make_unique<Decoded>()) {
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string trouble;
  try {
    draco::Decoder decoder;
    auto result = decoder.DecodeMeshFromBuffer(&buffer);
    if (result.ok()) {
      decoded_->mesh = std::move(result).value();
    } else {
      trouble = result.status().error_msg_string();
    }
  } catch (const std::exception& e) {  // counts that no memory holds
    trouble = e.what();
  }
  if (!decoded_->mesh)
    file_.fail(place, fmt::format("Draco: the data cannot be decoded ({:.200})", trouble), kDamagedDraco);
}

DracoMesh::~DracoMesh() = default;

size_t DracoMesh::n_vertices() const { return decoded_->mesh->num_points(); }

std::vector<uint32_t> DracoMesh::indices() const {
  std::vector<uint32_t> out;
  const draco::Mesh& mesh = *decoded_->mesh;
  out.reserve(3 * static_cast<size_t>(mesh.num_faces()));
  for (draco::FaceIndex f(0); f < mesh.num_faces(); ++f) {
    for (const draco::PointIndex& corner : mesh.face(f)) out.push_back(corner.value());
  }
  return out;
}

std::vector<double> DracoMesh::values(int id, const GltfAccessor& accessor, bool scaled,
                                      const std::string& place) const {
  const draco::Mesh& mesh = *decoded_->mesh;
  const draco::PointAttribute* attribute = mesh.GetAttributeByUniqueId(static_cast<uint32_t>(id));
  if (!attribute) file_.fail(place, fmt::format("Draco: attribute {} is not in the data", id), kDamagedDraco);
  const size_t width = static_cast<size_t>(accessor.width);
  if (static_cast<size_t>(attribute->num_components()) != width) {
    file_.fail(place,
               fmt::format("Draco: attribute {} has {} numbers a vertex instead of {}", id,
                           static_cast<int>(attribute->num_components()), width),
               kDamagedDraco);
  }
  const bool floats = attribute->data_type() == draco::DT_FLOAT32 || attribute->data_type() == draco::DT_FLOAT64;
  std::vector<double> out(n_vertices() * width);
  std::vector<float> as_float(width);
  std::vector<int64_t> as_whole(width);
  for (size_t i = 0; i < n_vertices(); ++i) {
    const draco::AttributeValueIndex at = attribute->mapped_index(draco::PointIndex(static_cast<uint32_t>(i)));
    const auto components = static_cast<int8_t>(width);
    const bool good =
        at.value() < attribute->size() && (floats ? attribute->ConvertValue(at, components, as_float.data())
                                                  : attribute->ConvertValue(at, components, as_whole.data()));
    if (!good) file_.fail(place, fmt::format("Draco: vertex {} has no value of attribute {}", i, id), kDamagedDraco);
    for (size_t k = 0; k < width; ++k) {
      const double number = floats ? static_cast<double>(as_float[k]) : static_cast<double>(as_whole[k]);
      out[i * width + k] =
          scaled && accessor.normalized && !floats ? gltf_fraction(accessor.component, number) : number;
    }
  }
  return out;
}

}  // namespace supple
