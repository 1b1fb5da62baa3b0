#include <fmt/format.h>
#include <meshoptimizer.h>

#include "supple/io/gltf/gltf_data.h"

namespace supple {

std::vector<unsigned char> unpack_meshopt(const GltfFile& file, const GltfPacking& p, GltfBytes bytes,
                                          const std::string& place) {
  const char* const advice = "The file is damaged, or packed by a newer meshopt: export it without compression.";
  auto refuse = [&](const std::string& what) { file.fail(place, "meshopt compression: " + what, advice); };
  const bool attributes = p.mode == "ATTRIBUTES", triangles = p.mode == "TRIANGLES";
  if (!attributes && !triangles && p.mode != "INDICES") refuse(fmt::format("mode \"{:.40}\" is not known", p.mode));
  const bool stride_fits =
      attributes ? p.stride > 0 && p.stride <= 256 && p.stride % 4 == 0 : p.stride == 2 || p.stride == 4;
  if (!stride_fits) refuse(fmt::format("{} bytes an element are not possible here", p.stride));
  if (triangles && p.count % 3 != 0) refuse(fmt::format("{} indices are not whole triangles", p.count));
  // The least that the codec takes: 2 bits for 16 bytes that do not change; a byte a triangle; a byte an index.
  const size_t most = attributes ? 64 * bytes.size() / p.stride + 256 : triangles ? 3 * bytes.size() : bytes.size();
  if (p.count > most) refuse(fmt::format("{} elements cannot come from {} bytes", p.count, bytes.size()));

  std::vector<unsigned char> out(p.count * p.stride);
  if (out.empty()) return out;
  const int error = attributes ? meshopt_decodeVertexBuffer(out.data(), p.count, p.stride, bytes.data(), bytes.size())
                    : triangles
                        ? meshopt_decodeIndexBuffer(out.data(), p.count, p.stride, bytes.data(), bytes.size())
                        : meshopt_decodeIndexSequence(out.data(), p.count, p.stride, bytes.data(), bytes.size());
  if (error != 0) refuse("the data cannot be decoded");

  if (p.filter == "NONE" || p.filter.empty()) return out;
  if (!attributes) refuse("only attributes have filters");
  if (p.filter == "OCTAHEDRAL") {
    if (p.stride != 4 && p.stride != 8) refuse("the octahedral filter needs 4 or 8 bytes an element");
    meshopt_decodeFilterOct(out.data(), p.count, p.stride);
  } else if (p.filter == "QUATERNION") {
    if (p.stride != 8) refuse("the quaternion filter needs 8 bytes an element");
    meshopt_decodeFilterQuat(out.data(), p.count, p.stride);
  } else if (p.filter == "EXPONENTIAL") {
    meshopt_decodeFilterExp(out.data(), p.count, p.stride);
  } else {
    refuse(fmt::format("filter \"{:.40}\" is not known", p.filter));
  }
  return out;
}

}  // namespace supple
