#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/anim/loop_track.h"
#include "supple/attach/confine.h"
#include "supple/attach/reach.h"
#include "supple/attach/soft_skin.h"
#include "supple/linalg/svd3.h"
#include "supple/mesh/bvh.h"
#include "supple/pipeline/character/character_subject.h"

namespace supple::pipeline {

namespace {

constexpr int kHalvings = 40;

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

// A share of a motion, from none of it to all.
RigidMotion share_of(const RigidMotion& m, double share) {
  RigidMotion part = m;
  part.R = Quat::Identity().slerp(share, Quat(m.R)).toRotationMatrix();
  part.to = m.from + share * (m.to - m.from);
  return part;
}

}  // namespace

CharacterDrawing::CharacterDrawing(const CharacterSubject& subject, const SceneConfig& config, const ModelSpec& base,
                                   const Model& model, int first_frame)
    : subject_(subject),
      c_(subject.setup()),
      config_(config),
      base_(base),
      model_(model),
      first_frame_(first_frame),
      frames_(*model.elements()),
      riding_(c_.drawn, c_.pieces, c_.skin, c_.skin_source),
      rest_(flatten(model.mesh().vertices)),
      bound_(frames_.rotations(flatten(c_.cage.mesh.vertices) - rest_)),
      skin_(some_of(c_.drawn.vertices, c_.skin_source)),
      knee_(skin_.rest.size(), 0) {
  const SoftSkin soft = soft_skin(c_.cage.mesh, c_.flesh, c_.blend);
  for (size_t p = 0; p < soft.skin.size(); ++p)
    knee_[static_cast<size_t>(soft.skin[p])] = config_.output.limit * soft.reach[p];
  if (config_.output.shape == "keep" && config_.output.limit > 0) even_.emplace(c_, riding_);
}

Points CharacterDrawing::base(int frame, const VecX&) const { return posed(c_.drawn.vertices, pose(frame)); }

// Rotations of the tet vertices from the rest shape to where the input takes them, by the tets around.
std::vector<Mat3> CharacterDrawing::carried_frames(const Pose& pose) const {
  return frames_.rotations(flatten(posed(c_.flesh.points, pose)) - rest_);
}

// Displacements of the tet vertices from p, turned from p's local frames into those that bones give them: where p hangs
// away from the pose, the motion keeps its direction in the flesh.
VecX CharacterDrawing::turned(const Pose& pose, const VecX& x, const VecX& p) const {
  // About the drawn shape it has no other frame.
  if (subject_.holds_drawn_shape(config_)) {
    VecX d = x - p;
    for (int v : base_.driven) d.segment<3>(3 * v).setZero();
    return d;
  }
  // One bone for a whole cache knows nothing of how its parts turn.
  const bool cached = c_.cached;
  const std::vector<Mat3> by_bones = cached ? carried_frames(pose) : posed_frames(c_.flesh.points, pose);
  const std::vector<Mat3> by_p = frames_.rotations(p - rest_);
  VecX d = x - p;
  for (int v = 0; v < model_.n_vertices(); ++v)
    d.segment<3>(3 * v) =
        polar3(by_bones[v]).R * ((cached ? Mat3::Identity() : bound_[v]) * (by_p[v].transpose() * d.segment<3>(3 * v)));
  for (int v : base_.driven) d.segment<3>(3 * v).setZero();
  return d;
}

// Flesh that is thrown further than it bears spoils no frame. The knee is the same whatever the dials ask for.
void CharacterDrawing::hold_back(VecX& d) const {
  for (size_t s = 0; s < knee_.size(); ++s) {
    const auto at = static_cast<Eigen::Index>(3 * s);
    const double length = d.segment<3>(at).norm(), held = held_back(length, knee_[s]);
    if (held < length) d.segment<3>(at) *= held / length;
  }
}

const RigidMotion* CharacterDrawing::aside(int frame) const {
  return config_.timeline.test_motion.empty() ? subject_.aside(first_frame_ + frame) : nullptr;
}

// A frame that the motion passes over is drawn where it is, and the flesh on it as it is on the way.
DrawnFrame CharacterDrawing::draw(int frame, const VecX& x, const VecX& p) const {
  const RigidMotion* m = aside(frame);
  return m ? drawn_at(frame, supple::carried(*m, x), supple::carried(*m, p)) : drawn_at(frame, x, p);
}

VecX CharacterDrawing::departure(int frame, const VecX& x, const VecX& p) const {
  const RigidMotion* m = aside(frame);
  return m ? departure_at(frame, supple::carried(*m, x), supple::carried(*m, p)) : departure_at(frame, x, p);
}

DrawnFrame CharacterDrawing::drawn_at(int frame, const VecX& x, const VecX& p) const {
  DrawnFrame out;
  out.base = base(frame, p);
  if (config_.output.shape == "keep") {
    out.departure = on_drawn(out.base, departure_at(frame, x, p));
  } else {
    out.departure.offsets.assign(out.base.size(), Vec3::Zero());
    const VecX moved = blended(c_.blend, x);
    for (size_t v = 0; v < out.base.size(); ++v) {
      const int s = c_.skin_of[v];
      if (s < 0 || c_.flesh.skin_softness[s] == 0) continue;
      out.departure.offsets[v] = drawn_share(c_.flesh, s) * (moved.segment<3>(3 * s) - out.base[v]);
    }
    riding_.apply(out.base, out.departure.offsets, &out.departure.motions);
  }
  out.shown = out.base;
  for (size_t v = 0; v < out.shown.size(); ++v) out.shown[v] += out.departure.offsets[v];
  return out;
}

VecX CharacterDrawing::departure_at(int frame, const VecX& x, const VecX& p) const {
  const bool keep = config_.output.shape == "keep";
  VecX d = blended(c_.blend, keep ? turned(pose(frame), x, p) : x);
  if (keep)
    hold_back(d);
  else
    d -= flatten(posed(skin_, pose(frame)));
  for (Eigen::Index s = 0; 3 * s < d.size(); ++s) {
    const auto at = static_cast<size_t>(s);
    if (c_.flesh.skin_softness[at] == 0) d.segment<3>(3 * s).setZero();
    if (!c_.flesh.skin_way.empty()) d.segment<3>(3 * s) *= drawn_share(c_.flesh, static_cast<int>(s));
  }
  return d;
}

Departure CharacterDrawing::on_drawn(const Points& input, const VecX& skin) const {
  if (even_) return even_->apply(input, skin);
  const CharacterSetup& c = c_;
  Departure result;
  result.offsets.assign(input.size(), Vec3::Zero());
  for (size_t v = 0; v < input.size(); ++v) {
    const int s = c.skin_of[v];
    if (s >= 0 && c.flesh.skin_softness[s] != 0) result.offsets[v] = skin.segment<3>(3 * s);
  }
  riding_.apply(input, result.offsets, &result.motions);
  return result;
}

DrawnFrame CharacterDrawing::carried(int frame, const VecX& departure, const VecX& p) const {
  DrawnFrame out;
  out.base = base(frame, p);
  out.departure = on_drawn(out.base, departure);
  if (!rider_limits_.empty()) limit_riders(out.base, out.departure);
  out.shown = out.base;
  for (size_t v = 0; v < out.shown.size(); ++v) out.shown[v] += out.departure.offsets[v];
  return out;
}

// What rides has the limit of the skin that is nearest.
void CharacterDrawing::set_limits(const std::vector<double>& of_skin) {
  const CharacterSetup& c = c_;
  std::vector<Box> boxes;
  for (const Vec3& x : c.skin.vertices) boxes.push_back({x, x});
  const Bvh tree(std::move(boxes));
  rider_limits_.assign(c.drawn.vertices.rest.size(), std::numeric_limits<double>::infinity());
  for (const Piece& piece : c.pieces) {
    if (piece.role != Role::rides) continue;
    for (int v : piece.vertices) {
      const Vec3& x = c.drawn.vertices.rest[v];
      const int near = tree.closest(x, [&](int s) { return (c.skin.vertices[s] - x).squaredNorm(); }).item;
      if (near >= 0) rider_limits_[v] = of_skin[static_cast<size_t>(near)];
    }
  }
}

// Cloth vertex by vertex; what moves as a whole by a share of its motion, with all that sits on it.
void CharacterDrawing::limit_riders(const Points& input, Departure& d) const {
  const CharacterSetup& c = c_;
  const std::vector<HardRider>& riders = riding_.hard_riders();
  std::vector<char> whole(input.size(), 0);
  const auto vertices_of = [&](int leader) {
    std::vector<int> list;
    for (const HardRider& r : riders)
      if (r.leader == leader)
        for (int p : r.pieces) list.insert(list.end(), c.pieces[p].vertices.begin(), c.pieces[p].vertices.end());
    return list;
  };
  for (int g = 0; g < static_cast<int>(riders.size()); ++g) {
    if (riders[g].leader != g) continue;
    const std::vector<int> vertices = vertices_of(g);
    for (int v : vertices) whole[v] = 1;
    // How far it goes, in limits.
    const auto reach = [&](const RigidMotion& m) {
      double most = 0;
      for (int v : vertices) {
        const double length = (m(input[v]) - input[v]).norm();
        if (length > 0) most = std::max(most, length / rider_limits_[v]);
      }
      return most;
    };
    const RigidMotion all = d.motions[g];
    const double now = reach(all), wanted = limited(now, 1);
    if (wanted >= now) continue;
    double low = 0, high = 1;
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = (low + high) / 2;
      (reach(share_of(all, middle)) <= wanted ? low : high) = middle;
    }
    const RigidMotion part = share_of(all, low);
    for (size_t r = 0; r < riders.size(); ++r)
      if (riders[r].leader == g) d.motions[r] = part;
    for (int v : vertices) d.offsets[v] = low > 0 ? Vec3(part(input[v]) - input[v]) : Vec3::Zero();
  }
  for (size_t v = 0; v < input.size(); ++v) {
    if (whole[v] || !std::isfinite(rider_limits_[v])) continue;
    const double length = d.offsets[v].norm();
    if (length > 0) d.offsets[v] *= limited(length, rider_limits_[v]) / length;
  }
}

std::vector<Mat3> CharacterDrawing::local_frames(int frame, const VecX&) const {
  std::vector<Mat3> R = posed_frames(skin_, pose(frame));
  if (c_.cached) {
    const VertexBlend& b = c_.blend;
    const std::vector<Mat3> at_vertex = carried_frames(pose(frame));
    for (size_t s = 0; s < R.size(); ++s) {
      R[s].setZero();
      for (int k = b.first[s]; k < b.first[s + 1]; ++k)
        R[s] += b.weight[k] * at_vertex[b.vertex[k]] * bound_[b.vertex[k]].transpose();
    }
  }
  for (size_t s = 0; s < R.size(); ++s)
    if (c_.flesh.skin_softness[s] != 0) R[s] = polar3(R[s]).R;
  return R;
}

Points CharacterDrawing::displaced(const VecX& u) const {
  VecX from_bound = u;
  if (!c_.flesh.at_rest.empty()) from_bound += rest_ - flatten(c_.cage.mesh.vertices);
  const VecX moved = blended(c_.blend, from_bound);
  Points points = c_.drawn.vertices.rest;
  for (size_t v = 0; v < points.size(); ++v)
    if (c_.skin_of[v] >= 0) points[v] += moved.segment<3>(3 * c_.skin_of[v]);
  return points;
}

}  // namespace supple::pipeline
