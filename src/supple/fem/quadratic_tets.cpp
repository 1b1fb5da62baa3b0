#include "supple/fem/quadratic_tets.h"

#include <Eigen/LU>
#include <algorithm>

namespace supple {

namespace {

constexpr int kEnds[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Gradients of the barycentric coordinates [1/m], and six times the volume.
using Gradients = std::array<Vec3, 4>;
Gradients barycentric_gradients(const Points& x, const int* v, double& volume) {
  Mat3 edges;
  for (int c = 0; c < 3; ++c) edges.col(c) = x[v[c + 1]] - x[v[0]];
  volume = edges.determinant() / 6;
  const Mat3 inverse = edges.inverse();
  Gradients g;
  g[0].setZero();
  for (int c = 0; c < 3; ++c) {
    g[c + 1] = inverse.row(c).transpose();
    g[0] -= g[c + 1];
  }
  return g;
}

// lambda a b^T + mu (b a^T + a.b I): what one quadrature point adds to the block of two nodes.
void add_block(const Vec3& a, const Vec3& b, double lambda, double mu, Mat3& block) {
  block.noalias() += lambda * a * b.transpose() + mu * b * a.transpose();
  block.diagonal().array() += mu * a.dot(b);
}

void add_to(BlockMatrix& matrix, int slot, const Mat3& block, bool transposed) {
  double* to = matrix.block(slot);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) to[3 * r + c] += transposed ? block(c, r) : block(r, c);
}

template <size_t N>
struct ElementMatrices {
  std::array<std::array<Mat3, N>, N> stiffness;  // a >= b only
  std::array<std::array<double, N>, N> mass;
};

// of(element index, out) fills in one element.
template <size_t N, class Elements, class Of>
LinearMatrices assembled(int n_nodes, const Elements& elements, const Of& of) {
  PatternBuilder builder(n_nodes);
  for (const auto& e : elements)
    for (size_t a = 0; a < N; ++a)
      for (size_t b = 0; b < a; ++b) builder.couple(e[a], e[b]);
  const auto pattern = builder.build();
  LinearMatrices out{BlockMatrix(pattern), BlockMatrix(pattern)};
  ElementMatrices<N> m;
  for (size_t t = 0; t < elements.size(); ++t) {
    const auto& e = elements[t];
    of(t, m);
    for (size_t a = 0; a < N; ++a)
      for (size_t b = 0; b <= a; ++b) {
        const bool below = e[a] >= e[b];
        const int slot = below ? pattern->find(e[a], e[b]) : pattern->find(e[b], e[a]);
        add_to(out.stiffness, slot, m.stiffness[a][b], !below);
        double* mass = out.mass.block(slot);
        for (int c = 0; c < 9; c += 4) mass[c] += m.mass[a][b];
      }
  }
  return out;
}

// Integrals of products of the ten shape functions over a tet of volume 1, times 420.
double mass_share(int a, int b) {
  if (a > b) std::swap(a, b);
  if (b < 4) return a == b ? 6 : 1;
  const int* edge = kEnds[b - 4];
  if (a < 4) return a == edge[0] || a == edge[1] ? -4 : -6;
  if (a == b) return 32;
  const int* other = kEnds[a - 4];
  const bool meet = edge[0] == other[0] || edge[0] == other[1] || edge[1] == other[0] || edge[1] == other[1];
  return meet ? 16 : 8;
}

}  // namespace

QuadraticTets with_middle_nodes(const TetMesh& mesh) {
  QuadraticTets out;
  out.nodes = mesh.vertices;
  out.n_vertices = mesh.n_vertices();
  out.edges = unique_edges(mesh.tets);
  for (const auto& e : out.edges) out.nodes.push_back((mesh.vertices[e[0]] + mesh.vertices[e[1]]) / 2);
  out.elements.reserve(mesh.tets.size());
  for (const Tet& t : mesh.tets) {
    std::array<int, 10> element{t[0], t[1], t[2], t[3]};
    for (int k = 0; k < 6; ++k) {
      const std::array<int, 2> edge{std::min(t[kEnds[k][0]], t[kEnds[k][1]]), std::max(t[kEnds[k][0]], t[kEnds[k][1]])};
      const auto at = std::lower_bound(out.edges.begin(), out.edges.end(), edge) - out.edges.begin();
      element[4 + k] = out.n_vertices + static_cast<int>(at);
    }
    out.elements.push_back(element);
  }
  return out;
}

std::array<double, 10> quadratic_shapes(const Eigen::Vector4d& at) {
  std::array<double, 10> n{};
  for (int a = 0; a < 4; ++a) n[a] = at[a] * (2 * at[a] - 1);
  for (int k = 0; k < 6; ++k) n[4 + k] = 4 * at[kEnds[k][0]] * at[kEnds[k][1]];
  return n;
}

LinearMatrices linear_matrices(const QuadraticTets& mesh, const std::vector<MaterialParameters>& per_tet) {
  // Four points are exact for the products of gradients, which are linear in a straight tet.
  constexpr double kNear = 0.585410196624968500, kFar = 0.138196601125010500;
  std::array<std::array<double, 10>, 10> mass{};
  for (int a = 0; a < 10; ++a)
    for (int b = 0; b < 10; ++b) mass[a][b] = mass_share(a, b) / 420;
  return assembled<10>(static_cast<int>(mesh.nodes.size()), mesh.elements, [&](size_t t, ElementMatrices<10>& m) {
    const ElementMaterial material = element_material(MaterialModel::linear, per_tet[t]);
    double volume = 0;
    const Gradients g = barycentric_gradients(mesh.nodes, mesh.elements[t].data(), volume);
    for (auto& row : m.stiffness)
      for (Mat3& block : row) block.setZero();
    for (int point = 0; point < 4; ++point) {
      Eigen::Vector4d at = Eigen::Vector4d::Constant(kFar);
      at[point] = kNear;
      std::array<Vec3, 10> slope;
      for (int a = 0; a < 4; ++a) slope[a] = (4 * at[a] - 1) * g[a];
      for (int k = 0; k < 6; ++k) {
        const int a = kEnds[k][0], b = kEnds[k][1];
        slope[4 + k] = 4 * (at[b] * g[a] + at[a] * g[b]);
      }
      for (int a = 0; a < 10; ++a)
        for (int b = 0; b <= a; ++b)
          add_block(slope[a], slope[b], volume / 4 * material.lame_lambda, volume / 4 * material.lame_mu,
                    m.stiffness[a][b]);
    }
    for (int a = 0; a < 10; ++a)
      for (int b = 0; b <= a; ++b) m.mass[a][b] = per_tet[t].density * volume * mass[a][b];
  });
}

LinearMatrices linear_matrices(const TetMesh& mesh, const std::vector<MaterialParameters>& per_tet) {
  return assembled<4>(mesh.n_vertices(), mesh.tets, [&](size_t t, ElementMatrices<4>& m) {
    const ElementMaterial material = element_material(MaterialModel::linear, per_tet[t]);
    double volume = 0;
    const Gradients g = barycentric_gradients(mesh.vertices, mesh.tets[t].data(), volume);
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b <= a; ++b) {
        m.stiffness[a][b].setZero();
        add_block(g[a], g[b], volume * material.lame_lambda, volume * material.lame_mu, m.stiffness[a][b]);
        m.mass[a][b] = per_tet[t].density * volume * (a == b ? 2 : 1) / 20;
      }
  });
}

}  // namespace supple
