// The sections of bench_speed, and what they share.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "bench/record/record.h"
#include "load.h"
#include "options.h"
#include "yardsticks.h"

namespace supple::bench {

// A run of steps, each timed on its own.
struct StepCost {
  int tets = 0, unknowns = 0;
  std::vector<double> seconds;    // of each step
  std::vector<double> yardstick;  // F, taken between the steps
  // Of one step, on average.
  double newton = 0, krylov = 0, factorizations = 0, projected = 0, retries = 0;
  double assemble_s = 0, factorize_s = 0, solve_s = 0, elsewhere_s = 0;
  double swing = 0;              // largest displacement, of the body's length
  double others = kUnknown;      // cores that other programs took meanwhile
  double peak_bytes = kUnknown;  // of model and stepper
};

class Bench {
 public:
  explicit Bench(Options o) : options(std::move(o)) {}

  // Keeps a row and prints it, with what others took of the machine since the last.
  void add(Row row);
  void add(std::vector<Row> rows);  // measured together
  void heading(const std::string& text) const;
  void note(const std::string& text) const;
  // DGEMM and triad, once more.
  void sample_machine();

  Options options;
  Record record;
  std::map<std::string, StepCost> steps;            // measured in this run
  std::map<int, std::vector<double>> dgemm, triad;  // by threads [flops/s, bytes/s]

 private:
  OthersLoad others_;
};

struct Section {
  const char* name;
  const char* summary;
  void (*run)(Bench&);
  bool by_default;
};
const std::vector<Section>& sections();

void measure_assembly(Bench& bench);
void measure_factor(Bench& bench);
void measure_step(Bench& bench);
void measure_static(Bench& bench);
void measure_adjusted(Bench& bench);
void measure_linear(Bench& bench);
void measure_modes(Bench& bench);
void measure_live(Bench& bench);
void measure_enrich(Bench& bench);
void measure_curves(Bench& bench);
void measure_threads(Bench& bench);
void measure_scaling(Bench& bench);
void measure_examples(Bench& bench);
void measure_files(Bench& bench);
void measure_characters(Bench& bench);

// Steps of the yanked model at h, backward Euler, tolerance 1e-6. The first two are not counted. make: so that the
// memory of the model counts.
StepCost measure_steps(const std::function<Model()>& make, double h, int steps);
// The same for a standard model, once a run.
const StepCost& yanked_steps(Bench& bench, Shape shape, int n_tets, int per_second);
// Its row, F beside it.
Row step_row(const std::string& id, const std::string& label, const StepCost& cost);

// Repeats of a short measurement, fewer where it is not short.
int repeats_for(const Bench& bench, int n_tets);
// Sizes of the options that are not above `most`.
std::vector<int> sizes_up_to(const Bench& bench, int most);

}  // namespace supple::bench
