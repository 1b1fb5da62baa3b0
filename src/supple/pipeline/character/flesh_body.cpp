#include "supple/pipeline/character/flesh_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/pipeline/character/character.h"
#include "supple/sim/damped_modes.h"
#include "supple/sim/rest_shape.h"

namespace supple::pipeline {

namespace {

constexpr double kThinnest = 0.25;          // of the usual thickness: what is thinner is no softer still
constexpr double kStrongestSpring = 20;     // beside the stiffness of the flesh around
constexpr int kFleshRounds = 5;             // of stiffness and rest shape, which depend on each other
constexpr double kFleshCloseEnough = 0.01;  // of the frequency
constexpr double kLeastInTets = 0.2;        // of the stiffness of a swing
constexpr double kFleshCrumb = 0.25;        // of the mass of another piece
constexpr double kFleshLargestChange = 4;   // of the stiffness, in one round

// Connected flesh that no bone holds would fall out of the character: it follows.
std::vector<double> held_softness(const TetMesh& mesh, const Flesh& flesh, Notes& notes) {
  std::vector<double> softness = flesh.softness;
  std::vector<int> component;
  const int n = connected_components(mesh, component);
  std::vector<char> held(static_cast<size_t>(n), 0);
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (component[v] >= 0 && softness[v] == 0) held[component[v]] = 1;
  for (const PointTie& p : flesh.held_points)
    if (component[p.vertices[0]] >= 0) held[component[p.vertices[0]]] = 1;
  const auto loose = std::count(held.begin(), held.end(), 0);
  if (loose > 0) notes.warn(fmt::format("{} loose pieces of flesh have no core and only follow", loose));
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (component[v] < 0 || !held[component[v]]) softness[v] = 0;
  return softness;
}

// Driven vertices, and springs that fade towards the free flesh.
void attach_flesh(const std::vector<double>& softness, Body& body) {
  ModelSpec& spec = body.spec;
  std::vector<int> tet_of(spec.mesh.vertices.size(), -1);
  for (int t = 0; t < spec.mesh.n_tets(); ++t)
    for (int v : spec.mesh.tets[t]) tet_of[v] = t;
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    if (softness[v] == 0) spec.driven.push_back(v), body.attached.push_back(spec.mesh.vertices[v]);
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) {
    if (softness[v] <= 0 || softness[v] >= 1 || tet_of[v] < 0) continue;
    PointTie tie{spec.mesh.tets[tet_of[v]], Eigen::Vector4d::Zero()};
    for (int c = 0; c < 4; ++c)
      if (tie.vertices[c] == v) tie.weights[c] = 1;
    spec.springs.push_back(tie);
    body.attached.push_back(spec.mesh.vertices[v]);
    body.spring_vertices.push_back(v);
  }
}

// Points that the scene ties, or holds by springs.
void attach_points(const std::vector<PointTie>& points, const std::optional<double>& stiffness, Body& body) {
  ModelSpec& spec = body.spec;
  if (stiffness) spec.spring_stiffness = *stiffness;
  for (const PointTie& p : points) {
    (stiffness ? spec.springs : spec.ties).push_back(p);
    Vec3 x = Vec3::Zero();
    for (int c = 0; c < 4; ++c) x += p.weights[c] * spec.mesh.vertices[p.vertices[c]];
    body.attached.push_back(x);
  }
}

double mean_half_thickness(const ModelSpec& spec, const Flesh& flesh) {
  std::vector<char> driven(spec.mesh.vertices.size(), 0);
  for (int v : spec.driven) driven[v] = 1;
  double sum = 0, count = 0;
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    if (!driven[v]) sum += flesh.half_thickness[v], count += 1;
  return count > 0 ? sum / count : 0;
}

// The lowest frequency of a piece about the shape given, which is `hanging` away from rest.
double frequency_of(const Model& model, const Part& piece, const VecX& hanging, const std::string& linear_solver) {
  std::vector<int> kept;
  const Model alone = held_around(model, piece.vertices, &kept);
  VecX u(3 * alone.n_vertices());
  for (int v = 0; v < alone.n_vertices(); ++v) u.segment<3>(3 * v) = hanging.segment<3>(3 * kept[v]);
  const double f = lowest_frequency(alone, linear_solver, nullptr, u);
  return f > 0 ? f : lowest_frequency(alone, linear_solver);
}

// Where a mode has its energy.
double half_thickness_of_mode(const Flesh& flesh, const Model& alone, const std::vector<int>& kept, const VecX& shape) {
  double sum = 0, all = 0;
  for (int v = 0; v < alone.n_vertices(); ++v) {
    const double energy = alone.mass()->per_vertex()[v] * shape.segment<3>(3 * v).squaredNorm();
    sum += energy * flesh.half_thickness[kept[v]], all += energy;
  }
  return all > 0 ? sum / all : 0;
}

// Small pieces that are to swing as a large one does are crumbs of it, cut off by other tets or by what is hard. Alone
// they would have to be far too soft for that: they are made of what the large one is made of. None swings slower for
// it than it is to: what is long and thin is stiffer.
std::vector<size_t> leaders_of(const Parts& pieces, const std::vector<double>& wanted) {
  std::vector<size_t> leader(pieces.list.size());
  for (size_t k = 0; k < leader.size(); ++k) {
    leader[k] = k;
    for (size_t other = 0; other < leader.size(); ++other)
      if (wanted[k] > 0 && wanted[other] == wanted[k] && pieces.list[k].mass < kFleshCrumb * pieces.list[other].mass &&
          pieces.list[other].mass > pieces.list[leader[k]].mass)
        leader[k] = other;
  }
  return leader;
}

}  // namespace

void set_springs(const Flesh& flesh, Body& body) {
  ModelSpec& spec = body.spec;
  const std::vector<double> volume = tet_volumes(spec.mesh);
  std::vector<double> stiffness(spec.mesh.vertices.size(), 0), around(spec.mesh.vertices.size(), 0);
  for (size_t t = 0; t < volume.size(); ++t)
    for (int v : spec.mesh.tets[t]) {
      stiffness[v] += 0.25 * volume[t] * spec.per_tet[t].youngs_modulus;
      around[v] += 0.25 * volume[t];
    }
  spec.spring_strengths.clear();
  for (int v : body.spring_vertices) {
    const double s = flesh.softness[v];
    const double share = std::min((1 - s) * (1 - s) / s, kStrongestSpring);
    // E times a length: what a cube of the vertex's volume resists.
    spec.spring_strengths.push_back(share * stiffness[v] / std::pow(around[v], 2.0 / 3));
  }
  spec.spring_strengths.resize(spec.springs.size(), spec.spring_stiffness);
}

Body flesh_body(const SceneConfig& config, const TetMesh& cage, const Flesh& flesh, Notes& notes) {
  Body body;
  ModelSpec& spec = body.spec;
  spec.mesh = cage;
  if (!flesh.at_rest.empty()) spec.mesh.vertices = flesh.at_rest;
  body.thickness.resize(spec.mesh.n_vertices());
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) body.thickness[v] = 2 * flesh.half_thickness[static_cast<size_t>(v)];
  spec.mesh.tet_region = flesh.region;
  for (const FleshRegion& r : flesh.regions) spec.mesh.region_names.push_back(r.name);
  for (int& r : spec.mesh.tet_region)
    if (r < 0) r = static_cast<int>(flesh.regions.size());
  spec.mesh.region_names.push_back(kCoreRegion);
  set_model_options(config, spec);
  attach_flesh(held_softness(spec.mesh, flesh, notes), body);
  attach_points(flesh.held_points, config.attach.stiffness, body);
  set_materials(config, body, notes);
  apply_fill(spec);
  // Under its own weight and on its way flesh is to give by the same share of its thickness everywhere. Frequencies
  // then go as the root of one over the thickness (carried_motion.h), and with a frequency of sqrt(E) / thickness
  // the stiffness goes as the thickness.
  if (!config.material.youngs_modulus) {
    const double usual = mean_half_thickness(spec, flesh);
    for (size_t t = 0; t < spec.per_tet.size() && usual > 0; ++t) {
      double half = 0;
      for (int v : spec.mesh.tets[t]) half += 0.25 * flesh.half_thickness[v];
      spec.per_tet[t].youngs_modulus *= std::clamp(half / usual, kThinnest, 1 / kThinnest);
    }
  }
  set_springs(flesh, body);
  return body;
}

namespace {

double share_in_tets(const Model& alone, const Modes& modes) {
  ModelSpec spec = alone.spec();
  for (MaterialParameters& m : spec.per_tet) m.stiffness_damping = 1;
  spec.mass_damping = 0;
  const double all = std::pow(2 * std::numbers::pi * modes.frequencies_hz[0], 2);
  return std::clamp(damping_matrix(spec, modes.shapes.leftCols(1))(0, 0) / all, kLeastInTets, 1.0);
}

}  // namespace

std::vector<PieceSwing> piece_swings(const Model& bound, const Flesh& flesh, const Parts& pieces,
                                     const std::string& linear_solver) {
  std::vector<PieceSwing> out(pieces.list.size());
  for (size_t k = 0; k < out.size(); ++k) {
    std::vector<int> kept;
    const Model alone = held_around(bound, pieces.list[k].vertices, &kept);
    const Modes modes = natural_modes(alone, 1, linear_solver);
    if (modes.frequencies_hz.size() == 0 || modes.frequencies_hz[0] <= 0) continue;
    out[k] = {.frequency_hz = modes.frequencies_hz[0],
              .half_thickness = half_thickness_of_mode(flesh, alone, kept, modes.shapes.col(0)),
              .in_tets = share_in_tets(alone, modes)};
  }
  return out;
}

void scale_pieces(const Parts& pieces, const std::vector<double>& factors, const Flesh& flesh, Body& body) {
  for (size_t t = 0; t < body.spec.per_tet.size(); ++t)
    if (pieces.of_tet[t] >= 0) body.spec.per_tet[t].youngs_modulus *= factors[static_cast<size_t>(pieces.of_tet[t])];
  set_springs(flesh, body);
}

namespace {

// About the bound shape all is in proportion: springs are as strong as the flesh around them, and a frequency goes as
// the root of the stiffness.
Calibration calibrate_bound(Body& body, const Flesh& flesh, const Parts& pieces, const std::vector<double>& wanted,
                            const std::string& linear_solver) {
  Calibration out;
  const std::vector<PieceSwing> swings = piece_swings(Model(body.spec), flesh, pieces, linear_solver);
  const std::vector<size_t> leader = leaders_of(pieces, wanted);
  std::vector<double> stiffer(swings.size(), 1);
  for (size_t k = 0; k < swings.size(); ++k) {
    const size_t of = leader[k];
    for (const size_t by : {of, k})
      if (swings[by].frequency_hz > 0 && wanted[by] > 0)
        stiffer[k] = std::max(by == of ? 0 : stiffer[k], std::pow(wanted[by] / swings[by].frequency_hz, 2));
    out.frequency_hz.push_back(swings[k].frequency_hz * std::sqrt(stiffer[k]));
  }
  scale_pieces(pieces, stiffer, flesh, body);
  out.model = std::make_shared<const Model>(body.spec);
  return out;
}

}  // namespace

Calibration calibrate(Body& body, const Flesh& flesh, const Parts& pieces, const std::vector<double>& wanted,
                      bool authored, const std::string& linear_solver) {
  if (!authored) return calibrate_bound(body, flesh, pieces, wanted, linear_solver);
  ModelSpec& spec = body.spec;
  const Points bound = spec.mesh.vertices;
  const VecX gravity_scale = spec.gravity_scale;
  Calibration out;
  for (int round = 1;; ++round) {
    spec.mesh.vertices = bound;
    spec.gravity_scale = gravity_scale;
    const RestShape rest = solve_rest_shape(spec, 1e-3, linear_solver, &pieces);
    spec.mesh.vertices = rest.vertices;
    if (rest.gravity_scale.size() > 0)
      spec.gravity_scale =
          gravity_scale.size() > 0 ? VecX(gravity_scale.cwiseProduct(rest.gravity_scale)) : rest.gravity_scale;
    out.warnings = rest.warnings;
    out.model = std::make_shared<const Model>(spec);
    const VecX hanging = flatten(bound) - flatten(spec.mesh.vertices);
    std::vector<double> stiffer(pieces.list.size(), 1);
    const std::vector<size_t> leader = leaders_of(pieces, wanted);
    bool close = true;
    out.frequency_hz.assign(pieces.list.size(), 0);
    for (size_t k = 0; k < pieces.list.size(); ++k) {
      const double f = out.frequency_hz[k] = frequency_of(*out.model, pieces.list[k], hanging, linear_solver);
      if (f <= 0 || wanted[k] <= 0 || (leader[k] != k && f >= wanted[k])) continue;
      // The first time it is far off by nature.
      const double most = round == 1 ? std::numeric_limits<double>::infinity() : kFleshLargestChange;
      stiffer[k] = std::clamp((wanted[k] / f) * (wanted[k] / f), 1 / most, most);
      close = close && std::abs(f / wanted[k] - 1) <= kFleshCloseEnough;
    }
    if (close || round == kFleshRounds) return out;
    std::vector<double> as_led = stiffer;
    for (size_t k = 0; k < stiffer.size(); ++k)
      if (leader[k] != k) as_led[k] = std::max(stiffer[leader[k]], stiffer[k] > 1 ? stiffer[k] : 0);
    spec.mesh.vertices = bound;
    scale_pieces(pieces, as_led, flesh, body);
  }
}

}  // namespace supple::pipeline
