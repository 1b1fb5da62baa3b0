#include "supple/scene/meet_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/scene/job.h"
#include "supple/sim/rest_shape.h"

namespace supple {

namespace {

constexpr double kFrequencyMet = 0.005, kFrequencyMissed = 0.03;  // of the frequency
constexpr int kMeetings = 12, kDampingRounds = 40;

// The body with every part's stiffness times chi^2, and where its rest shape was made for gravity with a new one for
// that: gravity goes with the stiffness, so that nothing hangs differently.
class ScaledBody {
 public:
  ScaledBody(Job& job, const Parts& parts)
      : job_(job), parts_(parts), bound_(flatten(job.base.mesh.vertices)), gravity_scale_(job.base.gravity_scale) {
    if (job.hanging.size() > 0) bound_ += job.hanging;
  }

  // Changes rest shape, gravity_scale, hanging and sagged of the job.
  Model with(const std::vector<PartAsked>& asked) {
    std::vector<double> chi(job_.base.mesh.tets.size()), squares;
    for (const PartAsked& a : asked) squares.push_back(a.chi * a.chi);
    for (size_t t = 0; t < chi.size(); ++t) chi[t] = asked[static_cast<size_t>(std::max(parts_.of_tet[t], 0))].chi;
    ModelSpec spec = job_.base;
    if (job_.hanging.size() > 0) {
      for (int v = 0; v < spec.mesh.n_vertices(); ++v) spec.mesh.vertices[v] = bound_.segment<3>(3 * v);
      const VecX mu = smooth_on_vertices(spec.mesh, parts_, squares);
      spec.gravity_scale = times(gravity_scale_, mu);
    }
    scale_stiffness(spec, chi, 1);
    if (job_.hanging.size() > 0) {
      const RestShape rest = solve_rest_shape(spec, 1e-3, job_.config.solver.linear);
      spec.mesh.vertices = job_.base.mesh.vertices = rest.vertices;
      spec.gravity_scale = times(spec.gravity_scale, rest.gravity_scale);
      job_.base.gravity_scale = times(gravity_scale_, rest.gravity_scale);
      job_.sagged = job_.hanging = bound_ - flatten(rest.vertices);
    }
    return Model(std::move(spec));
  }

 private:
  static VecX times(const VecX& a, const VecX& b) {
    return a.size() == 0 ? b : b.size() == 0 ? a : VecX(a.cwiseProduct(b));
  }

  Job& job_;
  const Parts& parts_;
  VecX bound_, gravity_scale_;
};

bool touching(const Parts& parts) {
  return parts.list.size() > 1 &&
         std::any_of(parts.list.begin(), parts.list.end(), [](const Part& p) { return p.group >= 0; });
}

}  // namespace

// Where regions touch, a swing is never of one of them alone: the stiffness of each is changed until the swing that is
// mostly there has the frequency asked for. Twins share what they get.
void meet_frequencies(Job& job, const Parts& parts, Asked& asked) {
  std::vector<double>& reached = job.fields.part_hz;
  for (size_t i = 0; i < parts.list.size(); ++i)
    reached.push_back((asked.raw ? asked.raw->chi : asked.parts[i].chi) * parts.list[i].frequency_hz);
  const bool same = std::all_of(asked.parts.begin(), asked.parts.end(),
                                [&](const PartAsked& a) { return a.chi == asked.parts[0].chi; });
  if (asked.raw || !touching(parts) || same || asked.mapped()) return;
  ScaledBody body(job, parts);
  std::vector<PartAsked> best = asked.parts;
  double least = std::numeric_limits<double>::infinity();
  const std::vector<double> by_formula = reached;
  for (int round = 1; round <= kMeetings; ++round) {
    const Model model = body.with(asked.parts);
    const std::vector<PartSwing> swings = part_swings(model, parts, job.config.solver.linear, job.hanging);
    double worst = 0;
    std::vector<double> got = by_formula;
    std::vector<PartAsked> next = asked.parts;
    for (size_t i = 0; i < swings.size(); ++i) {
      // No swing is mostly here: the part goes with its neighbours, and its stiffness is all there is to set.
      if (swings[i].frequency_hz <= 0) continue;
      got[i] = swings[i].frequency_hz;
      if (!asked.parts[i].own_frequency) continue;
      const double wanted = asked.parts[i].ratios.frequency * parts.list[i].frequency_hz;
      worst = std::max(worst, std::abs(std::log(got[i] / wanted)));
      // Less and less at a time: which mode is mostly somewhere can change on the way.
      next[i].chi *= std::pow(std::clamp(wanted / got[i], 0.5, 2.0), round < 4 ? 1 : 0.5);
    }
    if (worst < least) least = worst, best = asked.parts, reached = got;
    if (worst < kFrequencyMet) return;
    asked.parts = next;
  }
  asked.parts = best;
  body.with(best);
  if (least > kFrequencyMissed)
    job.warnings.push_back(fmt::format(
        "regions that touch swing together: the frequencies asked for are met to {:.0f} % only", 100 * least));
}

// Likewise half-lives: a swing that reaches into parts damped otherwise takes some of theirs. What was chosen as if
// each were alone is changed until every swing loses what it should.
void meet_half_lives(Job& job, const Parts& parts, const Asked& asked) {
  const bool held = !job.base.springs.empty();  // springs take energy too, and are not damped
  if (asked.raw || asked.mapped() || !(touching(parts) || held)) return;
  const bool same = std::all_of(job.parts.begin(), job.parts.end(), [&](const PartNumbers& p) {
    return p.adjusted_damping == job.parts[0].adjusted_damping;
  });
  if (same && !held) return;
  ModelSpec spec = job.base;
  scale_stiffness(spec, job.fields.chi, job.fields.whole.chi);
  const Model model(std::move(spec));
  const std::vector<PartSwing> swings = part_swings(model, parts, job.config.solver.linear, job.hanging);
  std::vector<VecX> shapes;
  std::vector<double> wanted;
  for (size_t i = 0; i < swings.size(); ++i) {
    shapes.push_back(swings[i].shape);
    wanted.push_back(job.parts[i].adjusted_damping);
  }
  std::vector<std::vector<double>> shares = elastic_shares(model, parts, shapes, job.hanging);
  for (size_t i = 0; i < swings.size(); ++i)
    for (double& s : shares[i]) s /= std::pow(2 * std::numbers::pi * swings[i].frequency_hz, 2);
  for (int round = 0; round < kDampingRounds; ++round) {
    std::vector<double> next;
    for (size_t i = 0; i < swings.size(); ++i) {
      double has = 0;
      for (size_t p = 0; p < shares[i].size(); ++p) has += shares[i][p] * job.parts[p].adjusted_damping;
      const double now = job.parts[i].adjusted_damping;
      next.push_back(has > 0 ? now * std::clamp(wanted[i] / has, 0.5, 2.0) : now);
    }
    for (size_t i = 0; i < next.size(); ++i) job.parts[i].adjusted_damping = next[i];
  }
}

}  // namespace supple
