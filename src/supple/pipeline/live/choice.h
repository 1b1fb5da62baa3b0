// Which flesh of a character becomes which live part.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/character/character.h"
#include "supple/pipeline/job/job.h"

namespace supple::pipeline::live {

struct ChosenPart {
  std::string name, region;   // region: that most of it belongs to
  int bone = -1;              // of Drawn
  std::vector<int> tets;      // of the cage, ascending; reaching into neighbouring parts
  std::vector<double> shown;  // per vertex of the cage: how much of its motion is seen, 1 but where parts meet
  const LivePartConfig* config = nullptr;  // null: nobody asked for it by name
};

// As [[live.part]] says, else one part for every region of the flesh. Parts without anything that moves are left out,
// with a warning. InputError: a region or bone that is not there, or no part at all.
std::vector<ChosenPart> choose_live_parts(const Job& job, const CharacterSetup& c, std::vector<std::string>& warnings);

}  // namespace supple::pipeline::live
