// Which scenes are asked for which dials.
#pragma once
#include <string>
#include <vector>

#include "supple/demos/examples/examples.h"
#include "supple/tune/tune.h"

namespace supple {

using namespace demos;

struct DialScene {
  std::string name, example;
  ExampleOptions size;                 // 1000 to 2000 tets, the jellyfish 2500; 4 s
  std::vector<std::string> overrides;  // of scene keys
  bool all_points;                     // of the grid; otherwise the spread of fewer points
  double tolerance;                    // within which a dial counts as met after tuning
};
const std::vector<DialScene>& dial_scenes();
// InputError with the names there are.
const DialScene& dial_scene(const std::string& name);

// frequency, amplitude and half-life 0.5, 1, 2 and sag 1/3, 1, 3: all 81, or 24 well spread; without sag all 27.
std::vector<Ratios> dial_points(bool all, bool with_sag);

// How many dials are not at 1.
int dials_moved(const Ratios& r);

}  // namespace supple
