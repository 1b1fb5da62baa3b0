// What is drawn, frame by frame: a surface carried by the tets, or a character with the flesh's motion on top.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "supple/attach/riding.h"
#include "supple/inertia/frames.h"
#include "supple/io/point_cache.h"
#include "supple/scene/finish.h"
#include "supple/scene/job.h"

namespace supple {

VecX sample_of(const PointCache& cache, int s);

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
  Departure departure(int frame, const Points& input, const VecX& x, const VecX& p) const;
  const Pose& pose(int frame) const;
  const Riding& riding() const { return *riding_; }
  Points input(int frame) const { return posed(job_.character->drawn.vertices, pose(frame)); }

  // In two steps, for what is done to departures in between. Flat: of a character one entry a vertex of its skin,
  // exactly zero where nothing is soft; else one a drawn vertex, from the surface of p.
  VecX skin_departure(int frame, const VecX& x, const VecX& p) const;
  // Of a character: everything that is drawn.
  Departure carried(const Points& input, const VecX& skin) const;
  // Rotations of the local frames of those vertices: from the bound pose by bones; else from the rest shape to p.
  std::vector<Mat3> skin_frames(int frame, const VecX& p) const;

 private:
  std::vector<Mat3> carried_frames(const Pose& pose) const;
  VecX turned(const Pose& pose, const VecX& x, const VecX& p) const;
  void hold_back(VecX& d) const;

  const Job& job_;
  std::unique_ptr<VertexFrames> frames_;
  std::unique_ptr<Riding> riding_;
  VecX rest_;
  std::vector<Mat3> bound_;  // rotations of the tet vertices from the rest shape to the bound one
  SkinnedPoints skin_;       // of a character: its skin
};

// How far a surface departs at a frame: over all of its vertices that may.
struct DepartureSize {
  double rms = 0, largest = 0;  // [m]
};

// All frames of a run as they are drawn, finished as the scene says.
class DeliveredRun {
 public:
  // tets: positions of all tet vertices, one sample a frame; from: of the equilibrium that departures count from. Both
  // must outlive this.
  using FramePositions = std::function<VecX(int frame)>;
  DeliveredRun(const Job& job, const PointCache& tets, FramePositions from);

  int n_frames() const { return tets_.n_samples; }
  const Delivery& delivery() const { return delivery_; }
  const Finish& finish() const { return finish_; }
  // Whether something else than what was simulated is shown.
  bool changes() const { return !finish_.idle() || blended_.n_samples > 0; }
  // May be asked for in parallel.
  Points at(int frame) const;
  Points base(int frame) const;                               // what it departs from
  Departure departure(int frame, const Points& input) const;  // of a character; input: base(frame)
  // Frame by frame; empty when finishing changes nothing.
  const std::vector<DepartureSize>& simulated() const { return simulated_; }
  const std::vector<DepartureSize>& shown() const { return shown_; }

 private:
  void limit_riders(const Points& input, Departure& d) const;
  void seat_limits();

  VecX tets_at(int frame) const { return sample_of(blended_.n_samples > 0 ? blended_ : tets_, frame); }

  const Job& job_;
  const PointCache& tets_;
  PointCache blended_;  // of an enriched animation that shows less physics than was simulated
  FramePositions from_;
  Delivery delivery_;
  Finish finish_;
  std::vector<VecX> skin_;            // finished departures, one a frame; empty: as simulated
  std::vector<double> rider_limits_;  // per drawn vertex that rides [m]
  std::vector<DepartureSize> simulated_, shown_;
};

// Positions of the equilibrium that departures count from, frame by frame from those of the run (static.pc2). They are
// the same unless the flesh hangs more or less than as authored: then it is what authored flesh would do.
class DeparturePoint {
 public:
  explicit DeparturePoint(const Job& job);
  ~DeparturePoint();
  bool differs() const { return track_ != nullptr; }
  VecX at(int frame, const VecX& p);

 private:
  const Job& job_;
  std::unique_ptr<Model> authored_;
  std::unique_ptr<class StaticTrack> track_;
};

}  // namespace supple
