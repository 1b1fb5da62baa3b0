#include "supple/scene/character_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "supple/anim/drawn.h"
#include "supple/base/error.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/scene/character_setup.h"

namespace supple {

namespace {

double extent_along(const Points& points, const Vec3& up) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3& x : points) low = std::min(low, x.dot(up)), high = std::max(high, x.dot(up));
  return points.empty() ? 0 : high - low;
}

}  // namespace

double scale_of(const SceneConfig& config, const Character& character) {
  const SurfaceConfig& s = config.surface;
  if (s.scale) return *s.scale;
  const Points& rest = lay_out(character).vertices.rest;
  const double size = longest_side(rest), height = extent_along(rest, up_of(config.world));
  const auto flat = [&](const char* what) {
    throw InputError({.file = s.file.text}, fmt::format("the character has no {} as it is bound", what),
                     "give surface.scale instead");
  };
  if (s.height && height <= 0) flat("height");
  if (size <= 0) flat("size");
  return s.height ? *s.height / height : kNominalSize / size;
}

}  // namespace supple
