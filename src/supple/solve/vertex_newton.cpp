#include "supple/solve/vertex_newton.h"

#include <utility>

namespace supple {

VertexNewton::VertexNewton(std::vector<const Term*> terms, const AffineMap& map, const std::string& solver_name,
                           VecX places, RovingTerm* roving)
    : VertexNewton(std::move(terms), std::make_unique<AffineUnknowns>(map, solver_name, std::move(places)), roving) {}

VertexNewton::VertexNewton(std::vector<const Term*> terms, std::unique_ptr<AffineUnknowns> unknowns, RovingTerm* roving)
    : Newton(std::move(terms), std::move(unknowns), roving),
      vertices_(static_cast<AffineUnknowns&>(this->unknowns())) {}

NewtonReport VertexNewton::solve(VecX& u, const VecX& u_d, double dv_du, const VecX& v_offset, double da_du,
                                 const VecX& a_offset, const NewtonOptions& options) {
  Place place{.u = u};
  NewtonReport report = solve(place, {.u = u_d}, {dv_du, v_offset, da_du, a_offset}, options);
  u = std::move(place.u);
  return report;
}

NewtonReport VertexNewton::solve_static(VecX& u, const VecX& u_d, const NewtonOptions& options) {
  const VecX zero = VecX::Zero(u.size());
  return solve(u, u_d, 0, zero, 0, zero, options);
}

VecX VertexNewton::factor_point() const {
  KeptFactor* kept = vertices_.kept();
  return kept && kept->made() ? vertices_.factor_point() : VecX();
}

void VertexNewton::remake_factor(const VecX& u) {
  if (!vertices_.kept()) return;
  vertices_.begin(0, 0, false);
  if (u.size() == 0) return;
  const VecX zero = VecX::Zero(u.size());
  const StageMotion still{0, zero, 0, zero};
  Iterate z = at({.u = u}, still);
  evaluate(z, false, true, false);
  vertices_.take(z, full_, nullptr);
  vertices_.make_factor(u);
}

KeptFactor::Mark VertexNewton::factor_mark() const {
  return vertices_.kept() ? vertices_.kept()->mark() : KeptFactor::Mark{};
}

void VertexNewton::restore_factor(const KeptFactor::Mark& mark) {
  if (vertices_.kept()) vertices_.kept()->restore(mark);
}

}  // namespace supple
