#include "supple/pipeline/character/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "supple/base/error.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/character/character.h"

namespace supple::pipeline {

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

std::string doubt_of_height(const SceneConfig& config) {
  constexpr double kTallest = 40;  // [m] more than any dinosaur stood
  const double height = config.surface.height.value_or(0);
  if (height < kTallest) return "";
  const bool centimetres = height < 1000;
  return fmt::format("surface.height is {0:g}: is it {0:g} m high? heights are in metres: {1:g} for {0:g} {2}", height,
                     height / (centimetres ? 100 : 1000), centimetres ? "cm" : "mm");
}

std::optional<Drawn> drawn_character(const SceneConfig& config) {
  if (!config.has_character()) return std::nullopt;
  const Character character = read_character_file(config);
  return lay_out(character, scale_of(config, character));
}

}  // namespace supple::pipeline
