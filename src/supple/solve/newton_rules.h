// What Newton goes by, over vertices and over rigs.
#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include "supple/linalg/affine_map.h"
#include "supple/linalg/kept_factor.h"

namespace supple {

// How much of the projection the matrix takes on: least, and from one attempt to the next.
inline constexpr double kLeastShare = 0.01, kShareFactor = 4;
inline double more(double share) { return share == 0 ? kLeastShare : std::min(1.0, kShareFactor * share); }
inline double less(double share) { return share / kShareFactor < kLeastShare ? 0 : share / kShareFactor; }
// attempt(share) until one succeeds, up to the projection itself.
template <typename Attempt>
bool with_more_projection(double& share, const Attempt& attempt) {
  for (;; share = more(share)) {
    if (attempt(share)) return true;
    if (share == 1) return false;
  }
}
// A projected matrix can still be singular (a part with nothing to hold it, or rounding): attempt(lift), what is added
// to its diagonal, until one succeeds. largest: diagonal entry.
template <typename Attempt>
bool with_lifted_diagonal(double largest, const Attempt& attempt) {
  double lift = 1e-10 * largest;
  for (int tries = 0; tries < 8 && lift > 0; ++tries, lift *= 100)
    if (attempt(lift)) return true;
  return false;
}
inline void lift_diagonal(BlockMatrix& A, double lift) {
  for (int i = 0; i < A.n(); ++i) {
    double* block = A.block(A.pattern->row_start[static_cast<size_t>(i) + 1] - 1);
    for (int c = 0; c < 9; c += 4) block[c] += lift;
  }
}

// What the matrix leaves out contracts the error by this much an iteration when ignored: below it, ignoring is cheaper.
inline constexpr double kIgnoredWeight = 0.01;

// How exact a direction has to be: at first, by how much the residual fell from one iteration to the next (its square),
// and beside what is left to do (the residual that is allowed over that which is there).
inline constexpr double kFirstExactness = 0.02, kFallExactness = 0.5, kLastExactness = 0.1;
inline double exactness(bool first, double fell, double to_do) {
  const double deserved = first ? kFirstExactness : kFallExactness * fell * fell;
  return std::max(std::min(deserved, kFirstExactness), kLastExactness * to_do);
}

// The way of what is prescribed is barred when this many steps in a row were cut to less than this share.
inline constexpr int kBarredSteps = 8;
inline constexpr double kBarredShare = 0.03;

// Free vertices from which on several levels beat one factor that is kept.
inline constexpr int kManyVertices = 6000;
inline bool wants_multilevel(const std::string& solver_name, const AffineMap& map) {
  return solver_name == "multilevel" || (solver_name == "auto" && map.n_free() >= kManyVertices);
}
// places: of all vertices at rest, flat; may be empty.
inline std::unique_ptr<KeptFactor> make_kept(const std::shared_ptr<const BlockPattern>& pattern, bool multilevel,
                                             const AffineMap& map, const VecX& places) {
  return std::make_unique<KeptFactor>(
      pattern, multilevel ? make_multilevel(pattern, places.size() > 0 ? map.gather(places) : VecX())
                          : make_float_cholesky(pattern));
}

inline double max_abs(const VecX& x) { return x.size() ? x.cwiseAbs().maxCoeff() : 0; }

}  // namespace supple
