#include "supple/demos/gallery/sunflower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/error.h"
#include "supple/demos/gallery/sunflower_plan.h"

namespace supple::demos {

namespace {
// How far the body reaches beyond centre lines and outlines [m].
struct Girth {
  double stem, stalk, petal, leaf;
  double reach;  // of petals and leaves beyond their outline
  double foot;   // of the stem at the ground beyond its girth
};
Girth girth_for(double edge) {
  return {std::max(0.0145, 0.75 * edge - 0.019),
          std::max(0.010, 0.55 * edge - 0.007),
          std::max(0.0135, 0.45 * edge),
          std::max(0.0135, 0.52 * edge),
          0.5 * edge,
          0.004 + 0.2 * edge};
}

// Union of two distances with a fillet of about `round`.
double blend(double a, double b, double round) {
  const double h = std::max(round - std::abs(a - b), 0.0) / round;
  return std::min(a, b) - 0.25 * h * h * round;
}

[[noreturn]] void refuse(const std::string& what, const std::string& advice) {
  throw InputError({"", 0, 0, "sunflower"}, what, advice);
}

struct Parts {
  double stem, head, petals, leaves;
};

// An ellipsoid's distance to first order.
double ellipsoid(const Vec3& p, const Vec3& half) {
  const double k0 = p.cwiseQuotient(half).norm(), k1 = p.cwiseQuotient(half.cwiseProduct(half)).norm();
  return k1 > 0 ? k0 * (k0 - 1) / k1 : -half.minCoeff();
}

Parts part_distances(const Vec3& p, const Girth& girth) {
  const SunflowerPlan& plan = sunflower_plan();
  Parts d{};
  // A foot that widens towards the ground.
  const double flare = girth.foot * std::exp(-std::max(0.0, p.y()) / 0.06);
  d.stem = tube_distance(plan.stem, girth.stem + flare, p);
  const Vec3 away = p - plan.head;
  const Vec3 local(away.dot(plan.right), away.dot(plan.up), away.dot(plan.face));
  d.head = ellipsoid(local, {plan.disc_radius + 0.022, plan.disc_radius + 0.022, 0.056});
  d.petals = d.leaves = 1e9;
  // Petals lie near the plane of the head; elsewhere a bound is enough.
  const double far = std::max(std::abs(local.z()) - 0.10, local.head<2>().norm() - 0.30);
  if (far > 0.06) {
    d.petals = far;
  } else {
    for (const auto* layer : {&plan.front_petals, &plan.back_petals, &plan.sepals}) {
      for (const Ribbon& petal : *layer)
        d.petals = std::min(d.petals, plate_distance(petal, girth.reach, girth.petal, p));
    }
  }
  for (const Ribbon& leaf : plan.leaves)
    d.leaves = std::min(d.leaves, plate_distance(leaf, girth.reach, girth.leaf, p));
  for (const Ribbon& stalk : plan.stalks) d.leaves = blend(d.leaves, tube_distance(stalk, girth.stalk, p), 0.02);
  return d;
}

void name_regions(TetMesh& mesh, const Girth& girth) {
  mesh.region_names = {"stem", "head", "petals", "leaves"};
  for (const Tet& t : mesh.tets) {
    Vec3 middle = Vec3::Zero();
    for (int v : t) middle += 0.25 * mesh.vertices[static_cast<size_t>(v)];
    const Parts d = part_distances(middle, girth);
    // The disc before the petals that start in it, the stem before the stalks.
    const std::array<double, 4> of{d.stem, d.head - 0.006, d.petals, d.leaves + 0.004};
    mesh.tet_region.push_back(static_cast<int>(std::min_element(of.begin(), of.end()) - of.begin()));
  }
}
}  // namespace

SignedDistance sunflower_distance(double edge) {
  return [girth = girth_for(edge)](const Vec3& p) {
    const Parts d = part_distances(p, girth);
    const double plant = blend(blend(d.stem, d.leaves, 0.03), blend(d.head, d.petals, 0.02), 0.04);
    return std::max(plant, -p.y());
  };
}

// A whole number of edges high from the ground, so that a plane of the lattice is the sole of the stem.
Box sunflower_bounds(double edge) { return {{-0.42, 0, -0.22}, {0.42, edge * std::ceil(1.18 / edge), 0.28}}; }

Sunflower make_sunflower(const SunflowerOptions& options) {
  if (options.edge != 0 && options.count != 0) refuse("edge and count are both given", "give one of them");
  if (options.count < 0) refuse(fmt::format("count is {}", options.count), "give a positive number of tets");
  const bool by_edge = options.edge != 0;
  const int count = options.count > 0 ? options.count : 5500;
  // The body follows the edge too, so the count is searched here: it falls about as edge^-2.2.
  double edge = by_edge ? options.edge : 0.036 * std::pow(5500.0 / count, 0.45);
  double best = std::numeric_limits<double>::infinity();
  Sunflower flower;
  for (int round = 1; round <= (by_edge ? 1 : 16) && best > 0.03; ++round) {
    if (!(edge > 0) || edge > kSunflowerMaxEdge) break;
    LatticeReport report;
    TetMesh mesh = mesh_signed_distance(sunflower_distance(edge), sunflower_bounds(edge), {.edge = edge}, &report);
    const double ratio = static_cast<double>(mesh.n_tets()) / count, error = by_edge ? 0 : std::abs(ratio - 1);
    if (error < best) best = error, flower.tets = std::move(mesh), flower.report = report;
    flower.report.n_tries = round;
    edge *= std::pow(ratio, round < 8 ? 0.45 : 0.2);
  }
  if (flower.tets.tets.empty() || best > 0.1) {
    refuse(by_edge ? fmt::format("an edge of {:g} m is out of range", options.edge)
                   : fmt::format("{} tets are out of range", count),
           fmt::format("use an edge up to {:g} m, or 1500 tets and more", kSunflowerMaxEdge));
  }
  name_regions(flower.tets, girth_for(flower.report.edge));
  for (int v = 0; v < flower.tets.n_vertices(); ++v) {
    if (flower.tets.vertices[static_cast<size_t>(v)].y() < 1e-6) flower.root.push_back(v);
  }
  flower.surface = make_sunflower_surface();
  return flower;
}

}  // namespace supple::demos
