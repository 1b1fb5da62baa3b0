// The linear system of a Newton step in rig space,
//   [ Hnn  Hnq ] [dn]   [bn]      Hnn = K_nn,  Hqn = J^T K_sn,
//   [ Hqn  Hqq ] [dq] = [bq]      Hqq = J^T K_ss J + C,
// K the matrix of the terms, n the interior, s the rigged vertices, J the columns of the rig's Jacobian scaled to
// length 1 and q the parameters in those units, C what the rig's curvature adds. The sparse interior is eliminated:
// S = Hqq - Hqn Hnn^-1 Hnq [rig-space physics, section 4]. Factor, Hnn^-1 Hnq and S are kept as a preconditioner of
// conjugate gradients for the systems to come while that is the cheaper way. Contact of rigged vertices is in S alone,
// where it is always that of the moment. Inside the room only.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "supple/energy/term.h"
#include "supple/linalg/affine_map.h"
#include "supple/linalg/pattern_union.h"
#include "supple/linalg/supernodal.h"
#include "supple/linalg/symmetric_product.h"
#include "supple/rigspace/rig_body.h"
#include "supple/rigspace/rig_newton_product.h"

namespace supple {

struct RigSystemCount {
  int factorizations = 0, krylov = 0;
  int projected = 0, gauss_newton = 0;
};

class RigSystem {
 public:
  // pattern: of the terms' matrix.
  RigSystem(const RigBody& body, const std::shared_ptr<const BlockPattern>& pattern);
  ~RigSystem();

  // Where the matrix of the terms goes, and that of a roving term; both before set().
  BlockMatrix& full() { return full_; }
  BlockMatrix& extra(const RovingTerm& roving);

  // What is kept is for matrices with this in common; `forget`: for none.
  void begin(double dv_du, double da_du);
  void forget() { made_ = false; }

  // J: scaled, columns of parameters that move nothing zero (`dead`). C: scaled likewise, may be empty.
  void set(const MatX& J, std::vector<char> dead, const MatX& C);
  // A downhill direction for b = -gradient: that of the system to `exactness`, or of one near it that is positive
  // definite. may_keep: with what is kept, if that will do. project(): the terms' matrices again, projected, into
  // full() and extra(). share: how much of the projection is in the matrix, kept from one iteration to the next. False:
  // there is none.
  bool direction(const VecX& bn, const VecX& bq, double exactness, bool may_keep, const std::function<void()>& project,
                 double& share, VecX& dn, VecX& dq, RigSystemCount& count);

  // Nothing but a diagonal that was added resists some parameter along the last direction: it may be far too long.
  bool doubtful() const { return doubtful_; }

  // What is kept, as numbers, and back: the bits of systems to come hang on it. Empty: nothing is.
  VecX kept() const;
  void restore(const VecX& numbers);

  // All of the system times (dn, dq); and of that, without C, what concerns the parameters.
  void multiply(const VecX& dn, const VecX& dq, VecX& yn, VecX& yq) const;
  VecX parameter_rows(const VecX& dn, const VecX& dq) const;

 private:
  bool make(const BlockMatrix& full, const BlockMatrix& extra, bool last, RigSystemCount& count);
  bool factor_interior(BlockMatrix& Hnn, bool last, RigSystemCount& count);
  bool factor_schur(const MatX& S, double stiff, bool last);  // stiff: the largest diagonal entry of Hqq
  MatX extra_schur(const BlockMatrix& extra) const;           // J^T K J of a roving term
  // What is kept, for a roving term as it is now; false: it will not do.
  bool renew_extra();
  void apply(const VecX& bn, const VecX& bq, VecX& dn, VecX& dq);
  bool conjugate_gradients(const VecX& bn, const VecX& bq, double exactness, VecX& dn, VecX& dq, RigSystemCount& count);
  VecX force_of(const VecX& dn, const VecX& dq) const;  // K times the motion of all vertices
  VecX on_rows(const VecX& all) const;

  const RigBody& body_;
  std::vector<int> row_of_vertex_;
  BlockMatrix full_, extra_, Hnn_;
  bool extra_active_ = false, extra_inside_ = false;  // a roving term has a matrix; one that the interior feels
  Reduction base_reduction_;
  SymmetricProduct product_;
  RiggedProduct rigged_product_;
  // Of a roving term, for what it couples now.
  long coupled_ = -1;
  std::unique_ptr<Reduction> extra_reduction_;
  std::unique_ptr<PatternUnion> union_;
  std::unique_ptr<SymmetricProduct> extra_product_;
  std::unique_ptr<RiggedProduct> extra_rigged_;

  MatX J_, C_;
  std::vector<char> dead_;
  // What is kept.
  bool made_ = false, doubtful_ = false, without_curvature_ = false;
  double key_v_ = -1, key_a_ = -1;
  int spent_ = 0;
  std::shared_ptr<const BlockPattern> factor_pattern_;
  std::unique_ptr<SupernodalFactor<double>> factor_;
  std::vector<char> made_dead_;
  MatX W_, L_;                    // Hnn^-1 Hnq, and the Cholesky factor of S
  MatX S_;                        // S without C and without a roving term that the interior does not feel
  double stiff_ = 0;              // the largest diagonal entry of Hqq
  bool made_with_extra_ = false;  // a roving term is in L
};

}  // namespace supple
