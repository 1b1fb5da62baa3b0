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
};

// How a sampled motion goes on before its first sample.
enum class TrackStart { rest, moving };  // hold the first sample | continue with the first difference

// Samples at times first, first + dt, ...: quintic Hermite through five-point first and second derivatives, so that an
// edit changes two samples on each side only. Steps that no smooth motion explains (teleports) are cut: no
// interpolation across them and one-sided differences beside them.
std::unique_ptr<Track> make_sampled_track(std::vector<VecX> samples, double dt, TrackStart start = TrackStart::rest);

// A rigid motion x(t) = R(t) (X - 0) + T(t) of rest points X, from keys: translations are resampled as above,
// rotations as quaternions on the same rule, normalised.
struct RigidKey {
  double t = 0;  // [s]
  Vec3 translation = Vec3::Zero();
  Eigen::Vector4d quaternion = {0, 0, 0, 1};  // x y z w
};
std::unique_ptr<Track> make_rigid_track(std::vector<RigidKey> keys, const Points& rest);

// A function of code: positions at t; derivatives by the caller's function when given, else by differences.
using TrackFunction = std::function<VecX(double t, int derivative)>;
std::unique_ptr<Track> make_function_track(int n_points, TrackFunction f);

}  // namespace supple
