#include "tests/cast/shot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "supple/anim/drawn.h"

namespace supple::cast {

namespace {

constexpr double kMoved = 1e-4;     // of the size: departs at all
constexpr double kSamePose = 5e-3;  // of the size
constexpr double kGrid = 1e6;       // places of the bind pose along its longest side
constexpr double kWide = 711;       // pixels

// Even frames over the keys of morph weights, or of all channels where the clip has none.
std::vector<double> frame_times(const Clip& clip) {
  std::set<double> keys;
  for (const bool all : {false, true}) {
    if (keys.size() >= 3) break;
    for (const Channel& c : clip.channels)
      if (all || c.path == ChannelPath::weights) keys.insert(c.times.begin(), c.times.end());
  }
  const std::vector<double> times(keys.begin(), keys.end());
  if (times.size() < 3) return times;
  std::vector<double> steps;
  for (size_t k = 1; k < times.size(); ++k) steps.push_back(times[k] - times[k - 1]);
  const double step = percentile(steps, 50);
  if (std::all_of(steps.begin(), steps.end(), [&](double s) { return std::abs(s - step) < 0.02 * step; })) return times;
  const double even = std::max(step, 1.0 / 120), length = times.back() - times.front();
  const int n = static_cast<int>(std::lround(length / even));
  std::vector<double> out;
  for (int k = 0; k <= n; ++k) out.push_back(times.front() + length * k / n);
  return out;
}

std::vector<Points> play(const Character& character, const Drawn& drawn, const Clip& clip,
                         const std::vector<double>& times) {
  std::vector<Points> frames;
  for (double t : times) frames.push_back(posed(drawn.vertices, pose_at(character, drawn, clip, t)));
  return frames;
}

int find_root(std::vector<int>& parent, int v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

void find_pieces_of(const Shot& s, std::vector<int>& weld, std::vector<int>& piece) {
  const Box box = [&] {
    Box b{s.bind[0], s.bind[0]};
    for (const Vec3& x : s.bind) b.low = b.low.cwiseMin(x), b.high = b.high.cwiseMax(x);
    return b;
  }();
  const double longest = std::max(box.size().maxCoeff(), 1e-300);
  std::map<std::array<long, 3>, int> places;
  for (const Vec3& x : s.bind) {
    std::array<long, 3> key;
    for (int k = 0; k < 3; ++k) key[static_cast<size_t>(k)] = std::lround((x[k] - box.low[k]) / longest * kGrid);
    weld.push_back(places.try_emplace(key, static_cast<int>(places.size())).first->second);
  }
  std::vector<int> parent(places.size());
  std::iota(parent.begin(), parent.end(), 0);
  for (const Tri& f : s.faces)
    for (int c : {1, 2}) parent[find_root(parent, weld[f[c]])] = find_root(parent, weld[f[0]]);
  for (int w : weld) piece.push_back(find_root(parent, w));
}

}  // namespace

double percentile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  const double at = p / 100 * static_cast<double>(values.size() - 1);
  const auto k = static_cast<size_t>(at);
  std::nth_element(values.begin(), values.begin() + static_cast<long>(k), values.end());
  const double low = values[k];
  if (k + 1 == values.size()) return low;
  const double high = *std::min_element(values.begin() + static_cast<long>(k) + 1, values.end());
  return low + (at - static_cast<double>(k)) * (high - low);
}

Shot read_shot(const Character& before, const Character& after, const Clip& drawn, const Clip& soft) {
  const Drawn a = lay_out(before), b = lay_out(after);
  const std::vector<double> times = frame_times(soft);
  Shot s;
  std::vector<double> steps;
  for (size_t k = 1; k < times.size(); ++k) steps.push_back(times[k] - times[k - 1]);
  if (!steps.empty()) s.step = percentile(steps, 50);
  s.drawn = play(before, a, drawn, times);
  s.soft = play(after, b, soft, times);
  s.bind = posed(a.vertices, rest_pose(before, a));
  s.faces = a.triangles;
  s.body.assign(s.bind.size(), 0);
  for (const DrawnPrimitive& p : a.primitives)
    if (before.nodes[p.node].skin >= 0)
      std::fill_n(s.body.begin() + p.first_vertex, p.n_vertices, static_cast<char>(1));
  if (std::find(s.body.begin(), s.body.end(), 1) == s.body.end()) s.body.assign(s.bind.size(), 1);
  return s;
}

Seen::Seen(const Shot& s) : shot(s) {
  std::vector<double> sizes, heights, widths;
  for (const Points& x : s.drawn) {
    Vec3 low = Vec3::Constant(INFINITY), high = -low;
    for (size_t v = 0; v < x.size(); ++v)
      if (s.body[v]) low = low.cwiseMin(x[v]), high = high.cwiseMax(x[v]);
    const Vec3 e = high - low;
    sizes.push_back(e.norm()), heights.push_back(e[1]), widths.push_back(std::max(e[0], e[2]));
  }
  size = percentile(sizes, 50);
  height = percentile(heights, 50);
  pixels = std::min(kPictureHigh / height, kWide / percentile(widths, 50));
  std::vector<double> most(s.bind.size(), 0);
  for (int f = 0; f < s.n_frames(); ++f) {
    d.emplace_back(s.bind.size());
    m.emplace_back(s.bind.size());
    for (size_t v = 0; v < s.bind.size(); ++v) {
      const Vec3 away = s.soft[f][v] - s.drawn[f][v];
      d[f][v] = away.allFinite() ? away : Vec3(Vec3::Zero());
      m[f][v] = d[f][v].norm();
      most[v] = std::max(most[v], m[f][v]);
    }
  }
  for (size_t v = 0; v < most.size(); ++v)
    if (most[v] > kMoved * size) moved.push_back(static_cast<int>(v));
  find_pieces_of(s, weld, piece);
}

bool Seen::loops() const {
  if (shot.n_frames() < 4) return false;
  const Points &first = shot.drawn.front(), &last = shot.drawn.back();
  double most = 0;
  for (size_t v = 0; v < first.size(); ++v) most = std::max(most, (first[v] - last[v]).norm());
  return most < kSamePose * size;
}

}  // namespace supple::cast
