// A second reader of what report/motion.cpp packs, straight from the words of its header.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "supple/report/motion.h"

namespace supple {

// Bit by bit, as bit_pack.h words it.
class BitReader {
 public:
  explicit BitReader(const std::string& bytes) : bytes_(bytes) {}
  uint32_t bits(int n) {
    uint32_t value = 0;
    for (int i = 0; i < n; ++i, ++at_) {
      if (at_ / 8 >= bytes_.size()) throw std::out_of_range("past the end");
      value |= static_cast<uint32_t>(bytes_[at_ / 8] >> at_ % 8 & 1) << i;
    }
    return value;
  }
  std::vector<int64_t> block(size_t n) {
    const uint32_t k = bits(4);
    std::vector<int64_t> out(n, 0);
    if (k == 15) return out;
    for (int64_t& x : out) {
      uint32_t ones = 0;
      while (ones < 20 && bits(1) == 1) ++ones;
      const int64_t z = ones == 20 ? bits(32) : (ones << k | bits(static_cast<int>(k)));
      x = z % 2 == 0 ? z / 2 : -(z + 1) / 2;
    }
    return out;
  }
  bool at_end() const { return (at_ + 7) / 8 == bytes_.size(); }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

inline std::vector<int> unpack_list(const std::string& bytes, size_t n) {
  BitReader in(bytes);
  std::vector<int> out;
  int64_t last = 0;
  while (out.size() < n)
    for (const int64_t d : in.block(std::min<size_t>(32, n - out.size()))) out.push_back(static_cast<int>(last += d));
  EXPECT_TRUE(in.at_end());
  return out;
}

struct UnpackedMotion {
  std::vector<int> points, shades, triangles;
  std::vector<std::vector<int64_t>> input, result;  // per frame, x y z a point
};

inline UnpackedMotion unpack(const PackedMotion& m) {
  UnpackedMotion out;
  out.points = unpack_list(m.points, static_cast<size_t>(m.n_vertices));
  out.shades = unpack_list(m.shades, static_cast<size_t>(m.n_vertices));
  out.triangles = unpack_list(m.triangles, 3 * static_cast<size_t>(m.n_triangles));
  const auto n = static_cast<size_t>(m.n_points);
  std::vector<int> guide(n, -1);
  for (size_t t = 0; t < out.triangles.size(); ++t)
    for (size_t k = t - t % 3; k < t - t % 3 + 3; ++k) {
      const int p = out.points[out.triangles[t]], q = out.points[out.triangles[k]];
      if (q < p) guide[p] = std::max(guide[p], q);
    }
  for (size_t p = 1; p < n; ++p)
    if (guide[p] < 0) guide[p] = static_cast<int>(p) - 1;
  // x[track][frame + 2][point]: nothing was before the first frame.
  std::array<std::vector<std::vector<int64_t>>, 6> x;
  for (auto& track : x) track.assign(2, std::vector<int64_t>(n, 0));
  BitReader in(m.frames);
  for (int f = 0; f < m.n_frames; ++f) {
    for (size_t a = 0; a < 3; ++a)
      for (auto* track : {&x[a], &x[3 + a]}) {
        track->emplace_back(n);
        auto &now = (*track)[f + 2], &last = (*track)[f + 1], &before = (*track)[f];
        for (size_t begin = 0; begin < n; begin += 32) {
          const uint32_t way = in.bits(2);
          const auto guess = [&](size_t p) { return way % 2 == 0 ? last[p] : 2 * last[p] - before[p]; };
          size_t p = begin;
          for (const int64_t e : in.block(std::min<size_t>(32, n - begin))) {
            now[p] = guess(p) + e;
            if (way >= 2 && guide[p] >= 0) now[p] += now[guide[p]] - guess(guide[p]);
            ++p;
          }
        }
      }
    out.input.emplace_back(3 * n), out.result.emplace_back(3 * n);
    for (size_t p = 0; p < n; ++p)
      for (size_t a = 0; a < 3; ++a) {
        out.input[f][3 * p + a] = x[a][f + 2][p];
        out.result[f][3 * p + a] = x[a][f + 2][p] + x[3 + a][f + 2][p];
      }
  }
  EXPECT_TRUE(in.at_end());
  return out;
}

// The largest error of any coordinate, in steps.
inline double largest_error(const MotionSource& s, const PackedMotion& m, const UnpackedMotion& u) {
  // The drawn vertex of each corner of the source.
  std::vector<int> drawn(static_cast<size_t>(s.n_vertices), -1);
  for (size_t t = 0; t < s.triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) drawn[s.triangles[t][k]] = u.triangles[3 * t + k];
  double most = 0;
  std::vector<float> input, result;
  for (int f = 0; f < m.n_frames; ++f) {
    s.frame(f * m.every, input, result);
    for (size_t v = 0; v < drawn.size(); ++v) {
      if (drawn[v] < 0) continue;
      const size_t p = u.points[drawn[v]];
      for (size_t a = 0; a < 3; ++a) {
        const double low = m.low[static_cast<Eigen::Index>(a)];
        most = std::max(most, std::abs(low + m.step * u.input[f][3 * p + a] - input[3 * v + a]) / m.step);
        most = std::max(most, std::abs(low + m.step * u.result[f][3 * p + a] - result[3 * v + a]) / m.step);
      }
    }
  }
  return most;
}

}  // namespace supple
