#include <limits>

#include "supple/anim/track.h"
#include "supple/base/expect.h"

namespace supple {

namespace {

class FunctionTrack : public Track {
 public:
  FunctionTrack(int n_points, TrackFunction f) : n_points_(n_points), f_(std::move(f)) {}
  int n_points() const override { return n_points_; }
  double duration() const override { return std::numeric_limits<double>::infinity(); }

  VecX at(double t, int derivative) const override {
    VecX value = f_(t, derivative);
    if (derivative > 0 && value.size() == 0) {
      // Five points a millisecond apart: for motions below 10 Hz truncation and rounding are both below 1e-6.
      constexpr double h = 1e-3;
      const VecX m2 = f_(t - 2 * h, 0), m1 = f_(t - h, 0), p1 = f_(t + h, 0), p2 = f_(t + 2 * h, 0);
      if (derivative == 1) {
        value = (m2 - 8 * m1 + 8 * p1 - p2) / (12 * h);
      } else {
        value = (-m2 + 16 * m1 - 30 * f_(t, 0) + 16 * p1 - p2) / (12 * h * h);
      }
    }
    expect(value.size() == 3 * n_points_, "the coordinates of every point");
    return value;
  }

 private:
  int n_points_;
  TrackFunction f_;
};

}  // namespace

std::unique_ptr<Track> make_function_track(int n_points, TrackFunction f) {
  return std::make_unique<FunctionTrack>(n_points, std::move(f));
}

}  // namespace supple
