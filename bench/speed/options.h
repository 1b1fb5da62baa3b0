// What to measure, from the command line.
#pragma once
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
  std::string json, compare;
};

// Prints help or a mistake and gives the exit code, where there is nothing to run.
std::optional<int> parse(int argc, char** argv, Options& options);

}  // namespace supple::bench
