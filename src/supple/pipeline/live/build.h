// `supple live`: the live pack of a character, made from its flesh.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/live_pack.h"
#include "supple/base/watch.h"
#include "supple/modal/live_part.h"
#include "supple/pipeline/character/character.h"
#include "supple/pipeline/job/job.h"
#include "supple/pipeline/live/motion.h"

namespace supple::pipeline::live {

// One part as it was made: numbers for the report, its bone over every clip.
struct LiveMade {
  LivePartReport report;
  std::string region;
  Vec3 hinge = Vec3::Zero();        // amid what holds it, bound world [m]
  std::vector<ClipMotion> motions;  // one a clip of `clips`
};

struct LiveBuild {
  LivePack pack;
  std::vector<LiveMade> parts;  // as in the pack
  std::vector<ClipPlan> clips;  // of the character, those with more than one pose
  std::vector<std::string> warnings;
};

// job: of a character, without motion. watch: noted what is being done; Cancelled is thrown.
LiveBuild build_live(const Job& job, const CharacterSetup& c, const Watch& watch = {});

// Weights of the parts over the frames of a clip: rows are frames.
std::vector<MatX> baked_weights(const LiveBuild& build, size_t clip);

// Turns of the drawn normals for small displacements of the bound vertices: rates of the file's own normals.
class DrawnNormalRates {
 public:
  explicit DrawnNormalRates(const Drawn& drawn);
  Points at(const Points& displacement) const;

 private:
  const Drawn& drawn_;
  std::vector<int> welded_;
  Points places_;
  std::vector<Tri> triangles_;
};

}  // namespace supple::pipeline::live
