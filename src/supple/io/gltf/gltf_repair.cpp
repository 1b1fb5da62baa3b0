#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/io/gltf/gltf_parts.h"

namespace supple {

namespace {

// "1 triangle", "3 triangles"
std::string counted(size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// The same corners in the same turn, whichever comes first. The other turn is the back of a two-sided sheet.
Tri turned(const Tri& t) {
  Tri out = t;
  std::rotate(out.begin(), std::min_element(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

void mend_triangles(Primitive& p, bool silent, const std::string& place, std::vector<std::string>& warnings) {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  if (!p.positions.empty()) low = high = p.positions[0];
  for (const Vec3& x : p.positions) low = low.cwiseMin(x), high = high.cwiseMax(x);
  const double least_area = 1e-12 * (high - low).squaredNorm();

  size_t no_area = 0;
  std::vector<Tri> kept;
  for (const Tri& t : p.triangles) {
    const bool pinched = t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
    const Vec3 &a = p.positions[static_cast<size_t>(t[0])], &b = p.positions[static_cast<size_t>(t[1])],
               &c = p.positions[static_cast<size_t>(t[2])];
    if (pinched || !(0.5 * (b - a).cross(c - a).norm() > least_area)) {
      no_area += !(pinched && silent);
    } else {
      kept.push_back(t);
    }
  }
  // Of equal triangles the first of the file stays.
  std::vector<size_t> order(kept.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t i, size_t j) { return std::pair(turned(kept[i]), i) < std::pair(turned(kept[j]), j); });
  std::vector<char> again(kept.size(), 0);
  for (size_t k = 1; k < order.size(); ++k) again[order[k]] = turned(kept[order[k - 1]]) == turned(kept[order[k]]);
  size_t to = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!again[i]) kept[to++] = kept[i];
  }
  const size_t repeated = kept.size() - to;
  kept.resize(to);
  p.triangles = std::move(kept);
  if (no_area > 0) {
    warnings.push_back(fmt::format("{}: {} without area: left out", place, counted(no_area, "triangle", "triangles")));
  }
  if (repeated > 0) {
    warnings.push_back(fmt::format("{}: {} of the same vertices as another: left out", place,
                                   counted(repeated, "triangle", "triangles")));
  }
}

void mend_weights(Primitive& p, int n_joints, double rounding, const std::string& place,
                  std::vector<std::string>& warnings) {
  const size_t n = static_cast<size_t>(p.influences);
  size_t no_number = 0, no_joint = 0, no_unit = 0, no_weight = 0;
  const double tolerance = 1e-3 + static_cast<double>(n) * rounding;
  for (size_t v = 0; v < p.positions.size(); ++v) {
    int* joints = p.joints.data() + v * n;
    double* weights = p.weights.data() + v * n;
    bool bad_number = false, bad_joint = false;
    double sum = 0;
    for (size_t k = 0; k < n; ++k) {
      if (!(std::isfinite(weights[k]) && weights[k] >= 0)) weights[k] = 0, bad_number = true;
      if (joints[k] >= n_joints) {
        // Unused entries may say anything.
        bad_joint |= weights[k] > 0;
        joints[k] = 0;
        weights[k] = 0;
      }
      sum += weights[k];
    }
    if (sum > 0) {
      for (size_t k = 0; k < n; ++k) weights[k] /= sum;
      no_unit += !bad_number && !bad_joint && std::abs(sum - 1) > tolerance;
    } else {
      joints[0] = 0;
      weights[0] = 1;
      ++no_weight;
    }
    no_number += bad_number;
    no_joint += bad_joint;
  }
  auto warn = [&](size_t count, const std::string& what) {
    if (count > 0) warnings.push_back(fmt::format("{}: {} {}", place, counted(count, "vertex", "vertices"), what));
  };
  warn(no_number, "with weights that are negative or no numbers: those set to 0");
  warn(no_joint, fmt::format("with joints that the skin's {} do not include: those dropped", n_joints));
  warn(no_unit, "with weights that do not sum to 1: normalised");
  if (n_joints == 0) {
    warnings.push_back(fmt::format("{}: the skin has no joints: it follows its node", place));
    p.influences = 0;
    p.joints.clear();
    p.weights.clear();
  } else {
    warn(no_weight, "without any weight: bound to the first joint of the skin");
  }
}

}  // namespace supple
