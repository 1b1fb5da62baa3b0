// The figures of "enriching triangle mesh animations", made anew: the plant (3), the softness of the elephant (6) and
// the head (8). With them the fold between two rolls of belly, which is figure 7 of "adjustable constrained soft-tissue
// dynamics": there the two ways to show less of the physics meet.
#pragma once
#include "supple/demos/figures/figures.h"

namespace supple::demos {

std::vector<int> enrich_figure_numbers();

// Writes the figures with figures.md and index.html about them. InputError: a figure that is not among them.
std::vector<Figure> write_enrich_figures(const FigureOptions& options, const Watch& watch = {});

}  // namespace supple::demos
