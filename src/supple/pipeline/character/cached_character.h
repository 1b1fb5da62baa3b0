// A surface whose vertices a cache moves, as a character: no bones but one, which goes along with the whole.
#pragma once
#include "supple/anim/character.h"
#include "supple/io/point_cache.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/scene/config.h"

namespace supple::pipeline {

// One node goes along rigidly; what is left of each frame is a morph target, whose weight is 1 at that frame and falls
// to 0 at those before and after. The only clip has one frame a sample. Vertex colours are maps (COLOR_0.r).
Character cached_character(const TriMesh& surface, const PointCache& cache, double fps, const std::string& name);

// Frames a second of a clip, where the scene says nothing.
double rate_of(const SceneConfig& config, const Clip& clip);
// That of its own keys or samples.
double keyed_rate_of(const SceneConfig& config, const Clip& clip);

// What the surface of a scene is: that, or the glTF file.
Character read_character_file(const SceneConfig& config);

}  // namespace supple::pipeline
