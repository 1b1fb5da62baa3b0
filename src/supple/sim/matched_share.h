// How much of the material tets keep under anti-locking (fem/patches.h), found for a body instead of taken as usual.
//
// symbol | code       | meaning                                                                | unit
// s      | tet_share  | share of the shear modulus that tets keep; the rest is averaged        | 1
// f(s)   |            | slowest swing at rest, driven vertices held                            | Hz
// f*     | wanted_hz  | the same of ten-node tets on the same mesh (fem/quadratic_tets.h)      | Hz
//
// Averaging cures locking too little where the mesh is coarse and too much where it is fine. The stiffness at rest is
// linear in s, and the averaged part is never stiffer than the tets it stands for, so that f(s) rises with s and has
// one solution of f(s) = f*. Deformations that are the same everywhere cost the same for every s: what is corrected is
// the tets' fault and not the material.
#pragma once
#include "supple/sim/parts.h"

namespace supple {

// Below it zigzag motions would come in among the slow ones.
inline constexpr double kLeastTetShare = 0.15, kMostTetShare = 0.9;

struct MatchedShare {
  double share = kTetShare;           // the usual one where nothing was found
  double wanted_hz = 0;               // 0: not found
  double found_hz = 0, plain_hz = 0;  // with that share, and without anti-locking
  std::string trouble;                // why nothing was found, or why found_hz is not wanted_hz
};

// Of a body that driven vertices hold. Ties, springs and extra masses are left out of the comparison.
MatchedShare matched_share(const ModelSpec& spec, const std::string& linear_solver = "auto");

// The shares of all parts of a body (sim/parts.h), each with all around it held, set in spec.per_tet; one result a
// part.
std::vector<MatchedShare> match_tet_shares(ModelSpec& spec, const std::string& linear_solver = "auto");

}  // namespace supple
