#include <algorithm>
#include <cmath>

#include "supple/inertia/static_track.h"

namespace supple {

namespace {
// Largest miss in the middle of an interval, beside the second difference of p over the interval: p'' is then right to
// about one part in a hundred (the interpolant's second derivative errs by some 40 times the miss).
constexpr double kMiss = 2.5e-4;
constexpr double kFloor = 2e-7;          // of the size: what the static solver's tolerance leaves
constexpr double kFramesPerProbe = 100;  // one place is tried, and one more for every so many frames...
constexpr size_t kMostProbes = 3;        // ...up to this

// Whether all driven points only ever move by one and the same vector: p is then moved along and never solved for
// again.
bool only_translates(const Drive& drive, double frame, double t0, double t1) {
  const VecX first = driven_points(drive, t0);
  for (double t = t0; t <= t1 + frame / 2; t += frame) {
    const VecX x = driven_points(drive, t);
    if (x.size() == 0) return true;
    const Vec3 shift = x.head<3>() - first.head<3>();
    const double rounding = 2.5e-7 * x.cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < x.size(); i += 3)
      if ((x.segment<3>(i) - first.segment<3>(i) - shift).cwiseAbs().maxCoeff() > rounding) return false;
  }
  return true;
}

// Frames at which the drive changes most: the largest third difference of its points, apart from one another.
std::vector<double> liveliest(const Drive& drive, double frame, double t0, double t1) {
  std::vector<std::pair<double, double>> by_change;  // change, time
  std::vector<VecX> x;
  const long first = std::lround(t0 / frame), last = std::lround(t1 / frame);
  for (long f = first; f <= last; ++f) {
    x.push_back(driven_points(drive, static_cast<double>(f) * frame));
    if (x.size() < 4) continue;
    const size_t n = x.size();
    const double change = largest_move(x[n - 1] - 3 * x[n - 2] + 3 * x[n - 3] - x[n - 4]);
    by_change.emplace_back(change, static_cast<double>(f - 2) * frame);
    x.erase(x.begin(), x.end() - 4);
  }
  std::stable_sort(by_change.begin(), by_change.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<double> times;
  for (const auto& [change, t] : by_change) {
    const bool near =
        std::any_of(times.begin(), times.end(), [&, t = t](double s) { return std::abs(s - t) < 6 * frame; });
    if (change > 0 && !near) times.push_back(t);
    if (times.size() == std::min(kMostProbes, 1 + static_cast<size_t>((t1 - t0) / frame / kFramesPerProbe))) break;
  }
  return times;
}

}  // namespace

double choose_knot_spacing(const Model& model, const Drive& drive, StaticTrackOptions options, double frame,
                           double step, double t0, double t1, std::map<int, bool>* enough) {
  options.n_bystanders = 0;  // p of the model itself is compared
  const bool steady = options.stiffness.empty() && options.gravity.empty();
  if (steady && only_translates(drive, frame, t0, t1)) return frame;
  std::vector<double> probes;
  for (int parts = 1; frame / parts > 1.001 * step; parts *= 2) {
    options.knot_spacing = frame / parts;
    if (const auto known = enough ? enough->find(parts) : std::map<int, bool>::iterator();
        enough && known != enough->end()) {
      if (known->second) return options.knot_spacing;
      continue;
    }
    if (probes.empty()) probes = liveliest(drive, frame, t0, t1);
    bool good = true;
    for (double start : probes) {
      StaticTrack track(model, drive, options);
      const double dt = options.knot_spacing, t = start + dt / 2;
      const VecX p = track.at(t);
      if (track.solves() <= 1) continue;  // it only follows
      StaticSolver solver(model, drive, options.linear_solver, options.tolerance);
      solver.set_scales(options.stiffness.at(t), options.gravity.at(t));
      const StaticSolver::Result exact = solver.solve(t, p);
      if (!exact.converged) continue;
      const VecX bend = track.at(t + dt / 2) - 2 * exact.u + track.at(t - dt / 2);
      if (largest_move(exact.u - p) > kMiss * 4 * largest_move(bend) + kFloor * model.size()) good = false;
      if (!good) break;
    }
    if (enough) (*enough)[parts] = good;
    if (good) return options.knot_spacing;
  }
  return step;
}

}  // namespace supple
