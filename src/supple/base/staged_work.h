// How much of a long piece of work is done, of stages whose weights are estimates. The share never goes back, whatever
// stages come, come again or were not planned, and is below 1 until all is said to be done.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/watch.h"

namespace supple {

class StagedWork {
 public:
  // What lies ahead shares what is left by its weights.
  void plan(std::vector<PlannedStage> ahead);
  // As Watch::progress. A stage that was not planned takes half of what is left when nothing lies ahead, else a tenth;
  // one that was planned for later passes over those before it.
  void tell(std::string_view stage, int done, int of);
  void finish() { share_ = 1; }

  double share() const { return share_; }
  bool begun() const { return !stage_.empty(); }

 private:
  void begin(const std::string& name);

  std::vector<PlannedStage> ahead_;
  std::string stage_;
  int done_ = 0;
  double share_ = 0, begin_ = 0, span_ = 0;  // of the stage that is under way
};

// Of rounds whose number nobody knows before, as many may follow as went before: each goes half of the way that is
// left. What is done of `of` parts after so many.
int done_after_rounds(double rounds, int of);

// The name of a stage without what it says more.
std::string_view stage_name(std::string_view stage);

}  // namespace supple
