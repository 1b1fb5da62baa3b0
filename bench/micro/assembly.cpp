// Force, stiffness and energy of the elastic term, in nanoseconds a tet on one thread.
#include <benchmark/benchmark.h>

#include <Eigen/Eigenvalues>

#include "bench/micro/beam.h"
#include "supple/base/parallel.h"

namespace supple::bench {
namespace {

enum class Work { energy, force, exact, projected };
enum class Extra { none, viscous_damping, anti_locking };

// "97 % indefinite": the share of tets whose exact tangent has a negative eigenvalue, by a sample of them.
std::string share_indefinite(const Elements& elements, const VecX& u) {
  constexpr size_t kStride = 17;
  int count = 0, sampled = 0;
  for (size_t i = 0; i < elements.list().size(); i += kStride, ++sampled) {
    const Element& e = elements.list()[i];
    const Mat3 F = Mat3::Identity() + elements.gradient(e, u);
    const Eigen::SelfAdjointEigenSolver<MatX> eigen(tangent(elements.model(), e.material, F, false),
                                                    Eigen::EigenvaluesOnly);
    if (eigen.eigenvalues()[0] < -1e-10 * e.material.lame_mu) ++count;
  }
  return std::to_string(100 * count / sampled) + " % indefinite";
}

void assemble(benchmark::State& state, MaterialModel model, Work work, Pose kind, int n_tets, Extra extra) {
  const TetMesh mesh = beam(cells_for(n_tets));
  ElasticTerm term(beam_elements(mesh, model, extra == Extra::anti_locking), ElementDamping::viscous);
  PatternBuilder builder(mesh.n_vertices());
  term.couple(builder);
  BlockMatrix matrix(builder.build());
  const VecX u = pose(mesh, kind), zero = VecX::Zero(u.size());
  VecX residual = zero;
  if (extra == Extra::viscous_damping) term.set_strain_rate_offset(-100 * term.strains(zero));
  const double dv_du = extra == Extra::viscous_damping ? 100 : 0;
  double energy = 0;
  Evaluation out;
  if (work == Work::energy)
    out.energy = &energy;
  else
    out.residual = &residual;
  if (work == Work::exact || work == Work::projected) out.matrix = &matrix;
  out.project = work == Work::projected;
  set_thread_count(1);
  term.add({u, zero, zero, dv_du}, out);  // block places are looked up once for a pattern
  for (auto _ : state) {
    term.add({u, zero, zero, dv_du}, out);
    benchmark::ClobberMemory();
  }
  const double tets = mesh.n_tets();
  state.counters["tets"] = tets;
  state.counters["a_tet"] =
      benchmark::Counter(tets, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  if (work == Work::projected) state.SetLabel(share_indefinite(term.elements(), u));
}

int register_all() {
  auto add = [](const std::string& name, MaterialModel model, Work work, Pose kind, int n_tets,
                Extra extra = Extra::none) {
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& s) {
      assemble(s, model, work, kind, n_tets, extra);
    })->Unit(benchmark::kMillisecond);
  };
  for (size_t i = 0; i < material_names().size(); ++i) {
    const auto model = static_cast<MaterialModel>(i);
    const std::string name = material_names()[i];
    add("energy/" + name + "/20k/hard", model, Work::energy, Pose::hard, 20000);
    add("force/" + name + "/20k/hard", model, Work::force, Pose::hard, 20000);
    add("force+exact/" + name + "/20k/hard", model, Work::exact, Pose::hard, 20000);
    add("force+projected/" + name + "/20k/mild", model, Work::projected, Pose::mild, 20000);
    add("force+projected/" + name + "/20k/hard", model, Work::projected, Pose::hard, 20000);
  }
  const auto neo = MaterialModel::stable_neo_hookean;
  const std::string name = name_of(neo);
  for (auto [size, n_tets] : {std::pair("/5k/hard", 5000), std::pair("/100k/hard", 100000)}) {
    add("force+exact/" + name + size, neo, Work::exact, Pose::hard, n_tets);
    add("force+projected/" + name + size, neo, Work::projected, Pose::hard, n_tets);
  }
  add("force+exact/" + name + "/20k/hard/damped", neo, Work::exact, Pose::hard, 20000, Extra::viscous_damping);
  add("force+exact/" + name + "/20k/hard/anti-locking", neo, Work::exact, Pose::hard, 20000, Extra::anti_locking);
  return 0;
}
const int registered = register_all();

}  // namespace
}  // namespace supple::bench
