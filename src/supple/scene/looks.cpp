#include "supple/scene/looks.h"

#include <algorithm>

#include "supple/base/error.h"

namespace supple {

const std::vector<Look>& looks() {
  // Half-lives are given in the look's own periods, beside those of flesh without one.
  const auto look = [](const char* name, double frequency, double amplitude, double periods, const char* like) {
    return Look{
        name,
        {.frequency = frequency, .amplitude = amplitude, .sag = 1, .half_life = periods / kUsualPeriods / frequency},
        like};
  };
  static const std::vector<Look> list = {
      look("subtle", 1.1, 0.6, 0.5, "hardly more than a hint of weight"),
      look("natural", 1, 1, kUsualPeriods, "as without a look"),
      look("cartoon", 0.9, 1.8, 1, "wide and bouncy, with a beat after it"),
      look("jelly", 0.8, 1.5, 3.5, "slow and wide, wobbles long after"),
      look("fat", 0.9, 1.2, 1.5, "heavy, comes to rest in a few swings"),
      look("muscle", 1.6, 0.6, 0.45, "firm, one short quiver"),
      look("rubber", 1.8, 0.9, 3, "quick and springy"),
      look("cartilage", 2.4, 0.5, 1, "stiff, trembles at the tip"),
      look("antenna", 1.4, 1.6, 6, "whips, and swings for long"),
  };
  return list;
}

std::vector<std::string> look_names() {
  std::vector<std::string> names;
  for (const Look& l : looks()) names.emplace_back(l.name);
  return names;
}

DialRatios look_ratios(const std::string& name) {
  if (name.empty()) return {};
  const auto it = std::find_if(looks().begin(), looks().end(), [&](const Look& l) { return l.name == name; });
  if (it == looks().end()) throw InputError({}, "there is no look '" + name + "'", "choose jelly, fat, muscle, ...");
  return it->ratios;
}

}  // namespace supple
