#include "supple/sim/linear_body.h"

namespace supple {

LinearBody linear_body(const Model& model, const VecX& u) {
  const auto elastic = model.make_elastic();
  std::vector<const Term*> terms = {elastic.get()};
  const auto springs = model.make_springs();
  if (springs) terms.push_back(springs.get());
  PatternBuilder builder(model.n_vertices());
  for (const Term* t : terms) t->couple(builder);
  model.mass()->couple(builder);
  const auto pattern = builder.build();
  BlockMatrix K(pattern), M(pattern);
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  const VecX& about = u.size() > 0 ? u : zero;
  for (const Term* t : terms) t->add({about, zero, zero, 0, 0}, {.matrix = &K});
  model.mass()->add_to(M, 1);
  const Reduction reduction(model.constraints().map(), pattern);
  LinearBody body{BlockMatrix(reduction.pattern()), BlockMatrix(reduction.pattern())};
  reduction.apply(K, body.stiffness);
  reduction.apply(M, body.mass);

  // A vertex no tet uses has neither stiffness nor mass; a unit of both keeps it out of the way of the lowest modes.
  const double k_unit = body.stiffness.max_abs_diagonal(), m_unit = body.mass.max_abs_diagonal();
  for (int i = 0; i < body.mass.n(); ++i) {
    const int d = body.mass.pattern->row_start[i + 1] - 1;
    for (int c = 0; c < 9; c += 4)
      if (body.mass.block(d)[c] == 0) body.mass.block(d)[c] = 1e-9 * m_unit, body.stiffness.block(d)[c] += k_unit;
  }
  return body;
}

}  // namespace supple
