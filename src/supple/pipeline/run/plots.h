// The plots of a report.
#pragma once
#include <vector>

#include "supple/pipeline/run/measurements.h"
#include "supple/report/svg_plot.h"

namespace supple::pipeline {

// Amplitude over time, displacement of the points followed, first mode with its spectrum, energy.
std::vector<Plot> run_plots(const Job& job, const RunMeasure& measure, const RunNumbers& numbers,
                            const std::vector<HistoryRow>& rows);

}  // namespace supple::pipeline
