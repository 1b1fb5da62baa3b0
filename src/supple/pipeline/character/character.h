// A character made ready to be simulated: read, laid out, cut into pieces, its flesh caged in tets and tied to bones.
// Several clips may share one.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/anim/clip_frames.h"
#include "supple/anim/drawn.h"
#include "supple/attach/pieces.h"
#include "supple/pipeline/places/places.h"
#include "supple/pipeline/setup/attach_points.h"
#include "supple/scene/config.h"
#include "supple/tetmesh/surface_mesh.h"

namespace supple::pipeline {

// Tets that decide what the flesh is like, where others are simulated.
struct ReferenceFlesh {
  TetMesh mesh;
  Flesh flesh;
};

struct CharacterSetup {
  Character character;
  Drawn drawn;       // in metres
  double scale = 1;  // file units to metres
  std::vector<Piece> pieces;
  TriMesh skin;                  // the soft pieces, welded, as bound
  std::vector<int> skin_source;  // a drawn vertex behind each of its vertices
  std::vector<int> skin_of;      // per drawn vertex: that of the skin, or -1
  Cage cage;                     // as bound
  CageReport cage_report;
  VertexBlend blend;  // of the skin
  Flesh flesh;
  std::shared_ptr<const Flesh> whole;  // before some of it was held; null: none is. What flesh is like is found on it
  AttachedPoints attached;             // by vertices, proxies and tracks of the scene
  bool finer = false;                  // its tets are smaller where it is soft, as that is little of it
  bool cached = false;    // moved by a cache: no file to add a clip to, and one bone that knows little of turns
  std::string rest_clip;  // where the rest shape is that of a frame: its clip...
  double rest_time = 0;   // ...and the time in it [s]
  std::shared_ptr<const ReferenceFlesh> reference;  // null: the cage itself
  std::vector<std::string> warnings;
  std::vector<std::string> reused;  // stages that were found in the cache
  std::string key;                  // of its flesh there; empty: no cache is in use

  const Flesh& whole_flesh() const { return whole ? *whole : flesh; }
  double size() const;  // longest side of what is drawn, as bound [m]
};

// All clips of the file decide together what is rigid, planted, ... clip_of_rest: whose frame surface.rest names, as
// find_clip takes it. InputError: nothing is soft, and why.
std::shared_ptr<const CharacterSetup> set_up_character(const SceneConfig& config, const std::string& clip_of_rest);

// The soft pieces as one welded surface: fills skin, skin_source and skin_of.
void weld_skin(CharacterSetup& c);

// Where the scene's names and maps are on it. It and the scene must outlive them.
Places places_of(const SceneConfig& config, const CharacterSetup& c);

// What a character without stated size is taken to measure from end to end [m].
inline constexpr double kNominalSize = 1.8;

}  // namespace supple::pipeline
