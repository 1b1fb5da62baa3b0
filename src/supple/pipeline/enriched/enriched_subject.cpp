#include "supple/pipeline/enriched/enriched_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "supple/anim/track_views.h"
#include "supple/base/hash.h"
#include "supple/enrich/softness.h"
#include "supple/inertia/adjustment.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/pipeline/enriched/blend.h"
#include "supple/pipeline/enriched/fit_files.h"
#include "supple/pipeline/enriched/regions.h"
#include "supple/pipeline/enriched/report.h"
#include "supple/pipeline/setup/dial_requests.h"
#include "supple/pipeline/setup/maps.h"
#include "supple/sim/parts.h"
#include "supple/sim/rest_shape.h"

namespace supple::pipeline {

namespace {

constexpr int kRounds = 4;                            // of meeting the frequency with a rest shape that hangs on it
constexpr double kCloseEnough = 0.02, kMissed = 0.2;  // of the frequency
constexpr double kLargestChange = 3;                  // of stiffness in a round
constexpr double kCrumb = 0.05;  // of the mass of a larger part: too small to have a stiffness of its own
constexpr double kLeastSoftness = 1e-3;
constexpr double kEdgesAStep = 1;
constexpr int kMostSubsteps = 12;

void note_inputs(const SceneConfig& c, Notes& notes) {
  for (const FilePath* file : {&c.surface.file, &c.surface.cache, &c.tets.file, &c.enrich.points, &c.enrich.apart.file,
                               &c.enrich.tracked.file, &c.enrich.fixed.file, &c.enrich.soft})
    if (!file->empty() && std::filesystem::is_regular_file(file->path)) notes.input(*file);
  for (const RegionConfig& r : c.regions)
    if (!r.vertices.file.empty()) notes.input(r.vertices.file);
}

// A series of files is known by what it holds.
void note_series(const SceneConfig& config, const EnrichSetup& s, Notes& notes) {
  const FilePath& cache = config.surface.cache;
  if (cache.empty() || std::filesystem::is_regular_file(cache.path)) return;
  const std::vector<float>& xyz = s.input.frames.xyz;
  notes.inputs.emplace_back(cache.text, hash_text(hash_bytes(xyz.data(), xyz.size() * sizeof(float))));
}

// The lowest frequency of a part alone.
double frequency_alone(const Model& model, const Part& part, const VecX& hanging, const std::string& linear_solver) {
  std::vector<int> kept;
  const Model alone = held_around(model, part.vertices, &kept);
  VecX u(3 * alone.n_vertices());
  for (int v = 0; v < alone.n_vertices(); ++v) u.segment<3>(3 * v) = hanging.segment<3>(3 * kept[v]);
  const double f = lowest_frequency(alone, linear_solver, nullptr, u);
  return f > 0 ? f : lowest_frequency(alone, linear_solver);
}

// Of each part: what its region says, or all.
std::vector<double> wanted_frequencies(const SceneConfig& config, const Parts& parts, const RegionGroups& regions) {
  std::vector<double> wanted;
  for (const Part& p : parts.list) {
    const int r = p.group >= 0 ? regions.region[p.group] : -1;
    const std::optional<double> own = r >= 0 ? config.regions[r].frequency_hz : std::nullopt;
    wanted.push_back(own.value_or(config.controls.frequency_hz.value_or(config.enrich.frequency_hz)));
  }
  return wanted;
}

// Whose stiffness each part has: small ones that of the largest of their region, and flesh between regions that of the
// one it touches most. To make each swing alone as asked would make glue of what holds the others.
std::vector<size_t> leading_parts(const TetMesh& mesh, const Parts& parts) {
  const size_t n = parts.list.size();
  std::vector<size_t> leader(n);
  const auto heaviest = [&](int group) -> size_t {
    size_t best = n;
    for (size_t k = 0; k < n; ++k)
      if (parts.list[k].group == group && !parts.list[k].shared &&
          (best == n || parts.list[k].mass > parts.list[best].mass))
        best = k;
    return best;
  };
  for (size_t k = 0; k < n; ++k) {
    const Part& p = parts.list[k];
    leader[k] = std::min(heaviest(p.group), n - 1);
    if (p.group >= 0 || p.shared) continue;
    std::vector<int> touched(n, 0);
    for (int t : p.tets)
      for (int v : mesh.tets[t])
        if (const int other = parts.of_vertex[v]; other >= 0 && parts.list[other].group >= 0) ++touched[other];
    const auto most = std::max_element(touched.begin(), touched.end());
    if (*most > 0)
      leader[k] = heaviest(parts.list[most - touched.begin()].group);
    else if (p.mass >= kCrumb * parts.list[leader[k]].mass)
      leader[k] = k;
  }
  return leader;
}

// The shape that gravity brings to the one given, in place of it.
std::vector<std::string> take_weight_off(ModelSpec& spec, const Points& given, const std::string& linear_solver) {
  spec.mesh.vertices = given;
  spec.gravity_scale.resize(0);
  const RestShape rest = solve_rest_shape(spec, 1e-3, linear_solver);
  spec.mesh.vertices = rest.vertices;
  spec.gravity_scale = rest.gravity_scale;
  return rest.warnings;
}

// Stiffness of each part such that it swings as wanted, unless it is given; and the shape that gravity brings to the
// neutral one. How stiff flesh is decides how it hangs, and how it hangs how it swings: of a few rounds the best one
// counts. Returns the frequency of each part.
std::vector<double> settle(const SceneConfig& config, Body& body, const Parts& parts, const std::vector<double>& wanted,
                           Notes& notes) {
  const std::string& solver = config.solver.linear;
  const Points neutral = body.spec.mesh.vertices;
  const bool given = config.material.youngs_modulus.has_value();
  const bool authored = config.surface.rest == "authored" && gravity_of(config.world) != Vec3::Zero();
  const std::vector<size_t> leader = leading_parts(body.spec.mesh, parts);
  ModelSpec spec = body.spec;
  std::vector<double> frequency, best_frequency;
  std::vector<std::string> best_warnings;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= kRounds; ++round) {
    // First without weight, where the frequency goes with the root of the stiffness and nothing else.
    const bool hangs = authored && round > 0;
    std::vector<std::string> warnings;
    if (hangs) warnings = take_weight_off(spec, neutral, solver);
    const Model model(spec);
    const VecX hanging = flatten(neutral) - flatten(spec.mesh.vertices);
    std::vector<double> stiffer(parts.list.size(), 1);
    double off = 0;
    frequency.assign(parts.list.size(), 0);
    for (size_t k = 0; k < parts.list.size(); ++k) {
      const double f = frequency[k] = frequency_alone(model, parts.list[k], hanging, solver);
      if (given || f <= 0 || leader[k] != k) continue;
      off = std::max(off, std::abs(std::log(f / wanted[k])));
      const double most = round == 0 ? std::numeric_limits<double>::infinity() : kLargestChange;
      stiffer[k] = std::clamp(std::pow(wanted[k] / f, 2), 1 / most, most);
    }
    if ((hangs || !authored) && off < least) {
      least = off;
      body.spec = spec, best_frequency = frequency, best_warnings = warnings;
    }
    if ((hangs || !authored) && (off < kCloseEnough || given)) break;
    for (size_t t = 0; t < spec.per_tet.size(); ++t)
      if (parts.of_tet[t] >= 0) spec.per_tet[t].youngs_modulus *= stiffer[leader[parts.of_tet[t]]];
  }
  notes.warn(best_warnings);
  if (authored) body.hanging = flatten(neutral) - flatten(body.spec.mesh.vertices);
  body.swings_hz = 0;
  for (size_t k = 0; k < leader.size(); ++k)
    if (leader[k] == k) body.swings_hz = std::max(body.swings_hz, best_frequency[k]);
  if (!given && least > kMissed)
    notes.warn(
        fmt::format("frequencies are met to {:.0f} % only: so soft and hanging in this shape, the "
                    "flesh swings otherwise; surface.rest = \"weightless\" would meet them",
                    100 * least));
  return best_frequency;
}

// Of the softness, over the shot.
FactorKeys soft_keys_of(const SceneConfig& config, double fps) {
  const DialKeys& source = config.enrich.soft_keys;
  FactorKeys keys;
  keys.keys = source.file.empty() ? source.keys : read_dial_keys(source.file.path, true);
  for (auto& k : keys.keys) k[0] /= fps;
  return keys;
}

double keyed_factor(double softness, double key) {
  return drive_factor(std::clamp(softness * key, kLeastSoftness, 1.0));
}

// What the body is analysed with is how strongly it is pulled first; above 0, as later pulls are multiples of it.
double first_factor(double softness, const FactorKeys& keys) {
  return std::max(keyed_factor(softness, keys.empty() ? 1 : keys.at(keys.keys.front()[0])), 1e-6);
}

// w = drive tan(pi/2 (1 - softness)) m (2 pi f)^2: in these units of mass and frequency half-soft flesh gives about
// half as far as soft one, whatever its size and stiffness.
void set_drive_springs(const SceneConfig& config, const EnrichSetup& s, const Parts& parts,
                       const std::vector<double>& frequency, Body& body) {
  ModelSpec& spec = body.spec;
  const std::vector<double>& softness = s.softness;
  const bool keyed = !config.enrich.soft_keys.empty();
  const FactorKeys keys = soft_keys_of(config, s.input.fps);
  std::vector<int> tet_of(spec.mesh.vertices.size(), -1);
  for (int t = 0; t < spec.mesh.n_tets(); ++t)
    for (int v : spec.mesh.tets[t]) tet_of[v] = t;
  const Model model(spec);
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) {
    if (softness[v] == 0 || tet_of[v] < 0 || (softness[v] == 1 && !keyed)) continue;
    const int part = parts.of_vertex[v];
    const double omega = 2 * std::numbers::pi * (part >= 0 ? frequency[part] : config.enrich.frequency_hz);
    PointTie tie{spec.mesh.tets[tet_of[v]], Eigen::Vector4d::Zero()};
    for (int c = 0; c < 4; ++c)
      if (tie.vertices[c] == v) tie.weights[c] = 1;
    spec.springs.push_back(tie);
    body.spring_vertices.push_back(v);
    const double factor = keyed ? first_factor(softness[v], keys) : drive_factor(softness[v]);
    spec.spring_strengths.push_back(config.enrich.drive * factor * model.mass()->per_vertex()[v] * omega * omega);
    body.attached.push_back(s.cage.vertices[v]);
  }
}

// How strongly springs pull over the shot (Drive::spring_factors); null: always alike.
std::function<std::vector<double>(double)> spring_factors(const SceneConfig& config, const EnrichSetup& s,
                                                          const Body& body, Notes& notes) {
  if (config.enrich.soft_keys.empty() || body.spring_vertices.empty()) return nullptr;
  if (!config.enrich.soft_keys.file.empty()) notes.input(config.enrich.soft_keys.file);
  const FactorKeys keys = soft_keys_of(config, s.input.fps);
  std::vector<double> softness, first;
  for (int v : body.spring_vertices) {
    softness.push_back(s.softness[v]);
    first.push_back(first_factor(softness.back(), keys));
  }
  return [softness, first, keys](double t) {
    std::vector<double> factors;
    const double now = keys.at(t);
    for (size_t i = 0; i < softness.size(); ++i) factors.push_back(keyed_factor(softness[i], now) / first[i]);
    return factors;
  };
}

// On the surface itself, with what it has finer than the tets.
class EnrichedDrawing : public EmbeddedDrawing {
 public:
  EnrichedDrawing(const EnrichSetup& setup, const SceneConfig& config, const Model& model, const DrawnSurface& surface,
                  int first_frame)
      : EmbeddedDrawing(model, surface), setup_(setup), config_(config), first_frame_(first_frame) {}
  bool animated() const override { return true; }
  Points base(int frame, const VecX&) const override { return at(frame, setup_.fitted(first_frame_ + frame)); }
  DrawnFrame draw(int frame, const VecX& x, const VecX& p) const override {
    return {.base = base(frame, p), .shown = at(frame, x), .departure = {}};
  }
  VecX departure(int frame, const VecX& x, const VecX& p) const override {
    return flatten(at(frame, x)) - flatten(base(frame, p));
  }
  PointCache shown_tets(const PointCache& simulated) const override {
    return blended_tets(config_, setup_, first_frame_, simulated);
  }

 private:
  Points at(int frame, const VecX& x) const { return setup_.drawn(x, first_frame_ + frame, config_.enrich.detail); }

  const EnrichSetup& setup_;
  const SceneConfig& config_;
  int first_frame_;
};

}  // namespace

Body EnrichedSubject::held_body(const SceneConfig& config, Notes& notes) const {
  const EnrichSetup& s = *setup_;
  note_inputs(config, notes);
  note_series(config, s, notes);
  notes.warn(s.warnings);
  Body body;
  ModelSpec& spec = body.spec;
  spec.mesh = s.cage;
  put_enrich_regions(config, s, spec.mesh);
  set_model_options(config, spec);
  spec.trimmed = spec.damped_springs = true;
  spec.driven = s.fixed();
  for (int v : spec.driven) body.attached.push_back(s.cage.vertices[v]);
  set_materials(config, body, notes);
  apply_fill(spec);
  body.frequencies_met = body.may_only_follow = true;
  return body;
}

Body EnrichedSubject::body(const SceneConfig& config, Notes& notes) const {
  Body body = held_body(config, notes);
  if (static_cast<int>(body.spec.driven.size()) == body.spec.mesh.n_vertices()) return body;
  const RegionGroups regions = groups_of_regions(config, body.spec.mesh);
  const Parts parts = split_into_parts(Model(body.spec), regions.groups);
  const std::vector<double> frequency = settle(config, body, parts, wanted_frequencies(config, parts, regions), notes);
  set_drive_springs(config, *setup_, parts, frequency, body);
  return body;
}

ShotMotion EnrichedSubject::motion(const ShotInput& in, Notes& notes) const {
  ShotMotion out;
  const EnrichSetup& s = *setup_;
  const Model& model = *in.adjusted.model;
  std::vector<int> vertices = in.body.spec.driven;
  vertices.insert(vertices.end(), in.body.spring_vertices.begin(), in.body.spring_vertices.end());
  const TimelineConfig& time = in.config.timeline;
  out.frames = time.frames.value_or(static_cast<int>(s.fit.frames.size()));
  const int first = time.range ? (*time.range)[0] : 0;
  // Where the fit has the flesh is the best place to look for its equilibrium, as seen from what is driven.
  const VecX rest = flatten(model.mesh().vertices), there = s.fitted(first);
  const VecX attached = flatten(in.body.attached);
  const RigidMotion m = fit_rigid_motion(attached, some_of(there, vertices));
  out.first_guess.resize(rest.size());
  for (Eigen::Index i = 0; i < rest.size(); i += 3)
    out.first_guess.segment<3>(i) = m.R.transpose() * (there.segment<3>(i) - m.to) + m.from - rest.segment<3>(i);
  StartPlanner planner(in.config, fps(), model.spec(), in.around, notes);
  out.followed = planner.begun(s.fit.frames, s.input.cuts, first, time.range ? (*time.range)[1] : out.frames - 1);
  out.start = planner.plan();
  out.drive = rest_drive(model);
  split_drive(in.body, some_points(out.followed, std::move(vertices)), out.drive);
  out.drive.spring_factors = spring_factors(in.config, s, in.body, notes);
  out.drive.animation = out.followed;
  return out;
}

int EnrichedSubject::least_substeps(const SceneConfig& config) const {
  const EnrichSetup& s = *setup_;
  const auto& range = config.timeline.range;
  const int first = range ? (*range)[0] : 0;
  const int last = range ? (*range)[1] : static_cast<int>(s.fit.frames.size()) - 1;
  if (s.fit.frames.empty()) return 1;
  double volume = 0;
  for (double v : tet_volumes(s.cage)) volume += v;
  const double edge = std::cbrt(6 * std::numbers::sqrt2 * volume / s.cage.n_tets());
  const std::vector<int> fixed = s.fixed();
  double most = 0;
  for (int f = first + 1; f <= std::min(last, static_cast<int>(s.fit.frames.size()) - 1); ++f) {
    const VecX &before = s.fitted(f - 1), &now = s.fitted(f);
    const RigidMotion m = fit_rigid_motion(before, now);
    for (int v : fixed) most = std::max(most, (m(Vec3(before.segment<3>(3 * v))) - now.segment<3>(3 * v)).norm());
  }
  return std::clamp(static_cast<int>(std::ceil(most / (kEdgesAStep * edge) - 1e-9)), 1, kMostSubsteps);
}

DrawnSurface EnrichedSubject::surface(const SceneConfig&, const TetMesh&, Notes&) const {
  return {.mesh = setup_->input.surface, .embedding = {.tet = setup_->tet, .weights = setup_->weights}};
}

std::unique_ptr<Drawing> EnrichedSubject::drawing(const SceneConfig& config, const ModelSpec&, const Model& model,
                                                  const DrawnSurface& surface, int first_frame) const {
  return std::make_unique<EnrichedDrawing>(*setup_, config, model, surface, first_frame);
}

SubjectReport EnrichedSubject::report(const SubjectReportInput& in) const {
  SubjectReport out{.key = "enrich", .json = enrich_json(*setup_, in), .departure = {}, .tables = {}, .plots = {}};
  out.departure = out.json["departure"];
  out.plots = enrich_plots(*setup_, in);
  return out;
}

std::vector<std::string> EnrichedSubject::write_files(const std::string& directory) const {
  return write_fit(directory, *setup_);
}

}  // namespace supple::pipeline
