// Detail of the input that tets are too coarse for, put back onto what the simulation gives (Eq. 9 of the paper on
// enriching mesh animations): q = C u + F (q_input - C u_fitted).
#pragma once
#include <vector>

#include "supple/mesh/vertex_blend.h"

namespace supple {

// How points follow the tets. barycentric: each point its one tet, as in the paper. smooth: smooth_blend() carries the
// points, and the gradients that turn detail are means around the tet vertices, so that no facets of tets show.
enum class Carriage { smooth, barycentric };

// What maps detail from the fitted to the simulated flesh, from the deformation gradients of the two: simulated *
// fitted^-1, its stretches kept within 1/2 and 2. Where the fitted one is nearly flat or inverted (smallest singular
// value below a tenth of the largest) only the rotations count; up to two tenths it passes over from one to the other,
// so that no frame jumps.
Mat3 detail_map(const Mat3& simulated, const Mat3& fitted);

class DetailTransfer {
 public:
  // mesh, points: at rest. tet: the one that holds each point (or is nearest to it), with volume. still: vertices that
  // are always where they are fitted; points in tets of such vertices alone have exactly their input.
  DetailTransfer(const TetMesh& mesh, const std::vector<int>& tet, const Points& points, Carriage how,
                 const std::vector<int>& still = {});

  // C x: the points where tet vertices at x (flat) carry them.
  Points carried(const VecX& x) const;
  // Without detail: where the fit carries them, and on by as much as the tets have moved on from there.
  Points moved(const VecX& x, const VecX& fitted) const;
  // The points with their detail. x: the tet vertices as simulated; fitted: as fitted to the input; both flat. input:
  // the points, flat; where an entry is not a number the input does not move the point, and it has no detail. Where x
  // is fitted the result is the input, bit for bit.
  Points at(const VecX& x, const VecX& fitted, const VecX& input) const;
  const VertexBlend& blend() const { return blend_; }

 private:
  struct RestTet {
    Tet vertices;
    Mat3 inverse;  // of the edges from the first corner
    double mass;   // volume and fill
  };
  Mat3 gradient(int ti, const VecX& x) const;
  // At each vertex that is a corner of a tet with a point: the mean of the gradients around it.
  std::vector<Mat3> vertex_gradients(const VecX& x) const;
  std::vector<Mat3> simulated_gradients(const VecX& x, const std::vector<Mat3>& fitted) const;
  Mat3 point_gradient(size_t i, const VecX& x, const std::vector<Mat3>& at_vertices) const;
  bool supported_alike(size_t i, const VecX& x, const VecX& y) const;

  Carriage how_;
  VertexBlend blend_;
  VertexBlend motion_;       // of the difference from the fit
  std::vector<char> still_;  // per tet vertex; empty: none
  std::vector<RestTet> tets_;
  std::vector<int> tet_;                  // of each point
  std::vector<Eigen::Vector4d> weights_;  // of each point in its tet, none below 0
  std::vector<std::vector<int>> around_;  // smooth: the tets around each vertex wanted
};

}  // namespace supple
