#include "supple/pipeline/run/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/pipeline/run/part_amounts.h"
#include "supple/pipeline/setup/dial_requests.h"
#include "supple/sim/damped_modes.h"
#include "supple/sim/parts.h"
#include "supple/tune/estimators.h"

namespace supple::pipeline {

namespace {

constexpr size_t kPoints = 4;
constexpr double kSameFrequency = 1.02;  // modes this near each other swing in any mixture
constexpr double kTie = 1 + 1e-6;        // rounding must not decide between vertices
constexpr double kLeastSwing = 1e-6;     // of the body's size: smaller ringing is the solver's tolerance
constexpr double kSameTime = 1e-9;       // [s]

// kept: the numbers its vertices have in the whole, empty: the same. shown: those whose swing is shown, empty: all.
FollowedMode follow(const Model& model, const VecX& shape, const std::vector<int>& kept,
                    const std::vector<int>& shown = {}) {
  FollowedMode mode;
  const VecX weights = model.mass()->multiply(shape);
  std::vector<char> driven(static_cast<size_t>(model.n_vertices()), 0);
  for (int v : model.spec().driven) driven[v] = 1;
  for (int v = 0; v < model.n_vertices(); ++v) {
    if (driven[v]) continue;
    mode.vertices.push_back(kept.empty() ? v : kept[v]);
    mode.move.push_back(shape.segment<3>(3 * v).norm());
  }
  mode.weights.resize(3 * static_cast<Eigen::Index>(mode.vertices.size()));
  Eigen::Index at = 0;
  for (int v = 0; v < model.n_vertices(); ++v)
    if (!driven[v]) mode.weights.segment<3>(at) = weights.segment<3>(3 * v), at += 3;
  for (size_t i = 0; i < mode.vertices.size(); ++i) {
    if (!shown.empty() && !std::binary_search(shown.begin(), shown.end(), mode.vertices[i])) continue;
    if (mode.vertex < 0 || mode.move[i] > kTie * mode.reach) mode.reach = mode.move[i], mode.vertex = mode.vertices[i];
  }
  return mode;
}

// Where regions touch, what is seen of one is the swing of all of them. Followed is the mode of the body that is mostly
// there, being orthogonal to all others, and of that what rings at one pole: damped differently, modes mix.
struct RegionSwings {
  std::vector<PartSwing> list;  // empty: there are no regions
  Modes modes;
  MatX damping;
  std::vector<Pole> rings;
};
RegionSwings swings_of_regions(const SceneConfig& config, const AdjustedBody& body) {
  const Parts& parts = *body.split;
  const bool grouped = std::any_of(parts.list.begin(), parts.list.end(), [](const Part& p) { return p.group >= 0; });
  RegionSwings s;
  if (!grouped || parts.list.size() != body.parts.size()) return s;
  s.list = part_swings(*body.model, parts, config.solver.linear, body.hanging, &s.modes);
  if (!s.modes.ok) return s;
  s.damping = damping_matrix(*body.model, s.modes.shapes, body.hanging);
  s.rings = poles((2 * M_PI * s.modes.frequencies_hz).cwiseAbs2(), s.damping);
  return s;
}

// The first mode past rigid motions, and the second where both have one frequency.
std::vector<FollowedMode> first_modes(const Model& model, const std::string& solver, const std::vector<int>& kept) {
  std::vector<FollowedMode> followed;
  const auto n_loose = static_cast<int>(model.loose_parts().size());
  const Modes modes = natural_modes(model, 6 * n_loose + 2, solver);
  if (!modes.ok) return followed;
  const VecX& f = modes.frequencies_hz;
  double first = 0;
  for (Eigen::Index k = 0; k < f.size() && followed.size() < 2; ++k) {
    if (f[k] <= 1e-3 * f[f.size() - 1] || (first > 0 && f[k] > kSameFrequency * first)) continue;
    if (first == 0) first = f[k];
    followed.push_back(follow(model, modes.shapes.col(k), kept));
  }
  return followed;
}

}  // namespace

double FollowedMode::coordinate(const VecX& q) const {
  double sum = 0;
  for (size_t i = 0; i < vertices.size(); ++i)
    sum += weights.segment<3>(3 * static_cast<Eigen::Index>(i)).dot(q.segment<3>(3 * vertices[i]));
  return sum;
}

namespace {

// Vertices that move, far from one another: the liveliest of each of the heaviest parts, then those for which distance
// to the others times modal displacement is largest.
std::vector<int> points_to_follow(const Points& rest, const BodyModes& body) {
  std::vector<int> points;
  std::vector<double> move(rest.size(), 0), distance(rest.size(), std::numeric_limits<double>::infinity());
  std::vector<const FollowedMode*> modes;
  if (body.parts.empty() && !body.whole.modes.empty()) modes.push_back(&body.whole.modes[0]);
  for (const BodyModes::Columns& c : body.parts)
    if (!c.modes.empty()) modes.push_back(&c.modes[0]);
  for (const FollowedMode* m : modes)
    for (size_t i = 0; i < m->vertices.size(); ++i) move[m->vertices[i]] = m->reach > 0 ? m->move[i] / m->reach : 0;
  const auto choose = [&](int vertex) {
    points.push_back(vertex);
    for (size_t v = 0; v < rest.size(); ++v) distance[v] = std::min(distance[v], (rest[v] - rest[vertex]).norm());
  };
  for (size_t i = 0; i < std::min(modes.size(), kPoints); ++i) choose(modes[i]->vertex);
  while (!points.empty() && points.size() < kPoints) {
    int best = -1;
    double score = 0;
    for (size_t v = 0; v < rest.size(); ++v)
      if (const double s = distance[v] * move[v]; s > kTie * score) score = s, best = static_cast<int>(v);
    if (best < 0) break;
    choose(best);
  }
  return points;
}

}  // namespace

std::shared_ptr<const BodyModes> body_modes(const SceneConfig& config, const AdjustedBody& body) {
  auto out = std::make_shared<BodyModes>();
  const std::string& solver = config.solver.linear;
  out->whole.modes = first_modes(*body.model, solver, {});
  const RegionSwings swings = swings_of_regions(config, body);
  for (size_t i = 0; i < body.parts.size() && body.parts.size() > 1; ++i) {
    if (i < swings.list.size() && swings.list[i].frequency_hz > 0) {
      const Eigen::Index mode = swings.list[i].mode;
      const Pole& pole = pole_of(swings.rings, mode);
      const PoleFilter f = filter_of(pole, swings.damping, mode);
      BodyModes::Columns c{.modes = {follow(*body.model, swings.list[i].shape, {}, body.parts[i].vertices)}};
      for (const VecX* w : {&f.place, &f.speed})
        c.filter.push_back(follow(*body.model, swings.modes.shapes * *w, {}, body.parts[i].vertices));
      c.omega = pole.value.imag();
      out->parts.push_back(std::move(c));
      continue;
    }
    std::vector<int> kept;
    const Model held = held_around(*body.model, body.parts[i].vertices, &kept);
    out->parts.push_back({.modes = first_modes(held, solver, kept)});
  }
  out->points = points_to_follow(body.model->mesh().vertices, *out);
  out->whole.first = 0;
  int column = std::max(0, static_cast<int>(out->whole.modes.size()) - 1) + static_cast<int>(out->points.size());
  for (BodyModes::Columns& c : out->parts) {
    c.first = column;
    column += 2 + static_cast<int>(c.modes.size() + c.filter.size());
  }
  out->sag = gravity_sag(*body.model, solver, config.solver.tolerance, body.sagged);
  return out;
}

RunMeasure::RunMeasure(const Job& job, std::shared_ptr<const BodyModes> modes)
    : job_(job), modes_(modes ? std::move(modes) : body_modes(job.config, *job.body)) {}

std::vector<std::string> RunMeasure::columns() const {
  std::vector<std::string> names;
  if (modes_->whole.modes.size() > 1) names.push_back("mode2");
  for (int v : modes_->points) names.push_back(fmt::format("point_m[{}]", v));
  for (size_t p = 0; p < modes_->parts.size(); ++p) {
    const std::string& part = job_.body->parts[p].name;
    names.push_back(fmt::format("rms_m[{}]", part));
    names.push_back(fmt::format("peak_m[{}]", part));
    for (size_t k = 0; k < modes_->parts[p].modes.size(); ++k) names.push_back(fmt::format("mode{}[{}]", k + 1, part));
    for (size_t k = 0; k < modes_->parts[p].filter.size(); ++k)
      names.push_back(fmt::format("own_{}[{}]", k == 0 ? "place" : "speed", part));
  }
  return names;
}

void RunMeasure::measure(const VecX& q, HistoryRow& row) const {
  row.extra.clear();
  row.mode1 = modes_->whole.modes.empty() ? 0 : modes_->whole.modes[0].coordinate(q);
  if (modes_->whole.modes.size() > 1) row.extra.push_back(modes_->whole.modes[1].coordinate(q));
  for (int v : modes_->points) row.extra.push_back(q.segment<3>(3 * v).norm());
  const VecX& mass = job_.body->model->mass()->per_vertex();
  for (size_t p = 0; p < modes_->parts.size(); ++p) {
    double sum = 0, total = 0, peak = 0;
    for (int v : job_.body->parts[p].vertices) {
      const double square = q.segment<3>(3 * v).squaredNorm();
      sum += mass[v] * square, total += mass[v], peak = std::max(peak, square);
    }
    row.extra.push_back(total > 0 ? std::sqrt(sum / total) : 0);
    row.extra.push_back(std::sqrt(peak));
    for (const auto* list : {&modes_->parts[p].modes, &modes_->parts[p].filter})
      for (const FollowedMode& m : *list) row.extra.push_back(m.coordinate(q));
  }
}

std::vector<double> RunMeasure::point(const std::vector<HistoryRow>& rows, size_t i) const {
  const size_t at = i + (modes_->whole.modes.size() > 1 ? 1 : 0);
  std::vector<double> y;
  for (const HistoryRow& row : rows) y.push_back(row.extra[at]);
  return y;
}

std::vector<double> RunMeasure::part_rms(const std::vector<HistoryRow>& rows, int part) const {
  const auto at = static_cast<size_t>(modes_->parts[static_cast<size_t>(part)].first);
  std::vector<double> y;
  for (const HistoryRow& row : rows) y.push_back(row.extra[at]);
  return y;
}

double RunMeasure::column(const HistoryRow& row, const Columns& c, size_t mode) const {
  if (&c == &modes_->whole) return mode == 0 ? row.mode1 : row.extra[0];
  return row.extra[static_cast<size_t>(c.first) + 2 + mode];
}

std::vector<double> RunMeasure::swing(const std::vector<HistoryRow>& rows, int part) const {
  const Columns& c = of(part);
  std::vector<double> best;
  double most = -1;
  for (size_t k = 0; k < c.modes.size(); ++k) {
    std::vector<double> y;
    double energy = 0;
    for (const HistoryRow& row : rows) {
      y.push_back(column(row, c, k) * c.modes[k].reach);
      energy += y.back() * y.back();
    }
    if (energy > most) most = energy, best = std::move(y);
  }
  return best;
}

std::vector<double> RunMeasure::own_swing(const std::vector<HistoryRow>& rows, int part) const {
  const Columns& c = of(part);
  if (c.filter.empty() || rows.size() < 3) return swing(rows, part);
  // Speeds by central differences, which lack a known share at the pole's frequency.
  const double h = job_.body->step(), angle = std::min(c.omega * h, 1.5);
  const double per_step = angle > 0 ? c.omega / (2 * std::sin(angle)) : 0.5 / h;
  const size_t place = c.modes.size(), speed = place + 1;
  std::vector<double> y;
  for (size_t k = 1; k + 1 < rows.size(); ++k)
    y.push_back(c.modes[0].reach * (column(rows[k], c, place) +
                                    per_step * (column(rows[k + 1], c, speed) - column(rows[k - 1], c, speed))));
  return y;
}

int RunMeasure::swing_vertex(int part) const { return of(part).modes.empty() ? -1 : of(part).modes[0].vertex; }

size_t first_still_row(const Job& job, const std::vector<HistoryRow>& rows) {
  if (rows.empty()) return 0;
  const double small = 1e-9 * job.body->model->size(), end = job.shot.start_time() + rows.back().time;
  const auto moves = [&](double t) {
    for (const auto* track : {&job.shot.drive.vertices, &job.shot.drive.ties, &job.shot.drive.springs}) {
      if (!*track) continue;
      const VecX d = (*track)->at(t) - (*track)->at(end);
      if (d.size() > 0 && d.cwiseAbs().maxCoeff() > small) return true;
    }
    return false;
  };
  size_t first = rows.size();
  while (first > 0 && !moves(job.shot.start_time() + rows[first - 1].time)) --first;
  return std::min(first + 1, rows.size());
}

namespace {

// A step over a cut is no swing.
bool is_over_cut(const Job& job, const HistoryRow& row) {
  for (int k : job.shot.start.cuts.leaps()) {
    const double cut = (k + 1) / job.shot.fps;
    if (cut <= row.time + kSameTime && cut > row.time - job.body->step() + kSameTime) return true;
  }
  return false;
}

}  // namespace

// Fewer than two periods say little.
void RunMeasure::ring(const std::vector<HistoryRow>& rows, size_t from, int part, double expected_hz,
                      MeasuredResponse& m, std::string& note) const {
  const std::vector<HistoryRow> tail(rows.begin() + static_cast<std::ptrdiff_t>(from), rows.end());
  const std::vector<double> y = own_swing(tail, part);
  const double periods = static_cast<double>(y.size()) * job_.body->step() * expected_hz;
  if (y.empty() || expected_hz == 0) {
    note = tail.empty() ? "the motion never holds still at its end" : "nothing vibrates";
    return;
  }
  if (periods < 2) {
    note = fmt::format("the motion holds still for {:.1f} bounces at its end; two are needed to measure", periods);
    return;
  }
  const RingEstimate e = estimate_ring(y, job_.body->step());
  if (e.found && e.amplitude < kLeastSwing * job_.body->model->size()) {
    note = "the flesh is still already when the motion stops";
    return;
  }
  note = e.reason;
  if (e.found) m.frequency_hz = e.frequency_hz;
  if (e.found && e.half_life_found) m.half_life_s = e.half_life_s;
}

RunNumbers RunMeasure::numbers(const std::vector<HistoryRow>& rows) const {
  RunNumbers n;
  const Model& model = *job_.body->model;
  const Sag& sag = modes_->sag;
  n.still_row = first_still_row(job_, rows);
  const double duration = rows.empty() ? 0 : rows.back().time;

  MeasuredResponse& w = n.whole;
  w.sag_m = sag.converged ? sag.sag_m : MeasuredResponse::kUnknown;
  const auto mean = [&](double amplitude) { return duration > 0 ? amplitude / std::sqrt(duration) : 0; };
  w.amplitude = rows.empty() ? 0 : rows.back().amplitude;
  w.amplitude_rms_m = mean(w.amplitude);
  w.peak_m = 0;
  std::vector<char> counts;
  for (const HistoryRow& row : rows) {
    counts.push_back(!is_over_cut(job_, row));
    if (counts.back()) w.peak_m = std::max(w.peak_m, row.peak);
  }
  ring(rows, n.still_row, -1, job_.body->frequency_hz, w, n.ring_note);

  const std::vector<char> touches = touching_parts(*job_.body);
  for (size_t i = 0; i < modes_->parts.size(); ++i) {
    const PartNumbers& part = job_.body->parts[i];
    MeasuredResponse m;
    double integral = 0, peak = 0, before = 0;
    const auto at = static_cast<size_t>(modes_->parts[i].first);
    for (size_t k = 0; k < rows.size(); ++k) {
      const HistoryRow& row = rows[k];
      if (counts[k]) integral += (row.time - before) * row.extra[at] * row.extra[at];
      before = row.time;
      if (counts[k]) peak = std::max(peak, row.extra[at + 1]);
    }
    m.amplitude = std::sqrt(integral);
    m.amplitude_rms_m = mean(m.amplitude);
    m.peak_m = peak;
    // What is seen of a region is the swing of all that hangs together: it is asked for its own, with all else held.
    std::string note;
    if (!touches[i]) ring(rows, n.still_row, static_cast<int>(i), part.adjusted.frequency_hz, m, note);
    if (sag.converged) {
      double sum = 0;
      for (int v : part.vertices) sum += model.mass()->per_vertex()[v] * sag.u.segment<3>(3 * v).squaredNorm();
      m.sag_m = part.mass > 0 ? std::sqrt(sum / part.mass) : 0;
    }
    n.parts.push_back(m);
  }
  return n;
}

}  // namespace supple::pipeline
