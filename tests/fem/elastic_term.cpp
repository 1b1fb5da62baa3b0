// The elastic term over a mesh: element stiffness, derivatives, the three kinds of damping, rigid motion.
#include "supple/fem/elastic_term.h"

#include <gtest/gtest.h>

#include "supple/energy/check_derivatives.h"
#include "supple/linalg/dense.h"
#include "tests/fem/samples.h"

namespace supple::test {
namespace {

using Mat9 = Eigen::Matrix<double, 9, 9>;

struct Assembled {
  double energy = 0;
  VecX residual;
  MatX matrix;
};

Assembled assemble(const Term& term, const Kinematics& x, bool project = false) {
  Assembled a;
  a.residual = VecX::Zero(x.u.size());
  PatternBuilder builder(static_cast<int>(x.u.size() / 3));
  term.couple(builder);
  BlockMatrix K(builder.build());
  term.add(x, {.energy = &a.energy, .residual = &a.residual, .matrix = &K, .project = project});
  a.matrix = K.dense();
  return a;
}

// 9 x 3n: vec(dF) of the element for a displacement of all vertices.
MatX strain_matrix(const Element& e, Eigen::Index n) {
  MatX B = MatX::Zero(9, n);
  for (int a = 0; a < 4; ++a) {
    const Vec3 g = a == 0 ? Vec3(-e.g.rowwise().sum()) : Vec3(e.g.col(a - 1));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) B(3 * j + i, 3 * e.v[a] + i) = g[j];
  }
  return B;
}

// Stiffness of the whole mesh by the plain way: contraction of the material tangent with the gradients.
MatX reference_stiffness(const Elements& elements, const VecX& u, bool project = false) {
  MatX K = MatX::Zero(u.size(), u.size());
  for (const Element& e : elements.list()) {
    const MatX B = strain_matrix(e, u.size());
    const Mat3 F = Mat3::Identity() + elements.gradient(e, u);
    const Mat9 D = e.vol * tangent(elements.model(), e.material, F, project);
    const MatX DB = D * B;
    K += B.transpose() * DB;
  }
  return K;
}

SampleMaterial damped(SampleMaterial m, double d_k) {
  m.parameters.stiffness_damping = d_k;
  return m;
}

TEST(ElasticTerm, ElementStiffnessIsTheContractedTangent) {
  const TetMesh mesh = one_tet();
  const VecX zero = VecX::Zero(12);
  for (const auto& m : sample_materials())
    for (const auto& d : sample_deformations()) {
      if (d.kink_of_rotation && stretch_material(m.model)) continue;  // any of many rotations is right
      const auto elements = elements_of(mesh, m);
      const ElasticTerm term(elements, ElementDamping::viscous);
      const VecX u = affine_displacement(mesh, d.F, Vec3(0.3, -0.2, 0.5));
      for (bool project : {false, true}) {
        const MatX expected = reference_stiffness(*elements, u, project);
        const MatX K = assemble(term, {u, zero, zero}, project).matrix;
        EXPECT_LE((K - expected).norm(), 1e-10 * (expected.norm() + 0.1))
            << m.name << ", " << d.name << ", " << project;
      }
    }
}

TEST(ElasticTerm, EveryLaneDoesItsOwnElement) {
  // 11 different elements with different materials: two whole batches and three quarters of one.
  TetMesh mesh = rough_box(2, 2, 1);
  mesh.tets.resize(11);
  for (const auto& m : sample_materials()) {
    std::vector<MaterialParameters> parameters(11, m.parameters);
    for (size_t t = 0; t < 11; ++t) {
      parameters[t].youngs_modulus *= 1 + 0.1 * static_cast<double>(t);
      parameters[t].volume_penalty *= static_cast<double>(t % 2);
    }
    const auto elements = std::make_shared<const Elements>(mesh, m.model, parameters);
    const ElasticTerm term(elements, ElementDamping::viscous);
    Random random(31);
    const VecX u = 0.2 * random.vector(3 * mesh.n_vertices()), zero = VecX::Zero(u.size());
    for (bool project : {false, true}) {
      const Assembled a = assemble(term, {u, zero, zero}, project);
      VecX residual = zero;
      double energy = 0;
      for (const Element& e : elements->list()) {
        const Mat3 F = Mat3::Identity() + elements->gradient(e, u);
        residual += e.vol * strain_matrix(e, u.size()).transpose() * first_piola(m.model, e.material, F).reshaped();
        energy += e.vol * energy_density(m.model, e.material, F);
      }
      const MatX K = reference_stiffness(*elements, u, project);
      EXPECT_NEAR(a.energy, energy, 1e-12 * energy) << m.name;
      EXPECT_NEAR(term.elastic_energy(u), energy, 1e-12 * energy) << m.name;
      EXPECT_LT((a.residual - residual).norm(), 1e-12 * residual.norm()) << m.name;
      EXPECT_LT((a.matrix - K).norm(), 1e-11 * K.norm()) << m.name;
    }
  }
}

TEST(ElasticTerm, DerivativesWithoutDamping) {
  const TetMesh tet = one_tet();
  const VecX zero = VecX::Zero(12);
  for (const auto& m : sample_materials())
    for (const auto& d : sample_deformations()) {
      if (d.kink_of_rotation && stretch_material(m.model)) continue;
      const bool free_of_force = d.name == "turned" || d.F.isZero(0) || d.name == "mirrored";
      if (free_of_force && m.model != MaterialModel::linear) continue;  // zero residual: covered in terms of F
      const ElasticTerm term(elements_of(tet, m), ElementDamping::viscous);
      const VecX u = affine_displacement(tet, d.F);
      const DerivativeCheck check = check_derivatives(term, {u, zero, zero});
      EXPECT_TRUE(check.ok(2e-7)) << m.name << ", " << d.name << ": " << check.text();
    }
  const TetMesh box = rough_box(2, 1, 1);
  Random random(32);
  const VecX u = 0.15 * random.vector(3 * box.n_vertices()), still = VecX::Zero(u.size());
  for (const auto& m : sample_materials()) {
    const DerivativeCheck check =
        check_derivatives(ElasticTerm(elements_of(box, m), ElementDamping::viscous), {u, still, still});
    EXPECT_TRUE(check.ok(1e-7)) << m.name << ": " << check.text();
  }
}

TEST(ElasticTerm, DampingDerivatives) {
  const TetMesh box = rough_box(2, 1, 1);
  Random random(33);
  const double h = 0.05;
  const VecX before = 0.1 * random.vector(3 * box.n_vertices()), u = before + 0.05 * random.vector(before.size());
  const VecX v = (u - before) / h, a = VecX::Zero(u.size());
  for (const auto& m : sample_materials())
    for (ElementDamping kind : {ElementDamping::viscous, ElementDamping::full, ElementDamping::rest}) {
      ElasticTerm term(elements_of(box, damped(m, 0.03)), kind);
      EXPECT_EQ(term.has_energy(), kind != ElementDamping::full);
      if (kind == ElementDamping::viscous) term.set_strain_rate_offset(-term.strains(before) / h);
      const DerivativeCheck check = check_derivatives(term, {u, v, a, 1 / h, 1 / (h * h)});
      EXPECT_TRUE(check.ok(1e-6)) << m.name << ", kind " << static_cast<int>(kind) << ": " << check.text();
      // It must be there at all.
      const ElasticTerm plain(elements_of(box, m), kind);
      const Kinematics x{u, v, a, 1 / h, 0};
      EXPECT_GT((assemble(term, x).residual - assemble(plain, x).residual).norm(), 1e-2) << m.name;
    }
}

TEST(ElasticTerm, ProjectedMatrixIsSemidefiniteWithViscousDamping) {
  const TetMesh box = rough_box(2, 1, 1);
  Random random(34);
  const double h = 0.05;
  const VecX before = 0.3 * random.vector(3 * box.n_vertices()), u = 0.3 * random.vector(before.size());
  const VecX v = (u - before) / h;
  for (const auto& m : sample_materials()) {
    ElasticTerm term(elements_of(box, damped(m, 0.03)), ElementDamping::viscous);
    term.set_strain_rate_offset(-term.strains(before) / h);
    const Kinematics x{u, v, v, 1 / h, 0};
    const VecX exact = symmetric_eigen(assemble(term, x).matrix).values,
               projected = symmetric_eigen(assemble(term, x, true).matrix).values;
    EXPECT_GT(projected[0], -1e-11 * projected.maxCoeff()) << m.name;
    if (m.model != MaterialModel::linear) {
      EXPECT_LT(exact[0], -1e-3) << m.name;
    }
  }
}

TEST(ElasticTerm, ViscousDampingDoesNotFeelATurnOfAnyAngle) {
  const TetMesh box = rough_box(2, 1, 1);
  Random random(35);
  const double h = 0.04;
  const VecX shape = 0.15 * random.vector(3 * box.n_vertices());
  const VecX rest = flatten(box.vertices), zero = VecX::Zero(rest.size());
  for (const auto& m : sample_materials()) {
    if (m.model == MaterialModel::linear) continue;  // small strain: it does feel turns, as all of that material
    for (double angle : {0.01, 0.7, 2.0, 3.1}) {
      ElasticTerm with(elements_of(box, damped(m, 0.1)), ElementDamping::viscous);
      const ElasticTerm without(elements_of(box, m), ElementDamping::viscous);
      const Mat3 R = Eigen::AngleAxisd(angle, Vec3(1, 2, -1).normalized()).toRotationMatrix();
      VecX turned(rest.size());
      for (Eigen::Index i = 0; i < rest.size(); i += 3)
        turned.segment<3>(i) = R * (rest + shape).segment<3>(i) + Vec3(1, 0, 2) - rest.segment<3>(i);
      with.set_strain_rate_offset(-with.strains(shape) / h);
      const VecX v = (turned - shape) / h;
      const Kinematics x{turned, v, zero, 1 / h, 0};
      const VecX elastic = assemble(without, x).residual;
      EXPECT_GT(elastic.norm(), 0.1);
      EXPECT_LT((assemble(with, x).residual - elastic).norm(), 1e-11 * elastic.norm()) << m.name << ", " << angle;
      // The other kinds do drag.
      const ElasticTerm full(elements_of(box, damped(m, 0.1)), ElementDamping::full);
      EXPECT_GT((assemble(full, x).residual - elastic).norm(), 1e-3) << m.name;
    }
  }
}

TEST(ElasticTerm, ViscousDampingAtRestIsStiffnessTimesVelocity) {
  const TetMesh box = rough_box(2, 1, 1);
  Random random(36);
  const VecX v = random.vector(3 * box.n_vertices()), zero = VecX::Zero(v.size());
  const double d_k = 0.07, h = 1e-6;
  for (const auto& m : sample_materials()) {
    ElasticTerm with(elements_of(box, damped(m, d_k)), ElementDamping::viscous);
    const ElasticTerm without(elements_of(box, m), ElementDamping::viscous);
    const MatX K = assemble(without, {zero, zero, zero}).matrix;
    // Rest before, h v after: E' = sym(grad v) up to O(h).
    with.set_strain_rate_offset(VecX::Zero(6 * box.n_tets()));
    const VecX u = h * v;
    const VecX force = assemble(with, {u, v, zero, 1 / h, 0}).residual - assemble(without, {u, v, zero}).residual;
    EXPECT_LT((force - d_k * K * v).norm(), 1e-4 * (d_k * K * v).norm()) << m.name;
    // And the matrix exactly.
    const MatX D = assemble(with, {zero, zero, zero, 1 / h, 0}).matrix - K;
    EXPECT_LT((D - d_k / h * K).norm(), 1e-9 * D.norm()) << m.name;
  }
}

TEST(ElasticTerm, ViscousDampingNeverPumpsEnergyIn) {
  // With the rate offset of a standing tet the matrix is D(u) / h and S_v = 0: v.D v = vol d_k E':C0:E' for the
  // continuous E' = sym(F^T F').
  const TetMesh mesh = one_tet();
  Random random(37);
  const double d_k = 0.2, dv_du = 10;
  const VecX zero = VecX::Zero(12);
  for (const auto& m : sample_materials())
    for (const auto& d : sample_deformations()) {
      ElasticTerm with(elements_of(mesh, damped(m, d_k)), ElementDamping::viscous);
      const ElasticTerm without(elements_of(mesh, m), ElementDamping::viscous);
      const VecX u = affine_displacement(mesh, d.F);
      with.set_strain_rate_offset(-dv_du * with.strains(u));
      const MatX D =
          (assemble(with, {u, zero, zero, dv_du, 0}).matrix - assemble(without, {u, zero, zero}).matrix) / dv_du;
      const VecX values = symmetric_eigen(D).values;
      EXPECT_GE(values[0], -1e-9 * (1 + D.norm())) << m.name << ", " << d.name;
      const Element& e = with.elements().list()[0];
      for (int k = 0; k < 5; ++k) {
        const VecX v = random.vector(12);
        const Mat3 rate_F = with.elements().gradient(e, v);
        const Mat3 F = m.model == MaterialModel::linear ? Mat3(Mat3::Identity()) : d.F;
        const Mat3 rate = 0.5 * (F.transpose() * rate_F + rate_F.transpose() * F);
        const double power =
            e.vol * d_k *
            (2 * e.material.lame_mu * rate.squaredNorm() + e.material.lame_lambda * rate.trace() * rate.trace());
        EXPECT_GE(power, 0);
        const VecX Dv = D * v;
        EXPECT_NEAR(v.dot(Dv), power, 1e-10 * (1 + power)) << m.name << ", " << d.name;
      }
    }
}

TEST(ElasticTerm, FullDampingIsTheCurrentStiffnessTimesVelocity) {
  const TetMesh box = rough_box(2, 1, 1);
  Random random(38);
  const double d_k = 0.05, dv_du = 20;
  const VecX u = 0.15 * random.vector(3 * box.n_vertices()), v = random.vector(u.size()), zero = VecX::Zero(u.size());
  for (const auto& m : sample_materials()) {
    const auto elements = elements_of(box, damped(m, d_k));
    const ElasticTerm full(elements, ElementDamping::full), rest(elements, ElementDamping::rest);
    const ElasticTerm plain(elements_of(box, m), ElementDamping::full);
    const Kinematics x{u, v, zero, dv_du, 0};
    const VecX elastic = assemble(plain, x).residual;
    const MatX K = reference_stiffness(*elements, u), K0 = reference_stiffness(*elements, zero);
    EXPECT_LT((assemble(full, x).residual - elastic - d_k * K * v).norm(), 1e-10 * (d_k * K * v).norm()) << m.name;
    EXPECT_LT((assemble(rest, x).residual - elastic - d_k * K0 * v).norm(), 1e-10 * (d_k * K0 * v).norm()) << m.name;
    // Neither acts in a static solve.
    EXPECT_EQ(assemble(full, {u, v, zero}).residual, elastic);
    EXPECT_EQ(assemble(rest, {u, v, zero}).residual, elastic);
  }
}

TEST(ElasticTerm, RigidMotionOfAnUnstressedBodyIsFree) {
  const TetMesh box = rough_box(3, 2, 2);
  Random random(39);
  const double h = 1.0 / 60;
  const VecX zero = VecX::Zero(3 * box.n_vertices());
  for (const auto& m : sample_materials()) {
    if (m.model == MaterialModel::linear) continue;
    ElasticTerm term(elements_of(box, damped(m, 0.1)), ElementDamping::viscous);
    const VecX before = affine_displacement(box, random.rotation(), Vec3(3, 1, -2));
    const VecX u = affine_displacement(box, random.rotation(), Vec3(1, 5, 0)), v = (u - before) / h;
    term.set_strain_rate_offset(-term.strains(before) / h);
    const Assembled a = assemble(term, {u, v, zero, 1 / h, 0});
    EXPECT_LT(a.residual.cwiseAbs().maxCoeff(), 1e-11) << m.name;
    EXPECT_NEAR(a.energy, 0, 1e-12) << m.name;
  }
}

TEST(ElasticTerm, CountsInvertedElementsAndKnowsItsScale) {
  const TetMesh box = rough_box(2, 1, 1);
  const auto m = sample_materials()[4];
  const ElasticTerm term(elements_of(box, m), ElementDamping::viscous);
  VecX u = VecX::Zero(3 * box.n_vertices());
  EXPECT_EQ(term.count_inverted(u), 0);
  EXPECT_EQ(term.count_inverted(affine_displacement(box, Vec3(1, 1, -1).asDiagonal())), box.n_tets());
  u.segment<3>(0) += Vec3(30, 0, 0);
  int expected = 0;
  for (const Tet& t : box.tets) {
    Vec3 x[4];
    for (int k = 0; k < 4; ++k) x[k] = box.vertices[t[k]] + u.segment<3>(3 * t[k]);
    if (tet_volume(x[0], x[1], x[2], x[3]) <= 0) ++expected;
  }
  EXPECT_GT(expected, 0);
  EXPECT_EQ(term.count_inverted(u), expected);
  const VecX zero = VecX::Zero(u.size());
  const MatX K = assemble(term, {zero, zero, zero}).matrix;
  EXPECT_NEAR(term.rest_stiffness_scale(), K.diagonal().maxCoeff(), 1e-12 * K.norm());
}

}  // namespace
}  // namespace supple::test
