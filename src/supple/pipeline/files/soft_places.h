// What of a character is soft, place by place, under every name that an artist may call it by.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supple/pipeline/character/character.h"
#include "supple/report/json.h"

namespace supple::pipeline {

struct SoftPlace {
  std::string name;
  std::string kind;                // "flesh" as bones lead it, "region" of the scene, "pair", "word"
  std::vector<std::string> other;  // of a pair: both names; of a word: others for the same
  std::vector<char> on_skin;       // per skin vertex
  int vertices = 0;                // of the skin there
  double share = 0;                // of the skin
  double soft = 0;                 // how soft they are on the average: 0 follow, 1 free
  double thickness_m = 0;          // of the body there: of the free flesh
  // Its slowest swing with all else held, measured on the body as it is simulated, dials and all. Nothing: too little
  // of it is free.
  std::optional<double> frequency_hz, half_life_s;
  // How far it gives way under the acceleration of a brisk walk, as it was chosen, before the dials.
  std::optional<double> swing_m;
};

struct SoftPlaces {
  std::shared_ptr<const CharacterSetup> character;
  std::vector<SoftPlace> list;
  std::vector<std::string> warnings;
};

// scene: of a character. InputError: it is none, or nothing of it is soft.
SoftPlaces find_soft_places(const SceneConfig& scene);

std::string soft_places_text(const SoftPlaces& places);
Json soft_places_json(const SoftPlaces& places);
// How soft it is, and its flesh and regions in colours with their names.
std::string soft_places_svg(const SoftPlaces& places);

}  // namespace supple::pipeline
