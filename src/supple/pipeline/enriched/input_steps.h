// The steps of read_enrich_input.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/io/obj.h"
#include "supple/pipeline/enriched/input.h"

namespace supple::pipeline {

// What else is known of the surface's file.
struct NeutralFile {
  Drawn drawn;         // of a glTF file
  ObjReport obj;       // of an .obj
  double size = 0;     // longest side [m]
  bool moves = false;  // a glTF file with clips
};

// Sets the surface, its parts, the scale and the character.
NeutralFile read_neutral(const SceneConfig& config, EnrichInput& in);

// What the animation moves.
struct MovedPoints {
  std::vector<int> vertex;  // as in EnrichInput
  Points points;
  std::vector<int> sources;  // which point of the cache each is; empty: point i is point i
  int n_in_cache = 0;        // points that the cache must have
  std::string what;          // "'face.obj' has 120 vertices", for messages
};
MovedPoints find_moved_points(const SceneConfig& config, EnrichInput& in, const NeutralFile& file);

// Sets the frames and their rate, and warns of what is missing from them or looks wrong.
void read_frames(const SceneConfig& config, const NeutralFile& file, const MovedPoints& moved, EnrichInput& in);

// The welded vertices of an .obj, or of what a cache moves: at the same place now and in every frame, both at the edge
// of their piece of surface (things that only touch are not one).
std::vector<int> weld_by_frames(const EnrichInput& in, double size);
// Those of a glTF file that its bones and morph targets move alike.
std::vector<int> weld_by_bones(const Drawn& drawn);

}  // namespace supple::pipeline
