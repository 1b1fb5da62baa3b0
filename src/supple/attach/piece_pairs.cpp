#include "supple/attach/piece_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/mesh/tri_mesh.h"

namespace supple {
namespace {

constexpr double kImagePlace = 0.02;  // of the size of the body: the image is as near
constexpr double kImageArea = 0.1;    // of the larger
constexpr double kImageLength = 0.05;

// Mean over the area of a piece.
Vec3 middle_of(const Drawn& drawn, const Piece& piece) {
  const Points& x = drawn.vertices.rest;
  Vec3 sum = Vec3::Zero();
  double all = 0;
  for (const int t : piece.triangles) {
    const auto& [a, b, c] = drawn.triangles[t];
    const double area = (x[b] - x[a]).cross(x[c] - x[a]).norm() / 2;
    sum += area / 3 * (x[a] + x[b] + x[c]);
    all += area;
  }
  return all > 0 ? Vec3(sum / all) : x[piece.vertices[0]];
}

bool alike(double a, double b, double share) { return std::abs(a - b) <= share * std::max(a, b); }

}  // namespace

std::vector<int> mirrored_pieces(const Drawn& drawn, const std::vector<Piece>& pieces) {
  const int n = static_cast<int>(pieces.size());
  Points body, middles;
  for (const Piece& piece : pieces) {
    middles.push_back(middle_of(drawn, piece));
    for (const int v : piece.vertices) {
      if (piece.skinned) body.push_back(drawn.vertices.rest[v]);
    }
  }
  const Box box = bounding_box(body.empty() ? drawn.vertices.rest : body);
  const double near = kImagePlace * box.size().maxCoeff();

  std::vector<int> best(n, -1);
  double most = 0;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<int> image(n, -1);
    for (int p = 0; p < n; ++p) {
      Vec3 there = middles[p];
      there[axis] = box.low[axis] + box.high[axis] - there[axis];
      double least = near;
      for (int q = 0; q < n; ++q) {
        const double far = (middles[q] - there).norm();
        if (far > least || pieces[p].skinned != pieces[q].skinned) continue;
        if (!alike(pieces[p].area, pieces[q].area, kImageArea) || !alike(pieces[p].size, pieces[q].size, kImageLength))
          continue;
        least = far;
        image[p] = q;
      }
    }
    double paired = 0;
    for (int p = 0; p < n; ++p) {
      if (image[p] >= 0 && image[image[p]] == p) paired += pieces[p].area;
    }
    if (paired <= most) continue;
    most = paired;
    for (int p = 0; p < n; ++p) {
      best[p] = image[p] >= 0 && image[p] != p && image[image[p]] == p ? image[p] : -1;
    }
  }
  return best;
}

}  // namespace supple
