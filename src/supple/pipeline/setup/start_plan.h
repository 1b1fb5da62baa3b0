// How a shot begins, and whether it repeats: what the scene says, and what "auto" makes of the motion.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supple/anim/loop_track.h"
#include "supple/anim/motion_cuts.h"
#include "supple/anim/pose_cycle.h"
#include "supple/anim/track.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/pipeline/setup/notes.h"
#include "supple/sim/model.h"

namespace supple::pipeline {

struct Surroundings;

struct StartPlan {
  std::string start = "rest";  // rest, moving or settled; of a loop: moving
  bool loop = false;
  std::string why;  // "its last pose is 0.21 m from the first"
  // Of a loop.
  int period = 0;     // frames
  RigidMotion carry;  // from one cycle to the next
  // A seam below this share of the swing goes unseen, and so many periods are enough to look for it; unset: as ever.
  std::optional<double> unseen_seam;
  std::optional<int> most_periods;
  MotionCuts cuts;  // of the run's frames
  std::string text() const;
};

// What a clip draws, one sample a frame of the run: points that are to have a track, and some points all over the drawn
// surface, both bridged over frames that are none of the motion.
struct DrawnMotion {
  std::vector<VecX> samples, drawn;
  MotionCuts cuts;
};

// Whether a scene has motions looked through for cuts.
inline bool finds_cuts(const SceneConfig& config) { return config.timeline.cuts != "off"; }
// What is told of them: nothing, or some sentences.
std::vector<std::string> words_for(const MotionCuts& cuts, const SceneConfig& config);

// Decides how a motion begins.
class StartPlanner {
 public:
  // All must outlive this. around: null where there is nothing to touch.
  StartPlanner(const SceneConfig& config, double fps, const ModelSpec& spec, const Surroundings* around, Notes& notes)
      : config_(config), fps_(fps), spec_(spec), around_(around), notes_(notes) {}

  // The track of a motion, begun and continued as the scene says. first, last: frames of the run. InputError: a loop
  // is asked for, and the motion has none.
  std::shared_ptr<const Track> begun(std::vector<VecX> samples, int first, int last);
  // The same where it is known where it is cut, and no other step is. samples: bridged.
  std::shared_ptr<const Track> begun(std::vector<VecX> samples, const MotionCuts& cuts, int first, int last);
  std::shared_ptr<const Track> begun_rigid(std::vector<RigidKey> keys, const Points& rest, int first, int last);
  // The same of a drawn clip: whether it is a cycle is decided by what is drawn, and its motion smoothed in time
  // (anim/pose_track.h).
  std::shared_ptr<const Track> begun_drawn(DrawnMotion motion, int first, int last);
  // The same for a body that nothing moves.
  void begin_unmoved();

  const StartPlan& plan() const { return plan_; }

 private:
  std::string hindrance(const RigidMotion& carry) const;
  void plan_loop(const RigidMotion& carry, int period, const std::string& why);
  bool loop_asked() const { return config_.timeline.loop == "true"; }
  [[noreturn]] void refuse_loop(const std::string& why) const;
  bool choose(const Seam& seam, int period);
  bool choose(const PoseCycle& cycle);
  void need_auto_start() const;
  void note_cuts(MotionCuts cuts);
  double size() const;
  std::shared_ptr<const Track> begun(std::vector<VecX> samples, const MotionCuts& cuts, bool partly, int first,
                                     int last);
  bool choose_by_itself(bool repeats, const RigidMotion& carry, int period, const std::string& why);
  TrackStart track_start() const { return plan_.start == "moving" ? TrackStart::moving : TrackStart::rest; }

  const SceneConfig& config_;
  double fps_;
  const ModelSpec& spec_;
  const Surroundings* around_;
  Notes& notes_;
  StartPlan plan_;
};

}  // namespace supple::pipeline
