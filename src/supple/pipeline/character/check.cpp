#include <algorithm>
#include <array>
#include <cmath>

#include "supple/attach/soft_skin.h"
#include "supple/base/parallel.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/tune/carried_motion.h"

namespace supple::pipeline {

namespace {

constexpr double kWhollyFree = 0.99;

Vec3 at(const PointCache& c, int s, int v) {
  const float* x = c.sample(s) + 3 * static_cast<size_t>(v);
  return {x[0], x[1], x[2]};
}

Vec3 box_size(const PointCache& c, int s) {
  Vec3 low = at(c, s, 0), high = low;
  for (int v = 1; v < c.n_points; ++v) low = low.cwiseMin(at(c, s, v)), high = high.cwiseMax(at(c, s, v));
  return high - low;
}

double volume(const PointCache& c, int s, const Tet& t) {
  return tet_volume(at(c, s, t[0]), at(c, s, t[1]), at(c, s, t[2]), at(c, s, t[3]));
}

// Twice the area along the normal.
Vec3 area(const PointCache& c, int s, const Tri& t) {
  const Vec3 a = at(c, s, t[0]);
  return (at(c, s, t[1]) - a).cross(at(c, s, t[2]) - a);
}

double length(const PointCache& c, int s, const std::array<int, 2>& edge) {
  return (at(c, s, edge[0]) - at(c, s, edge[1])).norm();
}

// What of a character the flesh is.
struct SoftParts {
  SoftParts(const CharacterSetup& c, const ModelSpec& base)
      : mesh(base.mesh), skin(soft_skin(c.cage.mesh, c.flesh, c.blend)) {
    std::vector<char> is_free(mesh.vertices.size(), 1);
    for (int v : base.driven) is_free[v] = 0;
    for (const auto& edge : unique_edges(mesh.tets))
      if (is_free[edge[0]] || is_free[edge[1]]) edges.push_back(edge);
    for (const Tet& t : mesh.tets)
      if (std::any_of(t.begin(), t.end(), [&](int v) { return is_free[v] != 0; })) tets.push_back(t);
    // What springs hold halfway is not free; where nothing is, thin flesh, it is what there is.
    for (int v = 0; v < mesh.n_vertices(); ++v) {
      if (!is_free[v]) continue;
      all.push_back(v);
      if (c.flesh.softness[v] > kWhollyFree) wholly.push_back(v);
    }
    if (wholly.empty()) wholly = all;
    const auto soft = [&](int v) { return c.skin_of[v] >= 0 && c.flesh.skin_softness[c.skin_of[v]] > 0; };
    for (const Tri& t : c.drawn.triangles)
      if (std::any_of(t.begin(), t.end(), soft)) triangles.push_back(t);
  }
  const TetMesh& mesh;
  SoftSkin skin;
  std::vector<int> all, wholly;  // free vertices, those that nothing holds
  std::vector<std::array<int, 2>> edges;
  std::vector<Tet> tets;
  std::vector<Tri> triangles;  // of what is drawn
};

struct FrameNumbers {
  double squares = 0;          // of departures, over `wholly`
  std::vector<double> swings;  // over the soft skin, as a share of the reach
  std::vector<double> drawn;   // likewise, as it is drawn
  double stretch = 0, peak = 0, box = 0, turned = 0;
  int inverted = 0;
};

FrameNumbers numbers_of(const MotionCheckInput& run, const CharacterSetup& c, const SoftParts& soft, int s) {
  FrameNumbers n;
  VecX departure(static_cast<Eigen::Index>(3 * soft.mesh.vertices.size()));
  for (int v = 0; v < soft.mesh.n_vertices(); ++v)
    departure.segment<3>(3 * v) = at(run.tets, s, v) - at(run.statics, s, v);
  for (int v : soft.wholly) n.squares += departure.segment<3>(3 * v).squaredNorm();
  const VecX seen = blended(soft.skin.blend, departure);
  for (size_t i = 0; i < soft.skin.reach.size(); ++i)
    n.swings.push_back(seen.segment<3>(static_cast<Eigen::Index>(3 * i)).norm() / soft.skin.reach[i]);
  for (size_t i = 0; i < soft.skin.reach.size(); ++i) {
    const int v = c.skin_source[static_cast<size_t>(soft.skin.skin[i])];
    n.drawn.push_back(c.scale * (at(run.frames, s, v) - at(run.input, s, v)).norm() / soft.skin.reach[i]);
  }
  for (const auto& e : soft.edges)
    n.stretch =
        std::max(n.stretch, length(run.tets, s, e) / (soft.mesh.vertices[e[0]] - soft.mesh.vertices[e[1]]).norm());
  for (const Tet& t : soft.tets) n.inverted += volume(run.tets, s, t) <= 0 && volume(run.statics, s, t) > 0;
  for (int v = 0; v < run.frames.n_points; ++v)
    n.peak = std::max(n.peak, (at(run.frames, s, v) - at(run.input, s, v)).norm());
  const Vec3 out = box_size(run.frames, s), in = box_size(run.input, s);
  // A flat side has no ratio worth the name.
  for (int k = 0; k < 3; ++k) n.box = std::max(n.box, out[k] / std::max(in[k], 0.1 * in.maxCoeff()));
  double whole = 0, turned = 0;
  for (const Tri& t : soft.triangles) {
    const Vec3 before = area(run.input, s, t);
    whole += before.norm();
    if (before.dot(area(run.frames, s, t)) < 0) turned += before.norm();
  }
  n.turned = whole > 0 ? turned / whole : 0;
  return n;
}

template <class What>
void in_every(size_t n, const What& what) {
  parallel_for(n, 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) what(f);
  });
}

}  // namespace

std::optional<MotionCheck> CharacterSubject::check(const MotionCheckInput& run) const {
  const CharacterSetup& setup = *setup_;
  const Flesh& flesh = setup.flesh;
  const SoftParts soft(setup, run.base);
  std::vector<FrameNumbers> frames(static_cast<size_t>(run.tets.n_samples));
  in_every(frames.size(), [&](size_t s) { frames[s] = numbers_of(run, setup, soft, static_cast<int>(s)); });
  std::vector<double> bones_stretch(clip_.poses.size(), 0);
  in_every(bones_stretch.size(), [&](size_t f) {
    const Points x = posed(flesh.points, clip_.poses[f]);
    for (const auto& [a, b] : soft.edges)
      bones_stretch[f] =
          std::max(bones_stretch[f], (x[a] - x[b]).norm() / (soft.mesh.vertices[a] - soft.mesh.vertices[b]).norm());
  });

  MotionCheck c;
  c.n_tets = static_cast<int>(soft.tets.size());
  for (double stretch : bones_stretch) c.worst_input_stretch = std::max(c.worst_input_stretch, stretch);
  double squares = 0;
  std::vector<double> swings, drawn;
  std::vector<std::vector<double>> of_region(flesh.regions.size());
  for (size_t s = 0; s < frames.size(); ++s) {
    const FrameNumbers& n = frames[s];
    const int frame = static_cast<int>(s);
    squares += n.squares;
    swings.insert(swings.end(), n.swings.begin(), n.swings.end());
    drawn.insert(drawn.end(), n.drawn.begin(), n.drawn.end());
    for (size_t i = 0; i < n.swings.size(); ++i)
      if (const int r = soft.skin.region[i]; r >= 0) of_region[r].push_back(n.swings[i]);
    c.worst_stretch = std::max(c.worst_stretch, n.stretch);
    c.peak_share = std::max(c.peak_share, n.peak);
    c.box_ratio = std::max(c.box_ratio, n.box);
    if (n.turned > c.turned_share) c.turned_share = n.turned, c.turned_frame = frame;
    if (n.inverted > c.inverted) c.inverted = n.inverted, c.inverted_frame = frame;
  }
  const auto counted = static_cast<double>(frames.size() * soft.wholly.size());
  c.rms_share = counted > 0 ? std::sqrt(squares / counted) / setup.size() : 0;
  const double knee = run.config.output.limit;
  if (knee > 0 && !swings.empty())
    c.held_share =
        static_cast<double>(std::count_if(swings.begin(), swings.end(), [&](double x) { return x > knee; })) /
        static_cast<double>(swings.size());
  c.evened_share = run.evened_share;
  c.swing99 = percentile(std::move(swings), 0.99);
  c.drawn99 = percentile(std::move(drawn), 0.99);
  for (size_t r = 0; r < of_region.size(); ++r)
    if (!of_region[r].empty())
      c.regions.push_back({.name = flesh.regions[r].name,
                           .n_seen = static_cast<int>(of_region[r].size() / frames.size()),
                           .swing99 = percentile(std::move(of_region[r]), 0.99)});
  const double size = box_size(run.input, 0).maxCoeff();
  if (size > 0) c.peak_share /= size;
  return c;
}

}  // namespace supple::pipeline
