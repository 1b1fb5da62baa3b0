// What a report says of an enriched animation: how well the tets follow it, and how far the result departs from it.
#pragma once
#include <vector>

#include "supple/pipeline/enriched/enriched.h"
#include "supple/pipeline/setup/subject.h"
#include "supple/report/json.h"
#include "supple/report/svg_plot.h"

namespace supple::pipeline {

Json enrich_json(const EnrichSetup& setup, const SubjectReportInput& run);
std::vector<Plot> enrich_plots(const EnrichSetup& setup, const SubjectReportInput& run);

// Root mean square over the vertices of the distance between two caches at a frame, in their units.
double cache_distance(const PointCache& a, const PointCache& b, int frame);

}  // namespace supple::pipeline
