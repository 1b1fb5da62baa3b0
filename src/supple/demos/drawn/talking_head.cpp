#include "supple/demos/drawn/talking_head.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "supple/base/error.h"
#include "supple/demos/drawn/talking_head_plan.h"
#include "supple/demos/gallery/toys.h"
#include "supple/demos/shapes/shapes.h"
#include "supple/demos/shapes/skin_surface.h"

namespace supple::demos {

namespace {

using namespace talking_head;

constexpr int kFrames = 960;
constexpr double kSkinEdge = 0.0050, kSkinLattice = 0.0052;  // [m] in roomy space
constexpr double kCoarsest = 1.25;                           // of the lattice, or the eyelids have holes
constexpr double kTeethShift = 0.0025;                       // [m] of the open shape
constexpr double kHidden = 0.0012;                           // [m] below the outer surface

// In the open shape shells move as they are.
struct Shell {
  std::string part;
  TriMesh mesh;
  Vec3 shift = Vec3::Zero();
};

TriMesh skin_mesh(double coarse) {
  const Vec3 &centre = kFaceCentre, low(-0.10, -0.004, -0.116), high(0.10, 0.308, 0.122);
  Box bounds;
  for (int k = 0; k < 3; ++k) {
    // What is nearest to the centre is moved farthest from it.
    bounds.low[k] = to_roomy(centre + (low - centre).cwiseProduct(Vec3::Unit(k)))[k];
    bounds.high[k] = to_roomy(centre + (high - centre).cwiseProduct(Vec3::Unit(k)))[k];
  }
  const auto f = [](const Vec3& q) { return skin(closed(from_roomy(q))); };
  // The socket is so near to the ball that long edges would cut through it.
  const auto finer = [coarse](const Vec3& q) {
    const Vec3 p = from_roomy(q);
    Fineness fine{.over = 0.02};
    fine.towards((Vec3(std::abs(p.x()), p.y(), p.z()) - kEye).norm() - 1.3 * kEyeRadius, std::min(1.0, 1.7 / coarse));
    return fine.value;
  };
  SurfaceOptions options{.edge = coarse * kSkinEdge, .lattice = std::min(coarse, kCoarsest) * kSkinLattice};
  if (coarse > 1) options.finer = finer;
  TriMesh mesh = skin_surface(f, bounds, options).mesh;
  for (Vec3& x : mesh.vertices) x = from_roomy(x);
  return mesh;
}

TriMesh shell_mesh(const SignedDistance& f, const Vec3& low, const Vec3& high, double edge) {
  return skin_surface(f, {low, high}, {.edge = edge, .lattice = 0.0022}).mesh;
}

std::vector<Shell> shells(double coarse) {
  const Vec3 up(0, kTeethShift, 0);
  std::vector<Shell> list;
  list.push_back(
      {"upper teeth", shell_mesh(upper_teeth, {-0.03, 0.11, 0.025}, {0.03, 0.14, 0.08}, coarse * 0.0019), up});
  list.push_back(
      {"lower teeth", shell_mesh(lower_teeth, {-0.03, 0.10, 0.025}, {0.03, 0.13, 0.08}, coarse * 0.0019), -up});
  list.push_back({"tongue", shell_mesh(tongue, {-0.02, 0.10, 0.0}, {0.02, 0.122, 0.07}, coarse * 0.0026), -up});
  for (const double side : {1.0, -1.0}) {
    list.push_back({"eyes", make_ball(kEyeRadius, static_cast<int>(std::lround(7 / coarse)) + 1), Vec3::Zero()});
    for (Vec3& x : list.back().mesh.vertices) x += Vec3(side * kEye.x(), kEye.y(), kEye.z());
  }
  return list;
}

bool is_tracked(const Vec3& x, const Vec3& normal) {
  return whole_skin(x) > -kHidden && normal.z() > -0.4 && x.z() > 0.018 && x.y() > 0.074;
}

Vec3 skin_color(const Vec3& x) {
  const double d = x.y() - kMouthHeight;
  const double lips = std::hypot(x.x() / 0.0265, d / (d > 0 ? 0.0105 : 0.0125));
  const double red = smooth_ramp(lips, 1.05, 0.85) * smooth_ramp(x.z(), 0.060, 0.066);
  const double brow = smooth_ramp(std::hypot((std::abs(x.x()) - 0.030) / 0.017, (x.y() - 0.2065) / 0.0042), 1.3, 0.7) *
                      smooth_ramp(x.z(), 0.05, 0.06);
  const Vec3 plain(0.72, 0.47, 0.36), lip(0.56, 0.20, 0.18), hair(0.14, 0.08, 0.05);
  return plain + red * (lip - plain) + brow * (hair - plain);
}

Vec3 part_color(const std::string& part, const Vec3& x) {
  if (part == "cavity") return {0.40, 0.09, 0.09};
  if (part == "tongue") return {0.62, 0.22, 0.22};
  if (part == "skin") return skin_color(x);
  if (part != "eyes") return {0.85, 0.82, 0.72};
  const Vec3 out(std::abs(x.x()) - kEye.x(), x.y() - kEye.y(), x.z() - kEye.z());
  const double off = out.z() > 0 ? std::hypot(out.x(), out.y()) : 1;
  return off < 0.0026 ? Vec3(0.01, 0.01, 0.01) : off < 0.0056 ? Vec3(0.10, 0.16, 0.22) : Vec3(0.85, 0.85, 0.83);
}

// Independent of the thread and the platform: the sum of a few even numbers is nearly normal.
void add_noise(double rms, std::vector<Points>& frames) {
  constexpr int kTerms = 4;
  std::mt19937 random(20160711);
  // Each term, from -1/2 to 1/2, has the variance 1/12; the square of a length has three of each.
  const double scale = rms * std::sqrt(12.0 / (3 * kTerms));
  for (Points& frame : frames)
    for (Vec3& x : frame)
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < kTerms; ++i) x[k] += scale * (random() / 4294967296.0 - 0.5);
}

Points picked(const Points& x, const std::vector<int>& which) {
  Points some;
  for (const int v : which) some.push_back(x[static_cast<size_t>(v)]);
  return some;
}

}  // namespace

TalkingHead make_talking_head(const TalkingHeadOptions& o) {
  if (!(o.coarse >= 1 && o.coarse <= 4) || o.frames < 1 || o.frames > kFrames || !(o.noise_m >= 0 && o.noise_m < 0.01))
    throw InputError({.place = "talking head"}, "an option is out of range",
                     "Edges may be 1 to 4 times as long, frames are 1 to 960, and noise is below 10 mm.");
  TalkingHead head;
  TriMesh& mesh = head.neutral;
  mesh = skin_mesh(o.coarse);
  mesh.normals.clear();
  Points open = mesh.vertices;
  for (Vec3& x : mesh.vertices) x = closed(x);
  const Points normals = vertex_normals(mesh.vertices, mesh.triangles);
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const Vec3& x = mesh.vertices[static_cast<size_t>(v)];
    const bool inside = mouth(x) < 0.002 && whole_skin(x) < -kHidden;
    const std::string part = inside ? "cavity" : "skin";
    head.parts[part].push_back(v);
    mesh.colors.push_back(part_color(part, x));
    if (is_tracked(x, normals[static_cast<size_t>(v)])) head.tracked.push_back(v);
  }
  for (const Shell& shell : shells(o.coarse)) {
    const int first = mesh.n_vertices();
    for (const Vec3& x : shell.mesh.vertices) {
      head.parts[shell.part].push_back(mesh.n_vertices());
      mesh.vertices.push_back(x);
      mesh.colors.push_back(part_color(shell.part, x));
      open.push_back(x + shell.shift);
    }
    for (const Tri& t : shell.mesh.triangles) mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  head.open_mouth = mesh;
  head.open_mouth.vertices = std::move(open);
  const Points neutral = picked(mesh.vertices, head.tracked), apart = picked(head.open_mouth.vertices, head.tracked);
  for (int k = 0; k < o.frames; ++k) head.frames.push_back(posed_face(neutral, apart, speaking(k / head.fps)));
  if (o.noise_m > 0) add_noise(o.noise_m, head.frames);
  return head;
}

}  // namespace supple::demos
