#include "supple/pipeline/setup/maps.h"

#include <fmt/format.h>

#include <cmath>

#include "supple/base/error.h"
#include "supple/io/index_list.h"
#include "supple/io/input_file.h"

namespace supple::pipeline {

namespace {

double mean_of(const Tet& t, const std::vector<double>& values) {
  return (values[t[0]] + values[t[1]] + values[t[2]] + values[t[3]]) / 4;
}

void require_factors(const SceneConfig& config, const std::vector<double>& values, const FilePath& map,
                     const std::string& key, const char* what, bool zero_allowed) {
  for (size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]) || values[i] < 0 || (values[i] == 0 && !zero_allowed))
      throw InputError(config.locate(key),
                       fmt::format("'{}': value {} of {} {} is not {}", map.text, values[i], what, i,
                                   zero_allowed ? "0 or more" : "positive"),
                       zero_allowed ? "factors must be finite and at least 0" : "factors must be finite and above 0");
}

}  // namespace

std::vector<double> tet_factors(const SceneConfig& config, const TetMesh& mesh, const FilePath& map,
                                const std::string& key, Notes& notes) {
  if (map.empty()) return std::vector<double>(mesh.tets.size(), 1.0);
  std::vector<double> values;
  if (auto it = mesh.tet_maps.find(map.text); it != mesh.tet_maps.end()) {
    values = it->second;
  } else if (auto at = mesh.vertex_maps.find(map.text); at != mesh.vertex_maps.end()) {
    for (const Tet& t : mesh.tets) values.push_back(mean_of(t, at->second));
  } else {
    notes.input(map);
    values = read_scalar_list(map.path);
  }
  if (values.size() != mesh.tets.size())
    throw InputError(config.locate(key),
                     fmt::format("'{}' has {} values, the mesh has {} tets", map.text, values.size(), mesh.tets.size()),
                     "give one value a tet");
  require_factors(config, values, map, key, "tet", false);
  return values;
}

DialMap dial_map(const SceneConfig& config, const TetMesh& mesh, const FilePath& map, const std::string& key,
                 bool zero_allowed, Notes& notes) {
  DialMap out;
  if (map.empty()) return out;
  if (auto it = mesh.vertex_maps.find(map.text); it != mesh.vertex_maps.end()) {
    out.vertex = it->second;
  } else if (auto at = mesh.tet_maps.find(map.text); at != mesh.tet_maps.end()) {
    out.tet = at->second;
  } else {
    notes.input(map);
    std::vector<double> values = read_scalar_list(map.path);
    if (values.size() != mesh.vertices.size() && values.size() != mesh.tets.size())
      throw InputError(config.locate(key),
                       fmt::format("'{}' has {} values, the mesh has {} vertices and {} tets", map.text, values.size(),
                                   mesh.n_vertices(), mesh.n_tets()),
                       "give one value a vertex or one a tet");
    (values.size() == mesh.vertices.size() ? out.vertex : out.tet) = std::move(values);
  }
  require_factors(config, out.vertex, map, key, "vertex", zero_allowed);
  require_factors(config, out.tet, map, key, "tet", zero_allowed);
  if (out.tet.empty()) {
    for (const Tet& t : mesh.tets) out.tet.push_back(mean_of(t, out.vertex));
  } else {
    const std::vector<double> volume = tet_volumes(mesh);
    std::vector<double> weight(mesh.vertices.size(), 0);
    out.vertex.assign(mesh.vertices.size(), 0);
    for (size_t t = 0; t < volume.size(); ++t)
      for (int v : mesh.tets[t]) out.vertex[v] += volume[t] * out.tet[t], weight[v] += volume[t];
    for (size_t v = 0; v < weight.size(); ++v) out.vertex[v] = weight[v] > 0 ? out.vertex[v] / weight[v] : 1;
  }
  return out;
}

std::vector<double> vertex_values(const SceneConfig& config, const TetMesh& mesh, const FilePath& file,
                                  const std::string& key, Notes& notes) {
  notes.input(file);
  std::vector<double> values = read_scalar_list(file.path);
  if (values.size() != mesh.vertices.size())
    throw InputError(
        config.locate(key),
        fmt::format("'{}' has {} values, the mesh has {} vertices", file.text, values.size(), mesh.n_vertices()),
        "give one value a vertex");
  require_factors(config, values, file, key, "vertex", true);
  return values;
}

std::vector<std::array<double, 2>> read_dial_keys(const std::string& path, bool zero_allowed) {
  InputFile in(path, {.comment = '#', .commas_are_blanks = true});
  std::vector<std::array<double, 2>> keys;
  const char* columns = "A line has frame,factor.";
  if (!in.done() && in.peek() == "frame") {
    in.token("frame");
    if (in.line_done() || in.token("factor") != "factor" || !in.line_done())
      in.fail("the columns should be frame,factor");
  }
  while (!in.done()) {
    const double frame = in.number("frame");
    if (in.line_done()) in.fail("the factor is missing", columns);
    const double factor = in.number("factor");
    if (!(factor > 0 || (zero_allowed && factor == 0)))
      in.fail(fmt::format("the factor is {:g}, but must be {}", factor, zero_allowed ? "at least 0" : "above 0"));
    if (!in.line_done()) in.fail("a line has more than two columns", columns);
    if (!keys.empty() && frame <= keys.back()[0])
      in.fail(fmt::format("frame {:g} does not come after frame {:g}", frame, keys.back()[0]));
    keys.push_back({frame, factor});
  }
  if (keys.empty()) in.fail("the file has no keys", columns);
  return keys;
}

}  // namespace supple::pipeline
