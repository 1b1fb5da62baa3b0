// Points of a tet at quarters of its edges, and the small tets between them. Inside the tetmesh room only.
#pragma once
#include <array>
#include <vector>

namespace supple {

struct SampleGrid {
  static constexpr int kParts = 4, kPoints = 35, kTets = 64;
  std::array<std::array<int, 4>, kPoints> share;  // of each point: quarters of the four corners
  std::array<std::array<int, 4>, kTets> tets;     // small tets, of equal volume
  std::vector<std::array<int, 2>> edges;          // of the small tets
  std::array<std::array<int, 6>, kTets> edge_of;  // of each small tet: 01, 02, 03, 12, 13, 23
  std::array<std::vector<int>, 4> on_face;        // points on the face opposite each corner
  int index(const std::array<int, 4>& quarters) const { return index_[quarters[1]][quarters[2]][quarters[3]]; }

  static const SampleGrid& get();

 private:
  SampleGrid();
  std::array<std::array<std::array<int, kParts + 1>, kParts + 1>, kParts + 1> index_{};
};

}  // namespace supple
