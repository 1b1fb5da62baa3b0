// How a character looks, as far as a page shows it: base colours and the pictures over them.
#pragma once
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct GltfLook {
  std::string name;
  Vec3 color = Vec3::Constant(0.8);  // linear RGB
  double opacity = 1;
  double cut_out = 0;                              // alpha below which the picture is left out
  int picture = -1;                                // of GltfLooks::pictures
  Eigen::Matrix<double, 2, 3> uv_to_picture = {};  // from the first set of uvs
};
struct GltfPicture {
  std::string bytes, type;  // "image/png", ...
};
struct GltfLooks {
  std::vector<GltfLook> materials;
  std::vector<std::vector<int>> of_primitive;  // per mesh and primitive: the material, or -1
  std::vector<GltfPicture> pictures;           // PNG, JPEG or WebP, not larger than asked

  GltfLook of(int mesh, int primitive) const;
};

// What cannot be read is left out, with plain grey in its place: looks are never a reason to fail. max_picture_bytes:
// of all pictures together; the first that do not fit are left out.
GltfLooks read_gltf_looks(const std::string& path, size_t max_picture_bytes);

}  // namespace supple
