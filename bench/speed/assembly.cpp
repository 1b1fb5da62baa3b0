// Force, stiffness and scatter of the elastic term, one thread, in nanoseconds a tet.
#include <fmt/format.h>

#include "bench.h"
#include "bench/kernels/element_run.h"
#include "bench/record/statistics.h"
#include "supple/base/parallel.h"
#include "supple/base/timer.h"

namespace supple::bench {

namespace {

enum class Work { energy, force, exact, projected };
constexpr const char* kWork[] = {"energy", "force", "exact", "projected"};

struct Case {
  MaterialModel material = MaterialModel::stable_neo_hookean;
  Work work = Work::exact;
  bool scalar = false, damped = false, anti_locking = false;
  Pose kind = Pose::hard;
  double bar = kUnknown;
};

class Assembly {
 public:
  Assembly(const TetMesh& mesh, const Case& c)
      : c_(c),
        term_(elements(mesh, c), ElementDamping::viscous),
        u_(pose(mesh, c.kind)),
        zero_(VecX::Zero(u_.size())),
        residual_(zero_) {
    PatternBuilder builder(mesh.n_vertices());
    term_.couple(builder);
    matrix_ = BlockMatrix(builder.build());
    if (c.damped) term_.set_strain_rate_offset(-kRate * term_.strains(zero_));
    if (c.scalar) run_ = std::make_unique<ElementRun>(term_.elements(), u_, matrix_);
    run();  // places of blocks are looked up once for a pattern
  }

  double run() {
    const Timer timer;
    if (run_) {
      run_->add(baseline_kernels(), c_.work == Work::projected);
      return timer.seconds();
    }
    double energy = 0;
    Evaluation out;
    (c_.work == Work::energy ? void(out.energy = &energy) : void(out.residual = &residual_));
    if (c_.work == Work::exact || c_.work == Work::projected) out.matrix = &matrix_;
    out.project = c_.work == Work::projected;
    term_.add({u_, zero_, zero_, c_.damped ? kRate : 0}, out);
    return timer.seconds();
  }

 private:
  static constexpr double kRate = 100;  // [1/s]
  static std::shared_ptr<const Elements> elements(const TetMesh& mesh, const Case& c) {
    return std::make_shared<const Elements>(
        mesh, c.material, std::vector<MaterialParameters>(mesh.tets.size(), {.stiffness_damping = 0.01}),
        c.anti_locking);
  }

  Case c_;
  ElasticTerm term_;
  VecX u_, zero_, residual_;
  BlockMatrix matrix_;
  std::unique_ptr<ElementRun> run_;  // where the term cannot be asked
};

std::vector<Case> cases() {
  using M = MaterialModel;
  // Bars of stable neo-Hookean; twice as much for StVK and corotational.
  std::vector<Case> list = {{.work = Work::exact, .bar = 95},
                            {.work = Work::exact, .scalar = true, .bar = 140},
                            {.work = Work::projected, .bar = 200},
                            {.work = Work::projected, .scalar = true},
                            {.work = Work::projected, .kind = Pose::mild},
                            {.work = Work::energy},
                            {.work = Work::force},
                            {.work = Work::exact, .damped = true},
                            {.work = Work::exact, .anti_locking = true}};
  for (M m : {M::stvk, M::corotational}) {
    list.push_back({.material = m, .work = Work::exact, .bar = 190});
    list.push_back({.material = m, .work = Work::exact, .scalar = true, .bar = 280});
    list.push_back({.material = m, .work = Work::projected, .bar = 400});
  }
  for (M m : {M::linear, M::invertible_stvk, M::neo_hookean_log})
    for (Work w : {Work::exact, Work::projected}) list.push_back({.material = m, .work = w});
  return list;
}

}  // namespace

void measure_assembly(Bench& bench) {
  const int n_tets = 20000;
  const TetMesh mesh = make_mesh(Shape::beam, n_tets);
  bench.heading(fmt::format("Assembly: force + stiffness + scatter on one core, beam of {} tets", mesh.tets.size()));
  set_thread_count(1);
  for (const Case& c : cases()) {
    Assembly assembly(mesh, c);
    bench.sample_machine();
    std::vector<double> seconds;
    for (int r = 0; r < 3 * bench.options.repeats; ++r) seconds.push_back(assembly.run());
    bench.sample_machine();
    const std::string material = name_of(c.material);
    std::string kind = kWork[static_cast<int>(c.work)];
    if (c.scalar) kind += ", scalar";
    if (c.kind == Pose::mild) kind += ", mild pose";
    if (c.damped) kind += ", damped";
    if (c.anti_locking) kind += ", anti-locking";
    Row row = row_of(fmt::format("assembly/{}/{}", material, kind), material + " " + kind, seconds,
                     1e9 / static_cast<double>(mesh.tets.size()), "ns/tet");
    row.bar = c.bar;
    // The bar is in nanoseconds of an undisturbed core; beside it, what the core could do just before and after.
    const auto around = [](const std::vector<double>& rates) {
      return rates.size() < 2 ? kUnknown : 0.5e-9 * (rates[rates.size() - 1] + rates[rates.size() - 2]);
    };
    const double gflops = around(bench.dgemm[1]);
    row.details = {{"DGEMM Gflop/s", gflops},
                   {"triad GB/s", around(bench.triad[1])},
                   {"in flops of that DGEMM", gflops * row.value}};
    bench.add(std::move(row));
  }
  set_thread_count(bench.options.threads);
}

}  // namespace supple::bench
