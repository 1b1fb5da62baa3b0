// The embedded examples: each writes an ordinary scene with its files, made by code, and is then run as any other.
#pragma once
#include <string>
#include <vector>

namespace supple::demos {

struct Example {
  std::string name, summary;
};
const std::vector<Example>& examples();

// Other sizes of the same examples, for many runs in little time.
struct ExampleOptions {
  double edge = 0;  // [m] of the tets of sunflowers and jellyfish; 0: theirs
  int cells = 0;    // across the bar, five times as many along it; 0: three
  // 4 s: sunflowers stop at frame 48, the jellyfish is up to speed in 1 s; bars always are. Sumo and jellyphant: the
  // first 2 s, with a coarser skin and the tets of a preview; so is the ball thrown at it. Drop: 1 s, coarse.
  // Those that are enriched: 30 frames or 1 s, with a coarser skin and 400 to 3000 tets. Those of curves: 10 to 20
  // frames.
  bool short_shot = false;
};

// Writes the scene of an example and the files it names into a directory; returns the path of the scene file.
// Throws InputError with a suggestion for an unknown name, and for sizes that cannot be.
std::string write_example(const std::string& name, const std::string& directory, const ExampleOptions& options = {});

}  // namespace supple::demos
