#include "supple/contact/contact_bodies.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace supple {

namespace {
int add_body(ContactSpec& spec, const std::string& name) {
  spec.bodies.push_back(name);
  return static_cast<int>(spec.bodies.size()) - 1;
}
int add_point(ContactSpec& spec, const ContactAnchor& anchor, int body) {
  spec.anchors.push_back(anchor);
  spec.body.push_back(body);
  return static_cast<int>(spec.anchors.size()) - 1;
}

}  // namespace

std::vector<int> first_of_place(const Points& x) {
  std::vector<int> order(x.size()), first(x.size());
  std::iota(order.begin(), order.end(), 0);
  auto less = [&](int a, int b) {
    return std::lexicographical_compare(x[a].begin(), x[a].end(), x[b].begin(), x[b].end());
  };
  std::stable_sort(order.begin(), order.end(), less);
  for (size_t k = 0; k < order.size(); ++k)
    first[order[k]] = k > 0 && x[order[k]] == x[order[k - 1]] ? first[order[k - 1]] : order[k];
  return first;
}

int add_boundary(ContactSpec& spec, const std::vector<Tet>& tets, const std::string& name) {
  const int body = add_body(spec, name);
  std::map<int, int> point_of;
  for (Tri t : boundary_triangles(tets)) {
    for (int& corner : t) {
      const auto [at, is_new] = point_of.try_emplace(corner, 0);
      if (is_new) at->second = add_point(spec, ContactAnchor::at(corner), body);
      corner = at->second;
    }
    spec.triangles.push_back(t);
  }
  return body;
}

int add_surface(ContactSpec& spec, const TriMesh& surface, const Embedding& embedding, const std::vector<Tet>& tets,
                const std::string& name) {
  const int body = add_body(spec, name);
  const std::vector<int> first = first_of_place(surface.vertices);
  std::vector<int> point(first.size(), -1);
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i] != static_cast<int>(i)) continue;
    ContactAnchor a{.n = 4};
    for (size_t c = 0; c < 4; ++c) {
      a.vertex[c] = tets[embedding.tet[i]][c];
      a.weight[c] = embedding.weights[i][static_cast<Eigen::Index>(c)];
    }
    point[i] = add_point(spec, a, body);
  }
  for (const Tri& t : surface.triangles) {
    const Tri welded = {point[first[t[0]]], point[first[t[1]]], point[first[t[2]]]};
    if (welded[0] != welded[1] && welded[1] != welded[2] && welded[2] != welded[0]) spec.triangles.push_back(welded);
  }
  return body;
}

std::vector<int> surface_points(const Points& vertices) {
  const std::vector<int> first = first_of_place(vertices);
  std::vector<int> points;
  for (size_t i = 0; i < first.size(); ++i)
    if (first[i] == static_cast<int>(i)) points.push_back(first[i]);
  return points;
}

int add_obstacle(ContactSpec& spec, const TriMesh& mesh, const std::string& name) {
  const int body = add_body(spec, name);
  const int shift = static_cast<int>(spec.anchors.size());
  for (const Vec3& x : mesh.vertices) {
    add_point(spec, {}, body);
    spec.obstacle_rest.push_back(x);
  }
  for (const Tri& t : mesh.triangles) spec.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  return body;
}

}  // namespace supple
