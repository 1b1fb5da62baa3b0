#include "supple/pipeline/character/even_drawing.h"

#include <algorithm>
#include <map>

namespace supple::pipeline {

namespace {

constexpr double kSliding = 0.003;  // of the size
constexpr double kNear = 0.03;      // of the size
// At the border of an area that somebody drew slopes may be so many times as steep, and less up to so many borders
// away.
constexpr double kBorderSteep = 2.4, kBorders = 5;

}  // namespace

EvenDrawing::EvenDrawing(const CharacterSetup& setup, const Riding& riding) : c_(setup), riding_(riding) {
  const std::vector<HardRider>& riders = riding.hard_riders();
  moved_as_one_.resize(riders.size());
  for (const HardRider& rider : riders)
    for (int p : rider.pieces)
      for (int v : c_.pieces[p].vertices)
        if (c_.skin_of[v] < 0) moved_as_one_[rider.leader].push_back(v);
  for (const Piece& piece : c_.pieces) rides_ = rides_ || piece.role == Role::rides;
  skin_ = reach(false);
  if (rides_) all_ = reach(true);
}

EvenDrawing::Reach EvenDrawing::reach(bool riders) const {
  Reach out;
  EvenSurface on;
  on.rest = c_.skin.vertices;
  on.triangles = c_.skin.triangles;
  on.fixed = c_.flesh.still_skin;
  for (const double way : c_.flesh.skin_way)
    on.steep.push_back(1 + (kBorderSteep - 1) * std::max(0.0, 1 - way / (kBorders * std::max(c_.flesh.border, 1e-9))));
  // Vertices that are split for their textures are one point, or a seam would open.
  std::vector<char> beyond(c_.skin_of.size(), 0);
  std::vector<int> leader(c_.skin_of.size(), -1), planted = leader, welded;
  for (size_t g = 0; g < moved_as_one_.size(); ++g)
    for (int v : moved_as_one_[g]) leader[v] = static_cast<int>(g);
  const auto counts = [&](const Piece& p) { return p.role == Role::rigid || (riders && p.role == Role::rides); };
  for (const Piece& piece : c_.pieces)
    for (int v : piece.vertices) beyond[v] = beyond[v] || (counts(piece) && c_.skin_of[v] < 0);
  weld(c_.drawn, beyond, welded);
  std::vector<int> point = c_.skin_of;
  std::map<std::array<int, 3>, int> points;  // by welded vertex, whether it stays, and what it moves with
  for (const Piece& piece : c_.pieces) {
    if (!counts(piece)) continue;
    for (int v : piece.planted) planted[v] = 0;
    for (int v : piece.vertices) {
      if (point[v] >= 0) continue;
      const bool stays = piece.role == Role::rigid || planted[v] == 0;
      const int next = static_cast<int>(on.rest.size());
      point[v] = points.try_emplace({welded[v], stays, leader[v]}, next).first->second;
      out.beyond.emplace_back(v, point[v]);
      if (point[v] != next) continue;
      on.rest.push_back(c_.drawn.vertices.rest[v]);
      on.fixed.push_back(stays);
      if (!on.steep.empty()) on.steep.push_back(1);
    }
    for (int k : piece.triangles) {
      const Tri& t = c_.drawn.triangles[k];
      on.triangles.push_back({point[t[0]], point[t[1]], point[t[2]]});
    }
  }
  for (const std::vector<int>& body : moved_as_one_) {
    if (!riders || body.empty()) continue;
    on.bodies.emplace_back();
    std::vector<int>& points_of = on.bodies.back();
    for (int v : body) points_of.push_back(point[v]);
    std::sort(points_of.begin(), points_of.end());
    points_of.erase(std::unique(points_of.begin(), points_of.end()), points_of.end());
  }
  on.part = connected_parts(on.rest, on.triangles);
  out.n_points = on.rest.size();
  out.field = EvenField(std::move(on), {.sliding = kSliding * c_.size(), .near = kNear * c_.size()});
  return out;
}

void EvenDrawing::even(const Reach& reach, const Points& input, Points& offsets) const {
  Points x(reach.n_points), d(reach.n_points);
  for (size_t s = 0; s < c_.skin_source.size(); ++s) x[s] = input[c_.skin_source[s]], d[s] = offsets[c_.skin_source[s]];
  for (const auto& [v, point] : reach.beyond) x[point] = input[v], d[point] = offsets[v];
  reach.field.apply(x, d);
  for (size_t v = 0; v < offsets.size(); ++v)
    if (c_.skin_of[v] >= 0) offsets[v] = d[c_.skin_of[v]];
  for (const auto& [v, point] : reach.beyond) offsets[v] = d[point];
}

Departure EvenDrawing::apply(const Points& input, const VecX& skin) const {
  Departure out;
  out.offsets.assign(input.size(), Vec3::Zero());
  const auto put = [&](size_t v) { return Vec3(skin.segment<3>(3 * static_cast<Eigen::Index>(c_.skin_of[v]))); };
  for (size_t v = 0; v < input.size(); ++v)
    if (c_.skin_of[v] >= 0 && !c_.flesh.still_skin[c_.skin_of[v]]) out.offsets[v] = put(v);
  even(skin_, input, out.offsets);
  riding_.apply(input, out.offsets, &out.motions);
  if (rides_) {
    const Points before = out.offsets;
    even(all_, input, out.offsets);
    for (size_t g = 0; g < moved_as_one_.size(); ++g) {
      const std::vector<int>& body = moved_as_one_[g];
      if (std::none_of(body.begin(), body.end(), [&](int v) { return out.offsets[v] != before[v]; })) continue;
      VecX from(3 * static_cast<Eigen::Index>(body.size())), to = from;
      for (size_t k = 0; k < body.size(); ++k) {
        from.segment<3>(3 * static_cast<Eigen::Index>(k)) = input[body[k]];
        to.segment<3>(3 * static_cast<Eigen::Index>(k)) = input[body[k]] + out.offsets[body[k]];
      }
      const RigidMotion motion = fit_rigid_motion(from, to);
      for (size_t r = 0; r < out.motions.size(); ++r)
        if (riding_.hard_riders()[r].leader == static_cast<int>(g)) out.motions[r] = motion;
      for (int v : body) out.offsets[v] = motion(input[v]) - input[v];
    }
  }
  for (size_t v = 0; v < input.size(); ++v) {
    if (c_.skin_of[v] < 0) continue;
    out.asked += put(v).norm();
    out.evened += (put(v) - out.offsets[v]).norm();
  }
  return out;
}

}  // namespace supple::pipeline
