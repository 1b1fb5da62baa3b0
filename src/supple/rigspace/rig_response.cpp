#include "supple/rigspace/rig_response.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/anim/local_quintic.h"
#include "supple/anim/teleport.h"
#include "supple/base/error.h"
#include "supple/linalg/dense.h"

namespace supple {

namespace {

// Below these shares a motion is rounding, beside the largest (parameters that depend on others), and a square of a
// frequency, beside the fastest that the tets have (rigid motions).
constexpr double kNoMotion = 1e-12, kNoResistance = 1e-11;
constexpr double kSagTolerance = 1e-8;

// The body's own forces, standing still.
struct RigStatics {
  explicit RigStatics(const RigBody& b)
      : body(b), elastic(b.model().make_elastic()), gravity(b.model().gravity_force()) {}

  // Interior and `free` parameters in equilibrium; u and p are where it starts.
  bool settle(const std::vector<int>& free, VecX& u, VecX& p, double t, bool weightless = false) const {
    std::vector<const Term*> terms = {elastic.get()};
    if (!weightless) terms.push_back(&gravity);
    NewtonOptions options{.tolerance = kSagTolerance, .max_iterations = 100};
    options.floor = body.model().rounding_floor(0, std::max(u.cwiseAbs().maxCoeff(), body.model().size()));
    return RigNewton(body, terms, free).solve_static(u, p, t, options).converged;
  }

  const RigBody& body;
  std::unique_ptr<ElasticTerm> elastic;
  LoadTerm gravity;
};

// Columns on the rows of rigged vertices -> on all vertices.
MatX onto_vertices(const RigBody& body, const MatX& rows) {
  MatX all = MatX::Zero(3 * body.n_vertices(), rows.cols());
  for (size_t k = 0; k < body.rigged().size(); ++k)
    all.middleRows<3>(3 * body.rigged()[k]) = rows.middleRows<3>(3 * static_cast<Eigen::Index>(k));
  return all;
}

MatX times(const BlockMatrix& A, const MatX& X) {
  MatX product(X.rows(), X.cols());
  for (Eigen::Index c = 0; c < X.cols(); ++c) product.col(c) = A.multiply(X.col(c));
  return product;
}

// Jq: the columns of the rig continued into the interior so that no force acts there. K: of all vertices, at u.
MatX followed_by_interior(const RigBody& body, const BlockMatrix& K, const BlockMatrix& K_safe, const MatX& columns) {
  const AffineMap& map = body.interior();
  MatX Jq = columns;
  if (map.n_free() == 0) return Jq;
  const MatX KJ = times(K, columns);
  MatX b(3 * map.n_free(), KJ.cols()), n;
  for (Eigen::Index c = 0; c < KJ.cols(); ++c) b.col(c) = -map.restrict_(KJ.col(c));
  const Reduction reduction(map, K.pattern);
  BlockMatrix Knn(reduction.pattern());
  auto solver = make_solver("auto", map.n_free());
  solver->analyse(reduction.pattern());
  reduction.apply(K, Knn);
  if (solver->factorize(Knn) != FactorStatus::ok) {
    reduction.apply(K_safe, Knn);
    if (solver->factorize(Knn) != FactorStatus::ok) return Jq;
  }
  solver->solve(b, n);
  for (Eigen::Index c = 0; c < n.cols(); ++c) Jq.col(c) += map.expand(n.col(c));
  return Jq;
}

double longest_row(const VecX& motion) {
  double longest = 0;
  for (Eigen::Index i = 0; i < motion.size(); i += 3) longest = std::max(longest, motion.segment<3>(i).norm());
  return longest;
}

// Swings of H x = omega^2 M x, both small and M possibly singular. fastest: omega^2 of single vertices.
RigSwings swings_of(const MatX& H, const MatX& M, const MatX& rows, double fastest) {
  RigSwings swings;
  const Eigen::Index n = M.rows();
  // In units in which every parameter weighs the same; those that move nothing have none.
  VecX unit = VecX::Zero(n);
  const double heaviest = M.diagonal().maxCoeff();
  for (Eigen::Index a = 0; a < n; ++a)
    if (M(a, a) > kNoMotion * kNoMotion * heaviest) unit[a] = 1 / std::sqrt(M(a, a));
  const SymmetricEigen mass = symmetric_eigen(unit.asDiagonal() * M * unit.asDiagonal());
  Eigen::Index first = 0;  // values ascend
  while (first < n && mass.values[first] <= kNoMotion * mass.values[n - 1]) ++first;
  const Eigen::Index m = n - first;
  if (m == 0) return swings;
  const MatX white =
      unit.asDiagonal() * mass.vectors.rightCols(m) * mass.values.tail(m).cwiseSqrt().cwiseInverse().asDiagonal();
  const SymmetricEigen eigen = symmetric_eigen(white.transpose() * H * white);
  Eigen::Index held = 0;
  while (held < m && eigen.values[held] <= kNoResistance * fastest) ++held;
  swings.hz = eigen.values.tail(m - held).cwiseSqrt() / (2 * std::numbers::pi);
  swings.shapes = white * eigen.vectors.rightCols(m - held);
  for (Eigen::Index c = 0; c < swings.shapes.cols(); ++c) {
    const VecX motion = rows * swings.shapes.col(c);
    Eigen::Index largest = 0;
    motion.cwiseAbs().maxCoeff(&largest);
    swings.shapes.col(c) *= (motion[largest] < 0 ? -1 : 1) / longest_row(motion);
  }
  return swings;
}

}  // namespace

RigSwings rig_swings(const RigBody& body, const std::vector<int>& free, const VecX& p, double t, bool held) {
  if (free.empty()) return {};
  const RigStatics statics(body);
  const bool loaded = p.size() > 0;
  VecX q = loaded ? p : body.rig()->rest();
  VecX u = VecX::Zero(3 * body.n_vertices());
  if (loaded) {
    u = body.extend(body.rigged_displacement(q, t));
    statics.settle({}, u, q, t);
  }
  PatternBuilder builder(body.n_vertices());
  statics.elastic->couple(builder);
  const auto pattern = builder.build();
  BlockMatrix K(pattern), K_safe(pattern);
  const VecX still = VecX::Zero(u.size());
  const Kinematics here{u, still, still};
  VecX r = still;
  statics.elastic->add(here, {.residual = &r, .matrix = &K});
  statics.elastic->add(here, {.matrix = &K_safe, .project = true});

  const MatX rows = body.rigged_jacobian(q, t, free);
  const MatX Jq = followed_by_interior(body, K, K_safe, onto_vertices(body, rows));
  MatX H = Jq.transpose() * times(K, Jq), M(free.size(), free.size());
  for (Eigen::Index c = 0; c < Jq.cols(); ++c) M.col(c) = Jq.transpose() * body.mass()->multiply(Jq.col(c));
  if (loaded && !held) {
    statics.gravity.add(here, {.residual = &r});
    H += body.rigged_curvature(q, t, free, r);
  }
  const double fastest = body.model().stiffness_scale() / body.mass()->max_diagonal();
  return swings_of((H + H.transpose()) / 2, (M + M.transpose()) / 2, rows, fastest);
}

double rig_sag(const RigBody& body, const std::vector<int>& free, const KeyedParameters& keyed, double t) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const RigStatics statics(body);
  VecX p = keyed(t);
  VecX u = body.extend(body.rigged_displacement(p, t));
  if (!statics.settle(free, u, p, t, true)) return unknown;
  VecX hanging = u, p_hanging = p;
  if (!statics.settle(free, hanging, p_hanging, t)) return unknown;
  const MatX rows = body.rigged_jacobian(p, t, free);
  double moment = 0, mass = 0;
  for (size_t k = 0; k < body.rigged().size(); ++k) {
    if (rows.middleRows<3>(3 * static_cast<Eigen::Index>(k)).isZero(0)) continue;
    const int v = body.rigged()[k];
    const double m = body.mass()->per_vertex()[v];
    mass += m;
    moment += m * (hanging - u).segment<3>(3 * v).squaredNorm();
  }
  return mass > 0 ? std::sqrt(moment / mass) : 0;
}

namespace {

// Samples at frames; t is held inside. cuts [s]: what is before them goes on to them, and does not know what comes.
class FrameCurve {
 public:
  FrameCurve(std::vector<VecX> samples, double t_start, double fps, const std::vector<double>& cuts)
      : samples_(std::move(samples)), t_start_(t_start), fps_(fps) {
    for (double t : cuts) jumps_.push_back(static_cast<int>(std::ceil((t - t_start) * fps - 1e-6)) - 1);
  }

  double clamped(double t) const {
    return std::clamp(t, t_start_, t_start_ + static_cast<double>(samples_.size() - 1) / fps_);
  }
  VecX at(double t) const {
    const int last = static_cast<int>(samples_.size()) - 1;
    double x = (clamped(t) - t_start_) * fps_;
    if (std::abs(x - std::round(x)) < 1e-9) x = std::round(x);  // times that are a frame's but for rounding
    const int k = std::min(static_cast<int>(x), std::max(last - 1, 0));
    if (x == k) return samples_[static_cast<size_t>(k)];
    if (x == k + 1) return samples_[static_cast<size_t>(k) + 1];
    const SixTimes times = {-2, -1, 0, 1, 2, 3};
    SixWeights w = local_quintic_weights(times, x - k, 0);
    int low = 0, high = 5;
    own_window(
        k, [&](int j) { return std::find(jumps_.begin(), jumps_.end(), j) != jumps_.end(); }, low, high);
    low = std::max(low, 2 - k), high = std::min(high, last - k + 2);
    fold_foreign(times, low, high, w);
    VecX sum = VecX::Zero(samples_[0].size());
    for (int j = low; j <= high; ++j)
      if (w[static_cast<size_t>(j)] != 0) sum += w[static_cast<size_t>(j)] * samples_[static_cast<size_t>(k - 2 + j)];
    return sum;
  }

 private:
  std::vector<VecX> samples_;
  double t_start_, fps_;
  std::vector<int> jumps_;  // steps, by the frame before
};

}  // namespace

RigEquilibria rig_equilibria(RigStepper& stepper, double t_start, double fps, int frames,
                             const std::function<bool()>& cancelled) {
  if (frames < 1 || !(fps > 0))
    throw InputError({}, "equilibria are asked for at no frame", "give a rate and a number");
  const RigBody& body = stepper.body();
  const AffineMap& map = body.interior();
  RigEquilibria found;
  State state;
  for (int k = 0; k < frames; ++k) {
    if (cancelled && cancelled()) throw Cancelled();
    const double t = t_start + k / fps;
    try {
      state = stepper.equilibrium(t, state.q);
    } catch (const SimulationFailure&) {
      if (k == 0) throw;
      ++found.unconverged;
    }
    found.parameters.push_back(state.q);
    found.inside.push_back(map.gather(state.u - body.extend(body.rigged_displacement(state.q, state.t))));
  }
  found.track = equilibria_track(found, body, t_start, fps, stepper.cuts());
  return found;
}

std::shared_ptr<const Track> equilibria_track(const RigEquilibria& found, const RigBody& body, double t_start,
                                              double fps, const std::vector<double>& cuts) {
  const VecX rest = flatten(body.model().mesh().vertices);
  return make_function_track(body.n_vertices(),
                             [&body, rest, p = FrameCurve(found.parameters, t_start, fps, cuts),
                              n = FrameCurve(found.inside, t_start, fps, cuts)](double t, int derivative) -> VecX {
                               if (derivative > 0) return {};
                               const double held = p.clamped(t);
                               const VecX u = body.extend(body.rigged_displacement(p.at(held), held));
                               return rest + u + body.interior().expand(n.at(held));
                             });
}

}  // namespace supple
