// Places that a scene speaks of, on the skin of its character: painted maps, regions, what alone stays soft, what is
// held. Names are resolved in one way for all of them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/attach/named_regions.h"
#include "supple/attach/pieces.h"
#include "supple/attach/place_names.h"
#include "supple/scene/config.h"

namespace supple::pipeline {

// A character whose soft pieces are one welded skin.
struct SkinOfCharacter {
  const Character* character = nullptr;
  const Drawn* drawn = nullptr;
  const std::vector<Piece>* pieces = nullptr;
  const TriMesh* skin = nullptr;
  const std::vector<int>* source = nullptr;  // a drawn vertex behind each vertex of skin
};

class Places {
 public:
  Places(const SceneConfig& config, const SkinOfCharacter& on) : config_(config), on_(on) {}

  // A map painted on the character, by the name of the attribute or colour channel, per skin vertex, 0..1; `elsewhere`
  // on meshes without it. Empty without a name. InputError: no mesh has it.
  std::vector<double> painted(const std::string& name, const Location& where, double elsewhere = 0) const;

  // The regions of the scene that say where they are, and their mirror images. One that is called as a bone and says
  // nothing else is left out: it is the flesh that the bone leads.
  const std::vector<NamedRegion>& regions();

  // Which skin follows exactly, by attach.only and attach.hold. Empty: neither says anything.
  std::vector<char> kept();
  // How soft the skin is to be: as painted, and over that as regions say; NaN: nothing is said. Empty: nowhere is.
  std::vector<double> softness();

  // Found when it is asked for, as the shape of the body must be known.
  const PlaceNames& names();
  const BodyPlan& plan();

 private:
  bool is_bone(const std::string& name) const;
  std::vector<char> skin_of(const std::vector<std::string>& names, const std::string& key);

  const SceneConfig& config_;
  const SkinOfCharacter on_;
  std::unique_ptr<const BodyPlan> plan_;
  std::unique_ptr<const PlaceNames> unnamed_, names_;  // without the regions of the scene, and with them
  std::unique_ptr<const std::vector<NamedRegion>> regions_;
  const PlaceNames& unnamed();
};

}  // namespace supple::pipeline
