// The numbers of a finished take or a tracked point, to be met elsewhere.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace supple::pipeline {

struct LikeNumbers {
  std::optional<double> frequency_hz, half_life_s, peak_m, sag_m;
  std::vector<std::string> notes;  // what was read, and what could not be
};

// path: the directory of a run (its report.json), a .pc2 or .mdd cache, or a .csv with columns x,y,z or frame,x,y,z
// (one line a frame, in metres). fps: of caches and tracks. InputError when nothing can be learnt from it.
LikeNumbers read_like(const std::string& path, double fps);

}  // namespace supple::pipeline
