// What a scene asks of each part of its body: the dials of [controls] and of regions, maps and keys, read and checked.
#pragma once
#include <optional>
#include <vector>

#include "supple/pipeline/setup/body.h"
#include "supple/pipeline/setup/dial_parts.h"
#include "supple/tune/dials.h"

namespace supple::pipeline {

struct PartDials {
  DialRatios ratios;                  // half_life: of the baseline's, unless half_life_s is there
  double chi = 1;                     // root of the stiffness scale that gives the frequency asked for
  bool own_frequency = false;         // that of its region, not of the whole body
  std::optional<double> half_life_s;  // itself
  // Before the dials: d_k given directly, or a half-life.
  std::optional<double> given_damping, base_half_life_s;
};

struct DialRequests {
  std::vector<PartDials> parts;
  DialMaps maps;
  std::vector<Scalings> tuned;  // of each part, on top of the formulas
  bool sustained = false;
  std::optional<Scalings> raw;      // of [expert], in place of all dials
  std::vector<double> raw_epsilon;  // per vertex, or empty

  bool mapped() const;
  DialRatios map_on_tet(int t) const;
  DialRatios map_on_vertex(int v) const;
};

// Throws InputError for what cannot be; what has no effect becomes a warning.
DialRequests read_dial_requests(const SceneConfig& config, const Body& body, const Parts& parts,
                                const RegionGroups& regions, const DialMaps& maps, Notes& notes);

// What the scene says of a part in numbers themselves: its region's say stands in place of that of [controls].
struct AskedValues {
  std::optional<double> frequency_hz, half_life_s, sag_m;
};
AskedValues asked_values(const SceneConfig& config, const std::string& part);

// The keys of [controls], frames made seconds.
DialFactors read_dial_factors(const SceneConfig& config, double fps, Notes& notes);

}  // namespace supple::pipeline
