#include "supple/tetmesh/contents.h"

#include <algorithm>

#include "supple/base/parallel.h"
#include "supple/tetmesh/tet_bits.h"

namespace supple {

namespace {

constexpr int kPoints = SampleGrid::kPoints;

std::array<uint64_t, kPoints> keys_of(const GradedLattice& lattice, const LeafTet& tet) {
  const auto ticks = sample_ticks(lattice, tet);
  std::array<uint64_t, kPoints> keys;
  for (int p = 0; p < kPoints; ++p) keys[p] = pack(ticks[p]);
  return keys;
}

Ticks unpack(uint64_t key) {
  constexpr uint64_t mask = (1u << 21) - 1;
  return {static_cast<int>(key >> 42), static_cast<int>(key >> 21 & mask), static_cast<int>(key & mask)};
}

}  // namespace

std::vector<TetContents> find_contents(const Soup& soup, const WindingNumber& winding, const GradedLattice& lattice,
                                       const Cover& cover, const ContentsOptions& options) {
  const auto& tets = lattice.tets();
  constexpr size_t kGrain = 64;
  std::vector<TetContents> contents(tets.size());
  parallel_for(tets.size(), kGrain, [&](size_t begin, size_t end) {
    BitFinder finder(soup, winding, lattice, cover, options);
    for (size_t i = begin; i < end; ++i) {
      finder.clip_triangles(tets[i], contents[i]);
      if (contents[i].crossed) continue;
      const auto c = lattice.corners(tets[i]);
      if (winding.empty() || !is_solid(winding(0.25 * (c[0] + c[1] + c[2] + c[3])))) continue;
      contents[i].n_bits = 1;
      contents[i].fill = {1.0};
    }
  });

  // The winding number once at each sample point.
  std::vector<uint64_t> keys;
  for (size_t i = 0; i < tets.size(); ++i) {
    if (!contents[i].crossed) continue;
    const auto own = keys_of(lattice, tets[i]);
    keys.insert(keys.end(), own.begin(), own.end());
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<double> w(keys.size(), 0);
  parallel_for(keys.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) w[i] = winding(lattice.grid().position(unpack(keys[i])));
  });

  parallel_for(tets.size(), kGrain, [&](size_t begin, size_t end) {
    BitFinder finder(soup, winding, lattice, cover, options);
    for (size_t i = begin; i < end; ++i) {
      if (!contents[i].crossed) continue;
      const auto own = keys_of(lattice, tets[i]);
      std::array<double, kPoints> own_w;
      for (int p = 0; p < kPoints; ++p)
        own_w[p] = w[static_cast<size_t>(std::lower_bound(keys.begin(), keys.end(), own[p]) - keys.begin())];
      finder.find(tets[i], own_w, contents[i]);
    }
  });
  return contents;
}

}  // namespace supple
