#include "supple/sim/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "supple/base/most.h"
#include "supple/sim/mean.h"

namespace supple {

namespace {

std::vector<char> driven_flags(const Model& model) {
  std::vector<char> driven(static_cast<size_t>(model.n_vertices()), 0);
  for (int v : model.spec().driven) driven[v] = 1;
  return driven;
}

// Vertices joined when a tet has both; the smallest vertex of a set stands for it.
class Joined {
 public:
  explicit Joined(int n) : parent_(static_cast<size_t>(n)) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(int a, int b) {
    a = find(a), b = find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

// A piece before it is known whether it is large enough: connected flesh and group.
using Piece = std::pair<int, int>;
constexpr Piece kNone{-1, -1};
constexpr double kTellsOfAPart = 0.05;  // of its volume: a region with less has no say in its name

// A part that nobody named, beside others: by the regions of the mesh that it lies in, the largest first, else by the
// vertex in its middle.
std::string place_of(const Part& p, const TetMesh& mesh) {
  std::map<int, double> volumes;
  // Of what only follows the name is in brackets.
  const auto named = [&](int t) {
    const int region = mesh.tet_region.empty() ? -1 : mesh.tet_region[t];
    return region >= 0 && static_cast<size_t>(region) < mesh.region_names.size() &&
           !mesh.region_names[region].starts_with('(');
  };
  const auto corner = [&](int t, size_t k) -> const Vec3& { return mesh.vertices[mesh.tets[t][k]]; };
  for (int t : p.tets)
    if (named(t))
      volumes[mesh.tet_region[t]] += std::abs(tet_volume(corner(t, 0), corner(t, 1), corner(t, 2), corner(t, 3)));
  double all = 0;
  int largest = -1;
  for (const auto& [region, volume] : volumes) {
    all += volume;
    if (largest < 0 || volume > volumes[largest]) largest = region;
  }
  if (largest >= 0) {
    const auto others = std::count_if(volumes.begin(), volumes.end(), [&](const auto& v) {
      return v.first != largest && v.second > kTellsOfAPart * all;
    });
    const std::string& name = mesh.region_names[largest];
    return others > 0 ? fmt::format("{}, and {} more", name, others) : name;
  }
  Vec3 middle = Vec3::Zero();
  for (int v : p.vertices) middle += mesh.vertices[v] / static_cast<double>(p.vertices.size());
  int nearest = p.vertices.empty() ? 0 : p.vertices.front();
  const auto away = [&](int v) { return (mesh.vertices[v] - middle).norm(); };
  for (int v : p.vertices)
    if (clearly_more(away(nearest), away(v))) nearest = v;
  return fmt::format("around vertex {}", nearest);
}

void name_parts(Parts& parts, const PartGroups& groups, const TetMesh& mesh) {
  std::map<std::string, int> used;
  const std::set<std::string> taken(groups.names.begin(), groups.names.end());
  const auto ungrouped =
      std::count_if(parts.list.begin(), parts.list.end(), [](const Part& p) { return p.group < 0 && !p.shared; });
  for (Part& p : parts.list) {
    p.name = p.shared ? "other parts" : p.group >= 0 ? groups.names[p.group] : "body";
    if (p.group < 0 && !p.shared && ungrouped > 1) p.name = place_of(p, mesh);
    int& n = used[p.name];
    const std::string plain = p.name;
    if (++n == 1) continue;
    while (taken.count(p.name = fmt::format("{} ({})", plain, n))) ++n;
  }
}

double rms(const Model& model, const std::vector<int>& vertices, const VecX& u) {
  double sum = 0, mass = 0;
  for (int v : vertices) {
    sum += model.mass()->per_vertex()[v] * u.segment<3>(3 * v).squaredNorm();
    mass += model.mass()->per_vertex()[v];
  }
  return mass > 0 ? std::sqrt(sum / mass) : 0;
}

}  // namespace

Parts split_into_parts(const Model& model, const PartGroups& groups) {
  const TetMesh& mesh = model.mesh();
  const std::vector<char> driven = driven_flags(model);
  Joined joined(mesh.n_vertices());
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const Tet& tet : mesh.tets) {
    int first = -1;
    for (int v : tet) {
      if (driven[v]) continue;
      used[v] = 1;
      if (first >= 0) joined.join(first, v);
      first = v;
    }
  }
  const std::vector<int> vertex_group = groups_of_vertices(mesh, groups.group);
  std::vector<Piece> of_vertex(mesh.vertices.size(), kNone), of_tet(mesh.tets.size(), kNone);
  struct Size {
    int count = 0;
    double mass = 0;
  };
  std::map<Piece, Size> size;
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (!used[v]) continue;
    of_vertex[v] = {joined.find(v), vertex_group[v]};
    Size& s = size[of_vertex[v]];
    ++s.count, s.mass += model.mass()->per_vertex()[v];
  }
  for (int t = 0; t < mesh.n_tets(); ++t)
    for (int v : mesh.tets[t])
      if (!driven[v]) of_tet[t] = {joined.find(v), groups.group.empty() ? -1 : groups.group[t]};

  // Heaviest first; a tie goes to the lower vertex number.
  std::vector<Piece> order;
  for (const auto& entry : size) order.push_back(entry.first);
  std::stable_sort(order.begin(), order.end(), [&](Piece a, Piece b) { return size[a].mass > size[b].mass; });
  Parts parts;
  std::map<Piece, int> index;
  std::map<int, int> heaviest_of_flesh;
  int too_many = 0;
  for (const Piece& piece : order) {
    if (size[piece].count < kSmallestPart) continue;
    if (parts.list.size() == kLargestPartCount) {
      ++too_many;
      continue;
    }
    index[piece] = static_cast<int>(parts.list.size());
    heaviest_of_flesh.emplace(piece.first, index[piece]);
    const int group = piece.second;
    parts.list.push_back({.group = group, .twin = group >= 0 && !groups.twin.empty() ? groups.twin[group] : -1});
  }
  // Pieces that are no part of their own, also those of tets without a vertex of their own.
  int shared = -1;
  const auto part_of = [&](const Piece& piece) {
    if (piece == kNone) return -1;
    if (const auto it = index.find(piece); it != index.end()) return it->second;
    if (const auto it = heaviest_of_flesh.find(piece.first); it != heaviest_of_flesh.end()) return it->second;
    if (shared < 0) {
      shared = static_cast<int>(parts.list.size());
      parts.list.push_back({.shared = true});
    }
    return shared;
  };
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const int p = part_of(of_vertex[v]);
    parts.of_vertex.push_back(p);
    if (p < 0) continue;
    parts.list[p].vertices.push_back(v);
    parts.list[p].mass += model.mass()->per_vertex()[v];
  }
  for (int t = 0; t < mesh.n_tets(); ++t) {
    const int p = part_of(of_tet[t]);
    parts.of_tet.push_back(p);
    if (p >= 0) parts.list[p].tets.push_back(t);
  }
  name_parts(parts, groups, mesh);
  if (too_many > 0)
    parts.warnings.push_back(
        fmt::format("{} separate parts of free flesh: only the {} heaviest are analysed each on its own, the others "
                    "take the numbers of '{}'",
                    too_many + kLargestPartCount, kLargestPartCount, parts.list[0].name));
  return parts;
}

Model held_around(const Model& model, const std::vector<int>& vertices, std::vector<int>* kept_vertices) {
  const ModelSpec& whole = model.spec();
  std::vector<char> mine(whole.mesh.vertices.size(), 0);
  for (int v : vertices) mine[v] = 1;
  // The tets that touch the part; averaging around vertices reaches one ring further.
  std::vector<char> reach = mine;
  for (int ring = 0; ring < (whole.anti_locking ? 1 : 0); ++ring) {
    const std::vector<char> before = reach;
    for (const Tet& t : whole.mesh.tets)
      if (before[t[0]] || before[t[1]] || before[t[2]] || before[t[3]])
        for (int v : t) reach[v] = 1;
  }
  ModelSpec spec = whole;
  spec.mesh = {};
  spec.per_tet.clear();
  spec.driven.clear();
  spec.gravity_scale.resize(0);
  std::vector<int> new_index(whole.mesh.vertices.size(), -1), old_index;
  for (size_t t = 0; t < whole.mesh.tets.size(); ++t) {
    Tet tet = whole.mesh.tets[t];
    if (!reach[tet[0]] && !reach[tet[1]] && !reach[tet[2]] && !reach[tet[3]]) continue;
    for (int& v : tet) {
      if (new_index[v] < 0) {
        new_index[v] = static_cast<int>(old_index.size());
        old_index.push_back(v);
      }
      v = new_index[v];
    }
    spec.mesh.tets.push_back(tet);
    spec.per_tet.push_back(whole.per_tet[t]);
  }
  for (size_t i = 0; i < old_index.size(); ++i) {
    spec.mesh.vertices.push_back(whole.mesh.vertices[old_index[i]]);
    if (!mine[old_index[i]]) spec.driven.push_back(static_cast<int>(i));
  }
  const auto keep = [&](std::vector<PointTie>& ties, std::vector<double>* strengths) {
    std::vector<PointTie> kept;
    std::vector<double> kept_strengths;
    for (size_t i = 0; i < ties.size(); ++i) {
      PointTie tie = ties[i];
      bool touches = false;
      for (int c = 0; c < 4; ++c) touches = touches || (mine[tie.vertices[c]] && tie.weights[c] != 0);
      if (!touches) continue;
      for (int c = 0; c < 4; ++c) {
        // A corner without weight may lie outside.
        const int v = new_index[tie.vertices[c]];
        tie.vertices[c] = v >= 0 ? v : 0;
      }
      kept.push_back(tie);
      if (strengths && !strengths->empty()) kept_strengths.push_back((*strengths)[i]);
    }
    ties = std::move(kept);
    if (strengths) *strengths = std::move(kept_strengths);
  };
  keep(spec.ties, nullptr);
  keep(spec.springs, &spec.spring_strengths);
  std::vector<std::pair<int, double>> point_masses;
  for (auto [v, m] : spec.point_masses)
    if (new_index[v] >= 0) point_masses.emplace_back(new_index[v], m);
  spec.point_masses = std::move(point_masses);
  if (kept_vertices) *kept_vertices = std::move(old_index);
  return Model(std::move(spec));
}

namespace {

constexpr int kModesPerPart = 12, kMostModes = 120;  // in which the swing of a part is looked for
constexpr double kMostOfIt = 0.5;                    // of a mode's energy

// The displacements of some vertices.
VecX restricted(const VecX& u, const std::vector<int>& vertices) {
  VecX some(3 * static_cast<Eigen::Index>(vertices.size()));
  for (size_t i = 0; i < vertices.size(); ++i)
    some.segment<3>(3 * static_cast<Eigen::Index>(i)) = u.segment<3>(3 * vertices[i]);
  return some;
}

}  // namespace

std::vector<PartSwing> part_swings(const Model& model, const Parts& parts, const std::string& linear_solver,
                                   const VecX& u, Modes* all) {
  std::vector<PartSwing> found(parts.list.size());
  const int n_loose = static_cast<int>(model.loose_parts().size());
  const int n_free = model.constraints().map().n_free();
  const int k = std::min({kModesPerPart * static_cast<int>(parts.list.size()) + 6 * n_loose, kMostModes, n_free / 2});
  const Modes modes = natural_modes(model, std::max(k, 1), linear_solver, u);
  if (!modes.ok) return found;
  const double still = 1e-3 * modes.frequencies_hz[modes.frequencies_hz.size() - 1];
  for (Eigen::Index m = 0; m < modes.frequencies_hz.size(); ++m) {
    if (modes.frequencies_hz[m] <= still) continue;
    const VecX energy = modes.shapes.col(m).cwiseProduct(model.mass()->multiply(modes.shapes.col(m)));
    std::vector<double> share(found.size(), 0);
    for (size_t p = 0; p < found.size(); ++p)
      for (int v : parts.list[p].vertices) share[p] += energy.segment<3>(3 * v).sum() / energy.sum();
    for (size_t p = 0; p < found.size(); ++p) {
      if (found[p].frequency_hz > 0) continue;
      double together = 0;
      for (size_t q = 0; q < found.size(); ++q) {
        const Part &mine = parts.list[p], &other = parts.list[q];
        const bool same =
            mine.group >= 0 && (other.group == mine.group || (mine.twin >= 0 && other.group == mine.twin));
        if (q == p || same) together += share[q];
      }
      if (together > kMostOfIt) found[p] = {modes.frequencies_hz[m], modes.shapes.col(m), m};
    }
  }
  if (all) *all = modes;
  return found;
}

VecX smooth_on_vertices(const TetMesh& mesh, const Parts& parts, const std::vector<double>& of_part) {
  if (of_part.empty()) return VecX::Ones(mesh.n_vertices());
  VecX values = VecX::Constant(mesh.n_vertices(), of_part[0]);
  if (std::all_of(of_part.begin(), of_part.end(), [&](double v) { return v == of_part[0]; })) return values;
  const std::vector<double> volume = tet_volumes(mesh);
  std::vector<Mean> around(mesh.vertices.size());
  for (int t = 0; t < mesh.n_tets(); ++t)
    if (parts.of_tet[t] >= 0)
      for (int v : mesh.tets[t]) around[v].add(of_part[parts.of_tet[t]], volume[t]);
  for (int v = 0; v < mesh.n_vertices(); ++v) values[v] = around[v].value(of_part[0]);
  const auto edges = unique_edges(mesh.tets);
  for (int pass = 0; pass < 2; ++pass) {
    // Driven vertices are no bridge: the flesh on either side has nothing to do with the other.
    std::vector<Mean> near(mesh.vertices.size());
    for (int v = 0; v < mesh.n_vertices(); ++v) near[v].add(values[v], 1);
    for (const auto& [a, b] : edges) {
      if (parts.of_vertex[a] < 0 || parts.of_vertex[b] < 0) continue;
      near[a].add(values[b], 1), near[b].add(values[a], 1);
    }
    for (int v = 0; v < mesh.n_vertices(); ++v) values[v] = near[v].value();
  }
  return values;
}

double lowest_frequency(const Model& model, const std::string& linear_solver, std::string* trouble, const VecX& u) {
  const auto n_loose = static_cast<int>(model.loose_parts().size());
  const Modes modes = natural_modes(model, n_loose == 0 ? 1 : 6 * n_loose + 2, linear_solver, u);
  if (trouble) *trouble = modes.message;
  if (!modes.ok) return 0;
  for (double f : modes.frequencies_hz)
    if (f > 1e-3 * modes.frequencies_hz[modes.frequencies_hz.size() - 1]) return f;
  return 0;
}

Parts analyse_parts(const Model& model, const PartGroups& groups, const std::string& linear_solver, double tolerance,
                    const VecX& hanging) {
  Parts parts = split_into_parts(model, groups);
  std::vector<Part>& list = parts.list;
  const bool pulled = !list.empty() && model.gravity_force().cwiseAbs().maxCoeff() > 0;
  Sag sag;
  if (pulled) sag = gravity_sag(model, linear_solver, tolerance, hanging);
  const VecX about = hanging.size() > 0 && sag.converged ? sag.u : hanging;

  const bool grouped = std::any_of(list.begin(), list.end(), [](const Part& p) { return p.group >= 0; });
  const auto n_own = std::count_if(list.begin(), list.end(), [](const Part& p) { return !p.shared; });
  // The body's lowest is that of a part when parts do not touch and none is left out.
  const bool from_parts = n_own > 1 && !grouped && parts.warnings.empty();
  if (!from_parts) parts.frequency_hz = lowest_frequency(model, linear_solver, &parts.trouble, about);
  for (size_t k = 0; k < list.size(); ++k) {
    Part& p = list[k];
    if (p.shared) {
      p.frequency_hz = list[0].shared ? parts.frequency_hz : list[0].frequency_hz;
    } else if (n_own == 1) {
      p.frequency_hz = parts.frequency_hz;
    } else {
      std::vector<int> kept;
      const Model alone = held_around(model, p.vertices, &kept);
      const VecX here = about.size() > 0 ? restricted(about, kept) : VecX();
      p.frequency_hz = lowest_frequency(alone, linear_solver, &parts.trouble, here);
      if (from_parts && p.frequency_hz > 0 && (parts.frequency_hz == 0 || p.frequency_hz < parts.frequency_hz))
        parts.frequency_hz = p.frequency_hz;
    }
  }
  if (!pulled) {
    parts.sag_m = 0;
    for (Part& p : list) p.sag_m = 0;
    return parts;
  }
  parts.sagged = sag.u;
  if (!sag.converged) return parts;
  parts.sag_m = sag.sag_m;
  for (Part& p : list) p.sag_m = list.size() == 1 ? sag.sag_m : rms(model, p.vertices, sag.u);
  return parts;
}

}  // namespace supple
