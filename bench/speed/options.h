// What to measure, from the command line.
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models.h"

namespace supple::bench {

struct Options {
  std::vector<std::string> sections;  // in the order they run
  std::vector<std::string> files;     // scenes, tets and characters to cost
  std::vector<int> sizes;             // tets
  std::vector<Shape> shapes;
  std::vector<std::string> solvers;  // back ends beside ours
  int repeats = 11;
  int threads = 2;
  bool full = false;
  std::vector<std::string> characters;  // files of the section of that name...
  std::string clip;                     // ...and which clip of them; "": the first; "all"
  double preview_s = std::numeric_limits<double>::quiet_NaN(), final_s = preview_s;  // bars of theirs
  std::string json, compare;
};

// Prints help or a mistake and gives the exit code, where there is nothing to run.
std::optional<int> parse(int argc, char** argv, Options& options);

}  // namespace supple::bench
