// How the time of a step grows with the number of tets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench.h"
#include "bench/record/statistics.h"

namespace supple::bench {

void measure_scaling(Bench& bench) {
  bench.heading("Time of a step (h 1/24) against the number of tets");
  std::vector<int> sizes = bench.options.sizes;
  // The largest, for this section only.
  if (bench.options.full) std::replace(sizes.begin(), sizes.end(), 300000, 400000);
  if (sizes.size() < 2) return bench.note("scaling: give two sizes or more");
  for (Shape shape : bench.options.shapes) {
    std::vector<double> tets, seconds;
    Row row;
    for (int n_tets : sizes) {
      const StepCost& cost = yanked_steps(bench, shape, n_tets, 24);
      // The same steps of the motion for all sizes.
      const auto common = std::min<std::ptrdiff_t>(9, static_cast<std::ptrdiff_t>(cost.seconds.size()));
      row.others = std::fmax(row.others, cost.others);
      tets.push_back(cost.tets);
      seconds.push_back(median({cost.seconds.begin(), cost.seconds.begin() + common}));
      row.details.emplace_back(size_name(n_tets) + " ms", 1e3 * seconds.back());
    }
    row.id = fmt::format("scaling/{}/{}-{}", name_of(shape), size_name(sizes.front()), size_name(sizes.back()));
    row.label = fmt::format("exponent of time per step, {}, {} to {}", name_of(shape), size_name(sizes.front()),
                            size_name(sizes.back()));
    row.value = fit_exponent(tets, seconds);
    row.unit = "";
    row.repeats = static_cast<int>(tets.size());
    if (shape == Shape::beam) row.bar = 1.25;
    bench.add(std::move(row));
  }
}

}  // namespace supple::bench
