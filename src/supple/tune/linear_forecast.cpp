#include "supple/tune/linear_forecast.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/linalg/solver.h"
#include "supple/linalg/svd3.h"

namespace supple {

namespace {

constexpr double kDrawnStretch = 2;  // a tet drawn further than that, either way, is as stiff as there
constexpr size_t kTetsAtOnce = 256;

// A tet with something free.
struct FreeTet {
  Tet v;        // ascending
  int slot[10];  // of its lower blocks 00 10 11 20 21 22 30 31 32 33
  Mat3 g;       // gradients of the shape functions of v[1], v[2], v[3] [1/m]
  double volume, mu, lambda, damping;
  Eigen::Matrix<double, 3, 4> drawn;  // gradients in the drawn axes
};

std::vector<FreeTet> free_tets(const Model& model, PatternBuilder& builder) {
  std::vector<FreeTet> out;
  const TetMesh& mesh = model.mesh();
  const AffineMap& map = model.constraints().map();
  for (int t = 0; t < mesh.n_tets(); ++t) {
    FreeTet f;
    f.v = mesh.tets[t];
    if (std::all_of(f.v.begin(), f.v.end(), [&](int v) { return map.row(v).empty(); })) continue;
    std::sort(f.v.begin(), f.v.end());
    Mat3 edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = mesh.vertices[f.v[a + 1]] - mesh.vertices[f.v[0]];
    f.volume = std::abs(edges.determinant()) / 6;
    f.g = edges.inverse().transpose();
    const MaterialParameters& p = model.spec().per_tet[t];
    const ElementMaterial m = element_material(MaterialModel::linear, p);
    f.mu = m.lame_mu, f.lambda = m.lame_lambda, f.damping = m.damping;
    builder.couple(std::span<const int>(f.v));
    out.push_back(f);
  }
  return out;
}

MatX product(const BlockMatrix& A, const MatX& X) {
  MatX Y(X.rows(), X.cols());
  for (Eigen::Index c = 0; c < X.cols(); ++c) Y.col(c) = A.multiply(X.col(c));
  return Y;
}

}  // namespace

struct LinearForecast::Work {
  const Model& model;
  std::vector<int> watched;
  std::vector<FreeTet> tets;
  BlockMatrix all_stiffness, all_damping, springs;  // of all vertices
  std::unique_ptr<Reduction> reduction;
  BlockMatrix mass, stiffness, damping;  // of what is free
  std::unique_ptr<LinearSolver> solver;
  MatX inertia;

  Work(const Model& m, const MatX& epsilon, std::vector<int> seen, const std::string& linear_solver)
      : model(m), watched(std::move(seen)), inertia(epsilon) {
    PatternBuilder builder(m.n_vertices());
    tets = free_tets(m, builder);
    const auto pull = m.make_springs();
    if (pull) pull->couple(builder);
    m.mass()->couple(builder);
    const auto pattern = builder.build();
    for (FreeTet& t : tets)
      for (int a = 0, k = 0; a < 4; ++a)
        for (int b = 0; b <= a; ++b, ++k) t.slot[k] = pattern->find(t.v[a], t.v[b]);
    all_stiffness = all_damping = springs = BlockMatrix(pattern);
    const VecX still = VecX::Zero(3 * m.n_vertices());
    if (pull) pull->add({still, still, still, 0, 0}, {.matrix = &springs});
    BlockMatrix all_mass(pattern);
    m.mass()->add_to(all_mass, 1);
    reduction = std::make_unique<Reduction>(m.constraints().map(), pattern);
    mass = stiffness = damping = BlockMatrix(reduction->pattern());
    reduction->apply(all_mass, mass);
    solver = make_solver(linear_solver == "cg" ? "auto" : linear_solver, m.constraints().map().n_free());
    solver->analyse(reduction->pattern());
  }

  // What all tets have in common of how large the drawn pose is, negative where it is mirrored.
  double common_scale(const VecX& y) const {
    double now = 0, bound = 0;
    for (const FreeTet& t : tets) now += std::cbrt(drawn_gradient(t, y).determinant()) * t.volume, bound += t.volume;
    return bound > 0 && std::abs(now) > 1e-3 * bound ? now / bound : 1;
  }

  static Mat3 drawn_gradient(const FreeTet& t, const VecX& y) {
    Mat3 edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = y.segment<3>(3 * t.v[a + 1]) - y.segment<3>(3 * t.v[0]);
    return edges * t.g.transpose();
  }

  // K and C about y.
  void assemble(const VecX& y) {
    const double scale = common_scale(y);
    parallel_for(tets.size(), kTetsAtOnce, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        FreeTet& t = tets[i];
        const Svd3 f = svd3(drawn_gradient(t, y) / scale);
        const Vec3 held = f.sigma.cwiseMax(1 / kDrawnStretch).cwiseMin(kDrawnStretch);
        const Mat3 g = f.U * held.cwiseInverse().asDiagonal() * f.V.transpose() * t.g;
        t.drawn.rightCols<3>() = g;
        t.drawn.col(0) = -g.rowwise().sum();
      }
    });
    all_damping.set_zero();
    all_stiffness.values = springs.values;
    for (const FreeTet& t : tets)
      for (int a = 0, k = 0; a < 4; ++a)
        for (int b = 0; b <= a; ++b, ++k) {
          const Vec3 &ga = t.drawn.col(a), &gb = t.drawn.col(b);
          double* const stiff = all_stiffness.block(t.slot[k]);
          double* const damp = all_damping.block(t.slot[k]);
          const double even = t.mu * ga.dot(gb);
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
              const double kij =
                  t.volume * (t.lambda * ga[i] * gb[j] + t.mu * gb[i] * ga[j] + (i == j ? even : 0));
              stiff[3 * i + j] += kij, damp[3 * i + j] += t.damping * kij;
            }
        }
    reduction->apply(all_stiffness, stiffness);
    reduction->apply(all_damping, damping);
    // A vertex that no tet uses.
    const double unit = stiffness.max_abs_diagonal();
    for (int i = 0; i < stiffness.n(); ++i) {
      const int d = stiffness.pattern->row_start[i + 1] - 1;
      for (int c = 0; c < 9; c += 4)
        if (stiffness.block(d)[c] == 0) stiffness.block(d)[c] = unit;
    }
  }

  // M times the inertia of each choice times an acceleration of all vertices.
  MatX load(const VecX& accel) const {
    const AffineMap& map = model.constraints().map();
    MatX out(3 * map.n_free(), inertia.cols());
    for (Eigen::Index c = 0; c < inertia.cols(); ++c) {
      VecX felt = accel;
      for (int v = 0; v < model.n_vertices(); ++v) felt.segment<3>(3 * v) *= inertia(v, c);
      out.col(c) = map.restrict_(model.mass()->multiply(felt));
    }
    return out;
  }

  // What nothing holds would be left behind with, at first.
  MatX thrown(const VecX& accel) const {
    const AffineMap& map = model.constraints().map();
    MatX out(3 * map.n_free(), inertia.cols());
    for (Eigen::Index c = 0; c < inertia.cols(); ++c) {
      VecX felt = -accel;
      for (int v = 0; v < model.n_vertices(); ++v) felt.segment<3>(3 * v) *= inertia(v, c);
      out.col(c) = map.gather(felt);
    }
    return out;
  }

  MatX seen(const MatX& d) const {
    const AffineMap& map = model.constraints().map();
    MatX out(static_cast<Eigen::Index>(3 * watched.size()), d.cols());
    for (Eigen::Index c = 0; c < d.cols(); ++c) {
      const VecX all = map.expand(VecX(d.col(c)));
      for (size_t i = 0; i < watched.size(); ++i)
        out.col(c).segment<3>(static_cast<Eigen::Index>(3 * i)) = all.segment<3>(3 * watched[i]);
    }
    return out;
  }
};

namespace {

// A quantity with two rates at the start of a step and after its first stage, and the stage's formulas.
template <class T>
struct Rates {
  T x, v, a;
};
template <class T>
T known_rate(const StageRule& r, const T& x, const T& rate, const T& middle) {
  T sum = r.start * x + r.start_rate * rate;
  if (r.middle != 0) sum += r.middle * middle;
  return sum;
}

bool cut_within(const Track& track, double from, double to) {
  const std::vector<double> cuts = track.cuts();
  return std::any_of(cuts.begin(), cuts.end(), [&](double at) { return at > from && at <= to; });
}

}  // namespace

LinearForecast::LinearForecast(const Model& model, const MatX& inertia, std::vector<int> watched,
                               const std::string& linear_solver)
    : work_(std::make_unique<Work>(model, inertia, std::move(watched), linear_solver)) {}
LinearForecast::~LinearForecast() = default;

std::vector<MatX> LinearForecast::departures(const ForecastShot& shot) {
  Work& w = *work_;
  const double h = 1 / (shot.fps * shot.substeps);
  const std::vector<StageRule> rules = stages(shot.integrator, h);
  Rates<VecX> y{shot.drawn.at(shot.start), shot.drawn.at(shot.start, 1), shot.drawn.at(shot.start, 2)}, ym;
  const MatX none = MatX::Zero(3 * w.model.constraints().map().n_free(), w.inertia.cols());
  Rates<MatX> d{none, none, w.thrown(y.a)}, dm;
  std::vector<MatX> out = {w.seen(d.x)};
  MatX x;
  for (int step = 0; step < shot.frames * shot.substeps; ++step) {
    const double t = shot.start + step * h;
    // Over a cut the flesh goes along as it is.
    if (cut_within(shot.drawn, t, t + h)) {
      y = {shot.drawn.at(t + h), shot.drawn.at(t + h, 1), shot.drawn.at(t + h, 2)};
      if ((step + 1) % shot.substeps == 0) out.push_back(w.seen(d.x));
      continue;
    }
    w.assemble(shot.drawn.at(t + h));
    double factored = 0;
    const Rates<VecX> y0 = y;
    const Rates<MatX> d0 = d;
    for (const StageRule& r : rules) {
      ym = y, dm = d;
      y.x = shot.drawn.at(t + r.end * h);
      y.v = r.now * y.x + known_rate(r, y0.x, y0.v, ym.x);
      y.a = r.now * y.v + known_rate(r, y0.v, y0.a, ym.v);
      if (r.now != factored) {
        BlockMatrix system = w.stiffness;
        system.add(r.now, w.damping);
        system.add(r.now * r.now, w.mass);
        if (w.solver->factorize(system) != FactorStatus::ok) return {};
        factored = r.now;
      }
      const MatX rate = known_rate(r, d0.x, d0.v, dm.x), accel = known_rate(r, d0.v, d0.a, dm.v);
      const MatX b = -w.load(y.a) - product(w.mass, MatX(r.now * rate + accel)) - product(w.damping, rate);
      if (!w.solver->solve(b, x).ok) return {};
      d.x = x;
      d.v = r.now * d.x + rate;
      d.a = r.now * d.v + accel;
    }
    if ((step + 1) % shot.substeps == 0) out.push_back(w.seen(d.x));
  }
  return out;
}

}  // namespace supple
