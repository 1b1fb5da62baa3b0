#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/demos/gallery/jellyfish.h"
#include "supple/demos/gallery/jellyfish_plan.h"

namespace supple::demos {

namespace {
Vec3 mix(const Vec3& a, const Vec3& b, double t) { return a + std::clamp(t, 0.0, 1.0) * (b - a); }

void append_bell(TriMesh& mesh, const JellyfishPlan& plan) {
  const Vec3 pale(0.93, 0.55, 0.52), stripe(0.52, 0.05, 0.10), edge(0.98, 0.80, 0.70), below(0.60, 0.16, 0.24);
  constexpr int around = 96;
  std::vector<Points> rings, colors;
  const size_t n = plan.profile.size();
  for (size_t i = 1; i + 1 < n; ++i) {
    const double r = plan.profile[i].x(), y = plan.profile[i].y();
    const double along = static_cast<double>(std::min(i, plan.rim)) / static_cast<double>(plan.rim);
    Points ring, color;
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around, drop = plan.scallop(angle, y);
      ring.emplace_back((r + 0.12 * drop) * std::cos(angle), y - drop, (r + 0.12 * drop) * std::sin(angle));
      // Stripes from the top towards every lobe, a pale hem.
      const double line = std::pow(0.5 + 0.5 * std::cos(16 * angle + std::numbers::pi), 2.5);
      const Vec3 top = mix(pale, stripe, line * std::clamp(3.2 * along - 0.75, 0.0, 1.0));
      color.push_back(i > plan.rim ? below : mix(top, edge, (along - 0.88) / 0.1));
    }
    rings.push_back(ring);
    colors.push_back(color);
  }
  append_rings(mesh, rings, colors, {0, plan.profile.front().y(), 0}, pale, {0, plan.profile.back().y(), 0}, below);
}

void append_tentacles(TriMesh& mesh, const JellyfishPlan& plan) {
  const Vec3 root(0.60, 0.06, 0.14), tip(0.98, 0.50, 0.42);
  for (const Ribbon& t : plan.tentacles) {
    // Beads along the length.
    const auto color = [&](double s, double) {
      return Vec3(mix(root, tip, s) * (0.93 + 0.07 * std::cos(2 * std::numbers::pi * 11 * s)));
    };
    append_ribbon(mesh, t, 10, {color, {}});
  }
}

void append_arms(TriMesh& mesh, const JellyfishPlan& plan) {
  const Vec3 middle(0.95, 0.50, 0.36), frill(1.0, 0.86, 0.70);
  for (size_t k = 0; k < plan.arms.size(); ++k) {
    const double phase = 1.3 * static_cast<double>(k);
    RibbonLook look;
    look.color = [&](double, double u) { return mix(middle, frill, 1.2 * u * u); };
    // The rims wave, each its own way.
    look.lift = [phase](double s, double u) {
      const double wave = std::sin(2 * std::numbers::pi * 5.5 * s + phase + (u > 0 ? 1.1 : 0)) * std::min(1.0, 4 * s);
      return 0.0085 * wave * u * u;
    };
    append_ribbon(mesh, plan.arms[k], 12, look);
  }
}
}  // namespace

TriMesh make_jellyfish_surface() {
  const JellyfishPlan& plan = jellyfish_plan();
  TriMesh mesh;
  append_bell(mesh, plan);
  append_tentacles(mesh, plan);
  append_arms(mesh, plan);
  mesh.normals = vertex_normals(mesh.vertices, mesh.triangles);
  return mesh;
}

}  // namespace supple::demos
