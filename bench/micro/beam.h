// The beam all micro benchmarks work on.
#pragma once
#include <cmath>
#include <memory>

#include "supple/fem/elastic_term.h"
#include "supple/mesh/tet_mesh.h"

namespace supple::bench {

// 4 : 1 : 1, clamped at x = 0 where clamping matters; 24 cells^3 tets.
inline TetMesh beam(int cells) { return make_box(4 * cells, cells, cells, Vec3(4, 1, 1)); }
inline int cells_for(int n_tets) { return static_cast<int>(std::lround(std::cbrt(n_tets / 24.0))); }

inline std::shared_ptr<const Elements> beam_elements(const TetMesh& mesh, MaterialModel model, bool anti_locking) {
  return std::make_shared<const Elements>(
      mesh, model, std::vector<MaterialParameters>(mesh.tets.size(), {.stiffness_damping = 0.01}), anti_locking);
}

// How far the beam is bent and squashed.
enum class Pose { rest, mild, hard };

// mild: bent by 0.2 rad with 1 % waves. hard: shortened by a quarter, bent by 1.2 rad, with waves that squash tets.
inline VecX pose(const TetMesh& mesh, Pose kind) {
  VecX u = VecX::Zero(3 * mesh.n_vertices());
  if (kind == Pose::rest) return u;
  const bool hard = kind == Pose::hard;
  const double angle = hard ? 1.2 : 0.2, squash = hard ? 0.75 : 1.0, wave = hard ? 0.03 : 0.002;
  for (int i = 0; i < mesh.n_vertices(); ++i) {
    const Vec3& X = mesh.vertices[i];
    const double radius = 4 / angle, turn = squash * X[0] / radius;
    Vec3 x((radius - X[1]) * std::sin(turn), radius - (radius - X[1]) * std::cos(turn), X[2]);
    x += wave * Vec3(std::sin(9 * X[1] + 5 * X[2]), std::sin(11 * X[0] + 7 * X[2]), std::sin(8 * X[0] + 10 * X[1]));
    u.segment<3>(3 * i) = x - X;
  }
  return u;
}

}  // namespace supple::bench
