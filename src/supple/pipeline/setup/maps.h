// Values over the body and over the shot, from maps of the tet file and from files of their own.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "supple/mesh/tet_mesh.h"
#include "supple/pipeline/setup/notes.h"
#include "supple/scene/config.h"

namespace supple::pipeline {

// One factor a tet, above 0; all 1 without a map. key: for errors.
std::vector<double> tet_factors(const SceneConfig& config, const TetMesh& mesh, const FilePath& map,
                                const std::string& key, Notes& notes);

// A dial over the body, on vertices and on tets: one is given, the other are means of it. Empty without a map.
struct DialMap {
  std::vector<double> vertex, tet;
  bool empty() const { return vertex.empty(); }
};
DialMap dial_map(const SceneConfig& config, const TetMesh& mesh, const FilePath& map, const std::string& key,
                 bool zero_allowed, Notes& notes);

// One value a vertex, at least 0.
std::vector<double> vertex_values(const SceneConfig& config, const TetMesh& mesh, const FilePath& file,
                                  const std::string& key, Notes& notes);

// Lines of frame,factor; a header line, blank lines and # comments are allowed; frames must increase.
std::vector<std::array<double, 2>> read_dial_keys(const std::string& path, bool zero_allowed);

}  // namespace supple::pipeline
