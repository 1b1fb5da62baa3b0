// What is painted on a surface, and its parts by name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "supple/attach/pattern.h"
#include "supple/base/error.h"
#include "supple/io/input_file.h"
#include "supple/pipeline/enriched/input.h"

namespace supple::pipeline {

namespace {

constexpr double kRounding = 1e-6;  // a painted value beyond 0..1 by that much is meant to be within

bool is_share(double value) { return value >= -kRounding && value <= 1 + kRounding; }

std::string advice_of_names(const std::string& name, const std::vector<std::string>& known, const std::string& what) {
  const std::string near = nearest_word(name, known.data(), known.data() + known.size());
  return fmt::format("{}{}: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near), what,
                     fmt::join(known, ", "));
}

PaintedValues painted_map(const std::string& name, const std::vector<double>& map, const Location& where) {
  PaintedValues painted;
  for (size_t v = 0; v < map.size(); ++v) {
    if (std::isnan(map[v])) continue;
    if (!is_share(map[v]))
      throw InputError(where, fmt::format("map '{}' is {:.4g} at vertex {}", name, map[v], v),
                       "paint values from 0 to 1");
    painted.known.push_back(static_cast<int>(v));
    painted.values.push_back(std::clamp(map[v], 0.0, 1.0));
  }
  painted.dense = painted.known.size() == map.size();
  return painted;
}

PaintedValues painted_file(const std::string& path, int n_vertices) {
  InputFile file(path, {.comment = '#', .commas_are_blanks = true});
  std::map<int, double> values;
  while (!file.done()) {
    const long long v = file.integer("a vertex");
    if (v < 0 || v >= n_vertices)
      file.fail(fmt::format("vertex {} is outside 0 .. {}", v, n_vertices - 1), "Vertices are counted from 0.");
    const double value = file.line_done() ? 1 : file.number("a value");
    if (!is_share(value)) file.fail(fmt::format("the value {:.4g} is outside 0 .. 1", value));
    if (!file.line_done()) {
      file.token("the end of the line");
      file.fail("a line has more than a vertex and its value");
    }
    const auto [known, is_new] = values.emplace(static_cast<int>(v), std::clamp(value, 0.0, 1.0));
    if (!is_new && known->second != std::clamp(value, 0.0, 1.0))
      file.fail(fmt::format("vertex {} is {:.4g} here and was {:.4g} before", v, value, known->second));
  }
  if (values.empty())
    throw InputError({path, 0, 0, ""}, "the file names no vertices",
                     "Each line is a vertex, or a vertex and its value.");
  PaintedValues painted;
  for (const auto& [v, value] : values) painted.known.push_back(v), painted.values.push_back(value);
  painted.dense = painted.known.size() == static_cast<size_t>(n_vertices);
  return painted;
}

}  // namespace

PaintedValues read_painted(const EnrichInput& in, const FilePath& name_or_file, const Location& where) {
  const auto& maps = in.surface.vertex_maps;
  for (const std::string& name : {name_or_file.text, "_" + name_or_file.text}) {
    const auto map = maps.find(name);
    if (map != maps.end()) return painted_map(name, map->second, where);
  }
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name_or_file.path, ignored))
    return painted_file(name_or_file.path, in.surface.n_vertices());
  std::vector<std::string> known;
  for (const auto& [name, map] : maps) known.push_back(name);
  throw InputError(where, fmt::format("'{}' is neither a map of the surface nor a file", name_or_file.text),
                   known.empty() ? "the surface has no painted maps at all; a file has lines \"vertex value\""
                                 : advice_of_names(name_or_file.text, known, "its maps are"));
}

std::vector<int> vertices_of(const EnrichInput& in, const std::string& pattern) {
  std::vector<int> vertices;
  for (size_t p = 0; p < in.parts.size(); ++p)
    if (matches(pattern, in.part_names[p])) vertices.insert(vertices.end(), in.parts[p].begin(), in.parts[p].end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

std::vector<int> require_vertices_of(const EnrichInput& in, const std::string& pattern, const Location& where) {
  std::vector<int> vertices = vertices_of(in, pattern);
  if (vertices.empty())
    throw InputError(where, fmt::format("the surface has no part '{}'", pattern),
                     in.part_names.empty() ? "its file names no groups, materials or meshes"
                                           : advice_of_names(pattern, in.part_names, "its parts are"));
  return vertices;
}

}  // namespace supple::pipeline
