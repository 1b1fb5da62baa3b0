#include "supple/demos/gallery/bar.h"

#include "supple/base/error.h"

namespace supple::demos {

Bar make_bar(const BarOptions& options) {
  const auto [nx, ny, nz] = options.cells;
  const bool sized = options.size.allFinite() && options.size.minCoeff() > 0;
  if (!sized || nx < 1 || ny < 1 || nz < 1 || static_cast<double>(nx) * ny * nz > 1e7) {
    throw InputError({"", 0, 0, "bar"}, "a size or a number of cells is out of range",
                     "give positive sizes and 1 to 10 million cells");
  }
  Bar bar;
  bar.tets = make_box(nx, ny, nz, options.size, {0, -0.5 * options.size.y(), -0.5 * options.size.z()});
  const int per_slice = (ny + 1) * (nz + 1);
  for (int v = 0; v < per_slice; ++v) {
    bar.root.push_back(v);
    bar.tip.push_back(nx * per_slice + v);
  }
  return bar;
}

}  // namespace supple::demos
