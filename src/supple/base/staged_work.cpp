#include "supple/base/staged_work.h"

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

constexpr double kMost = 0.999;  // before all is done
constexpr double kUnplanned = 0.1, kUnplannedAtTheEnd = 0.5;

}  // namespace

std::string_view stage_name(std::string_view stage) { return stage.substr(0, stage.find(',')); }

int done_after_rounds(double rounds, int of) {
  return static_cast<int>(of * (1 - std::exp2(-std::clamp(rounds, 0.0, 30.0))));
}

void StagedWork::plan(std::vector<PlannedStage> ahead) {
  std::erase_if(ahead, [](const PlannedStage& s) { return !(s.weight > 0); });
  ahead_ = std::move(ahead);
}

void StagedWork::begin(const std::string& name) {
  const auto planned =
      std::find_if(ahead_.begin(), ahead_.end(), [&](const PlannedStage& s) { return s.name == name; });
  double of_rest = ahead_.empty() ? kUnplannedAtTheEnd : kUnplanned;
  if (planned != ahead_.end()) {
    double rest = 0;
    for (auto s = planned; s != ahead_.end(); ++s) rest += s->weight;
    of_rest = planned->weight / rest;
    ahead_.erase(ahead_.begin(), planned + 1);
  }
  stage_ = name;
  begin_ = share_;
  span_ = (1 - share_) * of_rest;
}

void StagedWork::tell(std::string_view stage, int done, int of) {
  const std::string name(stage_name(stage));
  if (name != stage_ || done < done_) begin(name);
  done_ = done;
  const double part = of > 0 ? std::clamp(static_cast<double>(done) / of, 0.0, 1.0) : 1.0;
  share_ = std::max(share_, std::min(kMost, begin_ + span_ * part));
}

}  // namespace supple
