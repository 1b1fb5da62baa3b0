#include "supple/inertia/static_track.h"

#include <algorithm>
#include <cmath>

namespace supple {

StaticTrack::StaticTrack(const Model& model, Drive drive, const std::string& linear_solver, double tolerance)
    : model_(model),
      drive_(drive),
      solver_(model, std::move(drive), linear_solver, tolerance),
      frames_(*model.elements()) {}

const VecX& StaticTrack::at(double t) {
  History& h = history_;
  VecX points(0);
  for (const auto* track : {&drive_.vertices, &drive_.ties, &drive_.springs}) {
    if (!*track) continue;
    const VecX x = (*track)->at(t);
    VecX both(points.size() + x.size());
    both << points, x;
    points = both;
  }
  if (h.first.size() > 0 && points.size() > 0) {
    // All points moved by the same vector since the first solve?
    const Vec3 shift = points.head<3>() - h.first_points.head<3>();
    double worst = 0;
    for (Eigen::Index i = 0; i < points.size(); i += 3)
      worst = std::max(worst, (points.segment<3>(i) - h.first_points.segment<3>(i) - shift).cwiseAbs().maxCoeff());
    // Caches hold float32: four units in the last place of the largest coordinate count as none.
    if (worst <= 2.5e-7 * points.cwiseAbs().maxCoeff() + 1e-12 * model_.size()) {
      h.p = h.first;
      for (Eigen::Index i = 0; i < h.p.size(); i += 3) h.p.segment<3>(i) += shift;
      h.last.resize(0);
      return h.p;
    }
  }
  // A linear prediction from the last two, where there are two.
  StaticSolver::Result r;
  if (h.last.size() > 0) r = solver_.solve(t, 2 * h.p - h.last);
  if (!r.converged) r = solver_.solve(t, h.p);
  ++solves_;
  newton_iterations_ += r.newton_iterations;
  if (!r.converged) ++unconverged_;
  h.last = std::move(h.p);
  h.p = std::move(r.u);
  if (h.first.size() == 0) h.first = h.p, h.first_points = points;
  return h.p;
}

VecX StaticTrack::local_displacement(const VecX& u, const VecX& p) const {
  const std::vector<Mat3> R = frames_.rotations(p);
  VecX q(u.size());
  for (size_t i = 0; i < R.size(); ++i) {
    const Eigen::Index k = 3 * static_cast<Eigen::Index>(i);
    q.segment<3>(k) = R[i].transpose() * (u.segment<3>(k) - p.segment<3>(k));
  }
  return q;
}

void Amplitude::add(const VecX& q, double h) {
  const double mean_square = q.dot(mass_.multiply(q)) / mass_.total();
  rms = std::sqrt(std::max(mean_square, 0.0));
  peak = 0;
  for (Eigen::Index i = 0; i < q.size(); i += 3) peak = std::max(peak, q.segment<3>(i).norm());
  largest_peak = std::max(largest_peak, peak);
  integral += h * mean_square;
  time += h;
}

double Amplitude::value() const { return std::sqrt(std::max(integral, 0.0)); }
double Amplitude::time_mean() const { return time > 0 ? value() / std::sqrt(time) : 0; }

}  // namespace supple
