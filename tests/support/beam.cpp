#include "tests/support/beam.h"

namespace supple::test {

std::vector<int> vertices_where(const TetMesh& mesh, const std::function<bool(const Vec3&)>& condition) {
  std::vector<int> list;
  for (int i = 0; i < mesh.n_vertices(); ++i)
    if (condition(mesh.vertices[i])) list.push_back(i);
  return list;
}

PointTie at_vertex(const TetMesh& mesh, int v) {
  for (const Tet& tet : mesh.tets)
    for (int c = 0; c < 4; ++c)
      if (tet[c] == v) return {tet, Eigen::Vector4d::Unit(c)};
  return {};
}

ModelSpec beam_spec(const BeamOptions& o) {
  ModelSpec spec;
  spec.mesh = make_box(o.nx, o.ny, o.nz, o.size);
  spec.material = o.material;
  spec.per_tet.assign(spec.mesh.tets.size(), o.parameters);
  spec.mass = o.mass;
  spec.damping = o.damping;
  spec.gravity = o.gravity;
  spec.driven = vertices_where(spec.mesh, [](const Vec3& x) { return x[0] < 1e-9; });
  return spec;
}

std::shared_ptr<const Track> moved(const Model& model,
                                   const std::function<Vec3(const Vec3& rest, double t, int derivative)>& f) {
  const std::vector<int> driven = model.spec().driven;
  const Points rest = model.mesh().vertices;
  return make_function_track(static_cast<int>(driven.size()), [=](double t, int derivative) {
    VecX x(3 * static_cast<Eigen::Index>(driven.size()));
    for (size_t i = 0; i < driven.size(); ++i)
      x.segment<3>(3 * static_cast<Eigen::Index>(i)) = f(rest[driven[i]], t, derivative);
    return x;
  });
}

State run(Stepper& stepper, State state, double t_end, int n, const std::function<void(const State&)>& each_step) {
  const double h = (t_end - state.t) / n;
  for (int i = 0; i < n; ++i) {
    stepper.step(state, h);
    if (each_step) each_step(state);
  }
  return state;
}

}  // namespace supple::test
