// Values known on the skin, carried to every vertex of a cage: the smoothest field that agrees with them.
#pragma once
#include <memory>

#include "supple/mesh/tet_mesh.h"
#include "supple/mesh/vertex_blend.h"

namespace supple {

// Minimises, for each column of values s,
//   sum over skin points i of a_i |(B w)_i - s_i|^2 + stiffness / h * integral of |grad w|^2
// with B the blend, a_i the skin's area at i in units of h^2 and h the mean edge: one factorization for all columns.
// Inside, w is harmonic. Where skin triangles are larger than tets, points within them count too: a harmonic field
// through a few far points would be spikes. Tet vertices that nothing reaches get 0.
//
// Displacements are another matter: beyond the skin a field of least gradient flattens what turns. Extended as `bends`,
// in place of the gradient its jumps from tet to tet count,
//   stiffness * sum over inner faces of area * |jump of grad w|^2,
// so that an affine map of the skin is one of the cage.
enum class Extend { evenly, bends };
class Extension {
 public:
  Extension(const TetMesh& cage, const TriMesh& skin, const VertexBlend& blend, Extend how = Extend::evenly,
            double stiffness = 1e-3);
  ~Extension();
  Extension(Extension&&) noexcept;

  // One row a skin vertex in, one row a tet vertex out. The same bits for any number of threads.
  MatX operator()(const MatX& skin_values) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace supple
