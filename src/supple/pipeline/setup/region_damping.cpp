#include "supple/pipeline/setup/region_damping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/sim/damped_modes.h"
#include "supple/sim/mean.h"

namespace supple::pipeline {

namespace {

constexpr int kSweeps = 3;  // neighbours share the damping of the tets between them

VecX at_vertices(const VecX& u, const std::vector<int>& vertices) {
  if (u.size() == 0) return {};
  VecX some(3 * static_cast<Eigen::Index>(vertices.size()));
  for (size_t i = 0; i < vertices.size(); ++i)
    some.segment<3>(3 * static_cast<Eigen::Index>(i)) = u.segment<3>(3 * vertices[i]);
  return some;
}

// The damping of every tet: what it has without dials, times a factor of its part and what the map makes of it.
std::vector<double> damping_of_tets(const AdjustedBody& plain, const Parts& parts, const DialRequests& asked,
                                    const std::vector<double>& factor, const std::vector<double>& own) {
  std::vector<double> d = plain.fields.damping;
  for (size_t t = 0; t < d.size(); ++t) {
    const auto p = static_cast<size_t>(std::max(parts.of_tet[t], 0));
    d[t] = own[p] > 0 ? own[p] : d[t] * factor[p];
    if (asked.mapped()) d[t] *= scalings_for(asked.map_on_tet(static_cast<int>(t)), asked.sustained).ck;
  }
  return d;
}

ModelSpec damped(ModelSpec spec, const std::vector<double>& damping) {
  for (size_t t = 0; t < damping.size(); ++t) spec.per_tet[t].stiffness_damping = damping[t];
  return spec;
}

}  // namespace

HeldSwing held_swing(const Model& model, const std::vector<int>& vertices, const std::string& linear_solver,
                     const VecX& u) {
  HeldSwing out;
  const Model alone = held_around(model, vertices, &out.kept);
  Modes modes = natural_modes(alone, 1, linear_solver, at_vertices(u, out.kept));
  if (!modes.ok && u.size() > 0) modes = natural_modes(alone, 1, linear_solver);
  if (!modes.ok || !(modes.frequencies_hz[0] > 0)) return out;
  out.frequency_hz = modes.frequencies_hz[0];
  out.shape = modes.shapes.col(0);
  return out;
}

double felt_damping(const ModelSpec& spec, const std::vector<int>& vertices, const HeldSwing& swing, const VecX& u) {
  if (swing.frequency_hz <= 0) return 0;
  ModelSpec alone = held_around(Model(spec), vertices).spec();
  alone.mass_damping = 0;
  const double omega = 2 * std::numbers::pi * swing.frequency_hz;
  return damping_matrix(alone, swing.shape, at_vertices(u, swing.kept))(0, 0) / (omega * omega);
}

std::vector<RegionDamping> damp_regions(const SceneConfig& config, const StepRule& rule, AdjustedBody& body,
                                        const StepRule& plain_rule, const AdjustedBody& plain, const Parts& parts,
                                        const DialRequests& asked, Notes& notes) {
  const size_t n = parts.list.size();
  const std::string& linear = config.solver.linear;
  const double d_m = body.base.mass_damping;
  for (size_t t = 0; t < body.base.per_tet.size(); ++t)
    body.base.per_tet[t].stiffness_damping = plain.fields.damping[t];
  ModelSpec scaled = body.base;
  scale_stiffness(scaled, body.fields.chi, body.fields.whole.chi);
  const Model model(scaled), plain_model(body.base);

  std::vector<RegionDamping> out(n);
  std::vector<HeldSwing> swings;
  std::vector<double> factor(n, 1), own(n, 0), wanted(n, -1);  // d_k its swing is to feel
  for (size_t i = 0; i < n; ++i) {
    const Part& part = parts.list[i];
    const PartDials& ask = asked.parts[i];
    PartNumbers& p = body.parts[i];
    Mean before;
    for (int t : part.tets) before.add(plain.fields.damping[static_cast<size_t>(t)], 1);
    p.baseline_damping = before.value(0);
    const HeldSwing now = held_swing(plain_model, part.vertices, linear, body.hanging);
    p.baseline.half_life_s =
        plain_rule.half_life(p.baseline.frequency_hz, felt_damping(body.base, part.vertices, now, body.hanging), d_m);
    swings.push_back(held_swing(model, part.vertices, linear, body.hanging));
    if (!ask.half_life_s && ask.chi == 1 && ask.ratios.half_life == 1) continue;
    const double asked_s = ask.half_life_s.value_or(ask.ratios.half_life * p.baseline.half_life_s);
    if (!std::isfinite(asked_s)) {
      if (ask.ratios.half_life != 1)
        notes.warn(
            fmt::format("{}: half_life has nothing to act on: there is no damping; give material.half_life_s or "
                        "controls.half_life_s",
                        p.name));
      continue;
    }
    out[i] = {damping_for(rule, asked_s, swings[i].frequency_hz, d_m), asked_s};
    wanted[i] = out[i].choice.d_k;
    p.asked.half_life = asked_s / p.baseline.half_life_s;
    if (p.baseline_damping == 0) own[i] = wanted[i];
    // What maps shape over the part is left to them.
    if (asked.mapped() && !ask.half_life_s) factor[i] = 1 / (ask.chi * ask.chi * ask.ratios.half_life), wanted[i] = -1;
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double farthest = 0;
    for (size_t i = 0; i < n; ++i) {
      if (!(wanted[i] >= 0) || swings[i].frequency_hz <= 0) continue;
      std::vector<double> without = factor, without_own = own;
      (own[i] > 0 ? without_own : without)[i] = own[i] > 0 ? 1e-300 : 0;
      const auto felt = [&](const std::vector<double>& f, const std::vector<double>& o) {
        return felt_damping(damped(scaled, damping_of_tets(plain, parts, asked, f, o)), parts.list[i].vertices,
                            swings[i], body.hanging);
      };
      const double all = felt(factor, own), others = felt(without, without_own);
      if (!(all > others)) continue;
      const double by = std::max(0.0, (wanted[i] - others) / (all - others));
      (own[i] > 0 ? own : factor)[i] *= by;
      farthest = std::max(farthest, std::abs(by - 1));
    }
    if (farthest < 1e-3) break;
  }
  body.fields.damping = damping_of_tets(plain, parts, asked, factor, own);
  const ModelSpec final = damped(scaled, body.fields.damping);
  for (size_t i = 0; i < n; ++i) {
    PartNumbers& p = body.parts[i];
    Mean after;
    for (int t : parts.list[i].tets) after.add(body.fields.damping[static_cast<size_t>(t)], 1);
    p.adjusted_damping = after.value(0);
    body.fields.part_damping.push_back(p.adjusted_damping);
    body.fields.part_felt.push_back(felt_damping(final, parts.list[i].vertices, swings[i], body.hanging));
  }
  return out;
}

}  // namespace supple::pipeline
