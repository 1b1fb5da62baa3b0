// Anti-locking: most of the volumetric stiffness is moved from the tets to the vertices.
//
// Linear tets of a nearly incompressible material are far too stiff, because each tet on its own must keep its volume.
// Here the tets keep the first Lame parameter of a moderate Poisson ratio (kElementPoisson) and the remainder,
// kappa = lambda_L - lambda_kept, acts on the volume change averaged around each vertex [after Bonet and Burton 1998,
// "A simple average nodal pressure tetrahedral element"]:
//   W = sum over vertices v of  V_v kappa_v / 2 (Jbar_v - 1)^2,   V_v Jbar_v = sum over tets at v of vol J / 4
// With the linear material J is its linearisation 1 + tr(e). The rest linearisation stays that of linear elasticity.
// The matrix couples the vertices of all tets around a vertex, so factorizations cost more.
#pragma once
#include <memory>

#include "supple/energy/term.h"
#include "supple/fem/elements.h"

namespace supple {

constexpr double kElementPoisson = 0.3;

// The parameters the tets keep when the remainder goes to a NodalVolume (the same when Poisson is already low): the
// shear modulus is unchanged. remainder: kappa [Pa].
MaterialParameters split_volume(const MaterialParameters& p, double* remainder);

class NodalVolume : public Term {
 public:
  // kappa: one value a tet [Pa], in mesh order. linear: volume change is the trace of the small strain.
  NodalVolume(const TetMesh& mesh, const std::vector<double>& kappa, bool linear);
  std::string name() const override { return "nodal volume"; }
  void couple(PatternBuilder& pattern) const override;
  void add(const Kinematics& x, const Evaluation& out) const override;
  bool has_energy() const override { return true; }
  bool matrix_is_constant() const override { return linear_; }

 private:
  struct Patch {
    std::vector<int> tets;
    std::vector<int> vertices;              // of those tets, ascending
    std::vector<std::array<int, 4>> local;  // per tet, places of its vertices in `vertices`
    double volume = 0, kappa = 0;
  };
  std::vector<Patch> patches_;  // one a vertex with tets around it
  std::vector<Tet> tets_;
  std::vector<double> vol_;
  std::vector<Eigen::Matrix<double, 3, 4>> gradient_;  // shape-function gradients, columns
  bool linear_;
};

}  // namespace supple
