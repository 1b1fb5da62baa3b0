#include "supple/tune/linear_forecast.h"

#include <algorithm>
#include <iterator>

#include "supple/fem/drawn_shape.h"
#include "supple/inertia/adjusted_force.h"
#include "supple/linalg/solver.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {

namespace {

// b_r is on the right hand side of every solve, by the last one's d: it is small beside what a step's mass resists.
constexpr int kMostSolves = 5;
constexpr double kSettled = 1e-3;      // of d
constexpr double kSameInstant = 1e-9;  // [s]

MatX product(const BlockMatrix& A, const MatX& X) {
  MatX Y(X.rows(), X.cols());
  for (Eigen::Index c = 0; c < X.cols(); ++c) Y.col(c) = A.multiply(X.col(c));
  return Y;
}

// Per element, whether anything of it is free.
std::vector<char> movable(const Elements& elements, const AffineMap& map) {
  std::vector<char> out;
  for (const Element& e : elements.list())
    out.push_back(std::any_of(std::begin(e.v), std::end(e.v), [&](int v) { return !map.row(v).empty(); }));
  return out;
}

}  // namespace

struct LinearForecast::Work {
  const Model& model;
  VertexBlend watched;
  std::shared_ptr<const Elements> elements;
  DrawnShape shape;
  std::vector<size_t> moving;                       // elements of which something is free
  std::vector<std::array<int, 10>> slots;           // of their blocks
  BlockMatrix all_stiffness, all_damping, springs;  // of all vertices
  std::unique_ptr<Reduction> reduction;
  BlockMatrix mass, stiffness, damping;  // of what is free
  std::unique_ptr<LinearSolver> solver;
  MatX inertia;
  VecX rest;
  std::optional<ForecastTurning> turning;
  VertexFrames frames;
  AdjustedForce turned;  // -(1 - c) M b_r
  std::vector<char> needed;
  std::optional<bool> mirrored;

  Work(const Model& m, const MatX& epsilon, VertexBlend seen, const std::optional<ForecastTurning>& turns,
       const std::string& linear_solver)
      : model(m),
        watched(std::move(seen)),
        elements(std::make_shared<const Elements>(m.mesh(), MaterialModel::linear, m.spec().per_tet)),
        shape(elements, movable(*elements, m.constraints().map())),
        inertia(epsilon),
        rest(flatten(m.mesh().vertices)),
        turning(turns),
        frames(*elements),
        turned(m.mass()),
        needed(static_cast<size_t>(m.n_vertices()), 0) {
    for (int v = 0; v < m.n_vertices(); ++v) needed[static_cast<size_t>(v)] = !m.constraints().map().row(v).empty();
    PatternBuilder builder(m.n_vertices());
    for (const Element& e : elements->list()) builder.couple(std::span<const int>(e.v));
    const auto pull = m.make_springs();
    if (pull) pull->couple(builder);
    m.mass()->couple(builder);
    const auto pattern = builder.build();
    slots = block_slots(*elements, *pattern);
    const AffineMap& map = m.constraints().map();
    for (size_t k = 0; k < elements->list().size(); ++k)
      for (int v : elements->list()[k].v)
        if (!map.row(v).empty() && (moving.empty() || moving.back() != k)) moving.push_back(k);
    all_stiffness = all_damping = springs = BlockMatrix(pattern);
    const VecX still = VecX::Zero(3 * m.n_vertices());
    if (pull) pull->add({still, still, still, 0, 0}, {.matrix = &springs});
    BlockMatrix all_mass(pattern);
    m.mass()->add_to(all_mass, 1);
    reduction = std::make_unique<Reduction>(map, pattern);
    mass = stiffness = damping = BlockMatrix(reduction->pattern());
    reduction->apply(all_mass, mass);
    solver = make_solver(linear_solver == "cg" ? "auto" : linear_solver, map.n_free());
    solver->analyse(reduction->pattern());
  }

  // K and C about y.
  void assemble(const VecX& y) {
    shape.set(y - rest);
    all_damping.set_zero();
    all_stiffness.values = springs.values;
    for (size_t k : moving) {
      const Element& e = elements->list()[k];
      const ShapeFrame& frame = shape.tets()[k];
      Eigen::Matrix<double, 3, 4> g;
      g.rightCols<3>() = frame.R * frame.g;
      g.col(0) = -g.rightCols<3>().rowwise().sum();
      const double volume = e.vol * frame.weight, mu = e.material.lame_mu, lambda = e.material.lame_lambda;
      for (int a = 0, n = 0; a < 4; ++a)
        for (int b = 0; b <= a; ++b, ++n) {
          const Vec3 ga = g.col(a), gb = g.col(b);
          Mat3 block = volume * (lambda * ga * gb.transpose() + mu * gb * ga.transpose());
          block.diagonal().array() += volume * mu * ga.dot(gb);
          double* const stiff = all_stiffness.block(slots[k][static_cast<size_t>(n)]);
          double* const damp = all_damping.block(slots[k][static_cast<size_t>(n)]);
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
              stiff[3 * i + j] += block(i, j), damp[3 * i + j] += e.material.damping * block(i, j);
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

  // How the drawn shape turns at y [m], for what comes of it; false: it does not.
  bool turn(const VecX& y, const VecX& rate, const VecX& accel, double h) {
    if (!turning) return false;
    const VecX none = VecX::Zero(y.size());
    AdjustedForce::Moment m{.p = none, .p_rate = none, .p_accel = none};
    if (!mirrored) mirrored = is_mirrored(*elements, y - rest, model.n_vertices());
    const double way = *mirrored ? -1 : 1;
    m.frames = frames.motion(way < 0 ? VecX(-rest - y) : VecX(y - rest), way * rate, way * accel, h, needed);
    m.cancelled_turning = cancelled_turning_about_shape(m.frames.spin, turning->epsilon, turning->swing_rate);
    turned.set(std::move(m));
    return true;
  }

  // (1 - c) M b_r for d and its rate.
  MatX thrown_by_turning(const MatX& d, const MatX& rate) const {
    const AffineMap& map = model.constraints().map();
    MatX out(d.rows(), d.cols());
    for (Eigen::Index c = 0; c < d.cols(); ++c) {
      VecX force = VecX::Zero(3 * model.n_vertices());
      turned.add({map.expand(VecX(d.col(c))), map.expand(VecX(rate.col(c))), VecX(), 0, 0}, {.residual = &force});
      out.col(c) = -map.restrict_(force);
    }
    return out;
  }

  MatX seen(const MatX& d) const {
    const AffineMap& map = model.constraints().map();
    MatX out(static_cast<Eigen::Index>(3) * watched.size(), d.cols());
    for (Eigen::Index c = 0; c < d.cols(); ++c) out.col(c) = blended(watched, map.expand(VecX(d.col(c))));
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
  // Clocks may differ by rounding, and a step ends on the new side of a cut at its end.
  return std::any_of(cuts.begin(), cuts.end(),
                     [&](double at) { return at > from + kSameInstant && at <= to + kSameInstant; });
}

}  // namespace

LinearForecast::LinearForecast(const Model& model, const MatX& inertia, VertexBlend watched,
                               const std::optional<ForecastTurning>& turning, const std::string& linear_solver)
    : work_(std::make_unique<Work>(model, inertia, std::move(watched), turning, linear_solver)) {}
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
    // Over a cut the flesh goes along as it is, seen from the body.
    if (cut_within(shot.drawn, t, t + h)) {
      const VecX before = std::move(y.x);
      y = {shot.drawn.at(t + h), shot.drawn.at(t + h, 1), shot.drawn.at(t + h, 2)};
      const Mat3 turn = fit_rigid_motion(before, y.x).R;
      for (MatX* field : {&d.x, &d.v, &d.a})
        for (Eigen::Index i = 0; i < field->rows(); i += 3)
          field->middleRows<3>(i) = (turn * field->middleRows<3>(i)).eval();
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
      const bool turns = w.turn(y.x, y.v, y.a, h);
      MatX before = dm.x;
      for (int solve = 0; solve < (turns ? kMostSolves : 1); ++solve) {
        const MatX thrown = turns ? w.thrown_by_turning(before, r.now * before + rate) : MatX();
        if (!w.solver->solve(turns ? MatX(b + thrown) : b, x).ok) return {};
        if (turns && (x - before).norm() <= kSettled * x.norm()) break;
        before = x;
      }
      d.x = x;
      d.v = r.now * d.x + rate;
      d.a = r.now * d.v + accel;
    }
    if ((step + 1) % shot.substeps == 0) out.push_back(w.seen(d.x));
  }
  return out;
}

}  // namespace supple
