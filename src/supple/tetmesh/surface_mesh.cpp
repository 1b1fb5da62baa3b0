#include "supple/tetmesh/surface_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "supple/base/error.h"
#include "supple/mesh/quality.h"
#include "supple/tetmesh/glue.h"
#include "supple/tetmesh/thickness.h"

namespace supple {

namespace {

constexpr double kMostTets = 3e6;

[[noreturn]] void refuse(const std::string& what, const std::string& advice) {
  throw InputError({"", 0, 0, "cage"}, what, advice);
}

// One part of the surface and what is needed to put tets around it at any edge length.
struct Part {
  Soup soup;
  WindingNumber winding;  // of what is solid
  ThicknessSamples thickness;
  std::vector<double> wishes;  // edge lengths at the points of `thickness`
};

// The surface in parts, and the cage of a given edge length.
class Mesher {
 public:
  Mesher(const TriMesh& surface, const CageOptions& options) : surface_(surface), options_(options) {
    check();
    std::map<int, std::vector<int>> of_part;
    for (size_t t = 0; t < surface.triangles.size(); ++t)
      of_part[options.part.empty() ? 0 : options.part[t]].push_back(static_cast<int>(t));
    for (const auto& [name, triangles] : of_part) {
      Part part;
      part.soup = make_soup(surface, triangles);
      n_degenerate_ += part.soup.n_degenerate;
      if (part.soup.triangles.empty()) continue;
      std::vector<Tri> solid;
      for (size_t t = 0; t < part.soup.triangles.size(); ++t) {
        if (!part.soup.sheet[t]) solid.push_back(part.soup.triangles[t]);
      }
      part.winding = WindingNumber(surface.vertices, solid);
      area_ += part.soup.area;
      volume_ += part.soup.volume;
      parts_.push_back(std::move(part));
    }
    if (parts_.empty()) refuse("the surface has no triangle with area", "Give a surface that encloses something.");
    for (const Part& part : parts_) {
      for (const Tri& t : part.soup.triangles) {
        for (int v : t) used_.push_back(surface.vertices[v]);
      }
    }
    if (options.graded) {
      for (Part& part : parts_) {
        const int count = static_cast<int>(std::clamp(2e4 * part.soup.area / area_, 100.0, 2e4));
        part.thickness = measure_thickness(part.soup, count, longest_side(used_));
        for (double t : part.thickness.thickness) part.wishes.push_back(t / options.edges_across);
      }
    }
  }

  // An edge length that gives about so many tets when half of them are at the surface.
  double guess(double count) const {
    double low = 1e-6 * longest_side(used_), high = 2 * longest_side(used_);
    for (int i = 0; i < 60; ++i) {
      const double edge = std::sqrt(low * high);
      (estimate(edge) > count ? low : high) = edge;
    }
    return high;
  }

  // The lattices of all parts, and the number of their tets: more or less that of the cage.
  struct Lattices {
    double edge = 0;
    std::vector<Cover> covers;
    std::vector<GradedLattice> lattices;
    double n_tets = 0;
  };
  Lattices lay(double edge) const {
    Lattices out;
    out.edge = edge;
    const auto refuse_many = [&] {
      refuse(fmt::format("an edge of {:.3g} m means more than {:g} tets", edge, kMostTets),
             fmt::format("Try an edge of {:.3g} m.", guess(1e5)));
    };
    if (edge < 1e-6 * longest_side(used_) || estimate(edge) > kMostTets)
      refuse_many();  // no grid could count its cubes
    const CubeGrid grid = grid_around(used_, edge);
    if (*std::max_element(grid.n.begin(), grid.n.end()) >= kMaxCubes) refuse_many();
    for (const Part& part : parts_) {
      out.covers.push_back(cover(part.soup, part.winding, grid));
      out.lattices.emplace_back(grid, out.covers.back().keys);
      if (options_.graded || !options_.finer_at.empty()) {
        Points points = part.thickness.points;
        std::vector<double> wishes = part.wishes;
        points.insert(points.end(), options_.finer_at.begin(), options_.finer_at.end());
        wishes.resize(points.size(), options_.finer_edge);
        out.lattices.back().refine(points, wishes);
      }
      out.n_tets += expected_tets(part.soup, out.covers.back(), out.lattices.back());
    }
    return out;
  }

  Cage build(const Lattices& lattices, CageReport& report) const {
    Cage cage;
    cage.tet.assign(surface_.vertices.size(), -1);
    std::vector<double> depth(surface_.vertices.size(), -std::numeric_limits<double>::infinity());
    for (size_t i = 0; i < parts_.size(); ++i)
      add(parts_[i], lattices.covers[i], lattices.lattices[i], cage, depth, report);
    embed_surface(cage, report);
    report.edge = lattices.edge;
    report.n_degenerate = n_degenerate_;
    finish(cage, report);
    return cage;
  }

 private:
  void check() const {
    const int n = surface_.n_vertices();
    for (size_t i = 0; i < surface_.vertices.size(); ++i) {
      if (!surface_.vertices[i].allFinite()) {
        throw InputError({"", 0, 0, fmt::format("vertex {}", i)}, "the position is not finite",
                         "Repair the surface: every coordinate must be a number.");
      }
    }
    for (size_t i = 0; i < surface_.triangles.size(); ++i) {
      for (int v : surface_.triangles[i]) {
        if (v < 0 || v >= n) {
          throw InputError({"", 0, 0, fmt::format("triangle {}", i)},
                           fmt::format("it names vertex {}, and there are {}", v, n), "Repair the surface.");
        }
      }
    }
    if (!options_.part.empty() && options_.part.size() != surface_.triangles.size())
      refuse("`part` needs one entry a triangle", "Leave it empty for one part.");
    if (surface_.triangles.empty()) refuse("the surface has no triangles", "Give a surface that encloses something.");
    if (!(options_.sheet_thickness >= 0) || !std::isfinite(options_.sheet_thickness))
      refuse(fmt::format("the sheet thickness is {:g}", options_.sheet_thickness), "Give a length in metres.");
    if (!(options_.edges_across > 0) || !std::isfinite(options_.edges_across))
      refuse(fmt::format("{:g} edges across thin parts", options_.edges_across), "Give a positive number.");
  }

  // About how many tets: 12 fill a cube, and the surface adds half a layer of them.
  double estimate(double edge) const {
    constexpr double kBeyond = 8;
    const auto tets = [&](double area, double volume, double length) {
      return 12 * volume / (length * length * length) + kBeyond * area / (length * length);
    };
    if (!options_.graded) return 12 + tets(area_, volume_, edge);
    double n = 12;
    for (const Part& part : parts_) {
      const auto& thickness = part.thickness.thickness;
      double behind = 0, solid_area = 0;
      for (double t : thickness) behind += t;
      for (size_t t = 0; t < part.soup.areas.size(); ++t) solid_area += part.soup.sheet[t] ? 0 : part.soup.areas[t];
      for (size_t i = 0; i < thickness.size(); ++i) {
        const double length = std::clamp(part.wishes[i], edge / 4, edge);
        n += tets(solid_area / static_cast<double>(thickness.size()), part.soup.volume * thickness[i] / behind, length);
      }
      n += tets(part.soup.area - solid_area, 0, edge);
    }
    return n;
  }

  void add(const Part& part, const Cover& base, const GradedLattice& lattice, Cage& cage, std::vector<double>& depth,
           CageReport& report) const {
    ContentsOptions contents_options;
    contents_options.keep_apart = options_.keep_apart;
    contents_options.sheet_thickness =
        options_.sheet_thickness > 0 ? options_.sheet_thickness : 0.5 * lattice.grid().edge;
    const auto contents = find_contents(part.soup, part.winding, lattice, base, contents_options);
    const Glued glued = glue(lattice, contents, options_.keep_apart);

    // Vertices of the surface: in the bit of one of their triangles, of all tets that hold it the one deepest around.
    const int first_tet = cage.mesh.n_tets();
    for (size_t t = 0; t < contents.size(); ++t) {
      for (size_t i = 0; i < contents[t].triangle.size(); ++i) {
        for (int v : part.soup.triangles[contents[t].triangle[i]]) {
          for (int tet : glued.tets_of[glued.first_bit[t] + contents[t].bit[i]]) {
            const double inside = weights_in(glued.mesh, tet, v).minCoeff();
            if (!(inside > depth[v])) continue;
            depth[v] = inside;
            cage.tet[v] = first_tet + tet;
          }
        }
      }
    }
    std::map<int, int> uses;
    for (int t : glued.lattice_tet) ++uses[t];
    for (const auto& [t, n] : uses) report.n_duplicated += n > 1 ? n : 0;

    const int shift = cage.mesh.n_vertices();
    cage.mesh.vertices.insert(cage.mesh.vertices.end(), glued.mesh.vertices.begin(), glued.mesh.vertices.end());
    for (Tet t : glued.mesh.tets) {
      for (int& v : t) v += shift;
      cage.mesh.tets.push_back(t);
    }
    const auto& fill = glued.mesh.tet_maps.at("fill");
    auto& all = cage.mesh.tet_maps["fill"];
    all.insert(all.end(), fill.begin(), fill.end());

    report.n_open_edges += part.soup.n_open_edges;
    report.n_nonmanifold_edges += part.soup.n_nonmanifold_edges;
    report.n_flipped += part.soup.n_flipped;
    report.sheet |= part.soup.has_sheet;
  }

  Eigen::Vector4d weights_in(const TetMesh& mesh, int tet, int vertex) const {
    const Tet& t = mesh.tets[tet];
    return barycentric(surface_.vertices[vertex], mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]],
                       mesh.vertices[t[3]]);
  }

  void embed_surface(Cage& cage, CageReport& report) const {
    // Vertices of no triangle with area: wherever they are.
    Points lost;
    std::vector<int> lost_index;
    for (int v = 0; v < surface_.n_vertices(); ++v) {
      if (cage.tet[v] >= 0) continue;
      lost.push_back(surface_.vertices[v]);
      lost_index.push_back(v);
    }
    Embedding all;
    all.tet = cage.tet;
    all.weights.resize(cage.tet.size());
    if (!lost.empty()) {
      const Embedding e = embed(cage.mesh, lost);
      for (size_t i = 0; i < lost.size(); ++i)
        all.tet[lost_index[i]] = e.tet[i], all.weights[lost_index[i]] = e.weights[i];
      report.n_outside = e.n_outside;
      report.max_outside = e.max_distance;
    }
    for (int v = 0; v < surface_.n_vertices(); ++v) {
      if (cage.tet[v] >= 0) all.weights[v] = weights_in(cage.mesh, cage.tet[v], v);
    }
    cage.tet = all.tet;
    cage.surface = blend_of(all, cage.mesh.tets);
  }

  void finish(const Cage& cage, CageReport& report) const {
    const QualityReport quality = measure_quality(cage.mesh);
    report.n_vertices = quality.n_vertices;
    report.n_tets = quality.n_tets;
    report.n_components = quality.n_components;
    report.min_dihedral_deg = quality.min_dihedral_deg;
    report.max_dihedral_deg = quality.max_dihedral_deg;
    report.volume = quality.volume;
    const auto volumes = tet_volumes(cage.mesh);
    const auto& fill = cage.mesh.tet_maps.at("fill");
    for (size_t i = 0; i < fill.size(); ++i) {
      report.solid_volume += fill[i] * volumes[i];
      report.n_thin += fill[i] < 0.5;
    }
  }

  const TriMesh& surface_;
  const CageOptions& options_;
  std::vector<Part> parts_;
  Points used_;
  double area_ = 0, volume_ = 0;
  int n_degenerate_ = 0;
};

int count_of_preset(const std::string& preset) {
  if (preset == "preview") return 3000;
  if (preset.empty() || preset == "final") return 10000;
  if (preset == "fine") return 30000;
  refuse("there is no preset \"" + preset + "\"", "Presets are preview, final and fine.");
}

// Searches with the lattice alone, which is quick, and corrects by what then comes of it. The count falls as a power of
// the edge, which is 3 for a ball and near 1 where thin parts with a size of their own prevail: by secants. It falls in
// steps, too, so the best try is kept.
Cage build_for_count(const Mesher& mesher, int wanted, CageReport& report) {
  constexpr double kSearched = 0.07, kNeeded = 0.12;
  constexpr int kBuilds = 4, kSteps = 6;
  Cage best;
  double best_error = std::numeric_limits<double>::infinity(), edge = mesher.guess(wanted), per_lattice_tet = 1;
  double power = 1.6, last_edge = 0, last_count = 0;
  for (int i = 0; i < kBuilds && best_error > kNeeded; ++i) {
    Mesher::Lattices lattices;
    for (int k = 0;; ++k) {
      lattices = mesher.lay(edge);
      const double ratio = per_lattice_tet * lattices.n_tets / wanted;
      if (last_edge > 0 && std::abs(std::log(edge / last_edge)) > 0.02)
        power = std::clamp(std::log(last_count / lattices.n_tets) / std::log(edge / last_edge), 0.7, 3.0);
      last_edge = edge;
      last_count = lattices.n_tets;
      if (std::abs(ratio - 1) < kSearched || k == kSteps) break;
      edge *= std::clamp(std::pow(ratio, 1 / power), 0.4, 2.5);
    }
    CageReport now;
    Cage cage = mesher.build(lattices, now);
    const double error = std::abs(static_cast<double>(now.n_tets) / wanted - 1);
    per_lattice_tet = now.n_tets / lattices.n_tets;
    if (error < best_error) best_error = error, best = std::move(cage), report = now;
  }
  if (best_error > 0.15) {
    report.warnings.push_back(
        fmt::format("{} tets were asked for and {} is as near as the lattice comes", wanted, report.n_tets));
  }
  return best;
}

}  // namespace

Cage make_cage(const TriMesh& surface, const CageOptions& options, CageReport* report) {
  if ((options.edge != 0) + (options.count != 0) + !options.preset.empty() > 1)
    refuse("more than one of edge, count and preset is given", "Give one of them.");
  if (!(options.edge >= 0) || !std::isfinite(options.edge))
    refuse(fmt::format("the edge is {:g}", options.edge), "Give a positive length in metres.");
  if (options.count < 0) refuse(fmt::format("the count is {}", options.count), "Give a positive number of tets.");
  const Mesher mesher(surface, options);
  CageReport own;
  CageReport& out = report ? *report : own;
  out = {};
  if (options.edge > 0) return mesher.build(mesher.lay(options.edge), out);
  return build_for_count(mesher, options.count > 0 ? options.count : count_of_preset(options.preset), out);
}

}  // namespace supple
