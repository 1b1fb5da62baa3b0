// bench_speed: how fast it is, beside what the machine can do. See docs/design/benchmarks.md.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <thread>

#include "bench.h"
#include "bench/record/statistics.h"
#include "memory.h"
#include "supple/base/memory.h"
#include "supple/base/parallel.h"
#include "supple/base/timer.h"
#include "supple/linalg/dense_kernels.h"

namespace supple::bench {

const std::vector<Section>& sections() {
  static const std::vector<Section> list = {
      {"assembly", "force, stiffness and scatter of every material", measure_assembly, true},
      {"factor", "our Cholesky against CHOLMOD", measure_factor, true},
      {"step", "a converged step of a yanked body", measure_step, true},
      {"static", "the equilibrium of the next pose", measure_static, true},
      {"adjusted", "what adjusted physics costs", measure_adjusted, true},
      {"linear", "a step of the linear material", measure_linear, true},
      {"modes", "the 20 lowest modes", measure_modes, true},
      {"live", "making the parts of a live pack", measure_live, false},
      {"enrich", "fitting and simulating mesh animations, beside the paper's table", measure_enrich, false},
      {"curves", "physics on rigs, beside the paper's table", measure_curves, false},
      {"threads", "many threads against one", measure_threads, true},
      {"scaling", "time of a step against the number of tets", measure_scaling, true},
      {"examples", "the embedded examples", measure_examples, true},
      {"characters", "`supple run` on characters, from file to file, cold", measure_characters, false},
      {"files", "the files of the command line", measure_files, false},
  };
  return list;
}

void Bench::add(Row row) { add(std::vector<Row>{std::move(row)}); }

void Bench::add(std::vector<Row> rows) {
  for (Row& row : rows) {
    row.others = std::fmax(row.others, others_.cores());  // either may be unknown
    fmt::print("{}", table_line(row));
    record.rows.push_back(std::move(row));
  }
  std::fflush(stdout);
  others_.restart();
}

void Bench::heading(const std::string& text) const { fmt::print("\n{}\n{}", text, table_head()); }

void Bench::note(const std::string& text) const { fmt::print("  {}\n", text); }

void Bench::sample_machine() {
  const int before = thread_count();
  std::vector<int> counts = {1};
  if (options.threads > 1) counts.push_back(options.threads);
  for (int n : counts) {
    set_thread_count(n);
    triad[n].push_back(triad_bytes_per_second());
    if (have_dgemm()) dgemm[n].push_back(dgemm_flops_per_second(n));
  }
  set_thread_count(before);
}

int repeats_for(const Bench& bench, int n_tets) {
  return std::min(bench.options.repeats, n_tets <= 50000 ? 1000 : n_tets <= 150000 ? 5 : 3);
}

std::vector<int> sizes_up_to(const Bench& bench, int most) {
  std::vector<int> sizes = bench.options.sizes;
  std::erase_if(sizes, [most](int n) { return n > most; });
  return sizes;
}

namespace {

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

void describe_machine(Bench& bench) {
  bench.record.machine = {
      {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
      {"processor", processor()},
      {"cores", std::to_string(std::thread::hardware_concurrency())},
      {"threads", std::to_string(bench.options.threads)},
      {"dense kernels", dense_kernels<double>().name},
      {"compiler", __VERSION__},
  };
  for (const auto& [key, value] : bench.record.machine) fmt::print("{}: {}\n", key, value);
  if (!CholmodYardstick::available()) fmt::print("This build has no CHOLMOD: ratios to F are left out.\n");
  if (!have_dgemm()) fmt::print("This build has no BLAS: DGEMM is left out.\n");
  if (static_cast<int>(std::thread::hardware_concurrency()) < bench.options.threads)
    fmt::print("The machine has fewer cores than threads: two-thread figures mean nothing.\n");
}

// Yardsticks of the whole run, taken between the measurements.
void add_machine_rows(Bench& bench) {
  bench.heading("The machine, sampled all along the run");
  std::vector<Row> rows;
  auto add = [&](const char* what, int threads, const std::vector<double>& rates, const char* unit) {
    if (rates.empty()) return;
    std::vector<double> scaled;
    for (double r : rates) scaled.push_back(1e-9 * r);
    Row row = row_of(fmt::format("machine/{}/{}", what, threads),
                     fmt::format("{}, {} thread{}", what, threads, threads == 1 ? "" : "s"), scaled, 1, unit);
    row.best = *std::max_element(scaled.begin(), scaled.end());
    row.at_least = true;
    rows.push_back(std::move(row));
  };
  for (const auto& [threads, rates] : bench.triad) add("triad", threads, rates, "GB/s");
  for (const auto& [threads, rates] : bench.dgemm) add("DGEMM", threads, rates, "Gflop/s");
  bench.add(std::move(rows));
}

int run(const Options& options) {
  Bench bench(options);
  Record before;
  if (!options.compare.empty()) before = read_record(options.compare);
  set_thread_count(options.threads);
  describe_machine(bench);
  const Timer total;
  for (const std::string& name : options.sections)
    for (const Section& s : sections())
      if (name == s.name) {
        bench.sample_machine();
        s.run(bench);
      }
  bench.sample_machine();
  add_machine_rows(bench);
  bench.record.machine.emplace_back("seconds", fmt::format("{:.0f}", total.seconds()));
  fmt::print("\n{}", bars_table(bench.record));
  fmt::print("{:.0f} s in all\n", total.seconds());
  if (!options.json.empty()) {
    write_record(bench.record, options.json);
    fmt::print("written: {}\n", options.json);
  }
  if (!options.compare.empty())
    fmt::print("\nAgainst {}\n{}", options.compare, compare_table(compare(before, bench.record)));
  return 0;
}

}  // namespace
}  // namespace supple::bench

int main(int argc, char** argv) {
  supple::keep_freed_memory();
  using namespace supple::bench;
  forbid_openmp_threads(argv);
  Options options;
  if (const auto code = parse(argc, argv, options)) return *code;
  try {
    return run(options);
  } catch (const std::exception& e) {
    std::fflush(stdout);
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
