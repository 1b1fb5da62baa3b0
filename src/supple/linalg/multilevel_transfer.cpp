#include "supple/linalg/multilevel_transfer.h"

#include <algorithm>
#include <cmath>

#include "supple/base/index.h"
#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"

namespace supple::multilevel {

namespace {

constexpr size_t kMovedNodes = 256, kPairs = 256;

Mat3 cross_matrix(const Vec3& d) {
  Mat3 m;
  m << 0, -d[2], d[1], d[2], 0, -d[0], -d[1], d[0], 0;
  return m;
}

// Onto the directions in which a rotation moves something; inertia: the squares of what unit rotations move.
Mat3 turning(const Mat3& inertia) {
  constexpr double kTiny = 1e-3;
  const auto [values, vectors] = symmetric_eigen3(inertia);
  if (!(values[2] > 0)) return Mat3::Zero();
  if (values[0] > kTiny * values[2]) return Mat3::Identity();
  Mat3 out = Mat3::Zero();
  for (int k = 0; k < 3; ++k)
    if (values[k] > kTiny * values[2]) out += vectors.col(k) * vectors.col(k).transpose();
  return out;
}

uint64_t key(int a, int b) { return static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b); }

// Of aggregates.
Frames frames_of(const Aggregates& aggregates, const Frames& fine, bool known) {
  const auto count = at(aggregates.count);
  Frames out{.place = std::vector<Vec3>(count, Vec3::Zero()), .turn = std::vector<Mat3>(count, Mat3::Zero())};
  if (!known) return out;
  std::vector<int> members(count, 0);
  for (size_t i = 0; i < aggregates.of.size(); ++i) {
    if (aggregates.of[i] < 0) continue;
    out.place[at(aggregates.of[i])] += fine.place[i];
    ++members[at(aggregates.of[i])];
  }
  for (size_t a = 0; a < count; ++a) out.place[a] /= members[a];
  double squares = 0, n = 0;
  for (size_t i = 0; i < aggregates.of.size(); ++i) {
    if (aggregates.of[i] < 0) continue;
    const Vec3 d = fine.place[i] - out.place[at(aggregates.of[i])];
    Mat3& inertia = out.turn[at(aggregates.of[i])];
    inertia += d.squaredNorm() * Mat3::Identity() - d * d.transpose();
    if (!fine.turn.empty()) inertia += fine.length * fine.length * fine.turn[i];
    squares += d.squaredNorm();
    ++n;
  }
  out.length = std::sqrt(squares / n + (fine.turn.empty() ? 0.0 : fine.length * fine.length));
  if (!(out.length > 0)) out.length = 1;
  for (Mat3& turn : out.turn) turn = turning(turn);
  return out;
}

}  // namespace

template <int N>
Transfer<N>::Transfer(Level<N>& fine, Level<6>& coarse, const Aggregates& aggregates)
    : fine_(fine), coarse_(coarse), aggregates_(aggregates), felt_(felt_aggregates(fine.graph(), aggregates)) {
  prolongator_.assign(kBlock * felt_.item.size() + kPad, 0.0f);
  place_shares();
  place_products();
}

template <int N>
void Transfer<N>::place_shares() {
  std::vector<int> last_chunk(at(coarse_.n()), -1), last_share(at(coarse_.n()), -1);
  Lists node_of_share;
  share_begin_.assign(1, 0);
  for (int c = 0; c < fine_.chunks(); ++c) {
    for (int k = felt_.begin(fine_.chunk_begin(c)); k < felt_.begin(fine_.chunk_begin(c + 1)); ++k) {
      const auto a = at(felt_.at(k));
      if (last_chunk[a] != c) {
        last_chunk[a] = c;
        last_share[a] = node_of_share.rows();
        node_of_share.item.push_back(felt_.at(k));
        node_of_share.start.push_back(node_of_share.rows() + 1);
      }
      share_.push_back(last_share[a]);
    }
    share_begin_.push_back(node_of_share.rows());
  }
  shares_ = transposed(node_of_share, coarse_.n());
  share_sums_.assign(8 * at(node_of_share.rows()), 0.0f);
}

template <int N>
Frames Transfer<N>::set_places(const Frames& fine_frames, bool known) {
  Frames coarse_frames = frames_of(aggregates_, fine_frames, known);
  tentative_.assign(kBlock * at(fine_.n()) + kPad, 0.0f);
  for (int i = 0; i < fine_.n(); ++i) {
    const int a = aggregates_.of[at(i)];
    if (a < 0) continue;
    Eigen::Matrix<double, N, 6> t = Eigen::Matrix<double, N, 6>::Zero();
    const Mat3& turn = coarse_frames.turn[at(a)];
    t.template topLeftCorner<3, 3>().setIdentity();
    t.template topRightCorner<3, 3>() =
        -cross_matrix(fine_frames.place[at(i)] - coarse_frames.place[at(a)]) * turn / coarse_frames.length;
    if constexpr (N == 6)
      t.template bottomRightCorner<3, 3>() = fine_frames.turn[at(i)] * turn * fine_frames.length / coarse_frames.length;
    for (int r = 0; r < N; ++r)
      for (int c = 0; c < 6; ++c) tentative_[kBlock * at(i) + at(6 * r + c)] = static_cast<float>(t(r, c));
  }
  bool all_turn = true;
  for (const Mat3& turn : coarse_frames.turn) all_turn = all_turn && turn == Mat3::Identity();
  fixed_.clear();
  if (all_turn) return coarse_frames;
  for (const Mat3& turn : coarse_frames.turn)
    for (int k = 0; k < 9; ++k) fixed_.push_back(static_cast<float>((k % 4 == 0) - turn(k / 3, k % 3)));
  return coarse_frames;
}

template <int N>
void Transfer<N>::place_products() {
  const Graph& coarse = coarse_.graph();
  std::vector<int> first_pair;
  for (int a = 0; a < coarse.rows(); ++a) {
    first_pair.push_back(static_cast<int>(pairs_.size()));
    for (int k = coarse.begin(a); k < coarse.end(a) && coarse.at(k) < a; ++k) {
      const int b = coarse.at(k);
      const auto row = coarse.item.begin() + coarse.begin(b);
      const auto back = std::lower_bound(row, coarse.item.begin() + coarse.end(b), a) - coarse.item.begin();
      pairs_.push_back({a, b, coarse_.own(k), std::max(-1, coarse_.own(static_cast<int>(back)))});
    }
    pairs_.push_back({a, a, -1, -1});
  }
  std::vector<uint64_t> keys, of_chunk;
  std::vector<int> place(at(coarse.rows()), -1), found, pair_of_block;
  product_start_.assign(1, 0);
  chunk_blocks_.assign(1, 0);
  double pair_products = 0, block_products = 0;
  for (int c = 0; c < fine_.chunks(); ++c) {
    keys.clear();
    for (int i = fine_.chunk_begin(c); i < fine_.chunk_begin(c + 1); ++i) {
      felt_nearby(fine_.graph(), felt_, i, place, found);
      for (int k = felt_.begin(i); k < felt_.end(i); ++k)
        for (int b : found)
          if (b <= felt_.at(k)) keys.push_back(key(felt_.at(k), b));
      product_start_.push_back(product_.size() + keys.size());
      block_products += felt_.end(i) - felt_.begin(i);
      for (int e = fine_.graph().begin(i); e < fine_.graph().end(i); ++e)
        block_products += felt_.end(fine_.graph().at(e)) - felt_.begin(fine_.graph().at(e));
    }
    of_chunk = keys;
    std::sort(of_chunk.begin(), of_chunk.end());
    of_chunk.erase(std::unique(of_chunk.begin(), of_chunk.end()), of_chunk.end());
    const int base = chunk_blocks_.back();
    for (uint64_t k : keys)
      product_.push_back(base +
                         static_cast<int>(std::lower_bound(of_chunk.begin(), of_chunk.end(), k) - of_chunk.begin()));
    for (uint64_t k : of_chunk) {
      const int a = static_cast<int>(k >> 32), b = static_cast<int>(k & 0xffffffffu);
      const auto row = coarse.item.begin() + coarse.begin(a);
      const auto before = std::lower_bound(row, coarse.item.begin() + coarse.end(a), b) - row;
      pair_of_block.push_back(first_pair[at(a)] + static_cast<int>(before));
    }
    chunk_blocks_.push_back(base + static_cast<int>(of_chunk.size()));
    pair_products += static_cast<double>(keys.size());
  }
  Lists one;
  for (int p : pair_of_block) {
    one.item.push_back(p);
    one.start.push_back(static_cast<int>(one.item.size()));
  }
  parts_ = transposed(one, static_cast<int>(pairs_.size()));
  sums_.assign(kWide * at(chunk_blocks_.back()), 0.0f);
  flops_of_make_ = 6.0 * N * N * block_products + 36.0 * N * pair_products;
}

template <int N>
void Transfer<N>::smooth_prolongator(float damping) {
  parallel_for(at(fine_.n()), kMovedNodes, [&](size_t begin, size_t end) {
    float buffer[Level<N>::kBlock];
    std::vector<Lanes<6>> product;  // A T, N rows for each aggregate felt
    for (int i = static_cast<int>(begin); i < static_cast<int>(end); ++i) {
      const int first = felt_.begin(i), count = felt_.end(i) - first;
      if (count == 0) continue;
      product.assign(at(N * count), {});
      auto add = [&](const float* block, int j) {
        int p = 0;
        while (felt_.at(first + p) != aggregates_.of[at(j)]) ++p;
        const float* t = tentative(j);
        for (int r = 0; r < N; ++r) {
          Lanes<6> sum = product[at(N * p + r)];
          unrolled<N>([&](auto m) { sum.add_product(Lanes<6>::load(t + 6 * m), block[N * r + m]); });
          product[at(N * p + r)] = sum;
        }
      };
      add(fine_.diagonal(i), i);
      for (int e = fine_.graph().begin(i); e < fine_.graph().end(i); ++e)
        add(fine_.edge_block(e, buffer), fine_.graph().at(e));
      const float* inverse = fine_.inverse(i);
      for (int p = 0; p < count; ++p) {
        float* out = prolongator_.data() + kBlock * at(first + p);
        const bool mine = felt_.at(first + p) == aggregates_.of[at(i)];
        for (int r = 0; r < N; ++r) {
          Lanes<6> sum;
          for (int m = 0; m < N; ++m) sum.subtract_product(product[at(N * p + m)], damping * inverse[N * r + m]);
          float row[8];
          sum.store(row);
          for (int c = 0; c < 6; ++c) out[6 * r + c] = row[c] + (mine ? tentative(i)[6 * r + c] : 0.0f);
        }
      }
    }
  });
}

template <int N>
void Transfer<N>::multiply_chunk(int chunk) {
  std::fill(sums_.begin() + static_cast<ptrdiff_t>(kWide * at(chunk_blocks_[at(chunk)])),
            sums_.begin() + static_cast<ptrdiff_t>(kWide * at(chunk_blocks_[at(chunk) + 1])), 0.0f);
  float buffer[Level<N>::kBlock];
  std::vector<int> place(at(coarse_.n()), -1), found;
  std::vector<Lanes<6>> product;  // A P, N rows for each aggregate found
  for (int i = fine_.chunk_begin(chunk); i < fine_.chunk_begin(chunk + 1); ++i) {
    felt_nearby(fine_.graph(), felt_, i, place, found);
    for (size_t k = 0; k < found.size(); ++k) place[at(found[k])] = static_cast<int>(k);
    product.assign(at(N) * found.size(), {});
    auto add = [&](const float* block, int j) {
      for (int k = felt_.begin(j); k < felt_.end(j); ++k) {
        const float* p = prolongator_.data() + kBlock * at(k);
        Lanes<6>* to = product.data() + N * place[at(felt_.at(k))];
        for (int r = 0; r < N; ++r) {
          Lanes<6> sum = to[r];
          unrolled<N>([&](auto m) { sum.add_product(Lanes<6>::load(p + 6 * m), block[N * r + m]); });
          to[r] = sum;
        }
      }
    };
    add(fine_.diagonal(i), i);
    for (int e = fine_.graph().begin(i); e < fine_.graph().end(i); ++e)
      add(fine_.edge_block(e, buffer), fine_.graph().at(e));
    const int* target = product_.data() + product_start_[at(i)];
    for (int k = felt_.begin(i); k < felt_.end(i); ++k) {
      const float* p = prolongator_.data() + kBlock * at(k);
      for (size_t q = 0; q < found.size(); ++q) {
        if (found[q] > felt_.at(k)) continue;
        float* out = sums_.data() + kWide * at(*target++);
        const Lanes<6>* from = product.data() + at(N) * q;
        for (int c = 0; c < 6; ++c) {
          Lanes<6> sum = Lanes<6>::load(out + 8 * c);
          unrolled<N>([&](auto r) { sum.add_product(from[r], p[6 * r + c]); });
          sum.store(out + 8 * c);
        }
      }
    }
    for (int a : found) place[at(a)] = -1;
  }
}

template <int N>
void Transfer<N>::gather_coarse() {
  parallel_for(pairs_.size(), kPairs, [&](size_t begin, size_t end) {
    for (size_t s = begin; s < end; ++s) {
      float sum[36] = {};
      for (int k = parts_.begin(static_cast<int>(s)); k < parts_.end(static_cast<int>(s)); ++k) {
        const float* part = sums_.data() + kWide * at(parts_.at(k));
        for (int c = 0; c < 36; ++c) sum[c] += part[8 * (c / 6) + c % 6];
      }
      const Pair& pair = pairs_[s];
      if (pair.a != pair.b) {
        std::copy_n(sum, 36, coarse_.block(pair.there));
        if (pair.back < 0) continue;
        for (int c = 0; c < 36; ++c) coarse_.block(pair.back)[c] = sum[6 * (c % 6) + c / 6];
        continue;
      }
      float* diagonal = coarse_.diagonal(pair.a);
      for (int c = 0; c < 36; ++c) diagonal[c] = 0.5f * (sum[c] + sum[6 * (c % 6) + c / 6]);
      if (fixed_.empty()) continue;
      const float stiffness = (sum[0] + sum[7] + sum[14]) / 3;
      for (int c = 0; c < 9; ++c) diagonal[6 * (3 + c / 3) + 3 + c % 3] += stiffness * fixed_[at(9 * pair.a + c)];
    }
  });
}

template <int N>
void Transfer<N>::make() {
  const double largest = std::max(fine_.largest_eigenvalue(), 1.0);
  smooth_prolongator(static_cast<float>(4.0 / 3 / largest));
  parallel_for(at(fine_.chunks()), 1, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) multiply_chunk(static_cast<int>(c));
  });
  gather_coarse();
}

template <int N>
void Transfer<N>::restrict_residual() {
  parallel_for(at(fine_.chunks()), 1, [&](size_t begin, size_t end) {
    for (int c = static_cast<int>(begin); c < static_cast<int>(end); ++c) {
      for (int k = share_begin_[at(c)]; k < share_begin_[at(c) + 1]; ++k)
        std::fill_n(share_sums_.data() + 8 * at(k), 8, 0.0f);
      for (int i = fine_.chunk_begin(c); i < fine_.chunk_begin(c + 1); ++i) {
        const float* r = fine_.r.data() + Level<N>::kStride * i;
        for (int k = felt_.begin(i); k < felt_.end(i); ++k) {
          float* to = share_sums_.data() + 8 * at(share_[at(k)]);
          Lanes<6> sum = Lanes<6>::load(to);
          add_transposed<N, 6>(prolongator_.data() + kBlock * at(k), r, sum);
          sum.store(to);
        }
      }
    }
  });
  parallel_for(at(coarse_.n()), kMovedNodes, [&](size_t begin, size_t end) {
    for (int a = static_cast<int>(begin); a < static_cast<int>(end); ++a) {
      Lanes<6> sum;
      for (int k = shares_.begin(a); k < shares_.end(a); ++k)
        sum.add(Lanes<6>::load(share_sums_.data() + 8 * at(shares_.at(k))));
      float* out = coarse_.b.data() + 8 * a;
      sum.store(out);
      out[6] = out[7] = 0;
    }
  });
}

template <int N>
void Transfer<N>::add_correction() {
  parallel_for(at(fine_.n()), kMovedNodes, [&](size_t begin, size_t end) {
    for (int i = static_cast<int>(begin); i < static_cast<int>(end); ++i) {
      RowSums<N, 6> sums;
      for (int k = felt_.begin(i); k < felt_.end(i); ++k)
        sums.add(prolongator_.data() + kBlock * at(k), coarse_.r.data() + 8 * felt_.at(k));
      float* x = fine_.x.data() + Level<N>::kStride * i;
      unrolled<N>([&](auto c) { x[c] += sums.row[c].sum(); });
    }
  });
}

template <int N>
size_t Transfer<N>::memory_bytes() const {
  const size_t ints = aggregates_.of.capacity() + share_.capacity() + share_begin_.capacity() + product_.capacity() +
                      chunk_blocks_.capacity();
  const size_t floats =
      tentative_.capacity() + prolongator_.capacity() + fixed_.capacity() + sums_.capacity() + share_sums_.capacity();
  return felt_.bytes() + shares_.bytes() + parts_.bytes() + sizeof(int) * ints + sizeof(float) * floats +
         sizeof(size_t) * product_start_.capacity() + sizeof(Pair) * pairs_.capacity();
}

template class Transfer<3>;
template class Transfer<6>;

}  // namespace supple::multilevel
