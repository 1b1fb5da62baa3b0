// Materials, deformations and meshes the tests of this room share.
#pragma once
#include <Eigen/Geometry>
#include <random>

#include "supple/fem/elements.h"
#include "supple/mesh/tet_mesh.h"

namespace supple::test {

struct SampleMaterial {
  std::string name;
  MaterialModel model;
  MaterialParameters parameters;
  ElementMaterial element() const { return element_material(model, parameters); }
};

// Every model, and StVK with its collapse term as well. Moduli of order one keep tolerances readable.
inline std::vector<SampleMaterial> sample_materials() {
  const MaterialParameters p{.youngs_modulus = 3.0, .poisson_ratio = 0.35};
  std::vector<SampleMaterial> all;
  for (size_t i = 0; i < material_names().size(); ++i)
    all.push_back({material_names()[i], static_cast<MaterialModel>(i), p});
  all.push_back({"stvk with collapse term", MaterialModel::stvk, p});
  all.back().parameters.volume_penalty = 0.5;
  return all;
}
inline bool stretch_material(MaterialModel m) {
  return m == MaterialModel::corotational || m == MaterialModel::invertible_stvk;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()() { return static_cast<double>(engine_()) / 2147483648.0 - 1.0; }  // in [-1, 1)
  Mat3 matrix() {
    Mat3 m;
    for (double& x : m.reshaped()) x = (*this)();
    return m;
  }
  VecX vector(Eigen::Index n) {
    VecX v(n);
    for (double& x : v) x = (*this)();
    return v;
  }
  Mat3 rotation() {
    return Eigen::Quaterniond(Eigen::Vector4d((*this)(), (*this)(), (*this)(), (*this)()).normalized())
        .toRotationMatrix();
  }
  // A deformation with given signed stretches, in random frames.
  Mat3 with_stretches(double a, double b, double c) { return rotation() * Vec3(a, b, c).asDiagonal() * rotation(); }

 private:
  std::mt19937 engine_;
};

struct SampleDeformation {
  std::string name;
  Mat3 F;
  // Where more than one pair of stretches sums to zero (a point, a pure mirror image) the nearest rotation of the
  // rotation-extracting materials jumps among many, so no derivative exists to compare with.
  bool kink_of_rotation = false;
};

inline std::vector<SampleDeformation> sample_deformations() {
  Random random(7);
  const Mat3 I = Mat3::Identity();
  std::vector<SampleDeformation> all;
  auto add = [&](const std::string& name, const Mat3& F, bool kink = false) { all.push_back({name, F, kink}); };
  for (int i = 0; i < 4; ++i) add("random " + std::to_string(i), I + 0.4 * random.matrix());
  for (int i = 0; i < 3; ++i) add("wild " + std::to_string(i), 1.5 * random.matrix());
  add("near rest", I + 1e-3 * random.matrix());
  add("stretched", Vec3(2.5, 0.8, 0.7).asDiagonal());
  add("squashed", random.with_stretches(1.2, 1.1, 0.2));
  Mat3 shear = I;
  shear(0, 1) = 0.9, shear(2, 0) = -0.4;
  add("sheared", shear);
  add("turned", random.rotation());
  add("blown up", 1.3 * random.rotation());
  add("flat", random.with_stretches(1.3, 0.8, 0));
  add("flat along an axis", Vec3(1.1, 0.9, 0).asDiagonal());
  add("nearly flat", random.with_stretches(1.3, 0.8, 1e-9));
  add("line", random.with_stretches(1.3, 0, 0));
  add("zero", Mat3::Zero(), true);
  add("inverted", random.with_stretches(1.2, 0.9, -0.4));
  add("mirrored", Vec3(1, 1, -1).asDiagonal(), true);
  add("mirrored pair", random.with_stretches(1.4, 0.6, -0.6));
  add("nearly mirrored pair", random.with_stretches(1.4, 0.6, -0.55));
  add("two equal", random.with_stretches(1.2, 0.8, 0.8));
  add("two nearly equal", random.with_stretches(1.2, 0.8, 0.8 + 3e-6));
  return all;
}

// One positively oriented tet, its vertices listed in an order that is not ascending once mapped.
inline TetMesh one_tet() {
  TetMesh mesh;
  mesh.vertices = {Vec3(0.1, 0.2, -0.1), Vec3(1.2, 0.1, 0.2), Vec3(0.3, 0.9, 0.1), Vec3(0.2, 0.3, 1.1)};
  mesh.tets = {{0, 1, 2, 3}};
  return mesh;
}

// u for x = F X + t at every vertex.
inline VecX affine_displacement(const TetMesh& mesh, const Mat3& F, const Vec3& t = Vec3::Zero()) {
  VecX u(3 * mesh.n_vertices());
  for (int i = 0; i < mesh.n_vertices(); ++i) u.segment<3>(3 * i) = (F - Mat3::Identity()) * mesh.vertices[i] + t;
  return u;
}

// A small box with its inner vertices moved, so that no two tets are alike.
inline TetMesh rough_box(int nx, int ny, int nz) {
  TetMesh mesh = make_box(nx, ny, nz, Vec3(nx, ny, nz));
  Random random(3);
  for (Vec3& x : mesh.vertices) x += 0.12 * Vec3(random(), random(), random());
  return mesh;
}

inline std::shared_ptr<const Elements> elements_of(const TetMesh& mesh, const SampleMaterial& m) {
  return std::make_shared<const Elements>(mesh, m.model,
                                          std::vector<MaterialParameters>(mesh.tets.size(), m.parameters));
}

}  // namespace supple::test
