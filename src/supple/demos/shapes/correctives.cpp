#include "supple/demos/shapes/correctives.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/anim/drawn.h"
#include "supple/anim/key_clip.h"

namespace supple::demos {

namespace {

constexpr double kNothing = 2e-4;  // [m] offsets below this are left out

// Blended as rigid motions and not as matrices: it turns around joints and keeps its thickness there.
Vec3 turned_around(const std::vector<Affine>& bones, const Eigen::RowVectorXd& weights, const Vec3& x) {
  Eigen::Index most;
  weights.maxCoeff(&most);
  const Quat lead(bones[most].linear());
  Eigen::Vector4d real = Eigen::Vector4d::Zero(), dual = real;
  for (Eigen::Index j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    Quat q(bones[j].linear());
    if (q.dot(lead) < 0) q.coeffs() = -q.coeffs();
    const Vec3 t = bones[j].translation();
    const Quat d = Quat(0, t[0] / 2, t[1] / 2, t[2] / 2) * q;
    real += weights[j] * q.coeffs();
    dual += weights[j] * d.coeffs();
  }
  const double norm = real.norm();
  const Quat q(Eigen::Vector4d(real / norm)), d(Eigen::Vector4d(dual / norm));
  return q * x + 2 * (d * q.conjugate()).vec();
}

struct Blended {
  Points x;
  std::vector<Mat3> frame;
};

Blended blended(const std::vector<Affine>& bones, const RiggedSkin& skin) {
  const Points& rest = skin.surface.mesh.vertices;
  Blended b;
  for (size_t i = 0; i < rest.size(); ++i) {
    Eigen::Matrix<double, 3, 4> m = Eigen::Matrix<double, 3, 4>::Zero();
    for (size_t j = 0; j < bones.size(); ++j) {
      const double w = skin.weights(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      if (w != 0) m += w * bones[j].matrix();
    }
    b.frame.push_back(m.leftCols<3>());
    b.x.push_back(m.leftCols<3>() * rest[i] + m.col(3));
  }
  return b;
}

}  // namespace

Points sculpted(const Rig& rig, const RiggedSkin& skin, const std::vector<Quat>& turns, const Sculpt& sculpt) {
  const std::vector<Affine> bones = rig.pose(turns);
  const TriMesh& mesh = skin.surface.mesh;
  const Blended now = blended(bones, skin);
  MatX change = MatX::Zero(mesh.n_vertices(), 3);
  for (int i = 0; i < mesh.n_vertices(); ++i) {
    Vec3 add = sculpt.round * (turned_around(bones, skin.weights.row(i), mesh.vertices[i]) - now.x[i]);
    for (const Bump& bump : sculpt.bumps) {
      double belongs = 0;
      for (int j : bump.joints) belongs += skin.weights(i, j);
      if (belongs < 0.05) continue;
      const Affine& carrier = bones[bump.carrier];
      const Vec3 x = carrier.inverse() * Vec3(now.x[i] + add);
      const double depth = -bump.solid(x);
      if (depth <= 0) continue;
      // Only as deep as the bones have made it: at rest the skin of a limb begins inside of the body it comes from.
      const double before = std::max(0.0, -bump.solid(mesh.vertices[i]));
      if (depth <= before) continue;
      const Vec3 out = gradient(bump.solid, x).normalized();
      add += belongs * bump.share * (depth - before) * (carrier.linear() * out);
    }
    change.row(i) = add;
  }
  diffuse(vertex_neighbours(mesh.n_vertices(), mesh.triangles), sculpt.smooth, change);
  Points offsets(mesh.vertices.size(), Vec3::Zero());
  for (int i = 0; i < mesh.n_vertices(); ++i) {
    const Vec3 add = change.row(i);
    if (add.norm() < kNothing) continue;
    const Mat3& f = now.frame[i];
    // A frame that blended bones have nearly flattened would blow the offset up.
    if (f.determinant() > 0.1) offsets[i] = f.inverse() * add;
  }
  return offsets;
}

int add_surface_shape(const RiggedSkin& skin, const std::string& name, const Points& offsets,
                      RiggedCharacter& character) {
  const TriMesh& mesh = skin.surface.mesh;
  Points moved = mesh.vertices;
  for (size_t i = 0; i < moved.size(); ++i) moved[i] += offsets[i];
  const Points before = vertex_normals(mesh.vertices, mesh.triangles), after = vertex_normals(moved, mesh.triangles);
  std::vector<Points> of_parts, normals;
  for (const auto& source : character.source) {
    of_parts.emplace_back();
    normals.emplace_back();
    for (int v : source) {
      of_parts.back().push_back(v < 0 ? Vec3(Vec3::Zero()) : offsets[v]);
      normals.back().push_back(v < 0 ? Vec3(Vec3::Zero()) : Vec3(after[v] - before[v]));
    }
  }
  return add_blend_shape(character.character, character.mesh, name, of_parts, normals);
}

void add_correctives(const Rig& rig, const RiggedSkin& skin, const std::vector<Corrective>& correctives,
                     const Sculpt& sculpt, int frames, double fps, RiggedCharacter& character, Clip& clip,
                     const std::function<std::vector<double>(int frame)>& shapes) {
  std::vector<PoseSpace> spaces;
  for (const Corrective& c : correctives) {
    for (size_t k = 0; k < c.poses.size(); ++k) {
      std::vector<Quat> turns(static_cast<size_t>(rig.size()), Quat::Identity());
      for (size_t j = 0; j < c.joints.size(); ++j) turns[c.joints[j]] = c.poses[k][j];
      add_surface_shape(skin, c.name + "." + std::to_string(k + 1), sculpted(rig, skin, turns, sculpt), character);
    }
    spaces.emplace_back(std::vector<Quat>(c.joints.size(), Quat::Identity()), c.poses);
  }
  add_weights(
      character.character, character.node, frames, fps,
      [&](int f) {
        const std::vector<Placement> nodes = node_placements(character.character, clip, f / fps);
        std::vector<double> all = shapes ? shapes(f) : std::vector<double>();
        for (size_t c = 0; c < correctives.size(); ++c) {
          std::vector<Quat> pose;
          for (int j : correctives[c].joints) pose.push_back(nodes[j].rotation);
          for (double w : spaces[c].weights(pose)) all.push_back(w);
        }
        return all;
      },
      clip);
}

}  // namespace supple::demos
