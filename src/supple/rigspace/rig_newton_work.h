// What the minimisation in rig space works with. Inside the room only.
#pragma once
#include <string>
#include <vector>

#include "supple/rigspace/rig_newton.h"
#include "supple/rigspace/rig_newton_system.h"

namespace supple {

struct RigNewton::Work {
  Work(const RigBody& body, std::vector<const Term*> terms, const std::vector<int>& free, RovingTerm* roving);

  // A place in the space of parameters and interior, and what was found there.
  struct Iterate {
    VecX p, n;     // all parameters; interior unknowns
    VecX u, v, a;  // of all vertices
    double t = 0, progress = 1;
    double energy = 0;         // potential, without gentle terms
    double scale = 0;          // [N]
    VecX r, gentle;            // residual on all vertices without gentle terms, and theirs
    MatX J;                    // of the free parameters
    VecX length;               // of its columns; 1 for those that move nothing
    std::vector<char> dead;    // which those are
    VecX rn, rq;               // of the whole residual: interior; parameters, over the length of their column
    double worst = 0;          // largest entry of both
    int worst_parameter = -1;  // -1: of the interior
  };

  // Fills in all but what is found by the two below.
  void place(Iterate& z) const;
  // gentle: their residual is taken as it was at `before`.
  double potential(const Iterate& z, const Iterate* before);
  void forces(Iterate& z);
  VecX free_of(const VecX& p) const;
  // The matrix of the terms into the system, and the rig's share.
  void matrix(const Iterate& z, bool project);
  MatX curvature(const Iterate& z, RigSolver solver);

  RigNewtonReport solve(VecX& u, VecX& p, double t, const RigNewtonOptions& options, const RigApproach* from);
  // A way to go: interior and parameters change by s (dn, dp), and where the rig makes a curve of that the interior
  // goes along with it, so that turning parts are not torn from what they hold.
  struct Way {
    VecX dn, dp, straight;  // straight: J dp on the rigged vertices, all vertices long; empty: nothing curves
    double first = 1;       // the step to try first
  };
  VecX moved_by(const MatX& J, const VecX& dp) const;  // of all vertices
  Way way(const Iterate& from, const VecX& dn, const VecX& dp) const;
  Iterate along(const Iterate& from, const Way& way, double s) const;
  // d potential / ds there, with gentle terms as they were at `from`.
  double slope(const Iterate& z, const Iterate& from, const Way& way) const;
  // A step along a direction; false: none was found. `now` becomes where it leads.
  bool step(Iterate& now, const VecX& dn, const VecX& dq, double first_slope);
  bool step_by_energy(Iterate& now, const Way& way, double first_slope);
  bool step_by_residual(Iterate& now, const Way& way, bool flat);
  // Whether contact lets the chord from one place to another pass: the share of it that it does.
  double passable(const Iterate& from, const Iterate& to);
  // What is keyed, on to where it is to be as far as contact allows: the share of the way left that was gone.
  double advance(Iterate& now, const RigApproach& from, const RigApproach& to);
  bool let_go(const Iterate& now, const RigApproach& to);

  const RigBody& body;
  std::vector<const Term*> terms;
  const std::vector<int>& free;
  RovingTerm* roving;
  RigSystem system;
  bool has_energy = true, has_gentle = false;
  // Of the stage.
  double dv_du = 0, da_du = 0;
  VecX v_offset, a_offset;
  VecX scratch;
  std::vector<double> past;  // norms of the residual, where there is no potential
  MatX bfgs;                 // what quasi-Newton knows of the rig's curvature, in plain parameters
  int evaluations = 0;
};

}  // namespace supple
