// One point of the grid: by the closed formulas alone, and after tuning.
#pragma once
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "grid.h"

namespace supple {

using namespace demos;

inline constexpr std::array<const char*, 4> kDialNames = {"frequency", "amplitude", "sag", "half_life"};

struct PointRow {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::string scene;
  std::array<double, 4> asked{1, 1, 1, 1};
  std::array<double, 4> formula{kNone, kNone, kNone, kNone};  // measured ratios; NaN: not there to be measured
  std::array<double, 4> tuned{kNone, kNone, kNone, kNone};
  std::array<bool, 4> met{};  // as tune says
  Scalings scalings;          // tuned
  int full_runs = 0, rings = 0;
  double seconds = 0;
  std::string note;  // tune's, of dials out of reach; no commas

  int moved() const;
};

// Every part-th of n of the scene's points, counted from 1; a CSV that grows point by point. Progress on stderr.
void measure_points(const DialScene& scene, const std::string& directory, int part, int n_parts,
                    const std::vector<int>& only);

std::string to_csv(const std::vector<PointRow>& rows);
// InputError: not such a file.
std::vector<PointRow> read_csv(const std::string& path);

}  // namespace supple
