#include "supple/pipeline/enriched/enriched.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <queue>

#include "supple/base/error.h"
#include "supple/base/timer.h"
#include "supple/enrich/rigid_parts.h"
#include "supple/enrich/softness.h"
#include "supple/pipeline/enriched/regions.h"
#include "supple/pipeline/enriched/tets.h"
#include "supple/pipeline/setup/maps.h"
#include "supple/pipeline/setup/stage_cache.h"

namespace supple::pipeline {

namespace {

constexpr double kFollows = 0.02;  // softness below which nothing is left to go its own way
constexpr int kReportNumbers = 9;
constexpr double kSmallest = 0.05, kLargest = 30;  // [m] beyond which a size is worth a question

std::vector<std::array<double, 2>> keys_of(const DialKeys& keys) {
  return keys.file.empty() ? keys.keys : read_dial_keys(keys.file.path, true);
}

// Per vertex of the surface; unpainted ones: NaN.
std::vector<double> painted_softness(const SceneConfig& config, const EnrichInput& input, bool& dense) {
  const EnrichConfig& e = config.enrich;
  const size_t n = input.surface.vertices.size();
  std::vector<double> soft(n, std::numeric_limits<double>::quiet_NaN());
  dense = true;
  if (!e.soft.empty()) {
    const PaintedValues painted = read_painted(input, e.soft, config.locate("enrich.soft"));
    dense = painted.dense;
    for (size_t i = 0; i < painted.known.size(); ++i) soft[painted.known[i]] = painted.values[i];
  }
  for (int v : read_vertices(input, e.fixed, config.locate("enrich.fixed"))) soft[v] = 0;
  for (size_t k = 0; k < config.regions.size(); ++k) {
    if (!config.regions[k].soft) continue;
    for (int v : region_vertices(config, input, k)) soft[v] = *config.regions[k].soft;
  }
  return soft;
}

// What holds still: corners of tets with a vertex that follows exactly, and what is inside and nearer to them than to
// anything soft.
std::vector<char> exactly_following(const EnrichSetup& s, const std::vector<double>& soft) {
  std::vector<char> fixed(s.cage.vertices.size(), 0), touched(s.cage.vertices.size(), 0);
  for (size_t v = 0; v < soft.size(); ++v)
    for (int c : s.cage.tets[s.tet[v]]) {
      touched[c] = 1;
      if (soft[v] <= kFollows) fixed[c] = 1;
    }
  // The nearest along edges that is one or the other.
  std::vector<std::vector<std::pair<int, double>>> near(s.cage.vertices.size());
  for (const auto& [a, b] : unique_edges(s.cage.tets)) {
    const double length = (s.cage.vertices[a] - s.cage.vertices[b]).norm();
    near[a].emplace_back(b, length), near[b].emplace_back(a, length);
  }
  std::vector<double> distance(fixed.size(), std::numeric_limits<double>::infinity());
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (size_t v = 0; v < fixed.size(); ++v)
    if (touched[v] || fixed[v]) queue.emplace(distance[v] = 0, static_cast<int>(v));
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (d > distance[v]) continue;
    for (const auto& [w, length] : near[v])
      if (d + length < distance[w]) {
        distance[w] = d + length;
        fixed[w] = fixed[v];
        queue.emplace(distance[w], w);
      }
  }
  return fixed;
}

// Of tet vertices, from values on the surface: where a tet holds painted vertices the mean of those, by how near they
// are.
PaintedValues touched_values(const EnrichSetup& s, const PaintedValues& painted) {
  std::vector<double> sum(s.cage.vertices.size(), 0), weight(s.cage.vertices.size(), 0);
  for (size_t i = 0; i < painted.known.size(); ++i) {
    const int v = painted.known[i];
    for (int c = 0; c < 4; ++c) {
      const double w = std::max(s.weights[v][c], 1e-3);
      sum[s.cage.tets[s.tet[v]][c]] += w * painted.values[i];
      weight[s.cage.tets[s.tet[v]][c]] += w;
    }
  }
  PaintedValues out;
  for (size_t v = 0; v < sum.size(); ++v)
    if (weight[v] > 0) out.known.push_back(static_cast<int>(v)), out.values.push_back(sum[v] / weight[v]);
  return out;
}

// A connected piece of tets with nothing that follows would fall out of the animation: of each, those vertices follow
// that are nearest to what does.
void hold_loose_pieces(EnrichSetup& s, std::vector<double>& softness) {
  std::vector<int> component;
  const int n = connected_components(s.cage, component);
  std::vector<std::vector<int>> members(static_cast<size_t>(n));
  Points held;
  for (size_t v = 0; v < softness.size(); ++v) {
    if (component[v] >= 0) members[component[v]].push_back(static_cast<int>(v));
    if (softness[v] == 0) held.push_back(s.cage.vertices[v]);
  }
  for (size_t v = 0; v < softness.size(); ++v)
    if (softness[v] < 1 && component[v] >= 0) members[component[v]].clear();
  int pieces = 0;
  for (const std::vector<int>& piece : members) {
    if (piece.empty() || held.empty()) continue;
    std::vector<std::pair<double, int>> by_distance;
    for (int v : piece) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const Vec3& x : held) nearest = std::min(nearest, (s.cage.vertices[v] - x).squaredNorm());
      by_distance.emplace_back(nearest, v);
    }
    std::sort(by_distance.begin(), by_distance.end());
    const size_t count = std::min(piece.size(), std::max<size_t>(4, piece.size() / 10));
    for (size_t i = 0; i < count; ++i) softness[by_distance[i].second] = 0;
    ++pieces;
  }
  if (pieces > 0)
    s.warnings.push_back(
        fmt::format("{} soft piece{} of the surface touch{} nothing that follows the animation: "
                    "the nearest tenth of each follows",
                    pieces, pieces == 1 ? "" : "s", pieces == 1 ? "es" : ""));
}

std::vector<double> find_softness(const SceneConfig& config, EnrichSetup& s) {
  bool dense = true;
  const std::vector<double> soft = painted_softness(config, s.input, dense);
  const std::vector<char> fixed = exactly_following(s, soft);
  PaintedValues painted;
  for (size_t v = 0; v < soft.size(); ++v) {
    // What is painted densely and follows is a matter of its tets alone, and leaves no trace on the flesh around.
    const bool counts = std::isfinite(soft[v]) && !(dense && soft[v] <= kFollows);
    if (!counts) continue;
    painted.known.push_back(static_cast<int>(v));
    painted.values.push_back(soft[v]);
  }
  std::vector<double> out = on_tets(s, painted, 1);
  int soft_ones = 0;
  double least = 1;
  for (size_t v = 0; v < out.size(); ++v) {
    out[v] = std::clamp(out[v] * config.enrich.softness, 0.0, 1.0);
    if (fixed[v] || out[v] <= kFollows) out[v] = 0;
    soft_ones += out[v] > 0;
    least = std::min(least, out[v]);
  }
  double most = config.enrich.soft_keys.empty() ? 1 : 0;
  for (const auto& [frame, factor] : keys_of(config.enrich.soft_keys)) most = std::max(most, factor);
  if (least * most >= 1)
    throw InputError(config.locate(config.is_set("enrich.soft") ? "enrich.soft" : "enrich.softness"),
                     "nothing follows the animation: all of it is soft",
                     "paint what shall follow with 0 (enrich.soft), list vertices (enrich.fixed), or give "
                     "enrich.softness below 1");
  hold_loose_pieces(s, out);
  if (soft_ones == 0 && config.enrich.softness > 0 && config.is_set("enrich.soft"))
    s.warnings.push_back("nothing is soft: the result is the input, completed where it is silent");
  return out;
}

void read_rigid(const SceneConfig& config, EnrichSetup& s) {
  for (const std::string& name : config.enrich.rigid) {
    s.rigid.push_back(require_vertices_of(s.input, name, config.locate("enrich.rigid")));
    // Parts that share vertices (groups that meet, a pattern beside a name) move as one.
    for (size_t a = 0; a < s.rigid.size(); ++a)
      for (size_t b = a + 1; b < s.rigid.size();) {
        std::vector<int> both;
        std::set_union(s.rigid[a].begin(), s.rigid[a].end(), s.rigid[b].begin(), s.rigid[b].end(),
                       std::back_inserter(both));
        if (both.size() == s.rigid[a].size() + s.rigid[b].size()) {
          ++b;
          continue;
        }
        s.warnings.push_back(fmt::format("enrich.rigid: \"{}\" and \"{}\" share vertices and move as one",
                                         config.enrich.rigid[a], config.enrich.rigid[b]));
        s.rigid[a] = std::move(both);
        s.rigid.erase(s.rigid.begin() + static_cast<std::ptrdiff_t>(b));
        b = a + 1;
      }
  }
}

// Which tets carry the animated points, and how.
std::vector<PointTie> animated_ties(const EnrichSetup& s) {
  std::vector<PointTie> ties;
  Points bare;
  for (size_t i = 0; i < s.input.points.size(); ++i)
    if (s.input.vertex[i] < 0) bare.push_back(s.input.points[i]);
  const Embedding e = embed(s.cage, bare);
  size_t next = 0;
  for (size_t i = 0; i < s.input.points.size(); ++i) {
    const int v = s.input.vertex[i];
    if (v >= 0) {
      ties.push_back({s.cage.tets[s.tet[v]], s.weights[v]});
    } else {
      ties.push_back({s.cage.tets[e.tet[next]], e.weights[next]});
      ++next;
    }
  }
  return ties;
}

std::vector<double> animated_areas(const EnrichSetup& s) {
  std::vector<int> vertices;
  for (int v : s.input.vertex)
    if (v >= 0) vertices.push_back(v);
  if (vertices.size() == s.input.vertex.size()) return areas_of(s.input.surface, vertices);
  double whole = 0;
  std::vector<int> all(s.input.surface.vertices.size());
  for (size_t v = 0; v < all.size(); ++v) all[v] = static_cast<int>(v);
  for (double a : areas_of(s.input.surface, all)) whole += a;
  return std::vector<double>(s.input.vertex.size(), whole / static_cast<double>(s.input.vertex.size()));
}

VecX frame_of(const EnrichInput& input, int frame) {
  const float* x = input.frames.sample(frame);
  VecX out(3 * input.frames.n_points);
  for (Eigen::Index i = 0; i < out.size(); ++i) out[i] = x[i];
  return out;
}

// Fits of many frames in one vector, for the cache.
VecX packed(const FittedAnimation& fit) {
  const Eigen::Index n = fit.frames[0].size(), frames = static_cast<Eigen::Index>(fit.frames.size());
  VecX out((n + kReportNumbers) * frames);
  for (Eigen::Index f = 0; f < frames; ++f) {
    const FitFrame& r = fit.reports[static_cast<size_t>(f)];
    out.segment(f * (n + kReportNumbers), n) = fit.frames[static_cast<size_t>(f)];
    out.segment<kReportNumbers>(f * (n + kReportNumbers) + n) << r.rms, r.largest, r.iterations, r.factorizations,
        r.missing, r.outliers, r.inverted, r.damped, r.bridged;
  }
  return out;
}

FittedAnimation unpacked(const VecX& all, Eigen::Index n, int frames) {
  FittedAnimation fit;
  for (Eigen::Index f = 0; f < frames; ++f) {
    fit.frames.push_back(all.segment(f * (n + kReportNumbers), n));
    const VecX r = all.segment(f * (n + kReportNumbers) + n, kReportNumbers);
    const auto whole = [&](int k) -> int { return static_cast<int>(std::lround(r[k])); };
    fit.reports.push_back({.rms = r[0],
                           .largest = r[1],
                           .iterations = whole(2),
                           .factorizations = whole(3),
                           .missing = whole(4),
                           .outliers = whole(5),
                           .inverted = whole(6),
                           .damped = r[7] != 0,
                           .bridged = r[8] != 0});
  }
  return fit;
}

void fit_all(const SceneConfig& config, const Watch& watch, EnrichSetup& s) {
  const std::vector<PointTie> ties = animated_ties(s);
  const std::vector<double> areas = animated_areas(s);
  const FitOptions options = fit_options(config);
  const int n_frames = s.input.frames.n_samples;
  Digest digest = stage_digest();
  digest.add(flatten(s.cage.vertices))
      .add(s.cage.tets)
      .add(areas)
      .add(options.stiffness)
      .add(options.linear_solver)
      .add(options.material);
  for (const PointTie& t : ties) digest.add(t.vertices).add(t.weights);
  digest.add(s.input.frames.xyz);
  const std::string key = digest.text();
  const Eigen::Index n = 3 * s.cage.n_vertices();
  if (const VecX found = found_vector("fit", key, (n + kReportNumbers) * n_frames); found.size() > 0) {
    s.fit = unpacked(found, n, n_frames);
    watch.note("re-used: fit of the tets to the animation");
    return;
  }
  SurfaceFit fit(s.cage, ties, areas, options);
  const Timer timer;
  s.fit = fit_animation(
      fit, s.cage, n_frames, [&](int f) { return frame_of(s.input, f); }, watch);
  s.fit_seconds = timer.seconds();
  // The numbers have no place for which points were left out.
  const bool sound =
      std::all_of(s.fit.reports.begin(), s.fit.reports.end(), [](const FitFrame& r) { return r.left_out.empty(); });
  if (sound) keep_vector("fit", key, packed(s.fit));
}

void warn_of_fit(EnrichSetup& s) {
  const FitSummary sum = summary_of(s.fit);
  const double percent = 100 / s.size();
  if (sum.largest_rms * percent > 1)
    s.warnings.push_back(
        fmt::format("the tets follow the animation to {:.2g} % of its size at best (frame {}): use "
                    "more tets, or a smaller enrich.fit",
                    sum.largest_rms * percent, sum.worst_frame));
  std::string frames;
  int named = 0;
  for (size_t f = 0; f < s.fit.reports.size(); ++f) {
    const FitFrame& r = s.fit.reports[f];
    if (!r.flagged()) continue;
    if (++named <= 8)
      frames += fmt::format("{}{} ({})", named > 1 ? ", " : "", f,
                            r.bridged        ? "bridged"
                            : r.outliers > 0 ? fmt::format("{} points left out", r.outliers)
                                             : "damped");
  }
  if (named > 0)
    s.warnings.push_back(fmt::format("{} of {} frames of the animation are not sound: {}{}", named,
                                     s.fit.reports.size(), frames, named > 8 ? ", ..." : ""));
}

}  // namespace

FitOptions fit_options(const SceneConfig& config) {
  return {.stiffness = config.enrich.fit,
          .material = material_from_name(config.enrich.fit_model),
          .linear_solver = config.solver.linear};
}

double EnrichSetup::size() const { return longest_side(input.surface.vertices); }

std::vector<int> EnrichSetup::fixed() const {
  std::vector<int> out;
  for (size_t v = 0; v < softness.size(); ++v)
    if (softness[v] == 0) out.push_back(static_cast<int>(v));
  return out;
}

const VecX& EnrichSetup::fitted(int frame) const {
  return fit.frames[std::min(static_cast<size_t>(frame), fit.frames.size() - 1)];
}

VecX EnrichSetup::input_at(int frame) const {
  frame = std::min(frame, input.frames.n_samples - 1);
  VecX all = VecX::Constant(3 * static_cast<Eigen::Index>(input.surface.vertices.size()),
                            std::numeric_limits<double>::quiet_NaN());
  const FitFrame& report = fit.reports[static_cast<size_t>(frame)];
  if (report.bridged) return all;
  const VecX now = frame_of(input, frame);
  for (size_t i = 0; i < input.vertex.size(); ++i)
    if (input.vertex[i] >= 0) all.segment<3>(3 * input.vertex[i]) = now.segment<3>(3 * static_cast<Eigen::Index>(i));
  for (int i : report.left_out)
    if (input.vertex[i] >= 0) all.segment<3>(3 * input.vertex[i]).setConstant(std::numeric_limits<double>::quiet_NaN());
  return all;
}

Points EnrichSetup::drawn(const VecX& x, int frame, bool with_detail) const {
  Points points = with_detail ? detail->at(x, fitted(frame), input_at(frame)) : detail->moved(x, fitted(frame));
  keep_rigid(rigid, input.surface.vertices, points);
  return points;
}

Points EnrichSetup::completed(int frame) const { return drawn(fitted(frame), frame, true); }

std::vector<double> on_tets(const EnrichSetup& s, const PaintedValues& painted, double elsewhere) {
  const PaintedValues known = touched_values(s, painted);
  if (known.known.empty()) return std::vector<double>(s.cage.vertices.size(), elsewhere);
  return spread_values(s.cage, known.known, known.values, elsewhere);
}

FitSummary summary_of(const FittedAnimation& fit) {
  FitSummary out;
  double sum = 0;
  for (size_t f = 0; f < fit.reports.size(); ++f) {
    const FitFrame& r = fit.reports[f];
    sum += r.rms * r.rms;
    if (r.rms > out.largest_rms) out.largest_rms = r.rms, out.worst_frame = static_cast<int>(f);
    out.largest = std::max(out.largest, r.largest);
    out.flagged += r.flagged(), out.damped += r.damped, out.bridged += r.bridged;
    out.iterations += r.iterations;
  }
  out.rms = fit.reports.empty() ? 0 : std::sqrt(sum / static_cast<double>(fit.reports.size()));
  return out;
}

std::shared_ptr<EnrichSetup> set_up_enrich(const SceneConfig& config, bool with_fit, const Watch& watch) {
  auto s = std::make_shared<EnrichSetup>();
  s->input = read_enrich_input(config);
  s->warnings = s->input.warnings;
  make_enrich_tets(config, *s);
  s->softness = find_softness(config, *s);
  const bool smooth = config.enrich.interpolation == "smooth";
  s->detail = std::make_unique<DetailTransfer>(s->cage, s->tet, s->input.surface.vertices,
                                               smooth ? Carriage::smooth : Carriage::barycentric, s->fixed());
  read_rigid(config, *s);
  // What is wrong with it shall be told now, and not when all is simulated.
  if (!config.enrich.blend_map.empty())
    read_painted(s->input, config.enrich.blend_map, config.locate("enrich.blend_map"));
  if (!config.surface.scale && !config.surface.height && (s->size() > kLargest || s->size() < kSmallest))
    s->warnings.push_back(
        fmt::format("the surface is {:.3g} m long: if that is not its size, give surface.height or "
                    "surface.scale, or gravity acts as on something so {}",
                    s->size(), s->size() > kLargest ? "large" : "small"));
  if (with_fit) {
    fit_all(config, watch, *s);
    // As fit.pc2 will have them, so that a run that is shown again is the same to the bit.
    for (VecX& x : s->fit.frames) x = x.cast<float>().cast<double>();
    warn_of_fit(*s);
  }
  return s;
}

}  // namespace supple::pipeline
