#include "supple/tetmesh/signed_distance_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/mesh/quality.h"
#include "supple/tetmesh/stuffing.h"

namespace supple {

namespace {
// The count falls nearly as edge^-3, but in steps as lattice planes pass the surface: first by that law, then by
// halving the bracket, at last by scanning around the best edge. The best try is kept.
TetMesh mesh_for_count(const SignedDistance& f, const Box& bounds, int count, LatticeReport& report) {
  constexpr double kGoodEnough = 0.02, kNeeded = 0.1;
  constexpr int kByLaw = 4, kByBracket = 10, kMaxTries = 30;
  constexpr long kEnoughToSeeAnything = 1'000'000;
  double edge = std::min(bounds.size().maxCoeff() / 4, std::cbrt(12 * bounds.size().prod() / count));
  double too_fine = 0, too_coarse = 0, best_error = std::numeric_limits<double>::infinity();
  TetMesh best;
  int tries = 0;
  while (tries < kMaxTries && best_error > (tries < kByBracket ? kGoodEnough : kNeeded)) {
    ++tries;
    LatticeReport now;
    TetMesh mesh = stuff(f, bounds, edge, now);
    if (mesh.tets.empty() && now.n_cells > kEnoughToSeeAnything) break;
    const double ratio = static_cast<double>(mesh.n_tets()) / count, error = std::abs(ratio - 1);
    if (!mesh.tets.empty() && error < best_error) best_error = error, best = std::move(mesh), report = now;
    (ratio > 1 ? too_fine : too_coarse) = edge;
    const bool bracketed = too_fine > 0 && too_coarse > too_fine;
    if (tries >= kByBracket && report.edge > 0) {
      const int k = tries - kByBracket + 1;
      edge = report.edge * (1 + (k % 2 ? 0.012 : -0.012) * k);
    } else if (bracketed && tries >= kByLaw) {
      edge = std::sqrt(too_fine * too_coarse);
    } else {
      edge *= ratio > 0 ? std::clamp(std::cbrt(ratio), 0.4, 2.5) : 0.6;
    }
  }
  report.n_tries = tries;
  return best;
}
}  // namespace

TetMesh mesh_signed_distance(const SignedDistance& f, const Box& bounds, const LatticeOptions& options,
                             LatticeReport* report) {
  if (!bounds.low.allFinite() || !bounds.high.allFinite() || !(bounds.size().minCoeff() > 0)) {
    refuse_lattice("the bounds " + point_text(bounds.low) + " to " + point_text(bounds.high) + " hold no volume",
                   "give low < high");
  }
  const bool by_edge = options.edge != 0, by_count = options.count != 0;
  if (by_edge == by_count) refuse_lattice("one of edge and count is needed, not both", "set edge [m] or count of tets");
  LatticeReport own;
  LatticeReport& out = report ? *report : own;
  out = {};
  TetMesh mesh;
  if (by_edge) {
    if (!(options.edge > 0) || !std::isfinite(options.edge)) {
      refuse_lattice(fmt::format("edge is {:g}", options.edge), "give a positive length in metres");
    }
    mesh = stuff(f, bounds, options.edge, out);
    out.n_tries = 1;
  } else {
    if (options.count < 0) refuse_lattice(fmt::format("count is {}", options.count), "give a positive number of tets");
    mesh = mesh_for_count(f, bounds, options.count, out);
  }
  if (mesh.tets.empty()) {
    refuse_lattice("nothing of the shape is inside the lattice",
                   by_edge ? fmt::format("check that the function is negative inside, or try an edge of {:.3g} m",
                                         options.edge / 2)
                           : "check that the function is negative somewhere within the bounds");
  }
  const QualityReport quality = measure_quality(mesh);
  out.volume = quality.volume;
  out.min_dihedral_deg = quality.min_dihedral_deg;
  out.max_dihedral_deg = quality.max_dihedral_deg;
  return mesh;
}

}  // namespace supple
