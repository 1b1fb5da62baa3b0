// Modes of a layer of `supple curves`: of curves that are given, or of a first pass with all that is free.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/pipeline/curves/run.h"

namespace supple::pipeline::curves {

// About rest, or, where the flesh holds what is keyed, of what departs from that. found: as in make_layer. Nothing
// where nothing moves in a first pass, with a warning. InputError: curves of nothing that is free, or that never move.
// progress: as in run_layer.
std::optional<ParameterModes> find_modes(const CurvesSetup& setup, size_t layer, const CurveSamples& found,
                                         const Watch& watch, std::vector<std::string>& warnings,
                                         CurvesProgress* progress);

}  // namespace supple::pipeline::curves
