// How well the dials are met: points of a grid of frequency, amplitude, sag and half-life, asked for and measured.
//   bench_dials SCENE OUTDIR [--part I/N] [--points 0,5,7]
//   bench_dials summary OUTDIR...
// Each process is sequential; parts of a scene may run side by side into one directory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "measure.h"
#include "summary.h"
#include "supple/base/error.h"

namespace supple {

using namespace demos;
namespace {

int usage() {
  fmt::print(stderr, "bench_dials SCENE OUTDIR [--part I/N] [--points 0,5,7]\nbench_dials summary OUTDIR...\nScenes:");
  for (const DialScene& s : dial_scenes()) fmt::print(stderr, " {}", s.name);
  fmt::print(stderr, "\n");
  return 2;
}

int summary(int n, char** directories) {
  std::vector<std::string> files;
  for (int i = 0; i < n; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(directories[i]))
      if (entry.path().extension() == ".csv") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  std::vector<PointRow> rows;
  for (const std::string& f : files)
    for (PointRow& r : read_csv(f)) rows.push_back(std::move(r));
  fmt::print("{}", summary_of(rows));
  return rows.empty();
}

int run(int argc, char** argv) {
  if (argc < 3) return usage();
  if (std::strcmp(argv[1], "summary") == 0) return summary(argc - 2, argv + 2);
  int part = 1, n_parts = 1;
  std::vector<int> only;
  for (int i = 3; i < argc; i += 2) {
    if (i + 1 >= argc) return usage();
    if (std::strcmp(argv[i], "--part") == 0) {
      char rest = 0;
      if (std::sscanf(argv[i + 1], "%d/%d%c", &part, &n_parts, &rest) != 2 || part < 1 || part > n_parts)
        throw InputError({.place = "--part"}, fmt::format("'{}' is not I/N with I from 1 to N", argv[i + 1]));
    } else if (std::strcmp(argv[i], "--points") == 0) {
      std::istringstream in(argv[i + 1]);
      std::string word;
      while (std::getline(in, word, ',')) {
        char rest = 0;
        if (std::sscanf(word.c_str(), "%d%c", &only.emplace_back(), &rest) != 1)
          throw InputError({.place = "--points"}, fmt::format("'{}' is not a number", word));
      }
    } else {
      return usage();
    }
  }
  const DialScene& scene = dial_scene(argv[1]);
  std::filesystem::create_directories(argv[2]);
  measure_points(scene, argv[2], part, n_parts, only);
  return 0;
}

}  // namespace
}  // namespace supple

int main(int argc, char** argv) {
  try {
    return supple::run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
