#include "supple/rigs/differenced_rig.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>

#include "supple/base/expect.h"
#include "supple/base/hash.h"
#include "supple/base/parallel.h"

namespace supple {

namespace {

constexpr size_t kMemoryBytes = size_t{64} << 20;  // of evaluations that are kept
constexpr size_t kFewest = 8;                      // kept however large they are

// Steps as shares of a parameter's unit, where rounding and truncation of a rig in double precision are alike: about
// the cube root of its relative error for first differences, the fourth root of it for second ones.
constexpr double kFirstStep = 1e-5, kSecondStep = 4e-4, kRounding = 1e-16;
constexpr double kLongestFirst = 0.02, kLongestSecond = 0.1;

// body(i) for i < n, as many at once as the rig bears.
void for_evaluations(const RigMap& rig, size_t n, const std::function<void(size_t)>& body) {
  const auto at_once = static_cast<size_t>(std::max(0, rig.at_once()));
  const size_t grain = at_once == 0 ? 1 : (n + at_once - 1) / at_once;
  parallel_for(n, grain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) body(i);
  });
}

VecX changed(const VecX& p, int a, double by) {
  VecX q = p;
  q[a] += by;
  return q;
}

}  // namespace

struct DifferencedRig::Memory {
  struct Entry {
    VecX p;
    double t;
    uint64_t hash;
    std::shared_ptr<const VecX> s;
  };
  mutable std::mutex mutex;
  std::list<Entry> entries;  // the last used first
  std::unordered_multimap<uint64_t, std::list<Entry>::iterator> places;
  size_t bytes = 0;
  std::atomic<long> evaluations = 0;
  std::atomic<bool> looked = false;  // whether the steps are known
  Steps steps = {kFirstStep, kSecondStep};

  static uint64_t hash_of(const VecX& p, double t) {
    return hash_bytes(p.data(), sizeof(double) * static_cast<size_t>(p.size()), hash_bytes(&t, sizeof t));
  }
  // By bits: where 0 and -0 differ, nothing is lost but an evaluation.
  static bool same(const Entry& e, const VecX& p, double t) {
    return std::bit_cast<uint64_t>(e.t) == std::bit_cast<uint64_t>(t) && e.p.size() == p.size() &&
           std::memcmp(e.p.data(), p.data(), sizeof(double) * static_cast<size_t>(p.size())) == 0;
  }
  std::shared_ptr<const VecX> find(uint64_t hash, const VecX& p, double t) {
    const std::lock_guard lock(mutex);
    const auto [begin, end] = places.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (!same(*it->second, p, t)) continue;
      entries.splice(entries.begin(), entries, it->second);
      return it->second->s;
    }
    return nullptr;
  }
  void keep(uint64_t hash, const VecX& p, double t, const std::shared_ptr<const VecX>& s) {
    const std::lock_guard lock(mutex);
    const auto [begin, end] = places.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (same(*it->second, p, t)) return;  // another thread was as quick
    }
    entries.push_front({p, t, hash, s});
    places.emplace(hash, entries.begin());
    bytes += size_of(entries.front());
    while (bytes > kMemoryBytes && entries.size() > kFewest) {
      const auto last = std::prev(entries.end());
      bytes -= size_of(*last);
      const auto [from, to] = places.equal_range(last->hash);
      places.erase(std::find_if(from, to, [&](const auto& place) { return place.second == last; }));
      entries.pop_back();
    }
  }
  static size_t size_of(const Entry& e) { return sizeof(double) * static_cast<size_t>(e.p.size() + e.s->size()); }

  std::shared_ptr<const VecX> evaluate(const RigMap& rig, const VecX& p, double t, bool remember = true) {
    const uint64_t hash = hash_of(p, t);
    if (auto known = find(hash, p, t)) return known;
    auto s = std::make_shared<const VecX>(rig.evaluate(p, t));
    ++evaluations;
    if (remember) keep(hash, p, t, s);
    return s;
  }
  Steps look(const RigMap& rig);
};

// How exact the rig is: one that computes in single precision, or tells few digits, needs longer steps. Differences of
// high order of equally spaced evaluations leave nothing of a smooth map, and of rounding k! / sqrt((2 k)!) times their
// rms [Hamming 1973; More and Wild 2011].
DifferencedRig::Steps DifferencedRig::Memory::look(const RigMap& rig) {
  constexpr int kOrder = 6;
  const std::vector<RigParameter>& parameters = rig.parameters();
  const int n = rig.n_parameters();
  constexpr Steps usual = {kFirstStep, kSecondStep};
  if (n == 0 || rig.n_points() == 0) return usual;
  // Along one line that changes all parameters, each by another share so that nothing cancels.
  VecX along(n);
  for (int a = 0; a < n; ++a) {
    const double share = 0.5 + 0.5 * std::fmod(0.6180339887498949 * (a + 1), 1);
    along[a] = (a % 2 == 0 ? share : -share) * parameters[static_cast<size_t>(a)].unit;
  }
  along *= 1e-3 / n;
  const VecX rest = rig.rest();
  MatX table(3 * rig.n_points(), kOrder + 1);
  for_evaluations(rig, kOrder + 1, [&](size_t k) {
    table.col(static_cast<Eigen::Index>(k)) = *evaluate(rig, rest + (static_cast<int>(k) - kOrder / 2) * along, 0);
  });
  const VecX middle = table.col(kOrder / 2);
  const VecX moved = table.col(kOrder) - table.col(0);
  for (int order = 1; order <= kOrder; ++order) {
    for (int k = 0; k + order <= kOrder; ++k) table.col(k) = (table.col(k + 1) - table.col(k)).eval();
  }
  double noise = 0;
  long count = 0;
  for (Eigen::Index i = 0; i < moved.size(); ++i) {
    if (moved[i] == 0) continue;
    noise += table(i, 0) * table(i, 0);
    ++count;
  }
  if (count == 0) return usual;
  constexpr double kSpread = 924;  // (2 k)! / (k!)^2
  noise = std::sqrt(noise / (kSpread * static_cast<double>(count)));
  // Against the size of what moves. Units are such that derivatives are about that large.
  Vec3 low = Vec3::Constant(INFINITY), high = -low;
  for (Eigen::Index i = 0; i < moved.size(); i += 3) {
    const Vec3 x = middle.segment<3>(i);
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  const double size = (high - low).maxCoeff();
  if (!(size > 0) || !std::isfinite(noise)) return usual;
  const double error = noise / size;
  return {std::clamp(kFirstStep * std::cbrt(error / kRounding), kFirstStep, kLongestFirst),
          std::clamp(kSecondStep * std::sqrt(std::sqrt(error / kRounding)), kSecondStep, kLongestSecond)};
}

DifferencedRig::DifferencedRig(std::shared_ptr<const RigMap> rig)
    : rig_(std::move(rig)), memory_(std::make_unique<Memory>()) {
  expect(rig_ != nullptr, "a rig");
}
DifferencedRig::~DifferencedRig() = default;

long DifferencedRig::evaluations() const { return memory_->evaluations; }

VecX DifferencedRig::evaluate(const VecX& p, double t) const { return *memory_->evaluate(*rig_, p, t); }

DifferencedRig::Steps DifferencedRig::steps() const {
  // No thread waits for another here: a rig may run loops of its own, and those may take up work that comes back here.
  // All that look find the same.
  if (!memory_->looked) {
    const Steps found = memory_->look(*rig_);
    const std::lock_guard lock(memory_->mutex);
    memory_->steps = found;
    memory_->looked = true;
  }
  const std::lock_guard lock(memory_->mutex);
  return memory_->steps;
}

MatX DifferencedRig::jacobian(const VecX& p, double t, const std::vector<int>& which) const {
  const double step = steps().first;
  MatX columns(3 * n_points(), static_cast<Eigen::Index>(which.size()));
  for_evaluations(*rig_, which.size(), [&](size_t i) {
    const int a = which[i];
    const double h = step * parameters()[static_cast<size_t>(a)].unit;
    const VecX above = changed(p, a, h), below = changed(p, a, -h);
    // Divided by the step as it was rounded.
    columns.col(static_cast<Eigen::Index>(i)) =
        (*memory_->evaluate(*rig_, above, t) - *memory_->evaluate(*rig_, below, t)) / (above[a] - below[a]);
  });
  return columns;
}

// With g = f . s, and h along parameter a, k along b:
//   d^2 g / da^2  = (g(h) - 2 g + g(-h)) / h^2
//   d^2 g / da db = (g(h, k) + g(-h, -k) + 2 g - g(h) - g(-h) - g(k) - g(-k)) / (2 h k)
// g is told as its difference from g(p), coordinate by coordinate, so that places far from the origin cost no digits.
MatX DifferencedRig::curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const {
  const double step = steps().second;
  const auto n = static_cast<int>(which.size());
  const std::shared_ptr<const VecX> centre = memory_->evaluate(*rig_, p, t);
  const auto along = [&](int i) {
    const int a = which[static_cast<size_t>(i)];
    return step * parameters()[static_cast<size_t>(a)].unit;
  };
  const auto value = [&](const VecX& q) { return f.dot(*memory_->evaluate(*rig_, q, t, false) - *centre); };

  VecX above(n), below(n);
  for_evaluations(*rig_, 2 * which.size(), [&](size_t k) {
    const auto i = static_cast<int>(k / 2);
    const bool up = k % 2 == 0;
    (up ? above : below)[i] = value(changed(p, which[static_cast<size_t>(i)], up ? along(i) : -along(i)));
  });
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) pairs.emplace_back(i, j);
  }
  MatX result(n, n);
  for (int i = 0; i < n; ++i) result(i, i) = (above[i] + below[i]) / (along(i) * along(i));
  for_evaluations(*rig_, pairs.size(), [&](size_t k) {
    const int i = pairs[k].first, j = pairs[k].second;
    const auto both = [&](double sign) {
      VecX q = changed(p, which[static_cast<size_t>(i)], sign * along(i));
      q[which[static_cast<size_t>(j)]] += sign * along(j);
      return value(q);
    };
    result(i, j) = result(j, i) =
        (both(1) + both(-1) - above[i] - below[i] - above[j] - below[j]) / (2 * along(i) * along(j));
  });
  return result;
}

std::shared_ptr<const RigMap> DifferencedRig::for_points(const std::vector<int>& points) const {
  std::shared_ptr<const RigMap> fewer = rig_->for_points(points);
  return fewer ? with_derivatives(std::move(fewer)) : nullptr;
}

std::shared_ptr<const RigMap> with_derivatives(std::shared_ptr<const RigMap> rig) {
  if (rig->has_derivatives()) return rig;
  return std::make_shared<DifferencedRig>(std::move(rig));
}

}  // namespace supple
