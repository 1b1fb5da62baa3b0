#include "tests/attach/flesh_body.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/mesh/embedding.h"

namespace supple::test {

FleshInput Body::input() const {
  FleshInput in;
  in.drawn = &drawn;
  in.pieces = &pieces;
  in.poses = &poses;
  in.clips = {{0, poses.size(), fps}};
  in.cage = &cage;
  in.skin = skin;
  in.blend = &blend;
  for (int i = 0; i < skin.n_vertices(); ++i) in.skin_source.push_back(i);
  return in;
}

TriMesh capsule_skin(double radius, double height, int around, int along) {
  TriMesh m;
  const int cap = std::max(3, around / 4);
  std::vector<std::pair<double, double>> profile;  // height, distance from the axis
  for (int k = 1; k <= cap; ++k) {
    const double a = 0.5 * std::numbers::pi * k / cap;
    profile.emplace_back(radius * (1 - std::cos(a)), radius * std::sin(a));
  }
  for (int k = 1; k < along; ++k) profile.emplace_back(radius + (height - 2 * radius) * k / along, radius);
  for (int k = cap; k >= 1; --k) {
    const double a = 0.5 * std::numbers::pi * k / cap;
    profile.emplace_back(height - radius * (1 - std::cos(a)), radius * std::sin(a));
  }
  m.vertices.emplace_back(0, 0, 0);
  for (const auto& [y, r] : profile) {
    for (int k = 0; k < around; ++k) {
      const double a = 2 * std::numbers::pi * k / around;
      m.vertices.emplace_back(r * std::cos(a), y, r * std::sin(a));
    }
  }
  const int top = m.n_vertices(), rings = static_cast<int>(profile.size());
  m.vertices.emplace_back(0, height, 0);
  for (int k = 0; k < around; ++k) {
    const int next = (k + 1) % around, last = 1 + (rings - 1) * around;
    m.triangles.push_back({0, 1 + k, 1 + next});
    m.triangles.push_back({top, last + next, last + k});
    for (int r = 0; r + 1 < rings; ++r) {
      const int a = 1 + r * around, b = a + around;
      m.triangles.push_back({a + k, b + k, a + next});
      m.triangles.push_back({a + next, b + k, b + next});
    }
  }
  return m;
}

TriMesh box_skin(const Vec3& low, const Vec3& high) { return boundary_surface(make_box(1, 1, 1, high - low, low)); }

void append(TriMesh& to, const TriMesh& from) {
  const int shift = to.n_vertices();
  to.vertices.insert(to.vertices.end(), from.vertices.begin(), from.vertices.end());
  for (const Tri& t : from.triangles) to.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
}

double capsule_distance(const Vec3& x, double radius, double height) {
  const double y = std::clamp(x.y(), radius, height - radius);
  return (x - Vec3(0, y, 0)).norm() - radius;
}

TetMesh cage_around(const TriMesh& skin, double edge, const std::function<double(const Vec3&)>& distance) {
  const Box box = bounding_box(skin.vertices);
  const Vec3 cells = (box.size() / edge).array().ceil() + 2;
  const Vec3 size = cells * edge, origin = 0.5 * (box.low + box.high) - 0.5 * size;
  const TetMesh all =
      make_box(static_cast<int>(cells.x()), static_cast<int>(cells.y()), static_cast<int>(cells.z()), size, origin);
  TetMesh cage;
  std::vector<int> number(all.vertices.size(), -1);
  for (const Tet& t : all.tets) {
    // In when a point of a small grid in the tet is inside.
    double least = 1e9;
    for (int a = 0; a <= 4; ++a) {
      for (int b = 0; a + b <= 4; ++b) {
        for (int c = 0; a + b + c <= 4; ++c) {
          const Vec3 x = 0.25 * (a * all.vertices[t[0]] + b * all.vertices[t[1]] + c * all.vertices[t[2]] +
                                 (4 - a - b - c) * all.vertices[t[3]]);
          least = std::min(least, distance(x));
        }
      }
    }
    if (least > 0) continue;
    Tet mine{};
    for (int k = 0; k < 4; ++k) {
      if (number[t[k]] < 0) {
        number[t[k]] = cage.n_vertices();
        cage.vertices.push_back(all.vertices[t[k]]);
      }
      mine[k] = number[t[k]];
    }
    cage.tets.push_back(mine);
  }
  return cage;
}

void draw(Body& body) {
  body.drawn.vertices.rest = body.skin.vertices;
  body.drawn.triangles = body.skin.triangles;
  Piece piece;
  piece.name = "body";
  for (int i = 0; i < body.skin.n_vertices(); ++i) piece.vertices.push_back(i);
  for (size_t k = 0; k < body.skin.triangles.size(); ++k) piece.triangles.push_back(static_cast<int>(k));
  body.pieces = {piece};
  body.blend = blend_of(embed(body.cage, body.skin.vertices), body.cage.tets);
}

void give_bones(Body& body, const std::vector<double>& heights) {
  const int n = static_cast<int>(heights.size());
  for (int b = 0; b < n; ++b) {
    Bone bone;
    bone.name = "bone" + std::to_string(b);
    bone.node = b;
    bone.parent = b - 1;
    bone.from_bound.setIdentity();
    bone.head = Vec3(0, heights[b], 0);
    body.drawn.bones.push_back(bone);
  }
  SkinWeights& w = body.drawn.vertices.skin;
  w = {};
  for (const Vec3& x : body.drawn.vertices.rest) {
    int b = n - 1;
    while (b > 0 && heights[b] > x.y()) --b;
    double share = 0;
    if (b + 1 < n) share = std::clamp((x.y() - heights[b]) / (heights[b + 1] - heights[b]), 0.0, 1.0);
    w.bone.push_back(b);
    w.weight.push_back(1 - share);
    if (share > 0) {
      w.bone.push_back(b + 1);
      w.weight.push_back(share);
    }
    w.first.push_back(static_cast<int>(w.bone.size()));
  }
  body.poses = {bound_pose(body.drawn)};
}

Body capsule_body(double radius, double height, double edge, const std::vector<double>& bone_heights) {
  Body body;
  body.skin = capsule_skin(radius, height);
  body.cage = cage_around(body.skin, edge, [&](const Vec3& x) { return capsule_distance(x, radius, height); });
  draw(body);
  give_bones(body, bone_heights);
  return body;
}

}  // namespace supple::test
