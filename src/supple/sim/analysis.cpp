#include "supple/sim/analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/mesh/embedding.h"
#include "supple/sim/linear_body.h"

namespace supple {

Modes natural_modes(const Model& model, int k, const std::string& linear_solver, const VecX& u) {
  Modes modes;
  const AffineMap& map = model.constraints().map();
  if (map.n_free() == 0) {
    modes.message = "every vertex is driven: nothing can vibrate";
    return modes;
  }
  const LinearBody body = linear_body(model, u);
  const double k_unit = body.stiffness.max_abs_diagonal(), m_unit = body.mass.max_abs_diagonal();
  modes.free_body = !model.loose_parts().empty();
  // Loose parts have modes of zero frequency: a shift a little below zero keeps the matrix definite.
  const double shift = modes.free_body ? -1e-6 * k_unit / m_unit : 0;
  // Many exact solves with one matrix: no work for an iterative solver.
  auto solver = make_solver(linear_solver == "cg" ? "auto" : linear_solver, map.n_free());
  solver->set_tolerance(1e-12);
  // Of the shapes; frequencies are exact to the square of it.
  constexpr double kExact = 1e-8;
  const EigenPairs pairs = lowest_eigenpairs(body.stiffness, body.mass, k, *solver, shift, kExact);
  modes.ok = pairs.ok;
  modes.message = pairs.message;
  if (!pairs.ok) return modes;
  modes.frequencies_hz = pairs.values.cwiseMax(0.0).cwiseSqrt() / (2 * std::numbers::pi);
  modes.shapes.resize(3 * model.n_vertices(), pairs.vectors.cols());
  for (Eigen::Index c = 0; c < pairs.vectors.cols(); ++c) modes.shapes.col(c) = map.expand(pairs.vectors.col(c));
  return modes;
}

double half_life(double frequency_hz, double stiffness_damping, double mass_damping) {
  const double omega = 2 * std::numbers::pi * frequency_hz;
  const double rate = mass_damping + stiffness_damping * omega * omega;
  return rate > 0 ? 2 * std::numbers::ln2 / rate : std::numeric_limits<double>::infinity();
}

double stiffness_damping_for(double half_life_s, double frequency_hz, double mass_damping) {
  const double omega = 2 * std::numbers::pi * frequency_hz;
  return std::max(0.0, (2 * std::numbers::ln2 / half_life_s - mass_damping) / (omega * omega));
}

Sag gravity_sag(const Model& model, const std::string& linear_solver, double tolerance, const VecX& guess) {
  Sag sag;
  StaticSolver solver(model, rest_drive(model), linear_solver, tolerance);
  StaticSolver::Result r = solver.solve(0, guess);
  sag.converged = r.converged;
  sag.u = std::move(r.u);
  sag.sag_m = std::sqrt(sag.u.dot(model.mass()->multiply(sag.u)) / std::max(model.free_mass(), 1e-300));
  for (Eigen::Index i = 0; i < sag.u.size(); i += 3) sag.peak_m = std::max(sag.peak_m, sag.u.segment<3>(i).norm());
  return sag;
}

Model refined(const Model& model) {
  ModelSpec spec = model.spec();
  std::vector<std::array<int, 2>> parents;
  const int n_old = spec.mesh.n_vertices();
  spec.mesh = refine(spec.mesh, &parents);
  // Children follow their parents eight by eight.
  std::vector<MaterialParameters> per_tet;
  for (const auto& p : model.spec().per_tet)
    for (int c = 0; c < 8; ++c) per_tet.push_back(p);
  spec.per_tet = std::move(per_tet);
  if (spec.gravity_scale.size() > 0) {
    const VecX coarse = spec.gravity_scale;
    spec.gravity_scale.conservativeResize(spec.mesh.n_vertices());
    for (size_t i = 0; i < parents.size(); ++i)
      spec.gravity_scale[n_old + static_cast<Eigen::Index>(i)] = (coarse[parents[i][0]] + coarse[parents[i][1]]) / 2;
  }
  // An edge between two driven vertices on which both ends move stays driven at its middle.
  std::vector<char> driven(static_cast<size_t>(n_old), 0);
  for (int v : spec.driven) driven[v] = 1;
  for (size_t i = 0; i < parents.size(); ++i)
    if (driven[parents[i][0]] && driven[parents[i][1]]) spec.driven.push_back(n_old + static_cast<int>(i));
  // Ties and springs keep their points: look the child tet up again.
  auto move = [&](std::vector<PointTie>& list) {
    if (list.empty()) return;
    Points points;
    for (const PointTie& t : list) points.push_back(model.rest_point(t));
    const Embedding e = embed(spec.mesh, points);
    for (size_t i = 0; i < list.size(); ++i) list[i] = {spec.mesh.tets[e.tet[i]], e.weights[i]};
  };
  move(spec.ties);
  move(spec.springs);
  return Model(std::move(spec));
}

}  // namespace supple
