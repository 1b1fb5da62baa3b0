#include "supple/pipeline/deliver/other_meshes.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "supple/pipeline/setup/surroundings.h"

namespace supple::pipeline {

namespace {

// Linear RGB. The flesh keeps its own.
constexpr std::array<std::array<double, 3>, 6> kColors = {{{0.75, 0.28, 0.10},
                                                           {0.12, 0.38, 0.62},
                                                           {0.66, 0.50, 0.08},
                                                           {0.20, 0.48, 0.20},
                                                           {0.48, 0.18, 0.50},
                                                           {0.08, 0.48, 0.48}}};
constexpr double kObstacleGrey = 0.35, kPlaneGrey = 0.5;
constexpr double kPlaneReach = 0.35;  // beyond what is above it, of its size

void add(Companion& c, const Points& x) { c.frames.add(flatten(x)); }

// A square below all that is drawn.
Companion drawn_plane(const ContactPlane& plane, const Vec3& up, const Box& box, size_t number) {
  Companion c{.kind = Companion::Kind::plane, .name = fmt::format("plane {}", number + 1)};
  c.color = Vec3::Constant(kPlaneGrey);
  const Vec3 n = plane.normal;
  if ((n - up).norm() < 1e-9) c.floor = plane.offset;
  const Vec3 a = (std::abs(n.x()) < 0.9 ? Vec3(Vec3::UnitX()) : Vec3(Vec3::UnitZ())).cross(n).normalized(),
             b = n.cross(a);
  const Vec3 middle = (box.low + box.high) / 2, foot = middle + (plane.offset - n.dot(middle)) * n;
  const double reach = (0.5 + kPlaneReach) * box.size().maxCoeff();
  for (double s : {-1.0, 1.0})
    for (double t : {-1.0, 1.0}) c.mesh.vertices.push_back(foot + reach * (s * a + t * b));
  c.mesh.triangles = {{0, 2, 1}, {1, 2, 3}};
  const Points& x = c.mesh.vertices;
  if ((x[2] - x[0]).cross(x[1] - x[0]).dot(n) < 0) c.mesh.triangles = {{0, 1, 2}, {1, 3, 2}};
  add(c, x);
  return c;
}

}  // namespace

Points Companion::at(int frame) const { return frames.points(std::min(frame, frames.n_samples - 1)); }

std::vector<Companion> companions(const Job& job, const PointCache& bodies) {
  std::vector<Companion> out;
  if (!job.surroundings) return out;
  const Surroundings& around = *job.surroundings;
  Eigen::Index first = 0;
  for (size_t k = 0; k < around.bodies.size(); ++k) {
    const OtherBody& b = around.bodies[k];
    Companion c{.kind = Companion::Kind::body, .name = b.name, .mesh = b.surface};
    const auto& color = kColors[k % kColors.size()];
    c.color = {color[0], color[1], color[2]};
    const Eigen::Index n = 3 * b.tets.n_vertices();
    for (int f = 0; f < bodies.n_samples; ++f)
      add(c, embedded_points(b.embedding, b.tets.tets, sample_of(bodies, f).segment(first, n)));
    if (bodies.n_samples == 0) add(c, b.surface.vertices);
    c.mesh.vertices = c.at(0);
    first += n;
    out.push_back(std::move(c));
  }
  for (const Obstacle& o : around.obstacles) {
    Companion c{.kind = Companion::Kind::obstacle, .name = o.name, .mesh = o.mesh};
    c.color = Vec3::Constant(kObstacleGrey);
    const int n_frames = o.track ? job.shot.n_frames() : 1;
    for (int f = 0; f < n_frames; ++f)
      add(c, o.track ? unflatten(o.track->at((job.shot.first_frame + f) / job.shot.fps)) : o.mesh.vertices);
    c.mesh.vertices = c.at(0);
    out.push_back(std::move(c));
  }
  if (around.planes.empty()) return out;
  Points all = job.surface.mesh.vertices;
  for (const Companion& c : out)
    if (c.kind == Companion::Kind::body)
      for (int f = 0; f < c.frames.n_samples; f += std::max(1, c.frames.n_samples - 1)) {
        const Points x = c.at(f);
        all.insert(all.end(), x.begin(), x.end());
      }
  const Box box = bounding_box(all);
  for (size_t k = 0; k < around.planes.size(); ++k)
    out.push_back(drawn_plane(around.planes[k], up_of(job.config.world), box, k));
  return out;
}

}  // namespace supple::pipeline
