#include "supple/pipeline/setup/motion_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace supple::pipeline {

namespace {

constexpr double kHardlySeen = 0.003;  // of the size
constexpr double kThin = 0.1;          // swings beyond this share of the thickness are all that it can do

}  // namespace

double farthest_stretch(const MotionCheck& c) { return std::max(3.0, 1.2 * c.worst_input_stretch); }

Json to_json(const MotionCheck& c) {
  Json j;
  j["finite"] = c.finite;
  j["rms_share"] = c.rms_share;
  j["swing99"] = c.swing99;
  j["held_share"] = c.held_share;
  j["peak_share"] = c.peak_share;
  for (const RegionCheck& r : c.regions) j["regions"][r.name]["swing99"] = r.swing99;
  j["worst_stretch"] = c.worst_stretch;
  j["worst_input_stretch"] = c.worst_input_stretch;
  j["box_ratio"] = c.box_ratio;
  return j;
}

std::vector<std::string> complaints(const MotionCheck& c) {
  std::vector<std::string> list;
  if (!c.finite) list.push_back("some positions are not finite");
  if (c.swing99 > kFarthestSwing)
    list.push_back(fmt::format("the flesh is thrown by {:.0f} % of its thickness: lower --amplitude", 100 * c.swing99));
  if (c.rms_share > 0 && c.rms_share < kHardlySeen)
    list.push_back(fmt::format(
        "the flesh moves by {:.2g} % of the character's size only, {:.0f} % of its own thickness: "
        "{}; --amplitude makes more of it",
        100 * c.rms_share, 100 * c.swing99, c.swing99 > kThin ? "what is soft is thin" : "the clip is calm"));
  if (c.worst_stretch > farthest_stretch(c))
    list.push_back(fmt::format("the flesh is stretched up to {:.1f} times its length", c.worst_stretch));
  if (c.box_ratio > kWorstBox)
    list.push_back(fmt::format("the result is up to {:.2f} times as large as the input", c.box_ratio));
  return list;
}

}  // namespace supple::pipeline
