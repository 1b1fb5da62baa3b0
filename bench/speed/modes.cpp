// The twenty lowest modes of the held beam, assembly and analysis included.
#include <fmt/format.h>

#include "bench.h"
#include "supple/base/error.h"
#include "supple/base/timer.h"
#include "supple/sim/analysis.h"

namespace supple::bench {

void measure_modes(Bench& bench) {
  bench.heading("The 20 lowest modes");
  for (int n_tets : sizes_up_to(bench, 100000))
    for (Shape shape : bench.options.shapes) {
      const Model model = make_model({.shape = shape, .n_tets = n_tets});
      CholmodYardstick f(step_matrix(model, 0));
      std::vector<double> seconds;
      f.sample();
      for (int r = 0; r < std::max(1, bench.options.repeats / 2); ++r) {
        const Timer timer;
        if (!natural_modes(model, 20).ok) throw InputError({}, "the modes did not converge");
        seconds.push_back(timer.seconds());
        f.sample(2);
      }
      Row row = row_of(fmt::format("modes/{}/{}", name_of(shape), size_name(n_tets)),
                       fmt::format("20 modes, {} {}", name_of(shape), size_name(n_tets)), seconds);
      set_yardstick(row, "F", f.seconds(), "F");
      if (shape == Shape::beam && n_tets == 20000) row.bar = 5;
      bench.add(std::move(row));
    }
}

}  // namespace supple::bench
