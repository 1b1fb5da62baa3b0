#include "supple/mesh/quality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/base/error.h"

namespace supple {

namespace {

bool indices_ok(const Tet& t, int n) {
  return std::all_of(t.begin(), t.end(), [n](int v) { return v >= 0 && v < n; });
}
bool finite(const TetMesh& mesh, const Tet& t) {
  return std::all_of(t.begin(), t.end(), [&](int v) { return mesh.vertices[v].allFinite(); });
}
double volume_of(const TetMesh& mesh, const Tet& t) {
  return tet_volume(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]);
}
bool degenerate(const TetMesh& mesh, const Tet& t, double volume) {
  double longest2 = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) {
      longest2 = std::max(longest2, (mesh.vertices[t[i]] - mesh.vertices[t[j]]).squaredNorm());
    }
  }
  return !(std::abs(volume) > 1e-12 * longest2 * std::sqrt(longest2));
}

// Tets among `candidates` with the vertices of an earlier candidate.
std::vector<int> find_duplicates(const TetMesh& mesh, const std::vector<int>& candidates) {
  std::vector<std::pair<Tet, int>> keys;
  for (int ti : candidates) {
    Tet key = mesh.tets[ti];
    std::sort(key.begin(), key.end());
    keys.emplace_back(key, ti);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int> later;
  for (size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].first == keys[i - 1].first) later.push_back(keys[i].second);
  }
  std::sort(later.begin(), later.end());
  return later;
}

int count_nonmanifold_faces(const std::vector<Tet>& tets) {
  std::vector<Tri> faces;
  for (const Tet& t : tets) {
    for (int skip = 0; skip < 4; ++skip) {
      Tri f = {t[(skip + 1) % 4], t[(skip + 2) % 4], t[(skip + 3) % 4]};
      std::sort(f.begin(), f.end());
      faces.push_back(f);
    }
  }
  std::sort(faces.begin(), faces.end());
  int n = 0;
  for (size_t i = 2; i < faces.size(); ++i) {
    const bool third = faces[i] == faces[i - 1] && faces[i] == faces[i - 2];
    n += third && (i == 2 || faces[i - 3] != faces[i]);
  }
  return n;
}

// The six angles between the faces of a tet [degrees].
std::array<double, 6> dihedral_angles(const TetMesh& mesh, const Tet& t) {
  const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]], &d = mesh.vertices[t[3]];
  const std::array<Vec3, 4> normal = {(c - b).cross(d - b), (d - a).cross(c - a), (b - a).cross(d - a),
                                      (c - a).cross(b - a)};
  std::array<double, 6> angles{};
  int k = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) {
      const double angle = std::atan2(normal[i].cross(normal[j]).norm(), -normal[i].dot(normal[j]));
      angles[k++] = angle * 180 / std::numbers::pi;
    }
  }
  return angles;
}

void measure_angles(const TetMesh& mesh, const std::vector<int>& tets, QualityReport& r) {
  if (tets.empty()) return;
  r.min_dihedral_deg = 180;
  for (int ti : tets) {
    const std::array<double, 6> angles = dihedral_angles(mesh, mesh.tets[ti]);
    for (double angle : angles) ++r.dihedral_histogram[std::clamp(static_cast<int>(angle / 10), 0, 17)];
    const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
    r.min_dihedral_deg = std::min(r.min_dihedral_deg, *low);
    r.max_dihedral_deg = std::max(r.max_dihedral_deg, *high);
    r.n_slivers += *low < 5 || *high > 175;
  }
}

void measure_edges(const TetMesh& mesh, const std::vector<Tet>& tets, QualityReport& r) {
  const auto edges = unique_edges(tets);
  if (edges.empty()) return;
  r.min_edge = std::numeric_limits<double>::infinity();
  for (const auto& e : edges) {
    const double length = (mesh.vertices[e[0]] - mesh.vertices[e[1]]).norm();
    r.min_edge = std::min(r.min_edge, length);
    r.max_edge = std::max(r.max_edge, length);
    r.mean_edge += length / static_cast<double>(edges.size());
  }
}

// "3 inverted tets (17, 29, 31)", at most five of them named.
std::string list(const std::vector<int>& items, const std::string& what) {
  const size_t shown = std::min<size_t>(items.size(), 5);
  return fmt::format("{} {} ({}{})", items.size(), what, fmt::join(items.begin(), items.begin() + shown, ", "),
                     shown < items.size() ? ", ..." : "");
}

}  // namespace

QualityReport measure_quality(const TetMesh& mesh) {
  QualityReport r;
  r.n_vertices = mesh.n_vertices();
  r.n_tets = mesh.n_tets();
  for (int v = 0; v < r.n_vertices; ++v) {
    if (!mesh.vertices[v].allFinite()) r.non_finite.push_back(v);
  }

  std::vector<char> used(mesh.vertices.size(), 0);
  std::vector<int> sound, solid;  // tets that can be measured; those that have a volume too
  for (int ti = 0; ti < r.n_tets; ++ti) {
    const Tet& t = mesh.tets[ti];
    if (!indices_ok(t, r.n_vertices)) {
      r.bad_index.push_back(ti);
      continue;
    }
    for (int v : t) used[v] = 1;
    if (!finite(mesh, t)) continue;
    const double volume = volume_of(mesh, t);
    if (degenerate(mesh, t, volume)) {
      r.degenerate.push_back(ti);
    } else {
      solid.push_back(ti);
      if (volume < 0) r.inverted.push_back(ti);
    }
    r.volume += volume;
    r.min_volume = sound.empty() ? volume : std::min(r.min_volume, volume);
    r.max_volume = sound.empty() ? volume : std::max(r.max_volume, volume);
    sound.push_back(ti);
  }
  for (int v = 0; v < r.n_vertices; ++v) {
    if (!used[v]) r.unused_vertices.push_back(v);
  }

  TetMesh measured;
  measured.vertices = mesh.vertices;
  for (int ti : sound) measured.tets.push_back(mesh.tets[ti]);
  measure_angles(mesh, solid, r);
  measure_edges(mesh, measured.tets, r);
  r.duplicate_tets = find_duplicates(mesh, sound);
  r.n_nonmanifold_faces = count_nonmanifold_faces(measured.tets);
  r.n_boundary_triangles = static_cast<int>(boundary_triangles(measured.tets).size());
  std::vector<int> component;
  r.n_components = connected_components(measured, component);
  return r;
}

void require_simulable(const TetMesh& mesh, const std::string& file) {
  if (mesh.tets.empty()) {
    throw InputError({file, 0, 0, ""}, "the mesh has no tets", "Give a volume mesh, or a surface to `supple mesh`.");
  }
  const QualityReport r = measure_quality(mesh);
  std::vector<std::string> faults;
  std::string place;
  auto add = [&](const std::vector<int>& items, const std::string& what, const char* kind) {
    if (items.empty()) return;
    if (place.empty()) place = fmt::format("{} {}", kind, items[0]);
    faults.push_back(list(items, what));
  };
  add(r.bad_index, "tets with a vertex index out of range", "tet");
  add(r.non_finite, "vertices with a coordinate that is not finite", "vertex");
  add(r.inverted, "inverted tets", "tet");
  add(r.degenerate, "degenerate tets", "tet");
  add(r.duplicate_tets, "duplicate tets", "tet");
  if (r.n_nonmanifold_faces > 0) faults.push_back(fmt::format("{} faces of more than two tets", r.n_nonmanifold_faces));
  if (faults.empty()) return;
  const bool repairable = faults.size() > (r.n_nonmanifold_faces > 0 ? 1u : 0u);
  throw InputError(
      {.file = file, .place = place}, fmt::format("the mesh cannot be simulated: {}", fmt::join(faults, "; ")),
      repairable ? "Elements are counted from zero. Repairing re-orients inverted tets and removes the rest."
                 : "Remove the tets that overlap there, or mesh the surface anew.");
}

RepairReport repair(TetMesh& mesh, bool drop_unused) {
  RepairReport r;
  const int n_tets = mesh.n_tets(), n_vertices = mesh.n_vertices();
  std::vector<char> used_before(mesh.vertices.size(), 0), used_after(mesh.vertices.size(), 0);
  std::vector<int> good;
  for (int ti = 0; ti < n_tets; ++ti) {
    Tet& t = mesh.tets[ti];
    for (int v : t) {
      if (v >= 0 && v < n_vertices) used_before[v] = 1;
    }
    if (!indices_ok(t, n_vertices) || !finite(mesh, t)) continue;
    const double volume = volume_of(mesh, t);
    if (!degenerate(mesh, t, volume)) good.push_back(ti);
  }
  const std::vector<int> duplicates = find_duplicates(mesh, good);
  std::vector<int> kept;
  std::set_difference(good.begin(), good.end(), duplicates.begin(), duplicates.end(), std::back_inserter(kept));
  for (int ti : kept) {
    Tet& t = mesh.tets[ti];
    if (volume_of(mesh, t) < 0) {
      std::swap(t[2], t[3]);
      ++r.flipped;
    }
    for (int v : t) used_after[v] = 1;
  }
  r.removed_tets = n_tets - static_cast<int>(kept.size());

  std::vector<int> index(mesh.vertices.size(), -1);
  for (int v = 0; v < n_vertices; ++v) {
    const bool stays = used_after[v] || (!used_before[v] && !drop_unused && mesh.vertices[v].allFinite());
    if (!stays) continue;
    index[v] = static_cast<int>(r.vertex_source.size());
    r.vertex_source.push_back(v);
  }
  r.removed_vertices = n_vertices - static_cast<int>(r.vertex_source.size());

  auto keep = [](auto& values, const std::vector<int>& source) {
    if (values.empty()) return;
    for (size_t i = 0; i < source.size(); ++i) values[i] = values[source[i]];  // source ascends: never overwrites ahead
    values.resize(source.size());
  };
  keep(mesh.vertices, r.vertex_source);
  keep(mesh.tets, kept);
  keep(mesh.tet_region, kept);
  for (auto& [name, values] : mesh.vertex_maps) keep(values, r.vertex_source);
  for (auto& [name, values] : mesh.tet_maps) keep(values, kept);
  for (Tet& t : mesh.tets) {
    for (int& v : t) v = index[v];
  }
  return r;
}

}  // namespace supple
