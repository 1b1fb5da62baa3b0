// What is drawn, frame by frame: a surface carried by the tets, or a character with the flesh's motion on top.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "supple/attach/riding.h"
#include "supple/inertia/frames.h"
#include "supple/scene/job.h"

namespace supple {

// How a character's drawn vertices leave the places that its clip gives them.
struct Departure {
  Points offsets;                    // [m] exactly zero where nothing is soft
  std::vector<RigidMotion> motions;  // of what rides as a whole, one a rider
};

class Delivery {
 public:
  explicit Delivery(const Job& job);

  // The drawn mesh (job.surface.mesh) at a frame of the run, for positions x of the tet vertices and p of the
  // equilibrium that a character's flesh departs from.
  Points at(int frame, const VecX& x, const VecX& p) const;

  // Of a character.
  Departure departure(int frame, const VecX& x, const VecX& p) const;
  const Pose& pose(int frame) const;
  const Riding& riding() const { return *riding_; }
  Points input(int frame) const { return posed(job_.character->drawn.vertices, pose(frame)); }

 private:
  VecX turned(const Pose& pose, const VecX& x, const VecX& p) const;
  void hold_back(VecX& d) const;

  const Job& job_;
  std::unique_ptr<VertexFrames> frames_;
  std::unique_ptr<Riding> riding_;
  VecX rest_;
  std::vector<Mat3> bound_;  // rotations of the tet vertices from the rest shape to the bound one
};

// Positions of the equilibrium that departures count from, frame by frame from those of the run (static.pc2). They are
// the same unless the flesh hangs more or less than as authored: then it is what authored flesh would do.
class DeparturePoint {
 public:
  explicit DeparturePoint(const Job& job);
  ~DeparturePoint();
  VecX at(int frame, const VecX& p);

 private:
  const Job& job_;
  std::unique_ptr<Model> authored_;
  std::unique_ptr<class StaticTrack> track_;
};

}  // namespace supple
