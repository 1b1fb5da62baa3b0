// Runs each kernel once on a fixed small body inside guard_measured(), and prints its name: callgrind counts the
// instructions of that function, call by call (check_counts.py).
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

#include "bench/kernels/element_run.h"
#include "supple/base/parallel.h"
#include "supple/linalg/affine_map.h"
#include "supple/linalg/supernodal.h"

extern "C" [[gnu::noinline]] void guard_measured(const std::function<void()>& work) {
  work();
  asm volatile("" ::: "memory");  // no tail call: the function ends after the work
}

namespace supple::bench {
namespace {

void measure(const std::string& name, const std::function<void()>& work) {
  work();  // memory and what is looked up once
  std::printf("%s\n", name.c_str());
  guard_measured(work);
}

// A beam bent and squashed, with some tets whose exact stiffness is indefinite.
struct Body {
  TetMesh mesh = make_box(12, 4, 4, Vec3(0.8, 0.2, 0.2));
  VecX u = VecX(3 * mesh.n_vertices());
  Body() {
    for (int i = 0; i < mesh.n_vertices(); ++i) {
      const Vec3& x = mesh.vertices[i];
      u.segment<3>(3 * i) = Vec3(-0.2 * x[0], 0.3 * x[0] * x[0], 0.05 * std::sin(9 * x[0]) * x[1]);
    }
  }
};

std::shared_ptr<const BlockPattern> pattern_of(const TetMesh& mesh) {
  PatternBuilder builder(mesh.n_vertices());
  for (const Tet& t : mesh.tets) builder.couple(std::span<const int>(t.data(), 4));
  return builder.build();
}

void element_kernels_of(const Body& body, MaterialModel model) {
  const Elements elements(body.mesh, model,
                          std::vector<MaterialParameters>(body.mesh.tets.size(), {.poisson_ratio = 0.45}));
  BlockMatrix matrix(pattern_of(body.mesh));
  ElementRun run(elements, body.u, matrix);
  auto all = [&](const ElementKernels& kernels, const std::string& set) {
    const std::string name = "element/" + name_of(model) + "/";
    measure(name + "exact/" + set, [&] { run.add(kernels, false); });
    measure(name + "projected/" + set, [&] { run.add(kernels, true); });
    measure(name + "energy/" + set, [&] { run.energy(kernels); });
  };
  if (avx2_kernels()) all(*avx2_kernels(), "avx2");
  all(baseline_kernels(), "plain");
}

template <typename T>
void dense_kernels_of(const BlockMatrix& a, const std::string& type) {
  const auto symbolic = SymbolicFactor::analyse(*a.pattern);
  const KernelSets<T> sets = dense_kernel_sets<T>();
  const MatX b = MatX::Ones(3 * a.n(), 8);
  for (int i = 0; i < sets.count; ++i) {
    const DenseKernels<T>& kernels = *sets.set[i];
    const std::string name = "cholesky/" + type + "/", set = std::string("/") + kernels.name;

    // C -= A B^T alone: 16 panels, 64 columns deep.
    constexpr int kPanels = 16, kDepth = 64;
    constexpr size_t kWidth = 64 / sizeof(T), kPanel = kDepth * kWidth;
    LineBuffer<T> store;
    store.reserve((2 * kPanels + 1) * kDepth);
    T *c[kPanels], *end = store.line(0);
    const T* from[kPanels];
    for (size_t k = 0; k < (2 * kPanels + 1) * kPanel; ++k) end[k] = T(1) / T(1 + k % 7);
    for (T*& panel : c) panel = end, end += kPanel;
    for (const T*& panel : from) panel = end, end += kPanel;
    measure(name + "update" + set,
            [&] { kernels.update(c, from, 0, kPanels, 0, kernels.strip, end, 0, kDepth, false); });

    SupernodalFactor<T> factor(symbolic, kernels);
    measure(name + "factorize" + set, [&] { factor.factorize(a); });
    VecX x(b.rows());
    MatX many(b.rows(), b.cols());
    measure(name + "solve" + set, [&] {
      x = b.col(0);
      factor.solve(x);
    });
    measure(name + "solve 8" + set, [&] {
      many = b;
      factor.solve(many);
    });
  }
}

void run() {
  set_thread_count(1);
  const Body body;
  for (size_t i = 0; i < material_names().size(); ++i) element_kernels_of(body, static_cast<MaterialModel>(i));

  // The stiffness at rest, held at one end.
  const Elements elements(body.mesh, MaterialModel::stable_neo_hookean,
                          std::vector<MaterialParameters>(body.mesh.tets.size()));
  BlockMatrix full(pattern_of(body.mesh)), held;
  const VecX rest = VecX::Zero(body.u.size());
  ElementRun(elements, rest, full).add(baseline_kernels(), false);
  std::vector<int> clamped;
  for (int i = 0; i < body.mesh.n_vertices(); ++i)
    if (body.mesh.vertices[i][0] == 0) clamped.push_back(i);
  const AffineMap map = AffineMap::without(body.mesh.n_vertices(), clamped);
  const Reduction reduction(map, full.pattern);
  measure("matrix/reduce", [&] { reduction.apply(full, held); });
  const VecX ones = VecX::Ones(3 * held.n());
  VecX product;
  measure("matrix/multiply", [&] { product = held.multiply(ones); });
  dense_kernels_of<double>(held, "double");
  dense_kernels_of<float>(held, "float");
}

}  // namespace
}  // namespace supple::bench

int main() { supple::bench::run(); }
