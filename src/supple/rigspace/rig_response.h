// What a rigged body does by itself: its slow swings in rig space, how far it hangs, and where it hangs at every frame.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "supple/anim/track.h"
#include "supple/rigspace/rig_stepper.h"

namespace supple {

// Swings about the shape at p with its interior in equilibrium under gravity, or about rest, without loads, when p is
// empty: H x = omega^2 Jq^T M Jq x, H = Jq^T K Jq + r . d^2 s / dp^2, Jq the motion of all vertices when a parameter
// changes and the interior follows in equilibrium, r the forces that hold the surface there. A dynamic interior makes
// them slower by little: its own swings are fast. Handles are left aside.
struct RigSwings {
  VecX hz;      // ascending; parameters that move nothing or meet no resistance are left out
  MatX shapes;  // one column each, in values of the free parameters; the largest motion of a rigged vertex is 1 m
};
// held: loads keep the shape at p as it is, so that r is 0.
RigSwings rig_swings(const RigBody& body, const std::vector<int>& free, const VecX& p = VecX(), double t = 0,
                     bool held = false);

// rms distance over the rigged vertices that free parameters move, weighted by mass, of the equilibrium with gravity
// from that without [m]. NaN: none was found.
double rig_sag(const RigBody& body, const std::vector<int>& free, const KeyedParameters& keyed, double t = 0);

// Where the body hangs at every frame, in rig space: its parameters, and positions of all vertices as a track.
//
// Between frames parameters go along the local quintic (anim/local_quintic.h), the rig makes the surface of them, and
// the interior is the harmonic continuation of that plus a difference that is interpolated alike. So the surface is
// always one that the rig can make, and nothing is lost where all moves by an affine map. Held before the first frame
// and after the last. `stepper` gives the body, which must outlive the track.
struct RigEquilibria {
  std::vector<VecX> parameters;        // one a frame
  std::vector<VecX> inside;            // likewise: the interior less the continuation of the surface
  std::shared_ptr<const Track> track;  // of the model's vertices
  int unconverged = 0;                 // frames at which that of the frame before stands in
};
RigEquilibria rig_equilibria(RigStepper& stepper, double t_start, double fps, int frames,
                             const std::function<bool()>& cancelled = {});
// The track of some that were found before, of a body that is the same but for its material, which must outlive it.
std::shared_ptr<const Track> equilibria_track(const RigEquilibria& found, const RigBody& body, double t_start,
                                              double fps, const std::vector<double>& cuts);

}  // namespace supple
