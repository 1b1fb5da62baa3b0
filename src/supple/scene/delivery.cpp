#include "supple/scene/delivery.h"

#include <algorithm>
#include <cmath>

#include "supple/inertia/static_track.h"
#include "supple/linalg/svd3.h"
#include "supple/scene/enrich_setup.h"

namespace supple {

namespace {

SkinnedPoints some_of(const SkinnedPoints& all, const std::vector<int>& points) {
  SkinnedPoints some;
  std::vector<std::vector<int>> new_index(all.rest.size());
  for (int v : points) {
    new_index[v].push_back(static_cast<int>(some.rest.size()));
    some.rest.push_back(all.rest[v]);
    for (int k = all.skin.first[v]; k < all.skin.first[v + 1]; ++k) {
      some.skin.bone.push_back(all.skin.bone[k]);
      some.skin.weight.push_back(all.skin.weight[k]);
    }
    some.skin.first.push_back(static_cast<int>(some.skin.bone.size()));
  }
  for (const Morph& m : all.morphs) {
    Morph own{m.node, m.target, {}, {}};
    for (size_t k = 0; k < m.points.size(); ++k)
      for (int v : new_index[m.points[k]]) own.points.push_back(v), own.offsets.push_back(m.offsets[k]);
    some.morphs.push_back(std::move(own));
  }
  return some;
}

}  // namespace

VecX sample_of(const PointCache& cache, int s) {
  VecX x(3 * cache.n_points);
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = cache.sample(s)[i];
  return x;
}

Delivery::Delivery(const Job& job)
    : job_(job),
      frames_(std::make_unique<VertexFrames>(*job.model->elements())),
      rest_(flatten(job.model->mesh().vertices)) {
  if (!job.character) return;
  const CharacterSetup& c = *job.character;
  skin_ = some_of(c.drawn.vertices, c.skin_source);
  riding_ = std::make_unique<Riding>(c.drawn, c.pieces, c.skin, c.skin_source);
  bound_ = frames_->rotations(flatten(c.cage.mesh.vertices) - rest_);
}

const Pose& Delivery::pose(int frame) const {
  const auto& poses = job_.clip.poses;
  return poses[std::min(static_cast<size_t>(job_.first_frame + frame), poses.size() - 1)];
}

// Rotations of the tet vertices from the rest shape to where the input takes them, by the tets around.
std::vector<Mat3> Delivery::carried_frames(const Pose& pose) const {
  return frames_->rotations(flatten(posed(job_.character->flesh.points, pose)) - rest_);
}

// Displacements of the tet vertices from p, turned from p's local frames into those that bones give them: where p hangs
// away from the pose, the motion keeps its direction in the flesh.
VecX Delivery::turned(const Pose& pose, const VecX& x, const VecX& p) const {
  // One bone for a whole cache knows nothing of how its parts turn.
  const bool cached = job_.character->cached;
  const std::vector<Mat3> by_bones = cached ? carried_frames(pose) : posed_frames(job_.character->flesh.points, pose);
  const std::vector<Mat3> by_p = frames_->rotations(p - rest_);
  VecX d = x - p;
  for (int v = 0; v < job_.model->n_vertices(); ++v)
    d.segment<3>(3 * v) =
        polar3(by_bones[v]).R * ((cached ? Mat3::Identity() : bound_[v]) * (by_p[v].transpose() * d.segment<3>(3 * v)));
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

Departure Delivery::departure(int frame, const Points& places, const VecX& x, const VecX& p) const {
  const CharacterSetup& c = *job_.character;
  Departure result;
  if (job_.config.output.shape == "keep") return carried(places, skin_departure(frame, x, p));
  result.offsets.assign(places.size(), Vec3::Zero());
  const VecX moved = blended(c.blend, x);
  for (size_t v = 0; v < places.size(); ++v) {
    const int s = c.skin_of[v];
    if (s >= 0 && c.flesh.skin_softness[s] != 0) result.offsets[v] = moved.segment<3>(3 * s) - places[v];
  }
  riding_->apply(places, result.offsets, &result.motions);
  return result;
}

VecX Delivery::skin_departure(int frame, const VecX& x, const VecX& p) const {
  if (job_.enrich)
    return flatten(at(frame, x, p)) - flatten(at(frame, job_.enrich->fitted(job_.first_frame + frame), p));
  if (!job_.character) {
    const std::vector<Tet>& tets = job_.model->mesh().tets;
    return flatten(embedded_points(job_.surface.embedding, tets, x)) -
           flatten(embedded_points(job_.surface.embedding, tets, p));
  }
  const CharacterSetup& c = *job_.character;
  const bool keep = job_.config.output.shape == "keep";
  VecX d = blended(c.blend, keep ? turned(pose(frame), x, p) : x);
  if (!keep) d -= flatten(posed(skin_, pose(frame)));
  for (Eigen::Index s = 0; 3 * s < d.size(); ++s)
    if (c.flesh.skin_softness[static_cast<size_t>(s)] == 0) d.segment<3>(3 * s).setZero();
  return d;
}

Departure Delivery::carried(const Points& input, const VecX& skin) const {
  const CharacterSetup& c = *job_.character;
  Departure result;
  result.offsets.assign(input.size(), Vec3::Zero());
  for (size_t v = 0; v < input.size(); ++v) {
    const int s = c.skin_of[v];
    if (s >= 0 && c.flesh.skin_softness[s] != 0) result.offsets[v] = skin.segment<3>(3 * s);
  }
  riding_->apply(input, result.offsets, &result.motions);
  return result;
}

std::vector<Mat3> Delivery::skin_frames(int frame, const VecX& p) const {
  std::vector<Mat3> R;
  if (job_.character) {
    R = posed_frames(skin_, pose(frame));
    if (job_.character->cached) {
      const VertexBlend& b = job_.character->blend;
      const std::vector<Mat3> at_vertex = carried_frames(pose(frame));
      for (size_t s = 0; s < R.size(); ++s) {
        R[s].setZero();
        for (int k = b.first[s]; k < b.first[s + 1]; ++k)
          R[s] += b.weight[k] * at_vertex[b.vertex[k]] * bound_[b.vertex[k]].transpose();
      }
    }
    for (size_t s = 0; s < R.size(); ++s)
      if (job_.character->flesh.skin_softness[s] != 0) R[s] = polar3(R[s]).R;
    return R;
  }
  const std::vector<Mat3> at_vertex = frames_->rotations(p - rest_);
  const Embedding& e = job_.surface.embedding;
  for (size_t v = 0; v < e.tet.size(); ++v) {
    Mat3 mean = Mat3::Zero();
    for (int k = 0; k < 4; ++k) mean += e.weights[v][k] * at_vertex[job_.model->mesh().tets[e.tet[v]][k]];
    R.push_back(polar3(mean).R);
  }
  return R;
}

Points Delivery::at(int frame, const VecX& x, const VecX& p) const {
  if (job_.enrich) return job_.enrich->drawn(x, job_.first_frame + frame, job_.config.enrich.detail);
  if (!job_.character) return embedded_points(job_.surface.embedding, job_.model->mesh().tets, x);
  Points points = input(frame);
  const Departure d = departure(frame, points, x, p);
  for (size_t v = 0; v < points.size(); ++v) points[v] += d.offsets[v];
  return points;
}

DeparturePoint::DeparturePoint(const Job& job) : job_(job) {
  if (!job.character || job.config.output.shape != "keep") return;
  // Scalings may have been turned since they were loaded.
  const Scalings &now = job.scalings, &loaded = job.fields.whole;
  const VecX authored_mu = job.fields.authored_mu * std::pow(now.chi / loaded.chi, 2);
  const auto as_authored = [&] {
    if (!job.adjustment.gravity.empty() || !job.adjustment.stiffness.empty()) return false;
    const VecX mu = job.fields.mu * (now.mu == loaded.mu ? 1 : now.mu / loaded.mu);
    return ((mu - authored_mu).array().abs() <= 1e-9 * authored_mu.array()).all();
  };
  if (as_authored()) return;
  // The same flesh, with the gravity that it was made to hang under.
  ModelSpec spec = job.model->spec();
  spec.gravity = job.base.gravity;
  spec.gravity_scale = authored_mu;
  if (job.base.gravity_scale.size() > 0) spec.gravity_scale.array() *= job.base.gravity_scale.array();
  authored_ = std::make_unique<Model>(std::move(spec));
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
