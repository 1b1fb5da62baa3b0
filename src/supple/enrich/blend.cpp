#include "supple/enrich/blend.h"

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <string>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/linalg/svd3.h"

namespace supple {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Slopes = Eigen::Matrix<double, 4, 3>;  // rows: gradients of the four barycentric coordinates

struct RestTet {
  Tet vertices;
  Slopes slopes;
  double volume;
};

RestTet rest_tet(const TetMesh& mesh, int ti) {
  const Tet& t = mesh.tets[ti];
  Mat3 edges;
  for (int c = 0; c < 3; ++c) edges.col(c) = mesh.vertices[t[c + 1]] - mesh.vertices[t[0]];
  RestTet tet{t, Slopes(), edges.determinant() / 6};
  tet.slopes.bottomRows<3>() = edges.inverse();
  tet.slopes.row(0) = -tet.slopes.bottomRows<3>().colwise().sum();
  if (!(tet.volume > 0) || !tet.slopes.allFinite())
    throw InputError({"", 0, 0, "tet " + std::to_string(ti)}, "has no volume at rest", "mesh the shape anew");
  return tet;
}

Mat3 gradient(const RestTet& t, const VecX& x) {
  Mat3 F = Mat3::Zero();
  for (int c = 0; c < 4; ++c) F += x.segment<3>(3 * t.vertices[c]) * t.slopes.row(c);
  return F;
}

// The gradient in between less F0.
Mat3 change(const Mat3& F0, const Mat3& F1, double share) {
  if (share == 0) return Mat3::Zero();
  if (share == 1) return F1 - F0;
  const Polar3 first = polar3(F0), second = polar3(F1);
  const Eigen::AngleAxisd turn(Mat3(first.R.transpose() * second.R));
  const Mat3 part = Eigen::AngleAxisd(share * turn.angle(), turn.axis()).toRotationMatrix();
  return first.R * part * ((1 - share) * first.S + share * second.S) - F0;
}

Vec3 centre(const RestTet& t, const VecX& x) {
  Vec3 sum = Vec3::Zero();
  for (int v : t.vertices) sum += x.segment<3>(3 * v);
  return 0.25 * sum;
}

}  // namespace

struct RotationStrainBlend::Impl {
  std::vector<RestTet> tets;
  std::vector<int> held;
  std::vector<int> unknown;      // number of each vertex; -1: held, pinned or without tets
  std::vector<int> component;    // of each vertex; -1: without tets
  std::vector<double> floating;  // per component: its volume where nothing is held, else 0
  Eigen::SimplicialLDLT<Sparse> factor;

  void number(const TetMesh& mesh);
  void assemble();
  void place_floating(const VecX& apart, const std::vector<double>& share, VecX& moved) const;
};

// Of a component without a held vertex one is pinned, as gradients do not say where it is.
void RotationStrainBlend::Impl::number(const TetMesh& mesh) {
  const int n_components = connected_components(mesh, component);
  std::vector<char> is_held(mesh.vertices.size(), 0), pinned(n_components, 0);
  for (int v : held) {
    is_held[v] = 1;
    if (component[v] >= 0) pinned[component[v]] = 1;
  }
  floating.assign(n_components, 0);
  for (const RestTet& t : tets) {
    const int c = component[t.vertices[0]];
    if (!pinned[c]) floating[c] += t.volume;
  }
  unknown.assign(mesh.vertices.size(), -1);
  int n = 0;
  for (size_t v = 0; v < unknown.size(); ++v) {
    const int c = component[v];
    if (c < 0 || is_held[v]) continue;
    if (pinned[c]) {
      unknown[v] = n++;
    } else {
      pinned[c] = 1;
    }
  }
}

// The Gram matrix of the gradients by volume.
void RotationStrainBlend::Impl::assemble() {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(10 * tets.size());
  int n = 0;
  for (int u : unknown) n = std::max(n, u + 1);
  for (const RestTet& t : tets) {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) {
        const int i = unknown[t.vertices[a]], j = unknown[t.vertices[b]];
        if (j >= 0 && i >= j) entries.emplace_back(i, j, t.volume * t.slopes.row(a).dot(t.slopes.row(b)));
      }
    }
  }
  Sparse matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  if (n > 0) factor.compute(matrix);
  if (n > 0 && factor.info() != Eigen::Success)
    throw InputError({}, "the tets are too flat to be blended", "mesh the shape anew");
}

RotationStrainBlend::RotationStrainBlend(const TetMesh& mesh, const std::vector<int>& held) {
  auto impl = std::make_unique<Impl>();
  impl->held = held;
  impl->tets.reserve(mesh.tets.size());
  for (int ti = 0; ti < mesh.n_tets(); ++ti) impl->tets.push_back(rest_tet(mesh, ti));
  impl->number(mesh);
  impl->assemble();
  impl_ = std::move(impl);
}
RotationStrainBlend::~RotationStrainBlend() = default;
RotationStrainBlend::RotationStrainBlend(RotationStrainBlend&&) noexcept = default;

// moved: from the first shape. apart: the way from the first shape to the second.
void RotationStrainBlend::Impl::place_floating(const VecX& apart, const std::vector<double>& share, VecX& moved) const {
  std::vector<double> mean(floating.size(), 0);
  Points wanted(floating.size(), Vec3::Zero()), got = wanted;
  for (size_t ti = 0; ti < tets.size(); ++ti) {
    const RestTet& t = tets[ti];
    const int c = component[t.vertices[0]];
    if (!(floating[c] > 0)) continue;
    const double part = t.volume / floating[c];
    mean[c] += part * share[ti];
    wanted[c] += part * centre(t, apart);
    got[c] += part * centre(t, moved);
  }
  for (size_t v = 0; v < component.size(); ++v) {
    const int c = component[v];
    if (c >= 0 && floating[c] > 0) moved.segment<3>(3 * static_cast<Eigen::Index>(v)) += mean[c] * wanted[c] - got[c];
  }
}

VecX RotationStrainBlend::at(const VecX& from, const VecX& to, const std::vector<double>& share) const {
  const Impl& m = *impl_;
  expect(from.size() == to.size() && from.size() == 3 * static_cast<Eigen::Index>(m.unknown.size()),
         "two states of the same vertices");
  expect(share.size() == m.tets.size(), "one share for each tet");
  const auto all = [&](double s) { return std::all_of(share.begin(), share.end(), [s](double x) { return x == s; }); };
  if (all(0)) return from;
  const bool held_agree =
      std::all_of(m.held.begin(), m.held.end(), [&](int v) { return from.segment<3>(3 * v) == to.segment<3>(3 * v); });
  if (held_agree && all(1)) return to;

  // In displacements from the first shape, so that where the share is 0 rounding has nothing to add.
  std::vector<Mat3> wanted(m.tets.size());
  parallel_for(wanted.size(), 512, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      wanted[i] = m.tets[i].volume * change(gradient(m.tets[i], from), gradient(m.tets[i], to), share[i]);
  });
  MatX right = MatX::Zero(m.factor.rows(), 3);
  for (size_t ti = 0; ti < m.tets.size(); ++ti) {
    const RestTet& t = m.tets[ti];
    for (int c = 0; c < 4; ++c) {
      const int i = m.unknown[t.vertices[c]];
      if (i >= 0) right.row(i) += t.slopes.row(c) * wanted[ti].transpose();
    }
  }
  MatX solved = right;
  if (right.rows() > 0) solved = m.factor.solve(right);
  VecX moved = VecX::Zero(from.size());
  for (size_t v = 0; v < m.unknown.size(); ++v) {
    if (m.unknown[v] >= 0) moved.segment<3>(3 * static_cast<Eigen::Index>(v)) = solved.row(m.unknown[v]).transpose();
  }
  m.place_floating(to - from, share, moved);
  return from + moved;
}

std::vector<double> tet_shares(const TetMesh& mesh, const std::vector<double>& vertex_shares) {
  expect(vertex_shares.size() == mesh.vertices.size(), "one share for each vertex");
  std::vector<double> shares;
  shares.reserve(mesh.tets.size());
  for (const Tet& t : mesh.tets) {
    shares.push_back(0.25 *
                     ((vertex_shares[t[0]] + vertex_shares[t[1]]) + (vertex_shares[t[2]] + vertex_shares[t[3]])));
  }
  return shares;
}

}  // namespace supple
