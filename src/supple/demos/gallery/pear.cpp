#include "supple/demos/gallery/pear.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "supple/mesh/tri_mesh.h"

namespace supple::demos {

namespace {

constexpr double kHeight = 1.6;
constexpr int kHips = 0, kChest = 1, kHead = 2;
const double kJointHeight[] = {0.25, 0.75, 1.2};

double bump(double y, double centre, double width) {
  const double s = (y - centre) / width;
  return std::exp(-s * s);
}

// Half-width of the body at a height: foot, belly, chest, neck, head.
double radius(double y) {
  const double ends = std::min(1.0, std::sqrt(std::max(0.0, y * (kHeight - y)) / 0.09));
  return ends * (0.1 + 0.27 * bump(y, 0.5, 0.32) + 0.07 * bump(y, 0.85, 0.2) + 0.12 * bump(y, 1.35, 0.17));
}

double ramp(double y, double from, double to) {
  const double s = std::clamp((y - from) / (to - from), 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

void add_weights(Primitive& p, double y) {
  const double chest = ramp(y, 0.5, 0.9), head = ramp(y, 1.08, 1.22);
  p.joints.insert(p.joints.end(), {kHips, kChest, kHead, 0});
  p.weights.insert(p.weights.end(), {1 - chest, chest - head, head, 0});
}

// A body of revolution, its belly a little forward. The first and last segment share places, as at a texture's seam.
Primitive body(const PearOptions& o) {
  Primitive p;
  p.material = "skin";
  p.influences = 4;
  for (int r = 0; r <= o.rings; ++r) {
    // Rings closer together at both ends, where the outline turns.
    const double y = 0.5 * kHeight * (1 - std::cos(M_PI * r / o.rings));
    for (int s = 0; s <= o.segments; ++s) {
      // A ring that is one place has a vertex for each triangle there, one less.
      if ((r == 0 && s == 0) || (r == o.rings && s == o.segments)) continue;
      const double a = s == o.segments ? 0 : 2 * M_PI * s / o.segments;
      const double forward = 0.06 * bump(y, 0.5, 0.25);
      p.positions.emplace_back(radius(y) * std::sin(a), y, radius(y) * std::cos(a) + forward);
      add_weights(p, y);
    }
  }
  const int row = o.segments + 1;
  for (int r = 0; r < o.rings; ++r)
    for (int s = 0; s < o.segments; ++s) {
      const int a = r * row + s - 1;
      if (r > 0) p.triangles.push_back({a, a + 1, a + row});
      if (r + 1 < o.rings) p.triangles.push_back({a + 1, a + row + 1, a + row});
    }
  p.normals = vertex_normals(p.positions, p.triangles);
  return p;
}

Primitive eyes() {
  Primitive p;
  p.material = "eyes";
  p.influences = 4;
  const int rings = 6, segments = 10;
  for (int side : {-1, 1}) {
    const Vec3 centre(0.09 * side, 1.4, 0.155);
    const int first = static_cast<int>(p.positions.size());
    for (int r = 0; r <= rings; ++r)
      for (int s = 0; s < segments; ++s) {
        const double b = M_PI * r / rings, a = 2 * M_PI * s / segments;
        const Vec3 n(std::sin(b) * std::sin(a), -std::cos(b), std::sin(b) * std::cos(a));
        p.positions.push_back(centre + 0.045 * n);
        p.normals.push_back(n);
        p.joints.insert(p.joints.end(), {kHead, 0, 0, 0});
        p.weights.insert(p.weights.end(), {1, 0, 0, 0});
      }
    for (int r = 0; r < rings; ++r)
      for (int s = 0; s < segments; ++s) {
        const int a = first + r * segments + s, b = first + r * segments + (s + 1) % segments;
        if (r > 0) p.triangles.push_back({a, b, a + segments});
        if (r + 1 < rings) p.triangles.push_back({b, b + segments, a + segments});
      }
  }
  return p;
}

Channel channel(int node, ChannelPath path, double fps, int frames, const std::function<Eigen::VectorXd(double)>& at) {
  Channel c{.node = node, .path = path, .times = {}, .values = {}};
  for (int k = 0; k < frames; ++k) {
    c.times.push_back(k / fps);
    const Eigen::VectorXd v = at(k / fps);
    c.values.insert(c.values.end(), v.begin(), v.end());
    c.width = static_cast<int>(v.size());
  }
  return c;
}

Eigen::VectorXd turn(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis)).coeffs(); }

// Height of the hips over the hop [m]: crouch, flight, landing.
double hop(double t) {
  if (t < 0.3) return 0;
  if (t < 0.55) return -0.12 * ramp(t, 0.3, 0.5);
  if (t < 1.05) {
    const double s = (t - 0.55) / 0.5;
    return -0.12 + 2.0 * s * (1 - s);
  }
  return -0.12 + 0.12 * ramp(t, 1.05, 1.35);
}

}  // namespace

Character make_pear(const PearOptions& o) {
  Character c;
  c.file = "pear";
  CharacterMesh mesh{.name = "pear", .primitives = {body(o), eyes()}, .weights = {}};
  for (Primitive& p : mesh.primitives)
    for (Vec3& x : p.positions) x *= o.unit;
  c.meshes.push_back(std::move(mesh));

  Skin skin{.name = "pear", .joints = {}, .inverse_binds = {}};
  const char* names[] = {"hips", "chest", "head"};
  for (int b = 0; b < 3; ++b) {
    Node n{.name = names[b], .parent = b - 1};
    if (b + 1 < 3) n.children = {b + 1};
    n.local.translation = o.unit * Vec3(0, kJointHeight[b] - (b > 0 ? kJointHeight[b - 1] : 0), 0);
    c.nodes.push_back(n);
    skin.joints.push_back(b);
    skin.inverse_binds.push_back(Affine(Eigen::Translation3d(-o.unit * Vec3(0, kJointHeight[b], 0))));
  }
  c.nodes.push_back({.name = "pear", .mesh = 0, .skin = 0});
  c.skins.push_back(std::move(skin));

  const auto clip = [&](const char* name, int frames, std::vector<Channel> channels) {
    c.clips.push_back({.name = name,
                       .channels = std::move(channels),
                       .start = 0,
                       .end = (frames - 1) / o.fps,
                       .sources = {static_cast<int>(c.clips.size())}});
  };
  const int two_seconds = static_cast<int>(std::lround(2 * o.fps)) + 1;
  clip("hop", two_seconds,
       {channel(kHips, ChannelPath::translation, o.fps, two_seconds,
                [&](double t) -> Eigen::VectorXd { return o.unit * Vec3(0, kJointHeight[0] + hop(t), 0); }),
        channel(kChest, ChannelPath::rotation, o.fps, two_seconds,
                [&](double t) { return turn(Vec3::UnitX(), -0.8 * std::min(0.0, hop(t))); })});
  const auto wave = [](double t) { return 0.5 * std::sin(2 * M_PI * t); };
  clip("twist", two_seconds,
       {channel(kHips, ChannelPath::rotation, o.fps, two_seconds,
                [&](double t) { return turn(Vec3::UnitY(), wave(t)); }),
        channel(kHead, ChannelPath::rotation, o.fps, two_seconds,
                [&](double t) { return turn(Vec3::UnitY(), -0.7 * wave(t)); })});
  clip("hold", two_seconds,
       {channel(kHips, ChannelPath::translation, o.fps, two_seconds,
                [&](double) -> Eigen::VectorXd { return o.unit * Vec3(0, kJointHeight[0], 0); })});
  c.shown.assign(c.nodes.size(), 1);
  return c;
}

std::map<std::string, Vec3> pear_colors() { return {{"skin", {0.75, 0.62, 0.2}}, {"eyes", {0.03, 0.03, 0.04}}}; }

}  // namespace supple::demos
