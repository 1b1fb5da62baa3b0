#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/parallel.h"
#include "supple/mesh/bvh.h"
#include "supple/scene/delivery.h"
#include "supple/scene/enrich_blend.h"
#include "supple/scene/enrich_setup.h"

namespace supple {

namespace {

constexpr int kHalvings = 40;

DepartureSize size_of(const VecX& d, const std::vector<char>& hard) {
  DepartureSize s;
  double sum = 0, count = 0;
  for (size_t v = 0; v < hard.size(); ++v) {
    if (hard[v]) continue;
    const double squared = d.segment<3>(3 * static_cast<Eigen::Index>(v)).squaredNorm();
    sum += squared, count += 1;
    s.largest = std::max(s.largest, std::sqrt(squared));
  }
  s.rms = count > 0 ? std::sqrt(sum / count) : 0;
  return s;
}

// A share of a motion, from none of it to all.
RigidMotion share_of(const RigidMotion& m, double share) {
  RigidMotion part = m;
  part.R = Quat::Identity().slerp(share, Quat(m.R)).toRotationMatrix();
  part.to = m.from + share * (m.to - m.from);
  return part;
}

}  // namespace

DeliveredRun::DeliveredRun(const Job& job, const PointCache& tets, FramePositions from)
    : job_(job), tets_(tets), from_(std::move(from)), delivery_(job), finish_(job) {
  if (job.enrich) blended_ = blended_tets(job, tets);
  if (!changes()) return;
  const auto n = static_cast<size_t>(tets.n_samples);
  simulated_.resize(n), shown_.resize(n);
  if (!finish_.idle()) skin_.resize(n);
  const auto each = [&](auto&& what) {
    parallel_for(n, 1, [&](size_t begin, size_t end) {
      for (size_t f = begin; f < end; ++f) what(f);
    });
  };
  each([&](size_t f) {
    const int frame = static_cast<int>(f);
    VecX d = delivery_.skin_departure(frame, tets_at(frame), from_(frame));
    simulated_[f] = shown_[f] = size_of(d, finish_.hard());
    if (blended_.n_samples > 0)
      simulated_[f] = size_of(delivery_.skin_departure(frame, sample_of(tets_, frame), from_(frame)), finish_.hard());
    if (!skin_.empty()) skin_[f] = std::move(d);
  });
  if (skin_.empty()) return;
  finish_.apply(skin_, [&](int f) { return delivery_.skin_frames(f, job.character ? VecX() : from_(f)); });
  each([&](size_t f) { shown_[f] = size_of(skin_[f], finish_.hard()); });
  if (job.character && finish_.limits_any()) seat_limits();
}

// What rides has the limit of the skin that is nearest.
void DeliveredRun::seat_limits() {
  const CharacterSetup& c = *job_.character;
  std::vector<Box> boxes;
  for (const Vec3& x : c.skin.vertices) boxes.push_back({x, x});
  const Bvh tree(std::move(boxes));
  rider_limits_.assign(c.drawn.vertices.rest.size(), std::numeric_limits<double>::infinity());
  for (const Piece& piece : c.pieces) {
    if (piece.role != Role::rides) continue;
    for (int v : piece.vertices) {
      const Vec3& x = c.drawn.vertices.rest[v];
      const int near = tree.closest(x, [&](int s) { return (c.skin.vertices[s] - x).squaredNorm(); }).item;
      if (near >= 0) rider_limits_[v] = finish_.limits()[static_cast<size_t>(near)];
    }
  }
}

// Cloth vertex by vertex; what moves as a whole by a share of its motion, with all that sits on it.
void DeliveredRun::limit_riders(const Points& input, Departure& d) const {
  const CharacterSetup& c = *job_.character;
  const std::vector<HardRider>& riders = delivery_.riding().hard_riders();
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

Departure DeliveredRun::departure(int frame, const Points& input) const {
  if (skin_.empty()) return delivery_.departure(frame, input, tets_at(frame), from_(frame));
  Departure d = delivery_.carried(input, skin_[static_cast<size_t>(frame)]);
  if (!rider_limits_.empty()) limit_riders(input, d);
  return d;
}

Points DeliveredRun::base(int frame) const {
  if (job_.character) return delivery_.input(frame);
  if (job_.enrich) return delivery_.at(frame, job_.enrich->fitted(job_.first_frame + frame), VecX());
  return embedded_points(job_.surface.embedding, job_.model->mesh().tets, from_(frame));
}

Points DeliveredRun::at(int frame) const {
  if (!job_.character && skin_.empty()) return delivery_.at(frame, tets_at(frame), VecX());
  Points points = base(frame);
  if (job_.character) {
    const Departure d = departure(frame, points);
    for (size_t v = 0; v < points.size(); ++v) points[v] += d.offsets[v];
    return points;
  }
  const VecX& d = skin_[static_cast<size_t>(frame)];
  for (size_t v = 0; v < points.size(); ++v) points[v] += d.segment<3>(3 * static_cast<Eigen::Index>(v));
  return points;
}

}  // namespace supple
