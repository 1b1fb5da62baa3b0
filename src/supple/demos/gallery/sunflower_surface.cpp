#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/demos/gallery/sunflower.h"
#include "supple/demos/gallery/sunflower_plan.h"

namespace supple::demos {

namespace {
Vec3 mix(const Vec3& a, const Vec3& b, double t) { return a + std::clamp(t, 0.0, 1.0) * (b - a); }

double dome_height(const SunflowerPlan& plan, double radius) {
  const double x = radius / plan.disc_radius;
  // A rim that bulges around a shallow middle.
  return plan.dome * (0.62 + 0.75 * x * x - 1.25 * x * x * x * x);
}

// The disc: a lens from the back of the head to its face.
void append_disc(TriMesh& mesh, const SunflowerPlan& plan) {
  const Vec3 green(0.10, 0.22, 0.03), brown(0.06, 0.022, 0.008), middle(0.10, 0.075, 0.015);
  constexpr int around = 60, n_back = 7, n_front = 12;
  std::vector<Points> rings, colors;
  const auto add = [&](double radius, double forward, const Vec3& color) {
    Points ring;
    for (int k = 0; k < around; ++k) {
      const double a = 2 * std::numbers::pi * k / around;
      ring.push_back(plan.at_head(radius * std::cos(a), radius * std::sin(a), forward));
    }
    rings.push_back(ring);
    colors.emplace_back(around, color);
  };
  for (int i = 1; i <= n_back; ++i) {
    const double x = static_cast<double>(i) / (n_back + 1);
    add(plan.disc_radius * std::sin(0.5 * std::numbers::pi * x), -plan.back * std::cos(0.5 * std::numbers::pi * x),
        green);
  }
  for (int i = n_front; i >= 1; --i) {
    const double radius = plan.disc_radius * i / n_front;
    add(radius, dome_height(plan, radius), mix(middle, brown, 2.2 * radius / plan.disc_radius));
  }
  append_rings(mesh, rings, colors, plan.at_head(0, 0, -plan.back), green, plan.at_head(0, 0, dome_height(plan, 0)),
               middle);
}

// Seeds on the spiral of equal areas, each a small pointed knob.
void append_seeds(TriMesh& mesh, const SunflowerPlan& plan) {
  const Vec3 young(0.28, 0.24, 0.04), dark(0.085, 0.032, 0.010), rim(0.42, 0.17, 0.02);
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  constexpr int n_seeds = 340, around = 7;
  for (int i = 0; i < n_seeds; ++i) {
    const double x = std::sqrt((i + 0.6) / n_seeds), radius = 0.975 * plan.disc_radius * x, angle = golden * i;
    const double size = 0.0047 * (0.72 + 0.36 * x);
    Vec3 color = x < 0.45 ? mix(young, dark, (x - 0.12) / 0.3) : mix(dark, rim, (x - 0.74) / 0.2);
    color *= 1 + 0.18 * std::sin(1.7 * i);
    const double u = radius * std::cos(angle), v = radius * std::sin(angle), z = dome_height(plan, radius);
    const double height = x > 0.8 ? 0.0085 : 0.0062;
    std::vector<Points> rings, colors;
    for (const auto& [wide, forward, shade] :
         {std::array{0.85, -0.003, 0.45}, {1.0, 0.001, 0.6}, {0.62, 0.72 * height, 1.0}}) {
      Points ring;
      for (int k = 0; k < around; ++k) {
        const double a = 2 * std::numbers::pi * k / around + angle;
        ring.push_back(plan.at_head(u + wide * size * std::cos(a), v + wide * size * std::sin(a), z + forward));
      }
      rings.push_back(ring);
      colors.emplace_back(around, shade * color);
    }
    append_rings(mesh, rings, colors, plan.at_head(u, v, z - 0.004), 0.4 * color, plan.at_head(u, v, z + height),
                 1.25 * color);
  }
}

void append_petals(TriMesh& mesh, const std::vector<Ribbon>& petals, const Vec3& base, const Vec3& body,
                   const Vec3& tip) {
  for (size_t i = 0; i < petals.size(); ++i) {
    const double tint = 1 + 0.05 * std::sin(3.3 * static_cast<double>(i));
    RibbonLook look;
    look.color = [&, tint](double s, double u) {
      const Vec3 along = s < 0.4 ? mix(base, body, s / 0.4) : mix(body, tip, (s - 0.4) / 0.6);
      // Fine veins along the petal.
      return Vec3(tint * along * (1 - 0.13 * (1 - 0.6 * s) * std::pow(std::cos(3 * std::numbers::pi * u), 2)));
    };
    look.lift = [](double s, double u) {
      return 0.0055 * std::sin(std::numbers::pi * std::min(1.0, 1.1 * s)) * (u * u - 0.4);
    };
    append_ribbon(mesh, petals[i], 18, look);
  }
}

void append_leaves(TriMesh& mesh, const SunflowerPlan& plan) {
  const Vec3 blade(0.055, 0.19, 0.022), edge(0.085, 0.27, 0.035), rib(0.22, 0.40, 0.10);
  for (const Ribbon& leaf : plan.leaves) {
    RibbonLook look;
    look.color = [&](double s, double u) {
      // Side ribs slant forward from the middle one.
      const double vein = std::pow(std::max(0.0, std::cos(2 * std::numbers::pi * (5.5 * s - 1.1 * std::abs(u)))), 8) *
                          (1 - std::abs(u));
      const double middle = std::exp(-60 * u * u);
      return mix(mix(blade, edge, u * u), rib, std::max(0.85 * middle, 0.4 * vein) * (1 - 0.5 * s));
    };
    // Folded along the middle rib, waving at the rim.
    look.lift = [](double s, double u) {
      return 0.007 * std::abs(u) * std::sin(std::numbers::pi * s) + 0.0022 * u * u * std::sin(16 * s) - 0.003;
    };
    append_ribbon(mesh, leaf, 32, look);
  }
  for (const Ribbon& stalk : plan.stalks)
    append_ribbon(mesh, stalk, 12, {[&](double, double) { return Vec3(0.12, 0.27, 0.05); }, {}});
}
}  // namespace

TriMesh make_sunflower_surface() {
  const SunflowerPlan& plan = sunflower_plan();
  TriMesh mesh;
  append_ribbon(
      mesh, plan.stem, 24,
      {[](double s, double u) {
         return Vec3(mix({0.075, 0.19, 0.028}, {0.13, 0.29, 0.05}, s) * (1 - 0.12 * std::pow(std::cos(9 * u), 2)));
       },
       {}});
  append_disc(mesh, plan);
  append_seeds(mesh, plan);
  append_petals(mesh, plan.front_petals, {0.80, 0.26, 0.006}, {0.95, 0.50, 0.008}, {1.0, 0.62, 0.02});
  append_petals(mesh, plan.back_petals, {0.62, 0.17, 0.004}, {0.85, 0.38, 0.006}, {0.95, 0.52, 0.012});
  append_petals(mesh, plan.sepals, {0.07, 0.17, 0.025}, {0.10, 0.26, 0.04}, {0.16, 0.36, 0.06});
  append_leaves(mesh, plan);
  mesh.normals = vertex_normals(mesh.vertices, mesh.triangles);
  return mesh;
}

}  // namespace supple::demos
