// Small bodies the tests share.
#pragma once
#include <functional>
#include <vector>

#include "supple/sim/analysis.h"

namespace supple::test {

// Vertices of a mesh for which a condition holds.
std::vector<int> vertices_where(const TetMesh& mesh, const std::function<bool(const Vec3&)>& condition);

// A spring's end at a vertex, which it shares with a tet; none for a vertex without.
PointTie at_vertex(const TetMesh& mesh, int v);

struct BeamOptions {
  int nx = 5, ny = 2, nz = 2;
  Vec3 size = Vec3(0.4, 0.12, 0.08);
  MaterialModel material = MaterialModel::stable_neo_hookean;
  MaterialParameters parameters = {.youngs_modulus = 8e5, .poisson_ratio = 0.4, .density = 1000};
  MassKind mass = MassKind::lumped;
  ElementDamping damping = ElementDamping::viscous;
  Vec3 gravity = Vec3::Zero();
};
// A beam along x, its face x = 0 driven.
ModelSpec beam_spec(const BeamOptions& o);

// The driven vertices of a model carried by a rigid motion x -> R(t) x + T(t), by its function value and derivatives.
std::shared_ptr<const Track> moved(const Model& model,
                                   const std::function<Vec3(const Vec3& rest, double t, int derivative)>& f);

// Runs from rest to time t_end in n steps; returns the last state.
State run(Stepper& stepper, State state, double t_end, int n,
          const std::function<void(const State&)>& each_step = nullptr);

}  // namespace supple::test
