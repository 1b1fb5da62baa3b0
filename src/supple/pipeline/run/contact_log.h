// What contact did over a run: for the report, and for warnings that name frames and places.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "supple/contact/broad_phase.h"
#include "supple/pipeline/job/contact_setup.h"
#include "supple/report/json.h"

namespace supple::pipeline {

class ContactWatch {
 public:
  explicit ContactWatch(const ContactSetup& setup);

  // Before the first step: whether things begin inside one another.
  void begin(const State& state);
  // A step of the frame that is being made, and its end.
  void add(const StepReport& step);
  void end_frame(int frame, const State& state);
  void drop_frame();  // it is made again

  // Kept across a resume.
  void put(Checkpoint& c) const;
  void get(const Checkpoint& c);

  int busiest_frame() const { return busiest_; }  // that with most pairs; -1: nothing touched
  Json json() const;
  std::vector<std::string> warnings() const;

 private:
  struct Frame {
    int frame = 0, let_go = 0;
    std::vector<int> tangled;  // numbers of names
  };
  Points places(const State& state) const;
  std::vector<int> tangled_names(const State& state);

  const ContactSetup& setup_;
  BroadPhase broad_;
  int pairs_max_ = 0, busiest_ = -1;
  double least_gap_ = 1, deepest_ = 0;
  std::vector<std::array<int, 2>> begun_inside_;  // bodies by number; second -1 - k: of plane k
  std::vector<Frame> frames_;                     // those in which something is tangled or was let go of
  struct Now {
    int pairs = 0, tangled = 0, let_go = 0;
    double least_gap = 1, deepest = 0;
  } now_;
};

// "3, 7-9": frames that may be given more than once, ascending.
std::string frame_ranges(const std::vector<int>& frames);

}  // namespace supple::pipeline
