// Where driven points go: positions at any time, twice continuously differentiable between samples.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

class Track {
 public:
  virtual ~Track() = default;
  virtual int n_points() const = 0;
  virtual double duration() const = 0;  // [s] last sample; infinity for a function
  // Positions (derivative 0), velocities (1) or accelerations (2) at time t [s], flat 3 * n_points.
  virtual VecX at(double t, int derivative = 0) const = 0;
  // Times at which the whole motion jumps (a teleport), ascending. `at` gives the new place from the cut on.
  virtual std::vector<double> cuts() const { return {}; }
};

// How a sampled motion goes on before its first sample. After its last sample it is held.
// moving: goes on as in its first step, which is a rigid motion of all points and what they move besides.
enum class TrackStart { rest, moving };  // hold the first sample | continue with the first step

// Samples at times 0, dt, 2 dt, ...: quintic Hermite through five-point first and second derivatives, so that an
// edit changes two samples on each side only. Steps that no smooth motion explains (teleport.h) are cut: the old
// motion goes on to the next sample by its own one-sided differences, and the new one starts there.
// A velocity that jumps from one sample to the next is not cut; beside it the curve swings out by 8.7 % of a step.
// InputError for no samples, unequal or odd sizes, dt that is not positive, values that are not finite.
std::unique_ptr<Track> make_sampled_track(std::vector<VecX> samples, double dt, TrackStart start = TrackStart::rest);
// The same where it is known which steps are cut (k: from sample k to k + 1), and no other is.
std::unique_ptr<Track> make_sampled_track(std::vector<VecX> samples, double dt, TrackStart start,
                                          const std::vector<int>& cuts);

// A rigid motion x(t) = R(t) X + T(t) of rest points X, from keys at ascending, possibly uneven times: translations
// and quaternions are resampled as above, quaternions normalised. A moving start continues the first key's twist.
struct RigidKey {
  double t = 0;  // [s]
  Vec3 translation = Vec3::Zero();
  Eigen::Vector4d quaternion = {0, 0, 0, 1};  // x y z w, of any length but zero, of either sign
};
std::unique_ptr<Track> make_rigid_track(std::vector<RigidKey> keys, const Points& rest,
                                        TrackStart start = TrackStart::rest);

// A function of code: positions at t, and derivatives 1 and 2 where it knows them. For a derivative that it does not
// know it returns an empty vector, and differences of the positions serve.
using TrackFunction = std::function<VecX(double t, int derivative)>;
std::unique_ptr<Track> make_function_track(int n_points, TrackFunction f);

}  // namespace supple
