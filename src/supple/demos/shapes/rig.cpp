#include "supple/demos/shapes/rig.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/base/error.h"
#include "supple/demos/shapes/shapes.h"
#include "supple/mesh/closest_point.h"

namespace supple::demos {

namespace {

constexpr double kBlend = 0.35;  // of a bone's radius: how fast the share of another bone fades with its distance

// Two joints that meet: the same, parent and child, or children of one.
bool related(const std::vector<RigJoint>& joints, int a, int b) {
  return a == b || joints[a].parent == b || joints[b].parent == a ||
         (joints[a].parent >= 0 && joints[a].parent == joints[b].parent);
}

void keep_four(MatX& weights) {
  for (Eigen::Index i = 0; i < weights.rows(); ++i) {
    std::vector<std::pair<double, Eigen::Index>> order;
    for (Eigen::Index j = 0; j < weights.cols(); ++j) order.emplace_back(-weights(i, j), j);
    std::stable_sort(order.begin(), order.end());
    for (size_t k = 0; k < order.size(); ++k)
      if (k >= 4 || -order[k].first < 0.004) weights(i, order[k].second) = 0;
    weights.row(i) /= weights.row(i).sum();
  }
}

void add_vertex(Primitive& p, const Vec3& x, const Vec3& normal, const Eigen::RowVectorXd& weights, double soft) {
  p.positions.push_back(x);
  p.normals.push_back(normal);
  int n = 0;
  for (Eigen::Index j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    p.joints.push_back(static_cast<int>(j));
    p.weights.push_back(weights[j]);
    ++n;
  }
  p.joints.resize(p.joints.size() + static_cast<size_t>(4 - n), 0);
  p.weights.resize(p.weights.size() + static_cast<size_t>(4 - n), 0);
  p.maps["_SOFT"].push_back(soft);
}

}  // namespace

void Rig::add(const std::string& name, const std::string& parent, const Vec3& place, const Vec3& tip, double radius,
              double soft) {
  const int above = parent.empty() ? -1 : (*this)[parent];
  joints_.push_back({.name = name, .parent = above, .place = place, .tip = tip, .radius = radius, .soft = soft});
}

void Rig::add_pair(const std::string& name, const std::string& parent, const Vec3& place, const Vec3& tip,
                   double radius, double soft) {
  const bool paired = find(parent + "_l") >= 0;
  add(name + "_l", paired ? parent + "_l" : parent, place, tip, radius, soft);
  add(name + "_r", paired ? parent + "_r" : parent, mirrored(place), mirrored(tip), radius, soft);
}

int Rig::find(const std::string& name) const {
  for (size_t j = 0; j < joints_.size(); ++j)
    if (joints_[j].name == name) return static_cast<int>(j);
  return -1;
}

int Rig::operator[](const std::string& name) const {
  const int j = find(name);
  if (j < 0) throw InputError({.place = "rig"}, "there is no joint '" + name + "'");
  return j;
}

std::vector<Affine> Rig::pose(const std::vector<Quat>& turns, const Vec3& root_shift) const {
  std::vector<Affine> bones(joints_.size());
  for (size_t j = 0; j < joints_.size(); ++j) {
    const Vec3& at = joints_[j].place;
    const Affine turn = Affine(Eigen::Translation3d(at) * turns[j] * Eigen::Translation3d(-at));
    bones[j] = joints_[j].parent < 0 ? Affine(Eigen::Translation3d(root_shift) * turn)
                                     : Affine(bones[joints_[j].parent] * turn);
  }
  return bones;
}

MatX rig_weights(const Rig& rig, const TriMesh& mesh, int passes,
                 const std::function<double(const Vec3& x, int joint)>& rigid) {
  const auto& joints = rig.joints();
  MatX weights = MatX::Zero(mesh.n_vertices(), rig.size());
  for (int i = 0; i < mesh.n_vertices(); ++i) {
    std::vector<double> distance;  // in radii of the bone
    for (const RigJoint& j : joints)
      distance.push_back((mesh.vertices[i] - closest_on_segment(mesh.vertices[i], j.place, j.tip)).norm() / j.radius);
    const auto nearest = std::min_element(distance.begin(), distance.end());
    const int leader = static_cast<int>(nearest - distance.begin());
    for (int j = 0; j < rig.size(); ++j)
      if (related(joints, leader, j)) weights(i, j) = std::exp(-(distance[j] - *nearest) / kBlend);
    weights.row(i) /= weights.row(i).sum();
  }
  diffuse(vertex_neighbours(mesh.n_vertices(), mesh.triangles), passes, weights);
  for (int i = 0; i < mesh.n_vertices() && rigid; ++i)
    for (int j = 0; j < rig.size(); ++j) {
      const double alone = rigid(mesh.vertices[i], j);
      if (alone <= 0) continue;
      weights.row(i) *= 1 - alone;
      weights(i, j) += alone;
    }
  keep_four(weights);
  return weights;
}

TriMesh egg(const Vec3& centre, const Vec3& radii, const Mat3& turn, int rings) {
  TriMesh m;
  const int segments = 2 * rings;
  const auto add = [&](const Vec3& n) {
    m.vertices.push_back(centre + turn * n.cwiseProduct(radii));
    m.normals.push_back((turn * n.cwiseQuotient(radii)).normalized());
  };
  add(-Vec3::UnitY());
  for (int r = 1; r < rings; ++r)
    for (int s = 0; s < segments; ++s) {
      const double b = M_PI * r / rings, a = 2 * M_PI * s / segments;
      add({std::sin(b) * std::sin(a), -std::cos(b), std::sin(b) * std::cos(a)});
    }
  add(Vec3::UnitY());
  const int top = m.n_vertices() - 1;
  for (int s = 0; s < segments; ++s) {
    const int t = (s + 1) % segments;
    m.triangles.push_back({0, 1 + t, 1 + s});
    for (int r = 0; r + 2 < rings; ++r) {
      const int a = 1 + r * segments + s, b = 1 + r * segments + t;
      m.triangles.push_back({a, b, a + segments});
      m.triangles.push_back({b, b + segments, a + segments});
    }
    m.triangles.push_back({1 + (rings - 2) * segments + s, 1 + (rings - 2) * segments + t, top});
  }
  return m;
}

RiggedCharacter assemble(const std::string& name, const Rig& rig, const RiggedSkin& skin,
                         const std::vector<Ornament>& ornaments, const std::function<double(const Vec3&)>& paint) {
  RiggedCharacter out;
  Character& c = out.character;
  c.file = name;
  CharacterMesh mesh{.name = name, .primitives = {}, .weights = {}};
  const TriMesh& s = skin.surface.mesh;
  const auto start = [&](const std::string& material) {
    Primitive p;
    p.material = material;
    p.influences = 4;
    mesh.primitives.push_back(std::move(p));
    out.source.emplace_back();
  };
  for (size_t m = 0; m < skin.surface.materials.size(); ++m) {
    start(skin.surface.materials[m]);
    Primitive& p = mesh.primitives.back();
    std::map<int, int> place;
    for (size_t t = 0; t < s.triangles.size(); ++t) {
      if (skin.surface.triangle_material[t] != static_cast<int>(m)) continue;
      Tri tri = s.triangles[t];
      for (int& v : tri) {
        const auto [it, fresh] = place.try_emplace(v, static_cast<int>(p.positions.size()));
        if (fresh) {
          double soft = 0;
          for (int j = 0; j < rig.size(); ++j) soft += skin.weights(v, j) * rig.joints()[j].soft;
          if (paint) soft *= paint(s.vertices[v]);
          add_vertex(p, s.vertices[v], s.normals[v], skin.weights.row(v), std::clamp(soft, 0.0, 1.0));
          out.source.back().push_back(v);
        }
        v = it->second;
      }
      p.triangles.push_back(tri);
    }
  }
  for (const Ornament& o : ornaments) {
    start(o.material);
    Primitive& p = mesh.primitives.back();
    Eigen::RowVectorXd one = Eigen::RowVectorXd::Zero(rig.size());
    one[o.joint] = 1;
    for (int v = 0; v < o.mesh.n_vertices(); ++v) add_vertex(p, o.mesh.vertices[v], o.mesh.normals[v], one, 0);
    p.triangles = o.mesh.triangles;
    out.source.back().assign(o.mesh.vertices.size(), -1);
  }
  std::erase_if(mesh.primitives, [](const Primitive& p) { return p.positions.empty(); });
  std::erase_if(out.source, [](const auto& list) { return list.empty(); });
  c.meshes.push_back(std::move(mesh));

  Skin joints{.name = name, .joints = {}, .inverse_binds = {}};
  for (int j = 0; j < rig.size(); ++j) {
    const RigJoint& joint = rig.joints()[j];
    Node node{.name = joint.name, .parent = joint.parent};
    node.local.translation = joint.place - (joint.parent < 0 ? Vec3(Vec3::Zero()) : rig.joints()[joint.parent].place);
    if (joint.parent >= 0) c.nodes[joint.parent].children.push_back(j);
    c.nodes.push_back(node);
    joints.joints.push_back(j);
    joints.inverse_binds.push_back(Affine(Eigen::Translation3d(-joint.place)));
  }
  out.mesh = 0;
  out.node = rig.size();
  c.nodes.push_back({.name = name, .mesh = 0, .skin = 0});
  c.skins.push_back(std::move(joints));
  c.shown.assign(c.nodes.size(), 1);
  return out;
}

}  // namespace supple::demos
