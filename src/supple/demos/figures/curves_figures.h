// The figures of "rig-space physics" [Hahn et al. 2012], made anew: the sphere (2), the bar and its materials (3), the
// elephant's belly and walk (4, 5, 7 and 9), the flower (6) and the work-out (8). Number 10 is not of the paper: it
// shows materials that are fitted anew away from rest, which the paper leaves to future work.
#pragma once
#include "supple/demos/figures/figures.h"

namespace supple::demos {

std::vector<int> curves_figure_numbers();

// Writes the figures with figures.md and index.html about them. InputError: a figure that is not among them.
std::vector<Figure> write_curves_figures(const FigureOptions& options, const Watch& watch = {});

}  // namespace supple::demos
