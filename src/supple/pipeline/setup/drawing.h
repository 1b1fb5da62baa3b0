// How a subject is drawn over one shot, frame by frame: for tets anywhere, on top of what its animation draws.
#pragma once
#include <vector>

#include "supple/inertia/frames.h"
#include "supple/io/point_cache.h"
#include "supple/mesh/embedding.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/scene/config.h"
#include "supple/sim/model.h"

namespace supple::pipeline {

// What is drawn, at rest, in the order of its file.
struct DrawnSurface {
  TriMesh mesh;
  Embedding embedding;  // in the tets, one entry a vertex; of a character: none
};

VecX sample_of(const PointCache& cache, int s);

// A length that is held back beyond half the limit and never reaches it; twice continuously differentiable.
double limited(double length, double limit);

// How drawn vertices leave the places that the animation gives them.
struct Departure {
  Points offsets;                    // [m] exactly zero where nothing is soft
  std::vector<RigidMotion> motions;  // of what rides as a whole, one a rider
  // Lengths over the soft skin [m]: of what was to be drawn, and of what was taken from it to keep it even.
  double asked = 0, evened = 0;
};

struct DrawnFrame {
  Points base;  // where the animation has it; empty where it has none
  Points shown;
  Departure departure;  // of one from the other, where soft clips are made of it
};

// x, p: positions of the tet vertices, and of the equilibrium that flesh departs from. Frames count from that of the
// run. All may be called in parallel.
class Drawing {
 public:
  virtual ~Drawing() = default;
  // Whether an animation of the surface itself is there, which `base` follows.
  virtual bool animated() const { return false; }
  virtual Points base(int frame, const VecX& p) const = 0;
  virtual DrawnFrame draw(int frame, const VecX& x, const VecX& p) const = 0;

  // In two steps, for what is done to departures in between. Flat, one entry a vertex of Subject::departing.
  virtual VecX departure(int frame, const VecX& x, const VecX& p) const = 0;
  // How far each of those vertices may go [m]: for what rides on them.
  virtual void set_limits(const std::vector<double>&) {}
  // Everything that is drawn, for such departures.
  virtual DrawnFrame carried(int frame, const VecX& departure, const VecX& p) const;
  // Rotations of the local frames of those vertices.
  virtual std::vector<Mat3> local_frames(int frame, const VecX& p) const = 0;

  // The drawn mesh for displacements u of the tets from their rest shape, whatever the animation.
  virtual Points displaced(const VecX& u) const = 0;
  // What is shown of tets that were simulated, one sample a frame; empty: they themselves.
  virtual PointCache shown_tets(const PointCache&) const { return {}; }
};

// A surface that tets carry.
class EmbeddedDrawing : public Drawing {
 public:
  // Both must outlive this.
  EmbeddedDrawing(const Model& model, const DrawnSurface& surface);
  Points base(int frame, const VecX& p) const override;
  DrawnFrame draw(int frame, const VecX& x, const VecX& p) const override;
  VecX departure(int frame, const VecX& x, const VecX& p) const override;
  std::vector<Mat3> local_frames(int frame, const VecX& p) const override;
  Points displaced(const VecX& u) const override;

 private:
  const Model& model_;
  const Embedding& embedding_;
  VertexFrames frames_;
  VecX rest_;
};

}  // namespace supple::pipeline
