// Tets bent along with an animated surface, frame by frame [enriching, section 4.2]: "inverse caging".
//
// u = argmin 1/2 |C u - q|_A^2 + k e(u)   (Eq. 1) by Newton from the frame before. The paper's e is the energy of
// invertible StVK; ours that of stable neo-Hookean, which follows as closely with far fewer tets inside out.
// k e(u) has the modulus `stiffness` times the mean edge of the tets: then both parts scale alike with the size of the
// body and with that of its tets (the first as area, the second as modulus times edge), and one default serves all.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "supple/base/watch.h"
#include "supple/enrich/surface_match.h"
#include "supple/fem/elastic_term.h"
#include "supple/solve/vertex_newton.h"

namespace supple {

struct FitOptions {
  double stiffness = 0.03;
  MaterialModel material = MaterialModel::stable_neo_hookean;
  double poisson_ratio = 0.45;
  double tolerance = 1e-3;
  int max_iterations = 40;
  std::string linear_solver = "auto";
};

// What became of a frame.
struct FitFrame {
  double rms = 0, largest = 0;  // distance of the points from where the tets carry them [m]
  int iterations = 0, factorizations = 0;
  int missing = 0;            // points without a place
  int outliers = 0;           // points that jump away for this frame alone, and were left out
  int inverted = 0;           // tets inside out
  bool restarted = false;     // it did not come from the frame before but from the rest shape
  bool damped = false;        // it did not converge, or only with stiffer tets
  bool bridged = false;       // too little of it is sound: it lies between the frames before and after
  std::vector<int> left_out;  // which points those are
  bool flagged() const { return damped || bridged || outliers > 0; }
};

class SurfaceFit {
 public:
  // points: how the tets carry what is animated; area: what each stands for [m^2].
  SurfaceFit(const TetMesh& mesh, std::vector<PointTie> points, std::vector<double> area, FitOptions options = {});

  // Displacements of the tet vertices for targets (flat; not finite: missing). `u` is where to start; empty: the rest
  // shape moved rigidly onto the targets, and stiff tets first that soften on the way.
  FitFrame solve(const VecX& targets, VecX& u);
  // u moved rigidly as the targets have moved since.
  VecX carried_along(const VecX& u, const VecX& before, const VecX& now) const;

  // Of each point: some others that are carried by the same tet vertices.
  const std::vector<std::vector<int>>& neighbours() const { return neighbours_; }
  double size() const { return size_; }  // longest side of the tets at rest [m]
  const SurfaceMatch& match() const { return match_; }
  double seconds() const { return seconds_; }

 private:
  NewtonReport newton(VecX& u, double factor);
  VecX rigid_start(const VecX& targets) const;

  VecX rest_;
  double size_;
  FitOptions options_;
  SurfaceMatch match_;
  std::shared_ptr<const Elements> elements_;
  ElasticTerm elastic_;
  AffineMap map_;
  VertexNewton newton_;
  std::vector<std::vector<int>> neighbours_;
  double floor_ = 0, seconds_ = 0;
};

struct FittedAnimation {
  std::vector<VecX> frames;  // positions of the tet vertices, flat
  std::vector<FitFrame> reports;
};
// All frames in order. targets(i): flat positions of the points. watch: told and asked at every frame. What jumps away
// for one frame and comes back is left out, and a frame of which most does lies between its neighbours.
FittedAnimation fit_animation(SurfaceFit& fit, const TetMesh& mesh, int n_frames,
                              const std::function<VecX(int)>& targets, const Watch& watch = {});

// Which points of a frame are off: they leave the way from the frame before to the one after otherwise than their
// neighbours do, by far more than that way is long and than `size` lets pass for noise. What all do together is motion.
// Flat positions; what is not known in all three frames is not off.
std::vector<char> spikes(const VecX& before, const VecX& now, const VecX& after, double size,
                         const std::vector<std::vector<int>>& neighbours);

}  // namespace supple
