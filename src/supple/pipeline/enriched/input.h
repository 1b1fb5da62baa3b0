// What `supple enrich` reads: a neutral surface, and an animation of it, of some of its vertices, or of points near it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/anim/character.h"
#include "supple/anim/motion_cuts.h"
#include "supple/io/point_cache.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/scene/config.h"

namespace supple::pipeline {

struct EnrichInput {
  TriMesh surface;  // neutral [m]; vertex_maps: all that is painted ("_SOFT", "COLOR_0.r", ...), NaN on meshes without
  std::vector<std::string> part_names;  // materials, meshes, their nodes and OBJ groups, where the file has them
  std::vector<std::vector<int>> parts;  // vertices of each, ascending; a vertex may be in several
  std::vector<int> welded;  // per vertex: the first one at the same place that moves alike (a seam); itself otherwise
  std::vector<int> vertex;  // per animated point: the surface vertex it is, each at most once; -1: a bare point
  Points points;            // per animated point: its neutral place [m]
  PointCache frames;        // where they go, one sample a frame [m]; NaN: missing there
  MotionCuts cuts;          // of these; they are bridged already
  double fps = 24;
  double scale = 1;                            // file units to metres
  std::shared_ptr<const Character> character;  // of a glTF file; null: an .obj
  std::vector<std::string> warnings;

  bool moves_all() const;  // every vertex of the surface is animated
};

// By [surface] and [enrich]: an .obj or a glTF file as it is bound, moved by a cache (.pc2, .mdd or one .obj a frame)
// or by a clip of the glTF file, whole whatever the range of the timeline. InputError: what is missing or does not fit.
EnrichInput read_enrich_input(const SceneConfig& config);

// Vertices by number, each once. InputError: one that is not there.
std::vector<int> read_vertices(const EnrichInput& in, const VertexList& list, const Location& where);

// What is painted, 0..1.
struct PaintedValues {
  std::vector<int> known;      // vertices that have a value, ascending
  std::vector<double> values;  // of these
  bool dense = false;          // every vertex has one
};
// A map of the surface by the name of its attribute or color channel (an underscore before it may be left out), else a
// file of lines "vertex" or "vertex value" with # comments, where a vertex alone is 1. InputError: neither of them, a
// vertex that is not there or has two values, a value outside 0..1.
PaintedValues read_painted(const EnrichInput& in, const FilePath& name_or_file, const Location& where);

// Vertices of all parts whose name matches the pattern (* and ?), ascending; none where nothing does.
std::vector<int> vertices_of(const EnrichInput& in, const std::string& pattern);
// Likewise, but an InputError with the names there are.
std::vector<int> require_vertices_of(const EnrichInput& in, const std::string& pattern, const Location& where);

}  // namespace supple::pipeline
