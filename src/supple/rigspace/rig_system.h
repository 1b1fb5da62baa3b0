// The linear system of a Newton step in rig space,
//   [ Hnn  Hnq ] [dn]   [bn]      Hnn = K_nn,  Hqn = J^T K_sn,
//   [ Hqn  Hqq ] [dq] = [bq]      Hqq = J^T K_ss J + C,
// K the matrix of the terms, n the interior, s the rigged vertices, J the columns of the rig's Jacobian scaled to
// length 1 and q the parameters in those units, C what the rig's curvature adds. The sparse interior is eliminated:
// S = Hqq - Hqn Hnn^-1 Hnq [rig-space physics, section 4]. Factor, Hnn^-1 Hnq and S are kept as a preconditioner of
// conjugate gradients for the systems to come while that is the cheaper way. Contact of rigged vertices is in S alone,
// where it is always that of the moment.
//
// A large interior has no factor but several levels: W is then Hnn^-1 Hnq nearly, S = [-W; 1]^T H [-W; 1], which is off
// by the square of that, and conjugate gradients go on to the answer. Inside the room only.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/linalg/affine_map.h"
#include "supple/linalg/kept_factor.h"
#include "supple/linalg/pattern_union.h"
#include "supple/linalg/supernodal.h"
#include "supple/linalg/symmetric_product.h"
#include "supple/rigspace/rig_body.h"
#include "supple/rigspace/rigged_product.h"
#include "supple/solve/unknowns.h"

namespace supple {

class RigSystem {
 public:
  // linear_solver: "multilevel", or "auto" for what is faster for the interior; all others: a factor.
  RigSystem(const RigBody& body, const std::string& linear_solver);
  ~RigSystem();

  // Patterns of the terms' matrix, and of that of a roving term.
  void couple(const std::shared_ptr<const BlockPattern>& terms);
  void couple_roving(const std::shared_ptr<const BlockPattern>& pattern);

  // What is kept is for matrices with this in common; `forget`: for none.
  void begin(double dv_du, double da_du);
  void forget() { made_ = false; }

  // The matrices at displacements u, which stay where they are; that of a roving term may be null. J: scaled, columns
  // of parameters that move nothing zero (`dead`). C: scaled likewise, may be empty.
  void take(const BlockMatrix& terms, const BlockMatrix* roving, const VecX& u, MatX J, std::vector<char> dead, MatX C);
  // As Unknowns::direction. b, d: interior, then parameters. wanted.project() puts others in the places of both
  // matrices.
  bool direction(const VecX& b, const Wanted& wanted, double& share, VecX& d, NewtonReport& report);

  // Nothing but a diagonal that was added resists some parameter along the last direction: it may be far too long.
  bool doubtful() const { return doubtful_; }

  // What is kept, as numbers, and back: the bits of systems to come hang on it. Empty: nothing is.
  VecX kept() const;
  void restore(const VecX& numbers);

  // All of the system times d; and of that, without C, what concerns the parameters.
  VecX multiply(const VecX& d) const;
  VecX parameter_rows(const VecX& d) const;

  std::string solver_name() const { return multilevel_ ? "multilevel, kept" : "supernodal, kept"; }

 private:
  struct Matrices {
    const BlockMatrix* terms = nullptr;
    const BlockMatrix* roving = nullptr;
  };
  bool make(const Matrices& K, const VecX& u, bool last, NewtonReport& report);
  void make_interior();  // what factors Hnn, for its pattern
  bool factor_interior(const VecX& u, bool last, NewtonReport& report);
  bool eliminate(const MatX& Hnq, MatX& S);                   // W, and S less what it takes away
  bool factor_schur(const MatX& S, double stiff, bool last);  // stiff: the largest diagonal entry of Hqq
  MatX roving_schur(const BlockMatrix& roving) const;         // J^T K J of a roving term
  // What is kept, for a roving term as it is now; false: it will not do.
  bool renew_roving();
  void apply(const VecX& b, VecX& d);
  // added: C, or what stands in its place.
  bool conjugate_gradients(const VecX& b, double exactness, int most, const MatX& added, VecX& d, NewtonReport& report);
  bool solve_made(const VecX& b, double exactness, VecX& d, NewtonReport& report);
  VecX multiply(const VecX& d, const MatX& added) const;
  VecX force_of(const VecX& d) const;  // K times the motion of all vertices
  MatX on_rows(const MatX& all) const;
  Eigen::Index inside() const { return 3 * static_cast<Eigen::Index>(body_.n_interior()); }

  const RigBody& body_;
  const bool multilevel_;
  VecX places_;  // of all vertices at rest
  std::vector<int> row_of_vertex_;
  std::unique_ptr<Reduction> reduction_, roving_reduction_;
  std::unique_ptr<SymmetricProduct> product_, roving_product_;
  std::unique_ptr<RiggedProduct> rigged_product_, roving_rigged_;
  std::unique_ptr<PatternUnion> union_;

  // What was taken.
  Matrices K_;
  const VecX* u_ = nullptr;
  bool roving_active_ = false, roving_inside_ = false;  // a roving term has a matrix; one that the interior feels
  MatX J_, C_;
  std::vector<char> dead_;
  BlockMatrix exact_, exact_roving_, blend_, blend_roving_, Hnn_;
  // What is kept.
  bool made_ = false, doubtful_ = false;
  double key_v_ = -1, key_a_ = -1;
  int spent_ = 0;
  std::shared_ptr<const BlockPattern> factor_pattern_;
  std::unique_ptr<SupernodalFactor<double>> factor_;
  std::unique_ptr<KeptFactor> levels_;  // in its place, of a large interior
  std::vector<char> made_dead_;
  MatX W_, L_;                     // Hnn^-1 Hnq, and the Cholesky factor of S
  MatX S_;                         // S without C and without a roving term that the interior does not feel
  MatX added_;                     // to S: C, or what was lifted
  double stiff_ = 0;               // the largest diagonal entry of Hqq
  bool made_with_roving_ = false;  // a roving term is in L
};

}  // namespace supple
