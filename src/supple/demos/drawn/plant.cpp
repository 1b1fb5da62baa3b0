#include "supple/demos/drawn/plant.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "supple/base/error.h"
#include "supple/demos/drawn/plant_plan.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace {
constexpr double kPi = std::numbers::pi, kDegree = kPi / 180;

constexpr double kStemLength = 0.29, kStemRadius = 0.009;
constexpr int kStemRings = 13, kStemAround = 7;
constexpr double kRadiansOfTravel = 2 * kPi;  // how far ripples move along the leaf in all

// Angles above the horizon at the stalk and how far it is bent down along the leaf, fresh and withered.
struct Leaf {
  double stem, azimuth, length, half_width;
  double rise, bend, withered_rise, withered_bend;
};
constexpr std::array<Leaf, kPlantLeaves> kLeaves = {{
    {0.70, 20, 0.33, 0.062, 52, 62, 2, 95},
    {0.79, 157, 0.31, 0.058, 58, 66, 4, 97},
    {0.88, 262, 0.34, 0.060, 62, 58, -1, 89},
    {0.97, 84, 0.30, 0.052, 70, 60, 10, 108},
}};

struct Frame {
  Vec3 origin = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  // columns: x, y along the stem, z
};

// 0 fresh, 1 withered.
double wither(int frame, int frames) { return smooth_ramp(static_cast<double>(frame) / (frames - 1), 0, 1); }

// At s in 0..1 along the stem, which leans over more and more from above its foot to its top.
Frame on_stem(double s, double withered) {
  const Vec3 towards(std::cos(0.9), 0, std::sin(0.9));
  const Vec3 axis = Vec3::UnitY().cross(towards);
  const auto lean = [&](double at) { return (0.13 + 0.21 * withered) * std::pow(std::max(at - 0.15, 0.0), 2); };
  constexpr int kSteps = 32;
  Frame f;
  f.origin = {0, kPotSoil + 0.004, 0};
  for (int k = 0; k < kSteps; ++k) {
    const double angle = lean(s * (k + 0.5) / kSteps);
    f.origin += kStemLength * s / kSteps * (std::cos(angle) * Vec3::UnitY() + std::sin(angle) * towards);
  }
  f.axes = Eigen::AngleAxisd(lean(s), axis).toRotationMatrix();
  return f;
}

// The outline: a stalk that widens into a blade, and a blunt tip.
double half_width(const Leaf& leaf, double u) {
  const double blade = std::clamp((u - 0.07) / 0.93, 0.0, 1.0);
  return 0.005 + (leaf.half_width - 0.005) * std::pow(std::sin(kPi * std::pow(blade, 0.85)), 0.75);
}

// A smooth leaf at u in 0..1 along it and v in -1..1 across.
Vec3 on_leaf(const Leaf& leaf, double u, double v, double withered) {
  const auto mix = [&](double fresh, double old) { return fresh + withered * (old - fresh); };
  const auto angle = [&](double at) {
    // The stalk gives way first: withered leaves turn down within their first third.
    const double evenly = at, early = 1 - std::exp(-at / 0.22);
    return kDegree * (mix(leaf.rise, leaf.withered_rise) - mix(leaf.bend, leaf.withered_bend) * mix(evenly, early));
  };
  constexpr int kSteps = 48;
  double out = 1.35 * kStemRadius, up = 0;
  for (int k = 0; k < kSteps; ++k) {
    const double a = angle(u * (k + 0.5) / kSteps);
    out += leaf.length * u / kSteps * std::cos(a);
    up += leaf.length * u / kSteps * std::sin(a);
  }
  // Across, an arc: withered leaves roll up at their sides.
  const double roll = mix(0.35, 1.1) * smooth_ramp(u, 0, 0.5), width = half_width(leaf, u);
  const double side = roll > 1e-6 ? std::sin(roll * v) / roll : v;
  const double lift = roll > 1e-6 ? (1 - std::cos(roll * v)) / roll : 0;
  const double a = angle(u);
  const Vec3 local(out - width * lift * std::sin(a), up + width * lift * std::cos(a), width * side);
  const Frame root = on_stem(leaf.stem, withered);
  const double turn = kDegree * leaf.azimuth;
  return root.origin + root.axes * (Eigen::AngleAxisd(turn, Vec3::UnitY()) * local);
}

Vec3 leaf_normal(const Leaf& leaf, double u, double v, double withered) {
  constexpr double h = 1e-4;
  const Vec3 along =
      on_leaf(leaf, std::min(1.0, u + h), v, withered) - on_leaf(leaf, std::max(0.0, u - h), v, withered);
  const Vec3 across = on_leaf(leaf, u, v + h, withered) - on_leaf(leaf, u, v - h, withered);
  return across.cross(along).normalized();
}

double leaf_u(int along) { return static_cast<double>(along) / (kPlantLeafAlong - 1); }
double leaf_v(int across) { return 2.0 * across / (kPlantLeafAcross - 1) - 1; }

double ripple(double u, double v, double withered) {
  const double grown = withered * smooth_ramp(u, 0.1, 0.3) * smooth_ramp(u, 1.05, 0.85);
  // Strongest at the rim of the leaf, and slanted like its veins.
  const double across = 0.55 + 0.45 * v * v;
  return kPlantRippleAmplitude * grown * across *
         std::sin(2 * kPi * kPlantRippleWaves * u - 1.6 * std::abs(v) - kRadiansOfTravel * withered);
}

Points smooth_plant(double withered) {
  Points x;
  for (const Leaf& leaf : kLeaves)
    for (int i = 0; i < kPlantLeafAlong; ++i)
      for (int j = 0; j < kPlantLeafAcross; ++j) x.push_back(on_leaf(leaf, leaf_u(i), leaf_v(j), withered));
  for (int r = 0; r < kStemRings; ++r) {
    const double s = static_cast<double>(r) / (kStemRings - 1);
    const Frame f = on_stem(s, withered);
    for (int k = 0; k < kStemAround; ++k) {
      const double a = 2 * kPi * k / kStemAround, radius = kStemRadius * (1.15 - 0.45 * s);
      x.push_back(f.origin + radius * (f.axes * Vec3(std::sin(a), 0, std::cos(a))));
    }
  }
  for (const double s : {0.0, 1.0}) {
    const Frame f = on_stem(s, withered);
    x.push_back(f.origin + (s > 0 ? 0.006 : -0.002) * f.axes.col(1));
  }
  return x;
}

std::vector<Tri> plant_triangles() {
  std::vector<Tri> triangles;
  for (int leaf = 0; leaf < kPlantLeaves; ++leaf)
    for (int i = 0; i + 1 < kPlantLeafAlong; ++i)
      for (int j = 0; j + 1 < kPlantLeafAcross; ++j) {
        const int a = plant_vertex(leaf, i, j), b = plant_vertex(leaf, i + 1, j), c = b + 1, d = a + 1;
        // Diagonals mirrored about the middle rib.
        if (2 * j < kPlantLeafAcross - 1) {
          triangles.insert(triangles.end(), {{a, d, c}, {a, c, b}});
        } else {
          triangles.insert(triangles.end(), {{a, d, b}, {b, d, c}});
        }
      }
  const int stem = plant_vertex(kPlantLeaves, 0, 0), foot = stem + kStemRings * kStemAround, top = foot + 1;
  for (int r = 0; r < kStemRings; ++r)
    for (int k = 0; k < kStemAround; ++k) {
      const int a = stem + r * kStemAround + k, b = stem + r * kStemAround + (k + 1) % kStemAround;
      if (r == 0) triangles.push_back({foot, b, a});
      if (r + 1 == kStemRings) {
        triangles.push_back({top, a, b});
      } else {
        triangles.insert(triangles.end(), {{a, b, b + kStemAround}, {a, b + kStemAround, a + kStemAround}});
      }
    }
  return triangles;
}

void require_frames(const PlantOptions& o) {
  if (o.frames < 2) throw InputError({.place = "plant"}, "it cannot wither in fewer than 2 frames");
}
}  // namespace

std::vector<double> plant_ripple(int frame, const PlantOptions& o) {
  require_frames(o);
  std::vector<double> offset;
  if (o.ripples) {
    for (int leaf = 0; leaf < kPlantLeaves; ++leaf)
      for (int i = 0; i < kPlantLeafAlong; ++i)
        for (int j = 0; j < kPlantLeafAcross; ++j)
          offset.push_back(ripple(leaf_u(i), leaf_v(j), wither(frame, o.frames)));
  }
  offset.resize(static_cast<size_t>(plant_vertex(kPlantLeaves, 0, 0) + kStemRings * kStemAround + 2), 0.0);
  return offset;
}

DrawnAnimation make_plant(const PlantOptions& o) {
  require_frames(o);
  DrawnAnimation plant;
  plant.fps = kPlantFps;
  for (int frame = 0; frame < o.frames; ++frame) {
    const double withered = wither(frame, o.frames);
    Points x = smooth_plant(withered);
    if (o.ripples) {
      const std::vector<double> offset = plant_ripple(frame, o);
      for (int leaf = 0; leaf < kPlantLeaves; ++leaf)
        for (int i = 0; i < kPlantLeafAlong; ++i)
          for (int j = 0; j < kPlantLeafAcross; ++j) {
            const auto v = static_cast<size_t>(plant_vertex(leaf, i, j));
            x[v] += offset[v] * leaf_normal(kLeaves[static_cast<size_t>(leaf)], leaf_u(i), leaf_v(j), withered);
          }
    }
    plant.frames.push_back(std::move(x));
  }
  TriMesh& mesh = plant.neutral;
  mesh.vertices = plant.frames.front();
  mesh.triangles = plant_triangles();
  const int stem = plant_vertex(kPlantLeaves, 0, 0);
  std::vector<double>& soft = mesh.vertex_maps["soft"];
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    plant.parts[v < stem ? "leaves" : "stem"].push_back(v);
    const double height = mesh.vertices[static_cast<size_t>(v)].y() - kPotSoil;
    soft.push_back(v < stem ? 1.0 : smooth_ramp(height, 0.15 * kStemLength, 0.3 * kStemLength));
    mesh.colors.emplace_back(soft.back(), 0.75, 0.2);
  }
  return plant;
}

}  // namespace supple::demos
