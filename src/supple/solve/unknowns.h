// What the unknowns of a Newton are: the free vertices of u = Z y + u_d (affine_unknowns.h), or an interior and the
// parameters of a rig (rigspace/rig_unknowns.h). Newton has the forces, the steps and the rules; this has the places
// that unknowns stand for and the linear systems between them. It is asked once an iteration, never in a loop over
// elements.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "supple/linalg/block_matrix.h"
#include "supple/linalg/solver.h"
#include "supple/solve/newton_options.h"

namespace supple {

// Of a stage: v = dv_du u + v_offset, a = da_du u + a_offset.
struct StageMotion {
  double dv_du;
  const VecX& v_offset;
  double da_du;
  const VecX& a_offset;
};

// Where a body is: displacements of all vertices; of a rig all its parameters, and when [s]. As what is prescribed:
// u_d, or parameters and time.
struct Place {
  VecX u, q = {};
  double t = 0;
};

// A place that Newton has come to.
struct Iterate {
  VecX u, v, a, q;
  double t = 0;
  double progress = 1;  // of what is prescribed, on its way
  VecX r;               // residual on all vertices; empty: not known
  double scale = 0;
  // Of free parameters, made by reduce(): how they move rigged vertices, the length of such a column (1 where it is
  // none), and which move nothing.
  MatX J;
  VecX length;
  std::vector<char> dead;
};

// A way to go from an iterate.
struct Way {
  VecX d;                       // of the unknowns
  VecX step;                    // of all vertices, to first order, what is prescribed included
  double advance = 0;           // of the progress
  const Place* goal = nullptr;  // null: what is prescribed is there
  double first = 1;             // the share of it to try first
  bool carries = false;         // it is curved enough for the rest to be carried along
};

// How exact a direction is to be, and what it may ask for.
struct Wanted {
  double exactness;     // relative residual
  double to_do = 1;     // what is left to do: the residual allowed over that which is there
  bool rough = false;   // a guess: what a new factor says will do
  double left_out = 0;  // weight of what the matrix leaves out
  std::function<void(const VecX&, VecX&)> left_out_product = {};  // adds that to a product, on all vertices
  std::function<void()> project = [] {};                          // has the projected matrices taken
};

class Unknowns {
 public:
  virtual ~Unknowns() = default;
  // Steps lead along straight lines: places are affine in the unknowns.
  virtual bool straight() const = 0;
  virtual int n_vertices() const = 0;
  // The pattern of the terms' matrix, once, before all else. constant: no matrix depends on u; roving: couplings come
  // and go beside it.
  virtual void couple(const std::shared_ptr<const BlockPattern>& terms, bool constant, bool roving) = 0;
  // The pattern of those, now.
  virtual void couple_roving(const std::shared_ptr<const BlockPattern>& pattern) = 0;

  // `from` with what is prescribed where `goal` has it.
  virtual Place impose(const Place& from, const Place& goal) const = 0;
  // Forces on all vertices as the unknowns feel them, all in N.
  virtual VecX reduce(Iterate& z, const VecX& r) const = 0;
  virtual void name_worst(Eigen::Index unknown, NewtonReport& report) const = 0;

  // A solve begins. keep: with factors of solves before, for the same dv_du and da_du.
  virtual void begin(double dv_du, double da_du, bool keep) = 0;
  // The matrix in hand serves all of the solve, factor and all.
  virtual bool has_factor() const { return false; }
  // The matrices at z, that of a roving term null where there is none; they must outlive the next direction.
  virtual void take(const Iterate& z, const BlockMatrix& terms, const BlockMatrix* roving) = 0;
  // A downhill direction for forces b: that of the system, or of one near it that is positive definite. share: how much
  // of the projection is in the matrix, raised as need be. False: there is none. One that is not downhill after all, or
  // 0, says that more of the projection is needed.
  virtual bool direction(const Iterate& z, const VecX& b, const Wanted& wanted, double& share, VecX& d,
                         NewtonReport& report) = 0;
  virtual VecX multiply(const VecX& d) const = 0;  // what was taken last times d

  // jump: what is prescribed has yet to go, on all vertices; null with goal: nothing.
  virtual Way way(const Iterate& z, const VecX& d, const VecX* jump, const Place* goal) const = 0;
  // A share s of the way on: u, q, t and progress.
  virtual Iterate along(const Iterate& from, const Way& way, double s) const = 0;
  virtual VecX velocity(const Iterate& z, const Way& way) const = 0;  // du/ds, for z on the way

  virtual SolverStats stats() const { return {}; }
  virtual std::string linear_solver() const = 0;
};

}  // namespace supple
