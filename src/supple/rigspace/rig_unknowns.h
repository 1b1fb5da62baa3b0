// Interior vertices and free parameters of a rig as unknowns together [rig-space physics, Eqs. 3-5]: u = Z n + U(q, t),
// the matrix of the terms carried to (n, q) and the sparse interior eliminated (rig_system.h). A parameter's force is
// its generalised force over the length of its column of the Jacobian: what a vertex feels when every coordinate is a
// parameter. Inside the room only.
#pragma once
#include <string>
#include <vector>

#include "supple/rigspace/rig_newton.h"
#include "supple/rigspace/rig_system.h"

namespace supple {

class RigUnknowns final : public Unknowns {
 public:
  // As RigNewton.
  RigUnknowns(const RigBody& body, std::vector<int> free, RigSolver solver, const std::string& linear_solver);

  bool straight() const override { return false; }
  int n_vertices() const override { return body_.n_vertices(); }
  void couple(const std::shared_ptr<const BlockPattern>& terms, bool, bool) override { system_.couple(terms); }
  void couple_roving(const std::shared_ptr<const BlockPattern>& pattern) override { system_.couple_roving(pattern); }
  Place impose(const Place& from, const Place& goal) const override;
  VecX reduce(Iterate& z, const VecX& r) const override;
  void name_worst(Eigen::Index unknown, NewtonReport& report) const override;
  void begin(double dv_du, double da_du, bool keep) override;
  void take(const Iterate& z, const BlockMatrix& terms, const BlockMatrix* roving) override;
  bool direction(const Iterate& z, const VecX& b, const Wanted& wanted, double& share, VecX& d,
                 NewtonReport& report) override;
  VecX multiply(const VecX& d) const override { return system_.multiply(d); }
  Way way(const Iterate& z, const VecX& d, const VecX* jump, const Place* goal) const override;
  // Interior and parameters change by a share of the direction, and where the rig makes a curve of that the interior
  // goes along with it, so that turning parts are not torn from what they hold.
  Iterate along(const Iterate& from, const Way& way, double s) const override;
  VecX velocity(const Iterate& z, const Way& way) const override;
  std::string linear_solver() const override { return system_.solver_name(); }

  // What is kept from solve to solve, as numbers, and back.
  VecX kept() const { return system_.kept(); }
  void restore(const VecX& numbers) { system_.restore(numbers); }

 private:
  Eigen::Index inside() const { return 3 * static_cast<Eigen::Index>(body_.n_interior()); }
  void find_tangent(Iterate& z) const;
  VecX free_of(const VecX& q) const;
  VecX moved_by(const MatX& J, const VecX& dq) const;  // of all vertices
  VecX rigged_rows(const VecX& all) const;
  void update_secant(const Iterate& z);

  const RigBody& body_;
  std::vector<int> free_;
  RigSolver solver_;
  RigSystem system_;
  bool projecting_ = false;  // take() is told of matrices that the system has
  // What quasi-Newton knows of the rig's curvature, in plain parameters, and the iterate before: where, lengths of its
  // columns, its gradient over parameters, the direction and what K and J alone said of that.
  MatX secant_;
  struct Before {
    VecX n, q, length, gradient, d, rows;
  } before_;
};

}  // namespace supple
