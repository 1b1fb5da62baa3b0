// Many threads against one, in turn.
#include <fmt/format.h>

#include "bench.h"
#include "bench/record/statistics.h"
#include "supple/base/parallel.h"
#include "supple/base/timer.h"
#include "supple/sim/stepper.h"

namespace supple::bench {

namespace {

// work(many): once, timed by the work itself.
void speed_up(Bench& bench, const std::string& what, int n_tets, int repeats, double bar,
              const std::function<double(bool many)>& work) {
  std::vector<double> one, more;
  for (int r = 0; r < repeats; ++r) {
    set_thread_count(1);
    one.push_back(work(false));
    set_thread_count(bench.options.threads);
    more.push_back(work(true));
  }
  const std::string size = size_name(n_tets);
  Row row = row_of(fmt::format("threads/{}/{}/{}", what, size, bench.options.threads),
                   fmt::format("{} beam {}, {} threads against one", what, size, bench.options.threads), more);
  set_yardstick(row, "1 thread", one, "x");
  row.ratio = row.yardstick_value / row.value;
  row.at_least = true;
  if (n_tets == 100000 && bench.options.threads == 2) row.bar = bar;
  bench.add(std::move(row));
}

void measure(Bench& bench, int n_tets) {
  const Model model = make_model({.n_tets = n_tets});
  const double h = 1.0 / 24;
  {
    const auto term = model.make_elastic();
    PatternBuilder builder(model.n_vertices());
    term->couple(builder);
    BlockMatrix matrix(builder.build());
    const VecX u = pose(model.mesh(), Pose::hard), zero = VecX::Zero(u.size());
    VecX residual = zero;
    auto add = [&](bool) {
      const Timer timer;
      term->add({u, zero, zero}, {.residual = &residual, .matrix = &matrix});
      return timer.seconds();
    };
    add(false);
    speed_up(bench, "assembly", n_tets, 3 * bench.options.repeats, 1.6, add);
  }
  {
    const BlockMatrix a = step_matrix(model, h);
    const auto solver = make_solver("auto", a.n());
    solver->analyse(a.pattern);
    auto factorize = [&](bool) {
      const Timer timer;
      solver->factorize(a);
      return timer.seconds();
    };
    factorize(false);
    speed_up(bench, "factorization", n_tets, repeats_for(bench, n_tets), 1.6, factorize);
  }
  // Two simulations of the same motion, so that both do the same work.
  const StepperOptions options{.integrator = Integrator::backward_euler, .tolerance = 1e-6};
  Stepper one(model, yank(model), options), more(model, yank(model), options);
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State of_one = one.start(0, zero, zero), of_more = more.start(0, zero, zero);
  for (int i = 0; i < 2; ++i) one.step(of_one, h), more.step(of_more, h);
  speed_up(bench, "step", n_tets, repeats_for(bench, n_tets) + 2, 1.35, [&](bool many) {
    const Timer timer;
    if (many)
      more.step(of_more, h);
    else
      one.step(of_one, h);
    return timer.seconds();
  });
}

}  // namespace

void measure_threads(Bench& bench) {
  if (bench.options.threads < 2) return bench.note("threads: there is only one");
  bench.heading(fmt::format("{} threads against one", bench.options.threads));
  for (int n_tets : sizes_up_to(bench, 100000))
    if (n_tets >= 20000) measure(bench, n_tets);
}

}  // namespace supple::bench
