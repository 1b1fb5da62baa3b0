#include "supple/pipeline/run/swing_correction.h"

#include <algorithm>
#include <cmath>

namespace supple::pipeline {

namespace {

constexpr double kUsualSwing = 0.13, kLargeSwing = 0.18;  // of the thickness
constexpr double kLeastCorrected = 0.06;
constexpr double kWorthwhile = 0.7;  // an attempt that leaves more than this of the swing is the last
constexpr double kSeen = 0.0036;     // rms departure, of the size: less is hardly seen
constexpr double kMostMore = 6;      // times as far, in one more attempt
constexpr double kALittleMore = 1.4;
constexpr double kLeastBeside = 0.3;
constexpr double kRoomyBox = 1.2;
constexpr double kLessStretched = 0.6;

}  // namespace

std::map<std::string, double> SwingCorrector::after(const MotionCheck& c) {
  const double most = kFarthestSwing * std::max(1.0, amplitude_);
  const double far = std::max({c.swing99 / most, c.box_ratio > kWorstBox ? (c.box_ratio - 1) / (kRoomyBox - 1) : 0,
                               c.worst_stretch / farthest_stretch(c)});
  if (far > 1) {
    // Where what went too far hardly changed it is not thrown, and less is of no use.
    if (far > kWorthwhile * farthest_) return {};
    farthest_ = far;
    return less(c);
  }
  return amplitude_ == 1 && (c.swing99 < kLeastCorrected || c.rms_share < kSeen) ? more(c)
                                                                                 : std::map<std::string, double>{};
}

std::map<std::string, double> SwingCorrector::less(const MotionCheck& c) const {
  const double amount = std::max(1.0, amplitude_);
  std::map<std::string, double> change;
  const auto at_most = [&](const std::string& name, double factor) {
    double& f = change.emplace(name, factor).first->second;
    f = std::min(f, factor);
  };
  for (const RegionCheck& r : c.regions) {
    if (c.worst_stretch > farthest_stretch(c)) at_most(r.name, kLessStretched);
    if (c.box_ratio > kWorstBox) at_most(r.name, (kRoomyBox - 1) / (c.box_ratio - 1));
    if (r.swing99 <= kFarthestSwing * amount) continue;
    const double factor = kUsualSwing * amount / r.swing99;
    at_most(r.name, factor);
    // What is beside a region throws it too.
    for (const std::string& name : r.beside) at_most(name, std::max(std::sqrt(factor), kLeastBeside));
  }
  return change;
}

// Thin or calm flesh may go a little further before it goes too far.
std::map<std::string, double> SwingCorrector::more(const MotionCheck& c) const {
  // What has gone too far before is approached from below.
  const double most = farthest_ < std::numeric_limits<double>::infinity() ? kALittleMore : kMostMore;
  const double wanted = c.rms_share > 0 ? 1.1 * kSeen / c.rms_share : kMostMore;
  std::map<std::string, double> change;
  bool worth = false;
  for (const RegionCheck& r : c.regions) {
    if (r.swing99 <= 0 || r.swing99 >= kUsualSwing) continue;
    change[r.name] = std::min({kLargeSwing / r.swing99, std::max(wanted, kUsualSwing / r.swing99), most});
    worth = worth || change[r.name] > 1.2;
  }
  return worth ? change : std::map<std::string, double>{};
}

}  // namespace supple::pipeline
