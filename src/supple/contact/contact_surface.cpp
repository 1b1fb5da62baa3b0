#include "supple/contact/contact_surface.h"

#include <fmt/format.h>

#include <algorithm>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/contact/broad_phase.h"
#include "supple/contact/crossings.h"

namespace supple {

namespace {
constexpr size_t kMovedPoints = 1024;  // of a chunk
}

ContactSurface::ContactSurface(const ContactSpec& spec, const Points& rest, const std::vector<char>& driven)
    : anchors_(spec.anchors), body_(spec.body), planes_(spec.planes), carried_rest_(spec.anchors.size(), Vec3::Zero()) {
  Points at_rest(anchors_.size(), Vec3::Zero());
  std::vector<char> fixed(anchors_.size(), 1);
  for (size_t i = 0; i < anchors_.size(); ++i) {
    const ContactAnchor& a = anchors_[i];
    for (int k = 0; k < a.n; ++k) {
      const int v = a.vertex[static_cast<size_t>(k)];
      if (v < 0 || v >= static_cast<int>(rest.size()))
        throw InputError({.place = fmt::format("contact point {}", i)},
                         fmt::format("it hangs on vertex {}, but there are {}", v, rest.size()), "");
      carried_rest_[i] += a.weight[static_cast<size_t>(k)] * rest[static_cast<size_t>(v)];
      if (!driven[static_cast<size_t>(v)]) fixed[i] = 0;
    }
    at_rest[i] = carried_rest_[i];
    if (a.n > 0) continue;
    const size_t k = obstacle_.size();
    if (k >= spec.obstacle_rest.size())
      throw InputError({.place = "contact"}, "obstacles have fewer places than points", "");
    at_rest[i] = spec.obstacle_rest[k];
    obstacle_.push_back(static_cast<int>(i));
  }
  shape_ = make_contact_shape(std::move(at_rest), spec.triangles);
  shape_.fixed = std::move(fixed);
  // What lies close together at rest within a body, be it one shell or several, belongs there.
  if (!body_.empty()) shape_.part = body_;
  shape_.within_parts = spec.self;
  // Shells of one body that pass through each other at rest (hair and head, a belt) are meant to.
  BroadPhase broad(shape_);
  for (const Crossing& c : find_crossings(shape_, shape_.rest, broad, true)) {
    const int p = shape_.edges[c.edge][0], q = shape_.triangles[c.triangle][0];
    const auto [a, b] = std::minmax(shape_.shell[p], shape_.shell[q]);
    if (a != b && shape_.part[p] == shape_.part[q]) shape_.drawn_through.push_back({a, b});
  }
  std::sort(shape_.drawn_through.begin(), shape_.drawn_through.end());
  shape_.drawn_through.erase(std::unique(shape_.drawn_through.begin(), shape_.drawn_through.end()),
                             shape_.drawn_through.end());
}

Points ContactSurface::places(const VecX& u, const VecX& obstacles) const {
  Points x = motion(u, obstacles);
  for (size_t i = 0; i < x.size(); ++i) x[i] += carried_rest_[i];
  return x;
}

Points ContactSurface::motion(const VecX& du, const VecX& obstacles_move) const {
  Points d(anchors_.size(), Vec3::Zero());
  parallel_for(d.size(), kMovedPoints, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const ContactAnchor& a = anchors_[i];
      for (int k = 0; k < a.n; ++k)
        d[i] += a.weight[static_cast<size_t>(k)] * du.segment<3>(3 * a.vertex[static_cast<size_t>(k)]);
    }
  });
  const auto n_obstacle = static_cast<Eigen::Index>(obstacle_.size()), n = static_cast<Eigen::Index>(d.size());
  if (obstacles_move.size() >= 3 * n_obstacle)
    for (size_t k = 0; k < obstacle_.size(); ++k)
      d[static_cast<size_t>(obstacle_[k])] = obstacles_move.segment<3>(3 * static_cast<Eigen::Index>(k));
  if (obstacles_move.size() == 3 * (n_obstacle + n))
    for (Eigen::Index i = 0; i < n; ++i) d[static_cast<size_t>(i)] += obstacles_move.segment<3>(3 * (n_obstacle + i));
  return d;
}

VecX ContactSurface::obstacle_rest() const {
  VecX x(3 * static_cast<Eigen::Index>(obstacle_.size()));
  for (size_t k = 0; k < obstacle_.size(); ++k)
    x.segment<3>(3 * static_cast<Eigen::Index>(k)) = shape_.rest[static_cast<size_t>(obstacle_[k])];
  return x;
}

}  // namespace supple
