// Anti-locking: part of every material acts on the deformation averaged around each vertex.
//
// Linear tets are too stiff: one constant strain a tet cannot bend, and a nearly incompressible tet must keep its
// volume all on its own. Here the Lame parameters of each material are shared out. The tets keep tet_share of the shear
// modulus, and of lambda what belongs to a Poisson ratio of at most kTetPoisson; the rest is the same material on the
// volume-weighted mean of the deformation gradients around each vertex [after Puso and Solberg 2006, "A stabilized
// nodally integrated tetrahedral", where the share of the tets is called the stabilisation]:
//   W = sum over tets vol Psi_tet(F) + sum over vertices V_v Psi_patch(Fbar_v),  V_v Fbar_v = sum around v of vol F / 4
// Averaging the volume change alone [Bonet and Burton 1998] cures the second fault but not the first: a beam three
// cells across at Poisson 0.49 stays 19 % too high in frequency, against 7 % here. Without the tets' share (pure nodal
// averaging) zigzag motions would cost almost nothing; from about a third on they do not show.
// Rest linearisation and damping are those of the whole material for deformations that are the same everywhere.
// The matrix couples all vertices of the tets around a vertex, so factorizations cost several times more.
#pragma once
#include <functional>
#include <vector>

#include "supple/fem/clusters.h"
#include "supple/fem/material.h"
#include "supple/linalg/block_matrix.h"
#include "supple/mesh/tet_mesh.h"

namespace supple {

constexpr double kTetPoisson = 0.2;

struct SplitMaterial {
  MaterialParameters tet, patch;
};
SplitMaterial split_material(const MaterialParameters& p);

// The tets around one vertex as one element.
struct Patch {
  int vertex;
  int first, count;  // its vertices in Patches::vertices(), ascending
  long first_slot;   // its count (count + 1) / 2 lower blocks, row by row, in block_slots()
  double vol;        // a quarter of the tets' [m^3]
  ElementMaterial material;
};

class Patches {
 public:
  Patches() = default;
  Patches(const TetMesh& mesh, MaterialModel model, const std::vector<MaterialParameters>& per_tet);

  const std::vector<Patch>& list() const { return list_; }  // in the order of summation
  const Clusters& clusters() const { return clusters_; }
  const std::vector<int>& vertices() const { return vertices_; }
  // Averaged shape-function gradients, 3 a vertex of vertices() [1/m].
  const std::vector<double>& gradients() const { return gradients_; }
  void couple(PatternBuilder& pattern) const;
  std::vector<int> block_slots(const BlockPattern& pattern) const;

 private:
  std::vector<Patch> list_;
  Clusters clusters_;
  std::vector<int> vertices_;
  std::vector<double> gradients_;
};

}  // namespace supple
