#include "supple/contact/time_of_impact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/parallel.h"
#include "supple/contact/broad_phase.h"
#include "supple/contact/pair_distance.h"

namespace supple {

namespace {
constexpr int kSteps = 100;
constexpr double kLeft = 0.01;  // stops when this share of what may be given up is left
}  // namespace

double safe_share(const ContactPair& pair, const Points& x, const Points& dx, double keep, double at_most) {
  std::array<Vec3, 4> from, move, q;
  double size = 0;
  for (int i = 0; i < 4; ++i) {
    from[i] = x[pair.points[i]];
    move[i] = dx[pair.points[i]];
    if (!from[i].allFinite() || !move[i].allFinite()) return 0;
    size = std::max(size, from[i].cwiseAbs().maxCoeff());
  }
  if (!(at_most > 0)) return 0;
  const auto measure = [&](const std::array<Vec3, 4>& p) {
    return pair.kind == ContactPair::Kind::point_triangle ? point_triangle_distance(p[0], p[1], p[2], p[3])
                                                          : edge_edge_distance(p[0], p[1], p[2], p[3]);
  };
  q = from;
  PairDistance now = measure(q);
  if (!(now.distance > 0)) return 0;
  const double floor = keep * now.distance, enough = floor + kLeft * (now.distance - floor);
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * size;

  double share = 0;
  for (int step = 0; step < kSteps; ++step) {
    // Along the normal every point of the first feature is ahead of every point of the second. Both move linearly.
    double further = std::numeric_limits<double>::infinity();
    for (int i = 0; i < pair.n_first(); ++i) {
      for (int j = pair.n_first(); j < 4; ++j) {
        const double rate = now.normal.dot(move[i] - move[j]);
        if (rate >= 0) continue;
        const double time = (now.normal.dot(q[i] - q[j]) - floor - rounding) / -rate;
        further = time > 0 ? std::min(further, time) : 0;  // 0 also for a rate past all numbers
      }
    }
    const double next = share + further;
    if (next >= at_most) return at_most;
    if (!(next > share)) return share;
    for (int i = 0; i < 4; ++i) q[i] = from[i] + next * move[i];
    now = measure(q);
    if (!(now.distance >= floor)) return share;  // by rounding
    share = next;
    if (now.distance <= enough) return share;
  }
  return share;
}

double largest_safe_share(BroadPhase& broad, const Points& x, const Points& dx, double keep, double at_most) {
  const auto finite = [](const Vec3& v) { return v.allFinite(); };
  if (!std::all_of(x.begin(), x.end(), finite) || !std::all_of(dx.begin(), dx.end(), finite)) return 0;
  const std::vector<ContactPair> pairs = broad.near_swept(x, dx, 0, keep);
  // Each chunk goes on from its own smallest; the smallest of all has the same bits whatever the threads.
  constexpr size_t kGrain = 64;
  std::vector<double> smallest((pairs.size() + kGrain - 1) / kGrain, at_most);
  parallel_for(pairs.size(), kGrain, [&](size_t begin, size_t end) {
    double& share = smallest[begin / kGrain];
    for (size_t i = begin; i < end; ++i) share = std::min(share, safe_share(pairs[i], x, dx, keep, share));
  });
  return smallest.empty() ? at_most : *std::min_element(smallest.begin(), smallest.end());
}

}  // namespace supple
