// How far flesh would be thrown was an estimate: what a run tells about it, for the next attempt.
#pragma once
#include <limits>
#include <map>
#include <string>

#include "supple/pipeline/setup/motion_check.h"

namespace supple::pipeline {

class SwingCorrector {
 public:
  explicit SwingCorrector(double amplitude) : amplitude_(amplitude) {}  // the dial
  // Times how far each region is to be thrown next time; those not named stay. Empty: it is good as it is, or further
  // attempts are of no use.
  std::map<std::string, double> after(const MotionCheck& check);

 private:
  std::map<std::string, double> less(const MotionCheck& check) const;
  std::map<std::string, double> more(const MotionCheck& check) const;
  double amplitude_;
  double farthest_ = std::numeric_limits<double>::infinity();  // that went too far
};

}  // namespace supple::pipeline
