// Live parts for engines that take bones: helper joints with keys, and VRM's spring bones.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/live/build.h"
#include "supple/report/json.h"

namespace supple::pipeline::live {

// Helper joints a part whose keys play the answer to the clips. Returns what the report says of it.
Json deliver_bones(const Job& job, const CharacterSetup& c, const LiveBuild& build, const std::string& out,
                   std::vector<std::string>& warnings);

// A spring bone a part that rings as its slowest mode does.
Json deliver_springs(const Job& job, const CharacterSetup& c, const LiveBuild& build, const std::string& out,
                     std::vector<std::string>& warnings);

}  // namespace supple::pipeline::live
