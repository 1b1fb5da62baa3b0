// What an artist may call places on a character, and the skin that is meant: regions of the scene, bones, mirrored
// pairs of bones, words for places on a body. One resolver for every option and key that takes names.
#pragma once
#include <string>
#include <vector>

#include "supple/attach/body_plan.h"
#include "supple/attach/named_regions.h"

namespace supple {

struct NamedPlace {
  enum class Kind { region, bone, pair, word };
  std::string name;
  Kind kind = Kind::word;
  std::vector<char> on_skin;  // per skin vertex
};

class PlaceNames {
 public:
  // regions: those that the scene names itself. The drawn character must outlive this.
  PlaceNames(BodyPlan plan, const Drawn& drawn, const std::vector<int>& skin_source, std::vector<NamedRegion> regions);
  const BodyPlan& plan() const { return plan_; }
  const std::vector<std::string>& pairs() const { return pairs_; }  // names of its twins

  // The skin of a name, or of a pattern with * and ?: of regions and bones where some are called so, else of pairs,
  // else of words. Empty: nothing is called so.
  std::vector<char> find(const std::string& name) const;
  // The same. InputError: nothing is called so, or it is without skin; with the nearest names.
  std::vector<char> skin_of(const std::string& name, const Location& where) const;
  // Everything that has a name; of words those that have skin on this body.
  std::vector<NamedPlace> all() const;

 private:
  std::vector<char> led_by(const std::vector<char>& bones) const;
  std::string advice(const std::string& name) const;

  BodyPlan plan_;
  const Drawn& drawn_;
  std::vector<int> source_;
  std::vector<NamedRegion> regions_;
  std::vector<std::string> pairs_;
};

// The name of a pair of bones: "ear" of ear.L and ear.R; both names where they have nothing in common.
std::string pair_name(const std::string& left, const std::string& right);

}  // namespace supple
