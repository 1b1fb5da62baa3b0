#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/cast/measures.h"

namespace supple::cast {

namespace {

constexpr double kBuzz = 6;         // [Hz] faster than flesh of a body
constexpr double kClosed = 3e-3;    // of the size: a motion that closes has a spectrum of its own
constexpr double kKink = 0.3;       // % of the size a frame: the drawn motion itself bends where it starts again
constexpr double kStill = 0.01;     // of the size a second: stands
constexpr double kStillTime = 0.5;  // [s] that it must stand at the end
constexpr double kFloor = 0.02;     // of the height: so near to the floor
constexpr double kFloorAt = 0.05;   // of the height: the lowest point is so near to y = 0, or there is no floor
constexpr double kPlanted = 0.05;   // of the size a second: so slow is planted

// Share of the energy of a motion above kBuzz; one that does not close is faded in and out. Negative: no such band.
double fast_share(const Seen& s, const std::vector<Points>& x) {
  auto n = static_cast<int>(x.size());
  double open = 0;
  for (int v : s.moved) open = std::max(open, (x.front()[v] - x.back()[v]).norm());
  const bool closed = s.loops() && open < kClosed * s.size;
  if (closed) --n;
  MatX motion(n, 3 * static_cast<Eigen::Index>(s.moved.size()));
  for (int f = 0; f < n; ++f)
    for (size_t i = 0; i < s.moved.size(); ++i)
      motion.row(f).segment<3>(3 * static_cast<Eigen::Index>(i)) = x[f][s.moved[i]].transpose();
  motion.rowwise() -= motion.colwise().mean().eval();
  const double pi = std::numbers::pi;
  for (int f = 0; f < n && !closed; ++f) motion.row(f) *= 0.5 - 0.5 * std::cos(2 * pi * (f + 1) / (n + 1));
  double fast = 0, all = 0, highest = 0;
  for (int k = 1; 2 * k <= n; ++k) {
    Eigen::RowVectorXd c(n), sine(n);
    for (int f = 0; f < n; ++f) c[f] = std::cos(2 * pi * k * f / n), sine[f] = std::sin(2 * pi * k * f / n);
    const double energy = (c * motion).squaredNorm() + (sine * motion).squaredNorm();
    highest = k / (n * s.shot.step);
    all += energy;
    if (highest > kBuzz) fast += energy;
  }
  return highest > kBuzz && all > 0 ? fast / all : -1;
}

// The largest second difference at a frame of a cycle, beyond the largest of the same vertex at all others.
double bend_at(const std::vector<Points>& x, size_t frame) {
  const size_t n = x.size() - 1;  // the last is the first
  const auto bend = [&](size_t f, size_t v) {
    return ((x[f + 1][v] - x[f][v]) - (f == 0 ? Vec3(x[n][v] - x[n - 1][v]) : Vec3(x[f][v] - x[f - 1][v]))).norm();
  };
  double most = 0;
  for (size_t v = 0; v < x[0].size(); ++v) {
    double others = 0;
    for (size_t f = 0; f < n; ++f)
      if (f != frame) others = std::max(others, bend(f, v));
    most = std::max(most, bend(frame, v) - others);
  }
  return most;
}

// That where the cycle starts again, beyond what it is at any other frame: some vertex always turns fastest there, as
// others do elsewhere.
double seam_bend(const std::vector<Points>& x) {
  double others = 0;
  for (size_t f = 1; f + 1 < x.size(); ++f) others = std::max(others, bend_at(x, f));
  return std::max(0.0, bend_at(x, 0) - others);
}

}  // namespace

void measure_trembling(const Seen& s, Numbers& out) {
  if (s.moved.empty() || s.shot.n_frames() < 6) return;
  const double share = fast_share(s, s.d);
  if (share >= 0) out["buzz"] = share;
  std::vector<double> all;
  for (const auto& row : s.m)
    for (int v : s.moved) all.push_back(row[v]);
  const double far = 0.5 * percentile(all, 99);
  int turns = 0, counted = 0;
  for (size_t f = 0; f + 2 < s.d.size(); ++f)
    for (int v : s.moved) {
      const Vec3 one = s.d[f + 1][v] - s.d[f][v], two = s.d[f + 2][v] - s.d[f + 1][v];
      turns += one.norm() > far && two.norm() > far && one.dot(two) < 0;
      ++counted;
    }
  out["reversals"] = 100.0 * turns / counted;
}

void measure_loop(const Seen& s, Numbers& out) {
  if (!s.loops()) return;
  double place = 0;
  for (size_t v = 0; v < s.d[0].size(); ++v) place = std::max(place, (s.d.front()[v] - s.d.back()[v]).norm());
  const bool kink = s.percent(seam_bend(s.shot.drawn)) >= kKink;
  out["pop"] = s.percent(kink ? place : std::max(place, seam_bend(s.d)));
}

void measure_rest(const Seen& s, Numbers& out) {
  const int n = s.shot.n_frames();
  if (n < 4) return;
  int moving = -1;  // the last step in which something drawn moves
  for (int f = 0; f + 1 < n; ++f)
    for (int v = 0; v < s.shot.n_vertices(); ++v)
      if ((s.shot.drawn[f + 1][v] - s.shot.drawn[f][v]).norm() > kStill * s.size * s.shot.step) {
        moving = f;
        break;
      }
  out["still_s"] = (n - 2 - moving) * s.shot.step;
  if (out["still_s"] < kStillTime || s.moved.empty()) return;
  std::vector<double> last;
  for (int v : s.moved) last.push_back((s.d[n - 1][v] - s.d[n - 2][v]).norm());
  out["settle_speed"] = s.percent(percentile(last, 99)) / s.shot.step;
}

void measure_feet(const Seen& s, Numbers& out) {
  const int n = s.shot.n_frames();
  if (n < 3) return;
  std::vector<double> lowest;
  for (const Points& x : s.shot.drawn) {
    double low = INFINITY;
    for (size_t v = 0; v < x.size(); ++v)
      if (s.shot.body[v]) low = std::min(low, x[v][1]);
    lowest.push_back(low);
  }
  const double floor = percentile(lowest, 5);
  if (std::abs(floor) > kFloorAt * s.height) return;
  std::vector<double> standing, along;
  for (int f = 0; f < n; ++f) {
    const int a = std::max(f - 1, 0), b = std::min(f + 1, n - 1);
    for (int v = 0; v < s.shot.n_vertices(); ++v) {
      if (!s.shot.body[v] || s.shot.drawn[f][v][1] >= floor + kFloor * s.height) continue;
      const Vec3 speed = (s.shot.drawn[b][v] - s.shot.drawn[a][v]) / ((b - a) * s.shot.step);
      if (speed.norm() < kPlanted * s.size) standing.push_back(s.m[f][v]);
      if (std::abs(speed[1]) < kPlanted * s.size) along.push_back(s.m[f][v]);
    }
  }
  if (!standing.empty()) out["planted"] = s.percent(percentile(standing, 99));
  if (!along.empty()) out["soles"] = s.percent(percentile(along, 99));
}

}  // namespace supple::cast
