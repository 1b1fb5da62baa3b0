#include "supple/inertia/frames.h"

#include <Eigen/LU>
#include <map>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/linalg/svd3.h"

namespace supple {

namespace {
constexpr size_t kGrain = 256;
// Two stretches that sum to less than this: R turns too fast to follow.
constexpr double kSmallestSum = 0.05;
// Turning in a step, beside the neighbours, that the difference formulas still follow [rad].
constexpr double kOwnTurn = 0.1;

Mat3 cross_matrix(const Vec3& w) {
  Mat3 m;
  m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return m;
}
// The vector of the skew part of A, doubled: ax(A - A^T).
Vec3 twist(const Mat3& A) { return {A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1)}; }
}  // namespace

bool polar_motion(const Mat3& F, const Mat3& F1, const Mat3& F2, Vec3& spin, Vec3& turn) {
  const auto [R, S] = polar3(F);
  const Mat3 I = Mat3::Identity();
  const Mat3 G = S.trace() * I - S;
  // The eigenvalues of G are the sums of two stretches; the smallest is no less than det G over the square of half the
  // trace, which nearly always is enough to know.
  const double half = G.trace() / 2;
  if (!(G.determinant() > kSmallestSum * half * half) && sym_eigen3(G).values[0] < kSmallestSum) return false;
  const Mat3 inverse = G.inverse();
  const Mat3 P = R.transpose() * F1;
  const Vec3 w = inverse * twist(P);
  const Mat3 W = cross_matrix(w);
  const Mat3 S1 = P - W * S;
  expect((S1 - S1.transpose()).cwiseAbs().maxCoeff() <= 1e-8 * (P.cwiseAbs().maxCoeff() + 1e-30),
         "a symmetric rate of stretch");
  const Mat3 P1 = W.transpose() * P + R.transpose() * F2;
  const Vec3 w1 = inverse * (twist(P1) - (S1.trace() * I - S1) * w);
  spin = R * w;
  turn = R * w1;
  return true;
}

VertexFrames::VertexFrames(const Elements& elements) {
  const auto& list = elements.list();
  const size_t n = static_cast<size_t>(elements.n_vertices());
  std::vector<double> volume(n, 0.0);
  for (const Element& e : list)
    for (int v : e.v) volume[v] += e.vol;
  std::vector<std::map<int, Vec3>> rings(n);
  for (const Element& e : list)
    for (int v : e.v)
      for (int b = 0; b < 4; ++b) {
        if (e.v[b] == v) continue;
        const Vec3 g = b == 0 ? Vec3(-e.g.rowwise().sum()) : Vec3(e.g.col(b - 1));
        rings[v].try_emplace(e.v[b], Vec3::Zero()).first->second += e.vol / volume[v] * g;
      }
  start_.push_back(0);
  for (const auto& ring : rings) {
    for (const auto& [vertex, c] : ring) ring_.push_back({vertex, c});
    start_.push_back(static_cast<int>(ring_.size()));
  }
}

// Of several fields at once: what is known of a neighbour is read once.
template <size_t n>
std::array<Mat3, n> VertexFrames::gradients(size_t vertex, const std::array<const double*, n>& fields) const {
  double h[n][9] = {};
  const size_t own = 3 * vertex;
  for (int k = start_[vertex]; k < start_[vertex + 1]; ++k) {
    const Neighbour& near = ring_[k];
    const size_t at = 3 * static_cast<size_t>(near.vertex);
    for (size_t f = 0; f < n; ++f)
      for (size_t row = 0; row < 3; ++row) {
        const double d = fields[f][at + row] - fields[f][own + row];
        for (size_t column = 0; column < 3; ++column) h[f][row + 3 * column] += d * near.c[static_cast<int>(column)];
      }
  }
  std::array<Mat3, n> H;
  for (size_t f = 0; f < n; ++f) H[f] = Eigen::Map<const Mat3>(h[f]);
  return H;
}

std::vector<Mat3> VertexFrames::rotations(const VecX& u) const {
  std::vector<Mat3> R(start_.size() - 1);
  parallel_for(R.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) R[v] = polar3(Mat3::Identity() + gradients<1>(v, {u.data()})[0]).R;
  });
  return R;
}

FrameMotion VertexFrames::motion(const VecX& u, const VecX& v, const VecX& a, double h,
                                 const std::vector<char>& needed) const {
  FrameMotion m{.spin = VecX::Zero(u.size()), .turn = VecX::Zero(u.size())};
  const size_t n = start_.size() - 1;
  std::vector<char> regular = needed;
  regular.resize(n, 1);
  parallel_for(n, kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (!regular[i]) continue;
      Vec3 spin = Vec3::Zero(), turn = Vec3::Zero();
      const auto [H, H1, H2] = gradients<3>(i, {u.data(), v.data(), a.data()});
      regular[i] = polar_motion(Mat3::Identity() + H, H1, H2, spin, turn);
      m.spin.segment<3>(3 * static_cast<Eigen::Index>(i)) = spin;
      m.turn.segment<3>(3 * static_cast<Eigen::Index>(i)) = turn;
    }
  });
  if (h > 0) drop_outliers(m, h, regular);
  fill(m, regular, needed);
  return m;
}

void VertexFrames::drop_outliers(const FrameMotion& m, double h, std::vector<char>& regular) const {
  const std::vector<char> before = regular;
  const auto look_at = [&](size_t i) {
    if (!before[i]) return;
    Vec3 spin = Vec3::Zero(), turn = Vec3::Zero();
    double count = 0;
    for (int k = start_[i]; k < start_[i + 1]; ++k) {
      const int j = ring_[k].vertex;
      if (!before[j]) continue;
      spin += m.spin.segment<3>(3 * j), turn += m.turn.segment<3>(3 * j), count += 1;
    }
    if (count == 0) return;
    const auto at = 3 * static_cast<Eigen::Index>(i);
    regular[i] = (m.spin.segment<3>(at) - spin / count).norm() * h < kOwnTurn &&
                 (m.turn.segment<3>(at) - turn / count).norm() * h * h < kOwnTurn;
  };
  parallel_for(start_.size() - 1, kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) look_at(i);
  });
}

// From the regular ones inwards, a ring a pass. What no regular vertex is near does not turn.
void VertexFrames::fill(FrameMotion& m, std::vector<char>& regular, const std::vector<char>& needed) const {
  std::vector<size_t> open;
  for (size_t i = 0; i < regular.size(); ++i)
    if (!regular[i] && (needed.empty() || needed[i])) {
      open.push_back(i);
      m.spin.segment<3>(3 * static_cast<Eigen::Index>(i)).setZero();
      m.turn.segment<3>(3 * static_cast<Eigen::Index>(i)).setZero();
    }
  m.irregular = static_cast<int>(open.size());
  while (!open.empty()) {
    std::vector<size_t> filled, left;
    for (size_t i : open) {
      Vec3 spin = Vec3::Zero(), turn = Vec3::Zero();
      double count = 0;
      for (int k = start_[i]; k < start_[i + 1]; ++k) {
        const int j = ring_[k].vertex;
        if (!regular[j]) continue;
        spin += m.spin.segment<3>(3 * j), turn += m.turn.segment<3>(3 * j), count += 1;
      }
      if (count == 0) {
        left.push_back(i);
        continue;
      }
      m.spin.segment<3>(3 * static_cast<Eigen::Index>(i)) = spin / count;
      m.turn.segment<3>(3 * static_cast<Eigen::Index>(i)) = turn / count;
      filled.push_back(i);
    }
    if (filled.empty()) break;
    for (size_t i : filled) regular[i] = 1;
    open = std::move(left);
  }
}

bool is_mirrored(const Elements& elements, const VecX& u, int n_own) {
  double volume = 0;
  for (const Element& e : elements.list())
    if (e.v[0] < n_own) volume += e.vol * (Mat3::Identity() + elements.gradient(e, u)).determinant();
  return volume < 0;
}

}  // namespace supple
