#include "supple/attach/reach.h"

#include <cmath>
#include <functional>
#include <limits>
#include <queue>

namespace supple {

namespace {

constexpr double kOfLength = 2;  // a swing of a fifth of the reach turns the tip by 22 degrees

}  // namespace

std::vector<double> distance_from_root(const TetMesh& mesh, const Flesh& flesh) {
  const size_t n = mesh.vertices.size();
  std::vector<Tet> trailing;
  for (size_t t = 0; t < mesh.tets.size(); ++t)
    if (const int r = flesh.region[t]; r >= 0 && flesh.regions[static_cast<size_t>(r)].trailing)
      trailing.push_back(mesh.tets[t]);
  std::vector<double> distance(n, 0);
  if (trailing.empty()) return distance;
  std::vector<std::vector<int>> beside(n);
  for (const auto& [a, b] : unique_edges(trailing)) beside[a].push_back(b), beside[b].push_back(a);

  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::vector<double> way(n, kFar);
  using Reached = std::pair<double, int>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> front;
  for (size_t v = 0; v < n; ++v)
    if (!beside[v].empty() && flesh.softness[v] == 0) way[v] = 0, front.emplace(0, static_cast<int>(v));
  while (!front.empty()) {
    const auto [far, v] = front.top();
    front.pop();
    if (far > way[v]) continue;
    for (int w : beside[v]) {
      const double next = far + (mesh.vertices[v] - mesh.vertices[w]).norm();
      if (next < way[w]) way[w] = next, front.emplace(next, w);
    }
  }
  for (size_t v = 0; v < n; ++v)
    if (std::isfinite(way[v])) distance[v] = way[v];
  return distance;
}

std::vector<double> reach_of(const TetMesh& mesh, const Flesh& flesh) {
  std::vector<double> reach = distance_from_root(mesh, flesh);
  for (size_t v = 0; v < reach.size(); ++v) reach[v] = 2 * flesh.half_thickness[v] + kOfLength * reach[v];
  return reach;
}

double held_back(double length, double knee) {
  if (length <= knee || knee <= 0) return length;
  const double room = (kFarthestHeld - 1) * knee;
  return knee + room * std::tanh((length - knee) / room);
}

}  // namespace supple
