#include "supple/scene/delivery.h"

#include <algorithm>
#include <cmath>

#include "supple/inertia/static_track.h"
#include "supple/linalg/svd3.h"

namespace supple {

Delivery::Delivery(const Job& job) : job_(job), rest_(flatten(job.model->mesh().vertices)) {
  if (!job.character) return;
  const CharacterSetup& c = *job.character;
  frames_ = std::make_unique<VertexFrames>(*job.model->elements());
  riding_ = std::make_unique<Riding>(c.drawn, c.pieces, c.skin, c.skin_source);
  bound_ = frames_->rotations(flatten(c.cage.mesh.vertices) - rest_);
}

const Pose& Delivery::pose(int frame) const {
  const auto& poses = job_.clip.poses;
  return poses[std::min(static_cast<size_t>(job_.first_frame + frame), poses.size() - 1)];
}

// Displacements of the tet vertices from p, turned from p's local frames into those that bones give them: where p hangs
// away from the pose, the motion keeps its direction in the flesh.
VecX Delivery::turned(const Pose& pose, const VecX& x, const VecX& p) const {
  const std::vector<Mat3> by_bones = posed_frames(job_.character->flesh.points, pose);
  const std::vector<Mat3> by_p = frames_->rotations(p - rest_);
  VecX d = x - p;
  for (int v = 0; v < job_.model->n_vertices(); ++v)
    d.segment<3>(3 * v) = polar3(by_bones[v]).R * (bound_[v] * (by_p[v].transpose() * d.segment<3>(3 * v)));
  for (int v : job_.base.driven) d.segment<3>(3 * v).setZero();
  hold_back(d);
  return d;
}

// Flesh that is thrown out of all proportion, or caught in another equilibrium, spoils no frame: what is beyond the
// limit counts less and less, and one and a half times the limit is never passed.
void Delivery::hold_back(VecX& d) const {
  const double share = job_.config.output.limit * std::max(1.0, job_.config.controls.amplitude);
  if (share == 0) return;
  const std::vector<double>& half = job_.character->flesh.half_thickness;
  for (Eigen::Index v = 0; v < job_.model->n_vertices(); ++v) {
    const double limit = 2 * half[static_cast<size_t>(v)] * share, length = d.segment<3>(3 * v).norm();
    if (length <= limit || limit <= 0) continue;
    d.segment<3>(3 * v) *= limit * (1 + 0.5 * std::tanh(2 * (length / limit - 1))) / length;
  }
}

Departure Delivery::departure(int frame, const VecX& x, const VecX& p) const {
  const CharacterSetup& c = *job_.character;
  const Points places = input(frame);
  Departure result;
  result.offsets.assign(places.size(), Vec3::Zero());
  const bool keep = job_.config.output.shape == "keep";
  const VecX moved = blended(c.blend, keep ? turned(pose(frame), x, p) : x);
  for (size_t v = 0; v < places.size(); ++v) {
    const int s = c.skin_of[v];
    if (s < 0 || c.flesh.skin_softness[s] == 0) continue;
    result.offsets[v] = keep ? Vec3(moved.segment<3>(3 * s)) : Vec3(moved.segment<3>(3 * s) - places[v]);
  }
  riding_->apply(places, result.offsets, &result.motions);
  return result;
}

Points Delivery::at(int frame, const VecX& x, const VecX& p) const {
  if (!job_.character) return embedded_points(job_.surface.embedding, job_.model->mesh().tets, x);
  Points points = input(frame);
  const Departure d = departure(frame, x, p);
  for (size_t v = 0; v < points.size(); ++v) points[v] += d.offsets[v];
  return points;
}

DeparturePoint::DeparturePoint(const Job& job) : job_(job) {
  if (!job.character || job.config.output.shape != "keep") return;
  const auto as_authored = [&] {
    if (!job.adjustment.gravity.empty() || !job.adjustment.stiffness.empty()) return false;
    return std::all_of(job.parts.begin(), job.parts.end(), [](const PartNumbers& p) {
      return std::abs(p.scalings.mu / (p.scalings.chi * p.scalings.chi) - 1) < 1e-9;
    });
  };
  if (as_authored()) return;
  authored_ = std::make_unique<Model>(job.base);
  track_ = std::make_unique<StaticTrack>(*authored_, job.drive,
                                         StaticTrackOptions{.knot_spacing = 1 / job.fps,
                                                            .tolerance = job.config.solver.tolerance,
                                                            .linear_solver = job.config.solver.linear,
                                                            .first_guess = job.first_guess});
}

DeparturePoint::~DeparturePoint() = default;

VecX DeparturePoint::at(int frame, const VecX& p) {
  if (!track_) return p;
  return flatten(authored_->mesh().vertices) + track_->at((job_.first_frame + frame) / job_.fps);
}

}  // namespace supple
