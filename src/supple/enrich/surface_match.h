// Points on the tets held to where an animation has them, each by as much of the surface as it stands for: the first
// part of the fitting energy [enriching, Eq. 1].
#pragma once
#include <vector>

#include "supple/constraint/constraints.h"
#include "supple/energy/term.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

// E = 1/2 sum over points of area |C (X + u) - target|^2. Points without a target of the moment play no part.
class SurfaceMatch final : public Term {
 public:
  // area: one a point, not negative. Throws InputError for what no point can be.
  SurfaceMatch(const Points& rest, std::vector<PointTie> points, std::vector<double> area);

  // Flat; a point with a coordinate that is not finite has none.
  void set_targets(const VecX& positions);
  // How far the points are from them: root mean square over the area, and the largest [m].
  struct Distance {
    double rms = 0, largest = 0;
    int missing = 0;  // points without a target
  };
  Distance distance(const VecX& u) const;
  VecX places(const VecX& u) const;  // of the points, flat
  int size() const { return static_cast<int>(points_.size()); }
  const std::vector<PointTie>& points() const { return points_; }

  std::string name() const override { return "surface"; }
  void couple(PatternBuilder& pattern) const override;
  void add(const Kinematics& x, const Evaluation& out) const override;
  bool has_energy() const override { return true; }

 private:
  Vec3 place(size_t i, const VecX& u) const;
  void gather_matrix(const BlockPattern& pattern) const;

  const VecX rest_;
  std::vector<PointTie> points_;
  std::vector<double> area_;
  VecX targets_;
  std::vector<char> has_target_;
  // C^T A C, one scalar a block of the pattern last asked for.
  mutable std::shared_ptr<const BlockPattern> pattern_;
  mutable std::vector<std::pair<int, double>> matrix_;
};

// How much of the surface each of some vertices stands for: a third of the triangles around it of which all corners are
// among them. Those without any get the mean of the others; where none has, all get the same.
std::vector<double> areas_of(const TriMesh& surface, const std::vector<int>& vertices);

}  // namespace supple
