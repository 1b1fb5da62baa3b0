// What a live pack costs to make: the flesh of one part as ten-node tets, twenty modes of it, the corrections, the
// transfer of the bone's motion, and all of it as `supple live` does it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench.h"
#include "supple/base/timer.h"
#include "supple/modal/live_part.h"
#include "supple/pipeline/live/motion.h"

namespace supple::bench {

using namespace pipeline::live;

namespace {

constexpr int kModes = 20;

struct Flesh {
  const char* name;
  int cells;  // along each side: six tets a cell
  Vec3 half;  // [m]
};

// A dome on a plate, held where it sits on it: a box drawn in most of the way to a ball (all the way would flatten the
// tets at its edges).
SolidSpec dome(const Flesh& flesh) {
  SolidSpec spec;
  spec.mesh = make_box(flesh.cells, flesh.cells, flesh.cells, Vec3::Constant(2), Vec3(-1, -1, 0));
  for (Vec3& x : spec.mesh.vertices) {
    const Vec3 q = {x[0], x[1], x[2] / 2};
    spec.fixed.push_back(x[2] < 1e-9);
    if (q.norm() > 0) x = q * (0.2 + 0.8 * q.cwiseAbs().maxCoeff() / q.norm());
    x = flesh.half.cwiseProduct(x);
  }
  spec.per_tet.assign(spec.mesh.tets.size(), {.youngs_modulus = 6e3, .poisson_ratio = 0.45, .density = 1000});
  return spec;
}

// Every vertex is drawn, which is more than a skin has.
LivePartSpec part_of(const SolidSpec& solid, double size) {
  LivePartSpec spec;
  spec.name = "flesh", spec.bone = "bone", spec.node = 0;
  spec.solid = solid;
  for (int v = 0; v < solid.mesh.n_vertices(); ++v) {
    spec.shown.push_back(1);
    if (solid.fixed[v]) continue;
    spec.drawn.push_back(v);
    spec.carried.vertex.push_back(v), spec.carried.weight.push_back(1);
    spec.carried.first.push_back(static_cast<int>(spec.carried.vertex.size()));
  }
  spec.motions = usual_motions(spec.frame, size, Vec3::UnitY());
  spec.most_modes = kModes, spec.share = 1;
  return spec;
}

void measure(Bench& bench, const Flesh& flesh) {
  const SolidSpec spec = dome(flesh);
  const int n_tets = spec.mesh.n_tets();
  const std::string size = size_name(n_tets);
  const LivePartSpec part = part_of(spec, 1.8);
  const Solid solid = make_solid(spec);
  CholmodYardstick f(free_part(solid, solid.all.stiffness));
  bench.note(
      fmt::format("{}: {} ten-node tets, {} nodes, {} free", flesh.name, n_tets, solid.nodes.size(), solid.n_free()));
  std::vector<double> assemble, modes, corrections, transfer, whole;
  std::vector<int> kept(kModes);
  for (int i = 0; i < kModes; ++i) kept[i] = i;
  f.sample();
  for (int r = 0; r < std::max(1, bench.options.repeats / 8); ++r) {
    Timer timer;
    const Solid again = make_solid(spec);
    assemble.push_back(timer.seconds());
    timer = Timer();
    ModalAnalysis analysis(again, Vec3::Zero());
    const ModalBasis basis = analysis.modes(kModes);
    modes.push_back(timer.seconds());
    timer = Timer();
    const ModalBasis corrected = analysis.corrected(basis, kept, 0.02);
    corrections.push_back(timer.seconds());
    timer = Timer();
    make_oscillators(again, corrected, {}, 0.01, 0);
    transfer.push_back(timer.seconds());
    f.sample();
    LivePartReport report;
    timer = Timer();
    make_live_part(part, report);
    whole.push_back(timer.seconds());
    f.sample();
  }
  std::vector<Row> rows;
  const auto add = [&](const char* what, const std::string& label, const std::vector<double>& seconds) {
    Row row = row_of(fmt::format("live/{}/{}/{}", flesh.name, size, what),
                     fmt::format("{}, {} {}", label, flesh.name, size), seconds, 1, "s");
    set_yardstick(row, "F", f.seconds(), "F", 1);
    rows.push_back(std::move(row));
  };
  add("assemble", "assemble", assemble);
  add("modes", fmt::format("{} modes", kModes), modes);
  add("corrections", "corrections", corrections);
  add("transfer", "transfer", transfer);
  add("whole", "the whole part", whole);
  bench.add(std::move(rows));
}

}  // namespace

void measure_live(Bench& bench) {
  bench.heading("Making a live part of ten-node tets; F: of its stiffness");
  measure(bench, {.name = "thigh", .cells = 12, .half = {0.10, 0.20, 0.10}});
  measure(bench, {.name = "belly", .cells = 17, .half = {0.18, 0.22, 0.15}});
}

}  // namespace supple::bench
