#include "supple/demos/gallery/jellyfish.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/demos/gallery/jellyfish_plan.h"

namespace supple::demos {

namespace {

// The plan with every part at least as thick as a lattice of the given edge needs.
struct Flesh {
  std::vector<Eigen::Vector2d> bell;  // the middle of the bell from the top to the rim, in radius and height
  std::vector<double> bell_half;      // [m] half its thickness there
  std::vector<Ribbon> tentacles, arms;
};

Flesh flesh_for(double edge) {
  const JellyfishPlan& plan = jellyfish_plan();
  Flesh flesh{{}, {}, plan.tentacles, plan.arms};
  for (size_t i = 0; i <= plan.rim; ++i) {
    const Eigen::Vector2d &outside = plan.profile[i], &inside = plan.profile[plan.profile.size() - 1 - i];
    flesh.bell.push_back(0.5 * (outside + inside));
    flesh.bell_half.push_back(std::max(0.5 * (outside - inside).norm() + 0.007, 0.65 * edge));
  }
  for (Ribbon& t : flesh.tentacles)
    for (double& radius : t.half_width) radius = std::max(radius + 0.005, 0.71 * edge);
  for (Ribbon& a : flesh.arms)
    for (double& radius : a.half_width) radius = std::max(radius + 0.010, 0.70 * edge);
  return flesh;
}

double bell_distance(const Flesh& flesh, const Vec3& p) {
  const double angle = std::atan2(p.z(), p.x());
  // The height before the scallops pulled it down.
  Eigen::Vector2d at(std::hypot(p.x(), p.z()), p.y());
  for (int i = 0; i < 8; ++i) at.y() = 0.5 * (at.y() + p.y() + jellyfish_plan().scallop(angle, at.y()));
  double distance = 1e9;
  for (size_t i = 0; i + 1 < flesh.bell.size(); ++i) {
    const Eigen::Vector2d d = flesh.bell[i + 1] - flesh.bell[i];
    const double t = std::clamp((at - flesh.bell[i]).dot(d) / d.squaredNorm(), 0.0, 1.0);
    const double half = (1 - t) * flesh.bell_half[i] + t * flesh.bell_half[i + 1];
    distance = std::min(distance, (at - flesh.bell[i] - t * d).norm() - half);
  }
  return distance;
}

double nearest_tube(const std::vector<Ribbon>& tubes, const Vec3& p) {
  double d = 1e9;
  for (const Ribbon& tube : tubes) d = std::min(d, tube_distance(tube, 0, p));
  return d;
}

void name_regions(TetMesh& mesh, const Flesh& flesh) {
  mesh.region_names = {"bell", "tentacles", "arms"};
  for (const Tet& t : mesh.tets) {
    Vec3 middle = Vec3::Zero();
    for (int v : t) middle += 0.25 * mesh.vertices[static_cast<size_t>(v)];
    // The bell before what starts in it.
    const std::array<double, 3> of{bell_distance(flesh, middle) - 0.01, nearest_tube(flesh.tentacles, middle),
                                   nearest_tube(flesh.arms, middle)};
    mesh.tet_region.push_back(static_cast<int>(std::min_element(of.begin(), of.end()) - of.begin()));
  }
}

std::vector<int> core_vertices(const TetMesh& mesh) {
  const JellyfishPlan& plan = jellyfish_plan();
  std::vector<int> core;
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const Vec3& p = mesh.vertices[static_cast<size_t>(v)];
    const Vec3 on_axis(0, std::clamp(p.y(), plan.core_low, plan.core_high), 0);
    if ((p - on_axis).norm() <= plan.core_radius) core.push_back(v);
  }
  return core;
}
}  // namespace

SignedDistance jellyfish_distance(double edge) {
  return [flesh = flesh_for(edge)](const Vec3& p) {
    return std::min({bell_distance(flesh, p), nearest_tube(flesh.tentacles, p), nearest_tube(flesh.arms, p)});
  };
}

// Symmetric about the axis, so that the lattice is too.
Box jellyfish_bounds(double edge) {
  const double wide = edge * std::ceil(0.19 / edge);
  return {{-wide, -0.02, -wide}, {wide, 0.42, wide}};
}

Jellyfish make_jellyfish(const JellyfishOptions& options) {
  const double edge = options.edge;
  if (!(edge > 0 && edge <= kJellyfishMaxEdge)) {
    throw InputError({.place = "jellyfish"}, fmt::format("an edge of {:g} m is out of range", edge),
                     fmt::format("use an edge up to {:g} m", kJellyfishMaxEdge));
  }
  Jellyfish jelly;
  jelly.tets = mesh_signed_distance(jellyfish_distance(edge), jellyfish_bounds(edge), {.edge = edge}, &jelly.report);
  name_regions(jelly.tets, flesh_for(edge));
  jelly.core = core_vertices(jelly.tets);
  jelly.surface = make_jellyfish_surface();
  return jelly;
}

double spin_angle(double t, const Spin& spin, int derivative) {
  expect(derivative >= 0 && derivative <= 2, "a derivative up to the second");
  // The rate follows the quintic 10 s^3 - 15 s^4 + 6 s^5; the angle is its integral.
  const double s = std::clamp((t - spin.start) / spin.ramp, 0.0, 1.0);
  const double after = std::max(0.0, t - spin.start - spin.ramp);
  if (derivative == 0) return spin.rate * (spin.ramp * s * s * s * s * (2.5 + s * (s - 3)) + after);
  if (derivative == 1) return spin.rate * s * s * s * (10 + s * (6 * s - 15));
  return spin.rate / spin.ramp * 30 * s * s * (1 - s) * (1 - s);
}

std::vector<RigidKey> spin_keys(const Spin& spin, int frames, double fps) {
  std::vector<RigidKey> keys;
  for (int f = 0; f < frames; ++f) {
    const double half = 0.5 * spin_angle(f / fps, spin);
    keys.push_back({.t = f / fps, .quaternion = {0, std::sin(half), 0, std::cos(half)}});
  }
  return keys;
}

}  // namespace supple::demos
