#include "supple/sim/matched_share.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "supple/fem/quadratic_tets.h"

namespace supple {

namespace {

constexpr double kMatched = 1e-5;  // relative, of the eigenvalue
constexpr double kTold = 0.02;     // likewise: what is said to be off

// What is compared is stiffness: the consistent mass is that of the shapes, a lumped one slows coarse meshes down.
ModelSpec tets_alone(const ModelSpec& spec) {
  ModelSpec out = without_bystanders(spec);
  out.mass = MassKind::consistent;
  out.ties.clear(), out.springs.clear(), out.spring_strengths.clear(), out.point_masses.clear();
  out.trimmed = false;
  out.gravity_scale.resize(0);
  return out;
}

// The slowest frequency of ten-node tets; 0: not found.
double ten_node_frequency(const ModelSpec& spec, const std::string& linear_solver, std::string& trouble) {
  const QuadraticTets tets = with_middle_nodes(spec.mesh);
  const LinearMatrices all = linear_matrices(tets, spec.per_tet);
  std::vector<char> held(tets.nodes.size(), 0);
  for (int v : spec.driven) held[v] = 1;
  for (size_t e = 0; e < tets.edges.size(); ++e)
    held[static_cast<size_t>(tets.n_vertices) + e] = held[tets.edges[e][0]] && held[tets.edges[e][1]];
  std::vector<int> fixed;
  for (size_t i = 0; i < held.size(); ++i)
    if (held[i]) fixed.push_back(static_cast<int>(i));
  const AffineMap map = AffineMap::without(static_cast<int>(tets.nodes.size()), fixed);
  const Reduction reduction(map, all.stiffness.pattern);
  BlockMatrix K(reduction.pattern()), M(reduction.pattern());
  reduction.apply(all.stiffness, K);
  reduction.apply(all.mass, M);
  auto solver = make_solver(linear_solver == "cg" ? "auto" : linear_solver, map.n_free());
  solver->set_tolerance(1e-12);
  const EigenPairs pairs = lowest_eigenpairs(K, M, 1, *solver, 0, 1e-8);
  if (!pairs.ok) trouble = pairs.message;
  return pairs.ok && pairs.values[0] > 0 ? std::sqrt(pairs.values[0]) / (2 * std::numbers::pi) : 0;
}

double frequency(ModelSpec spec, double share, const std::string& linear_solver) {
  spec.anti_locking = share < 1;
  for (MaterialParameters& p : spec.per_tet) p.tet_share = share;
  return lowest_frequency(Model(std::move(spec)), linear_solver);
}

}  // namespace

MatchedShare matched_share(const ModelSpec& whole, const std::string& linear_solver) {
  MatchedShare out;
  const ModelSpec spec = tets_alone(whole);
  if (spec.driven.empty()) {
    out.trouble = "no vertices hold it";
    return out;
  }
  out.wanted_hz = ten_node_frequency(spec, linear_solver, out.trouble);
  out.plain_hz = frequency(spec, 1, linear_solver);
  if (out.wanted_hz == 0) return out;
  // Illinois' false position on the eigenvalue over the one wanted, less 1: it rises, and bends down.
  const auto miss = [&](double share) {
    out.share = share;
    out.found_hz = frequency(spec, share, linear_solver);
    return (out.found_hz * out.found_hz) / (out.wanted_hz * out.wanted_hz) - 1;
  };
  double a = kLeastTetShare, fa = miss(a);
  if (fa >= 0) {
    if (fa > kTold)
      out.trouble = fmt::format("the mesh is too coarse: with the least share it still has {:.4g} Hz, not {:.4g}",
                                out.found_hz, out.wanted_hz);
    return out;
  }
  double b = kMostTetShare, fb = miss(b);
  if (fb <= 0) return out;
  for (int side = 0, k = 0; k < 30; ++k) {
    const double s = (a * fb - b * fa) / (fb - fa), f = miss(s);
    if (std::abs(f) < kMatched) break;
    if (f > 0) {
      b = s, fb = f;
      if (side == 1) fa /= 2;
      side = 1;
    } else {
      a = s, fa = f;
      if (side == -1) fb /= 2;
      side = -1;
    }
  }
  return out;
}

std::vector<MatchedShare> match_tet_shares(ModelSpec& spec, const std::string& linear_solver) {
  spec.anti_locking = true;
  std::vector<MatchedShare> out;
  const Model model(tets_alone(spec));
  for (const Part& part : split_into_parts(model).list) {
    out.push_back(part.shared ? MatchedShare{.trouble = "a collection of small parts"}
                              : matched_share(held_around(model, part.vertices).spec(), linear_solver));
    for (int t : part.tets) spec.per_tet[t].tet_share = out.back().share;
  }
  return out;
}

}  // namespace supple
