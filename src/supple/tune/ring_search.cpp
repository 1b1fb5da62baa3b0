#include "supple/tune/ring_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace supple {

namespace {

struct Sample {
  double chi, ck;
  double omega_d, decay;  // damped angular frequency, decay rate [1/s]
  Ring ring;
  double omega_0() const { return std::hypot(omega_d, decay); }
};

double decay_of(double half_life) { return std::isfinite(half_life) ? std::numbers::ln2 / half_life : 0; }

// d log(omega_0) / d log(chi) between two samples; 1 in a linear model.
double slope(const std::vector<Sample>& s) {
  if (s.size() < 2) return 1;
  const Sample &a = s[s.size() - 2], &b = s.back();
  const double dx = std::log(b.chi / a.chi);
  if (std::abs(dx) < 3e-3) return 1;
  return std::clamp(std::log(b.omega_0() / a.omega_0()) / dx, 0.3, 3.0);
}

// c_k for a wanted decay at a new chi, from decay / chi^2 = a + b c_k through the last two samples far enough apart.
double damping_for(const std::vector<Sample>& s, double chi, double decay) {
  const auto scaled = [](const Sample& p) { return p.decay / (p.chi * p.chi); };
  const Sample& last = s.back();
  double b = last.ck > 0 ? scaled(last) / last.ck : 0;
  for (size_t i = s.size() - 1; i-- > 0;) {
    const double dc = last.ck - s[i].ck;
    if (std::abs(dc) < 0.02 * std::max(last.ck, s[i].ck)) continue;
    const double measured = (scaled(last) - scaled(s[i])) / dc;
    // Scaled damping cannot weaken the decay, and a change of chi in between must not be taken for an effect of c_k.
    if (measured > 0 && (last.ck == 0 || measured <= 1.05 * scaled(last) / last.ck)) b = measured;
    break;
  }
  if (b <= 0) return last.ck;
  return std::max(0.0, last.ck + (decay / (chi * chi) - scaled(last)) / b);
}

}  // namespace

RingSearchResult search_ring(const RingTarget& target, double chi, double ck, const RingFunction& ring) {
  RingSearchResult best;
  best.chi = chi;
  best.ck = ck;
  const double omega_d = 2 * std::numbers::pi * target.frequency_hz, decay = decay_of(target.half_life_s);
  const bool damped = decay > 0;
  const double least_ck = 1e-3 * ck;
  const auto off_frequency = [&](const Sample& s) { return std::abs(s.omega_d / omega_d - 1); };
  const auto off_half_life = [&](const Sample& s) { return damped ? std::abs(decay / s.decay - 1) : 0; };
  const auto short_of_damping = [&](const Sample& s) {
    return damped && s.ck == 0 && s.decay > decay * (1 + target.tolerance);
  };
  std::vector<Sample> samples;
  std::string trouble;
  while (best.rings < target.max_rings) {
    const Ring r = ring(chi, ck);
    ++best.rings;
    if (!r.found || !(r.frequency_hz > 0)) {
      // Too much damping leaves no oscillation: go back half-way, or halve it.
      trouble = r.trouble.empty() ? "no oscillation found" : r.trouble;
      if (samples.empty()) {
        ck *= 0.5;
      } else {
        chi = std::sqrt(chi * samples.back().chi);
        ck = 0.5 * (ck + samples.back().ck);
      }
      continue;
    }
    samples.push_back({chi, ck, 2 * std::numbers::pi * r.frequency_hz, decay_of(r.half_life_s), r});
    const Sample& s = samples.back();
    const bool exhausted = short_of_damping(s);
    if (off_frequency(s) <= target.tolerance && (off_half_life(s) <= target.tolerance || exhausted)) break;

    const double decay_there = exhausted ? s.decay : decay;
    const double wanted = std::hypot(omega_d, damped ? decay_there : s.decay);
    chi *= std::clamp(std::exp(std::log(wanted / s.omega_0()) / slope(samples)), 0.25, 4.0);
    if (damped) ck = std::min(damping_for(samples, chi, decay), ck > 0 ? 8 * ck : 1.0);
    // Without any of our damping left to take away, or nearly so, see what remains.
    if (damped && ck < least_ck) ck = 0;
  }
  // A half-life out of reach must not keep the frequency from being met.
  for (const Sample& s : samples) best.damping_exhausted = best.damping_exhausted || short_of_damping(s);
  double least = INFINITY;
  for (const Sample& s : samples) {
    const double miss = best.damping_exhausted ? off_frequency(s) : std::max(off_frequency(s), off_half_life(s));
    if ((best.damping_exhausted && !short_of_damping(s)) || miss >= least) continue;
    least = miss;
    best.chi = s.chi;
    best.ck = s.ck;
    best.ring = s.ring;
    best.frequency_met = off_frequency(s) <= target.tolerance;
    best.half_life_met = off_half_life(s) <= target.tolerance;
  }
  if (best.damping_exhausted)
    best.reason = fmt::format(
        "what damps besides the material leaves a half-life of {:.4g} s at most: more substeps, or "
        "an integrator that damps less, leave more",
        best.ring.half_life_s);
  else if (!best.frequency_met || !best.half_life_met)
    best.reason = samples.empty() ? trouble
                                  : fmt::format("not met within {} ring-downs{}", best.rings,
                                                trouble.empty() ? "" : " (" + trouble + ")");
  return best;
}

}  // namespace supple
