#include "supple/pipeline/setup/region_coupling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/pipeline/setup/region_damping.h"
#include "supple/sim/damped_modes.h"
#include "supple/sim/rest_shape.h"

namespace supple::pipeline {

namespace {

constexpr double kFrequencyMet = 0.005, kFrequencyMissed = 0.03;  // of the frequency
constexpr int kMeetings = 12, kDampingRounds = 40;
constexpr double kDampingMet = 2e-3, kDampingStep = 0.7;
constexpr double kWellAbove = 2.5;  // faster modes do not mix with a swing

// The body with every part's stiffness times chi^2, and where its rest shape was made for gravity with a new one for
// that: gravity goes with the stiffness, so that nothing hangs differently.
class ScaledBody {
 public:
  ScaledBody(AdjustedBody& body, const Parts& parts, const std::string& linear_solver)
      : body_(body),
        parts_(parts),
        linear_solver_(linear_solver),
        bound_(flatten(body.base.mesh.vertices)),
        gravity_scale_(body.base.gravity_scale) {
    if (body.hanging.size() > 0) bound_ += body.hanging;
  }

  // Changes rest shape, gravity_scale, hanging and sagged of the body.
  Model with(const std::vector<PartDials>& asked) {
    std::vector<double> chi(body_.base.mesh.tets.size()), squares;
    for (const PartDials& a : asked) squares.push_back(a.chi * a.chi);
    for (size_t t = 0; t < chi.size(); ++t) chi[t] = asked[static_cast<size_t>(std::max(parts_.of_tet[t], 0))].chi;
    ModelSpec spec = body_.base;
    if (body_.hanging.size() > 0) {
      for (int v = 0; v < spec.mesh.n_vertices(); ++v) spec.mesh.vertices[v] = bound_.segment<3>(3 * v);
      const VecX mu = smooth_on_vertices(spec.mesh, parts_, squares);
      spec.gravity_scale = times(gravity_scale_, mu);
    }
    scale_stiffness(spec, chi, 1);
    if (body_.hanging.size() > 0) {
      const RestShape rest = solve_rest_shape(spec, 1e-3, linear_solver_);
      spec.mesh.vertices = body_.base.mesh.vertices = rest.vertices;
      spec.gravity_scale = times(spec.gravity_scale, rest.gravity_scale);
      body_.base.gravity_scale = times(gravity_scale_, rest.gravity_scale);
      body_.sagged = body_.hanging = bound_ - flatten(rest.vertices);
    }
    return Model(std::move(spec));
  }

 private:
  static VecX times(const VecX& a, const VecX& b) {
    return a.size() == 0 ? b : b.size() == 0 ? a : VecX(a.cwiseProduct(b));
  }

  AdjustedBody& body_;
  const Parts& parts_;
  std::string linear_solver_;
  VecX bound_, gravity_scale_;
};

bool touching(const Parts& parts) {
  return parts.list.size() > 1 &&
         std::any_of(parts.list.begin(), parts.list.end(), [](const Part& p) { return p.group >= 0; });
}

bool all_one(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double v) { return v == 1; });
}

// The damping of a body whose parts have a stiffness damping of one second, each by itself.
std::vector<MatX> damping_of_parts(const Model& model, const Parts& parts, const MatX& shapes, const VecX& about) {
  std::vector<MatX> matrices;
  ModelSpec spec = model.spec();
  for (const Part& part : parts.list) {
    for (MaterialParameters& p : spec.per_tet) p.stiffness_damping = 0;
    for (int t : part.tets) spec.per_tet[t].stiffness_damping = 1;
    matrices.push_back(damping_matrix(spec, shapes, about));
  }
  return matrices;
}

}  // namespace

// Tets between regions belong to one of them and are felt by both: the stiffness of each is changed until its slowest
// swing, with all else held, has the frequency asked for.
void meet_frequencies(const SceneConfig& config, AdjustedBody& body, const Parts& parts, DialRequests& asked,
                      Notes& notes) {
  std::vector<double>& reached = body.fields.part_hz;
  for (size_t i = 0; i < parts.list.size(); ++i)
    reached.push_back((asked.raw ? asked.raw->chi : asked.parts[i].chi) * parts.list[i].frequency_hz);
  const bool same = std::all_of(asked.parts.begin(), asked.parts.end(),
                                [&](const PartDials& a) { return a.chi == asked.parts[0].chi; });
  if (asked.raw || !touching(parts) || same || asked.mapped()) return;
  ScaledBody scaled(body, parts, config.solver.linear);
  std::vector<PartDials> best = asked.parts;
  double least = std::numeric_limits<double>::infinity();
  const std::vector<double> by_formula = reached;
  for (int round = 1; round <= kMeetings; ++round) {
    const Model model = scaled.with(asked.parts);
    double worst = 0;
    std::vector<double> got = by_formula;
    std::vector<PartDials> next = asked.parts;
    for (size_t i = 0; i < parts.list.size(); ++i) {
      if (parts.list[i].shared || parts.list[i].frequency_hz <= 0) continue;
      const HeldSwing swing = held_swing(model, parts.list[i].vertices, config.solver.linear, body.hanging);
      if (swing.frequency_hz <= 0) continue;
      got[i] = swing.frequency_hz;
      const double wanted = asked.parts[i].ratios.frequency * parts.list[i].frequency_hz;
      worst = std::max(worst, std::abs(std::log(got[i] / wanted)));
      next[i].chi *= std::clamp(wanted / got[i], 0.5, 2.0);
    }
    if (worst < least) least = worst, best = asked.parts, reached = got;
    if (worst < kFrequencyMet) return;
    asked.parts = next;
  }
  asked.parts = best;
  scaled.with(best);
  if (least > kFrequencyMissed)
    notes.warn(fmt::format("regions that touch: the frequencies asked for are met to {:.0f} % only", 100 * least));
}

// Likewise half-lives: a swing that reaches into parts damped otherwise takes some of theirs, and swings of nearly one
// frequency mix. What was chosen as if each were alone is changed until the body, damped as it then is, rings as asked.
void meet_half_lives(const SceneConfig& config, AdjustedBody& body, const Parts& parts, const DialRequests& asked) {
  // Springs take energy too, and most are not damped.
  const bool held = !body.base.springs.empty() && !body.base.damped_springs;
  if (asked.raw || asked.mapped() || !(touching(parts) || held)) return;
  const bool same = std::all_of(body.parts.begin(), body.parts.end(), [&](const PartNumbers& p) {
    return p.adjusted_damping == body.parts[0].adjusted_damping;
  });
  if (same && !held) return;
  // Without dials on the frequency the model is there.
  std::shared_ptr<const Model> scaled = body.model;
  if (!all_one(body.fields.chi)) {
    ModelSpec spec = body.base;
    scale_stiffness(spec, body.fields.chi, body.fields.whole.chi);
    scaled = std::make_shared<const Model>(std::move(spec));
  }
  const Model& model = *scaled;
  Modes modes;
  const std::vector<PartSwing> swings = part_swings(model, parts, config.solver.linear, body.hanging, &modes);
  if (!modes.ok) return;
  double highest = 0;
  for (const PartSwing& s : swings) highest = std::max(highest, s.frequency_hz);
  Eigen::Index n = 0;
  while (n < modes.frequencies_hz.size() && modes.frequencies_hz[n] <= kWellAbove * highest) ++n;
  if (n == 0) return;
  const VecX squares = (2 * std::numbers::pi * modes.frequencies_hz.head(n)).cwiseAbs2();
  const std::vector<MatX> D = damping_of_parts(model, parts, modes.shapes.leftCols(n), body.hanging);
  std::vector<double> d, decay;
  for (size_t i = 0; i < swings.size(); ++i) {
    d.push_back(body.parts[i].adjusted_damping);
    decay.push_back(0.5 * d.back() * std::pow(2 * std::numbers::pi * swings[i].frequency_hz, 2));
  }
  for (int round = 0; round < kDampingRounds; ++round) {
    MatX damping = MatX::Zero(n, n);
    for (size_t p = 0; p < D.size(); ++p) damping += d[p] * D[p];
    const std::vector<Pole> rings = poles(squares, damping);
    double worst = 0;
    for (size_t i = 0; i < swings.size(); ++i) {
      if (swings[i].mode < 0 || swings[i].mode >= n || d[i] == 0) continue;
      const double has = pole_of(rings, swings[i].mode).decay();
      if (!(has > 0)) continue;
      worst = std::max(worst, std::abs(decay[i] / has - 1));
      d[i] *= std::pow(std::clamp(decay[i] / has, 0.5, 2.0), kDampingStep);
    }
    if (worst < kDampingMet) break;
  }
  for (size_t i = 0; i < swings.size(); ++i) body.parts[i].adjusted_damping = d[i];
}

}  // namespace supple::pipeline
