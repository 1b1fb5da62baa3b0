#include "supple/pipeline/setup/motion_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace supple::pipeline {

namespace {

constexpr double kHardlySeen = 0.003;  // of the size
constexpr double kMostHeld = 0.05;     // of vertices and frames: more than a little of the motion is cut
constexpr double kMostlyDrawn = 0.75;  // of a swing, drawn: less is another motion
constexpr double kTurned = 1e-3;       // of the surface: seen as dark spots
constexpr double kInverted = 5e-3;     // of the tets
constexpr double kThin = 0.1;          // swings beyond this share of the thickness are all that it can do

}  // namespace

double farthest_stretch(const MotionCheck& c) { return std::max(3.0, 1.2 * c.worst_input_stretch); }

Json to_json(const MotionCheck& c) {
  Json j;
  j["rms_share"] = c.rms_share;
  j["swing99"] = c.swing99;
  j["drawn99"] = c.drawn99;
  j["held_share"] = c.held_share;
  j["evened_share"] = c.evened_share;
  j["peak_share"] = c.peak_share;
  for (const RegionCheck& r : c.regions) j["regions"][r.name]["swing99"] = r.swing99;
  j["worst_stretch"] = c.worst_stretch;
  j["worst_input_stretch"] = c.worst_input_stretch;
  j["box_ratio"] = c.box_ratio;
  j["turned_share"] = c.turned_share;
  if (c.turned_frame >= 0) j["turned_frame"] = c.turned_frame;
  j["inverted"] = c.inverted;
  if (c.inverted_frame >= 0) j["inverted_frame"] = c.inverted_frame;
  return j;
}

std::string blown_up(const MotionCheck& c) {
  constexpr double kBoxOfBlownUp = 2;
  if (!(c.peak_share > kBlownUp && c.box_ratio > kBoxOfBlownUp)) return "";
  return fmt::format(
      "the flesh has blown up: it is up to {:.3g} times the size of the body away from where the clip has it",
      c.peak_share);
}

std::vector<std::string> complaints(const MotionCheck& c) {
  std::vector<std::string> list;
  if (c.swing99 > kFarthestSwing)
    list.push_back(fmt::format("the flesh is thrown by {:.0f} % of its thickness: lower --amplitude", 100 * c.swing99));
  if (c.held_share > kMostHeld)
    list.push_back(
        fmt::format("{:.0f} % of the flesh over all frames goes further than output.limit lets it: it is held "
                    "back there; lower --amplitude for a livelier look",
                    100 * c.held_share));
  if (c.held_share <= kMostHeld && c.drawn99 < kMostlyDrawn * c.swing99)
    list.push_back(fmt::format(
        "the flesh is thrown by {:.0f} % of its thickness and drawn as far as skin bears without smearing or "
        "folding, by {:.0f} %: more --amplitude makes little more of it",
        100 * c.swing99, 100 * c.drawn99));
  if (c.rms_share > 0 && c.rms_share < kHardlySeen)
    list.push_back(fmt::format(
        "the flesh moves by {:.2g} % of the character's size only, {:.0f} % of its own thickness: "
        "{}; --amplitude makes more of it",
        100 * c.rms_share, 100 * c.swing99, c.swing99 > kThin ? "what is soft is thin" : "the clip is calm"));
  if (c.worst_stretch > farthest_stretch(c))
    list.push_back(fmt::format("the flesh is stretched up to {:.1f} times its length", c.worst_stretch));
  if (c.box_ratio > kWorstBox)
    list.push_back(fmt::format("the result is up to {:.2f} times as large as the input", c.box_ratio));
  if (c.turned_share > kTurned)
    list.push_back(
        fmt::format("up to {:.2g} % of the soft surface is turned inside out (frame {}): lower --amplitude, "
                    "or make the flesh stiffer with --frequency",
                    100 * c.turned_share, c.turned_frame));
  if (c.inverted > kInverted * c.n_tets)
    list.push_back(
        fmt::format("up to {} of the {} tets of the flesh are inside out (frame {}) beyond those that the "
                    "pose folds",
                    c.inverted, c.n_tets, c.inverted_frame));
  return list;
}

}  // namespace supple::pipeline
