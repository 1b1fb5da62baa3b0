// Where the time of a piece of work goes: one name after the other for what has passed since the last.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "supple/base/timer.h"

namespace supple {

class Laps {
 public:
  // What has passed since the last lap, or since this was made, goes to `name`.
  void lap(std::string_view name) { add(name, take()); }
  // The same, for the caller to divide. [s]
  double take() {
    const double now = timer_.seconds(), passed = now - last_;
    last_ = now;
    return passed;
  }
  void add(std::string_view name, double seconds) {
    for (auto& [known, sum] : parts_)
      if (known == name) {
        sum += seconds;
        return;
      }
    parts_.emplace_back(name, seconds);
  }

  const std::vector<std::pair<std::string, double>>& parts() const { return parts_; }
  double named() const {
    double sum = 0;
    for (const auto& [name, seconds] : parts_) sum += seconds;
    return sum;
  }
  double seconds() const { return timer_.seconds(); }  // since this was made

 private:
  Timer timer_;
  double last_ = 0;
  std::vector<std::pair<std::string, double>> parts_;
};

}  // namespace supple
