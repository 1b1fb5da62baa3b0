// Fields on the vertices of a cage made the same left and right: its lattice lies differently in each. Inside the room
// only.
#pragma once
#include "supple/attach/bones.h"
#include "supple/attach/mirror.h"
#include "supple/mesh/embedding.h"

namespace supple {

class BothSides {
 public:
  // leader: the bone of the skeleton that leads each vertex; where limbs touch it tells whose the other side is.
  BothSides(const TetMesh& cage, const TriMesh& skin, const Mirror& mirror, const Skeleton& skeleton,
            const std::vector<int>& leader);
  // The mean of both sides where the body has both; elsewhere values stay.
  void make_alike(std::vector<double>& values) const;
  // What is 0 where it was more before, as it is held there, is 0 on the other side as well.
  void hold_alike(const std::vector<double>& before, std::vector<double>& values) const;

 private:
  double there(size_t k, const std::vector<double>& values) const;
  std::vector<int> vertex_;  // those with another side...
  std::vector<Tet> tet_;     // ...and what is there
  std::vector<Eigen::Vector4d> weight_;
};

}  // namespace supple
