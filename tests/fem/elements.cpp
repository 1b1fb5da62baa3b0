// The order of summation: clusters of one colour share no vertex, and sums have the same bits for any thread count.
#include "supple/fem/elements.h"

#include <gtest/gtest.h>

#include <set>

#include "supple/base/parallel.h"
#include "supple/fem/elastic_term.h"
#include "tests/fem/samples.h"

namespace supple::test {
namespace {

// Tets all around one vertex: more clusters than there are colours.
TetMesh hedgehog(int n_tets) {
  TetMesh mesh;
  mesh.vertices.push_back(Vec3::Zero());
  Random random(21);
  for (int t = 0; t < n_tets; ++t) {
    const Vec3 a = Vec3(random(), random(), random()).normalized();
    const Mat3 frame = random.rotation();
    Vec3 p[3];
    for (int i = 0; i < 3; ++i) p[i] = a + 0.2 * frame.col(i);
    if (tet_volume(Vec3::Zero(), p[0], p[1], p[2]) < 0) std::swap(p[1], p[2]);
    const int first = mesh.n_vertices();
    for (const Vec3& x : p) mesh.vertices.push_back(x);
    mesh.tets.push_back({0, first, first + 1, first + 2});
  }
  return mesh;
}

void expect_valid(const TetMesh& mesh, const Elements& elements) {
  std::set<int> tets;
  for (const Element& e : elements.list()) tets.insert(e.tet);
  EXPECT_EQ(tets.size(), mesh.tets.size());
  EXPECT_EQ(elements.list().size(), mesh.tets.size());
  for (size_t k = 0; k + 1 < elements.clusters().colour_start().size(); ++k) {
    if (static_cast<int>(k) == Clusters::kSerialColour) continue;
    std::vector<int> owner(mesh.vertices.size(), -1);
    for (int c = elements.clusters().colour_start()[k]; c < elements.clusters().colour_start()[k + 1]; ++c)
      for (int i = elements.clusters().cluster_start()[c]; i < elements.clusters().cluster_start()[c + 1]; ++i)
        for (int v : elements.list()[i].v) {
          EXPECT_TRUE(owner[v] == -1 || owner[v] == c) << "colour " << k << ", vertex " << v;
          owner[v] = c;
        }
  }
}

void expect_same_bits(const TetMesh& mesh, const SampleMaterial& material) {
  const ElasticTerm term(elements_of(mesh, material), ElementDamping::viscous);
  Random random(22);
  const VecX u = 0.1 * random.vector(3 * mesh.n_vertices()), zero = VecX::Zero(u.size());
  PatternBuilder builder(mesh.n_vertices());
  term.couple(builder);
  const auto pattern = builder.build();
  std::vector<VecX> residuals, strains;
  std::vector<std::vector<double>> values;
  std::vector<double> energies;
  for (int threads : {1, 2, 5}) {
    set_thread_count(threads);
    BlockMatrix matrix(pattern);
    VecX residual = zero;
    double energy = 0;
    term.add({u, zero, zero}, {.energy = &energy, .residual = &residual, .matrix = &matrix});
    residuals.push_back(residual);
    values.push_back(matrix.values);
    energies.push_back(energy);
    strains.push_back(term.strains(u));
  }
  set_thread_count(0);
  EXPECT_GT(residuals[0].norm(), 0);
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(residuals[0], residuals[i]);
    EXPECT_EQ(values[0], values[i]);
    EXPECT_EQ(energies[0], energies[i]);
    EXPECT_EQ(strains[0], strains[i]);
  }
}

TEST(Elements, ColouringIsValid) {
  const auto material = sample_materials()[4];
  const TetMesh box = rough_box(9, 7, 6);
  const auto elements = elements_of(box, material);
  EXPECT_GT(elements->clusters().colour_start().size(), 3u);
  expect_valid(box, *elements);
  const TetMesh star = hedgehog(70 * 128);
  const auto crowded = elements_of(star, material);
  EXPECT_EQ(static_cast<int>(crowded->clusters().colour_start().size()) - 1, Clusters::kSerialColour + 1);
  expect_valid(star, *crowded);
}

TEST(Elements, SumsHaveTheSameBitsForAnyThreadCount) {
  for (const auto& m : sample_materials()) expect_same_bits(rough_box(7, 6, 6), m);
  expect_same_bits(hedgehog(70 * 128), sample_materials()[4]);
}

TEST(Elements, GradientsAreThoseOfTheShapeFunctions) {
  const TetMesh mesh = rough_box(2, 2, 2);
  const auto elements = elements_of(mesh, sample_materials()[0]);
  Random random(23);
  const Mat3 F = random.matrix();
  const VecX u = affine_displacement(mesh, F, Vec3(1, 2, 3));
  double volume = 0;
  for (const Element& e : elements->list()) {
    EXPECT_LT((elements->gradient(e, u) - (F - Mat3::Identity())).norm(), 1e-12);
    EXPECT_TRUE(e.v[0] < e.v[1] && e.v[1] < e.v[2] && e.v[2] < e.v[3]);
    const Tet& t = mesh.tets[e.tet];
    EXPECT_NEAR(e.vol, tet_volume(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]),
                1e-13);
    volume += e.vol;
  }
  EXPECT_NEAR(elements->rest_volume(), volume, 1e-12);
}

}  // namespace
}  // namespace supple::test
