#include "supple/pipeline/enriched/report.h"

#include <algorithm>
#include <cmath>

namespace supple::pipeline {

double cache_distance(const PointCache& a, const PointCache& b, int frame) {
  const float *x = a.sample(frame), *y = b.sample(frame);
  double sum = 0;
  for (size_t i = 0; i < 3 * static_cast<size_t>(a.n_points); ++i) sum += std::pow(double{x[i]} - y[i], 2);
  return a.n_points > 0 ? std::sqrt(sum / a.n_points) : 0;
}

namespace {

// [% of size], frame by frame.
std::vector<double> departures(const EnrichSetup& s, const SubjectReportInput& run) {
  std::vector<double> out;
  const double percent = 100 * s.input.scale / s.size();
  for (int f = 0; f < std::min(run.input.n_samples, run.frames.n_samples); ++f)
    out.push_back(percent * cache_distance(run.frames, run.input, f));
  return out;
}

}  // namespace

Json enrich_json(const EnrichSetup& s, const SubjectReportInput& run) {
  const FitSummary fit = summary_of(s.fit);
  const double percent = 100 / s.size();
  Json j;
  j["animated_points"] = s.input.points.size();
  j["fixed_vertices"] = s.fixed().size();
  const auto& tets = s.cage.tets;
  j["free_tets"] = std::count_if(tets.begin(), tets.end(), [&](const Tet& t) {
    return std::any_of(t.begin(), t.end(), [&](int v) { return s.softness[v] > 0; });
  });
  j["fit"]["rms_percent"] = percent * fit.rms;
  j["fit"]["worst_frame_percent"] = percent * fit.largest_rms;
  j["fit"]["worst_frame"] = fit.worst_frame;
  j["fit"]["largest_percent"] = percent * fit.largest;
  j["fit"]["iterations"] = fit.iterations;
  j["fit"]["flagged"] = fit.flagged;
  j["fit"]["damped"] = fit.damped;
  j["fit"]["bridged"] = fit.bridged;
  j["fit"]["seconds"] = s.fit_seconds;
  j["fit"]["found"] = s.fit_seconds == 0;
  const std::vector<double> d = departures(s, run);
  double sum = 0;
  for (double x : d) sum += x * x;
  j["departure"]["rms_percent"] = d.empty() ? 0 : std::sqrt(sum / static_cast<double>(d.size()));
  j["departure"]["worst_frame_percent"] = d.empty() ? 0 : *std::max_element(d.begin(), d.end());
  return j;
}

std::vector<Plot> enrich_plots(const EnrichSetup& s, const SubjectReportInput& run) {
  PlotLine fit{.label = "fit"}, worst{.label = "worst point"};
  for (size_t f = 0; f < s.fit.reports.size(); ++f) {
    fit.x.push_back(static_cast<double>(f)), worst.x.push_back(static_cast<double>(f));
    fit.y.push_back(100 * s.fit.reports[f].rms / s.size());
    worst.y.push_back(100 * s.fit.reports[f].largest / s.size());
  }
  PlotLine departure{.label = "departure"};
  departure.y = departures(s, run);
  for (size_t f = 0; f < departure.y.size(); ++f) departure.x.push_back(run.first_frame + static_cast<double>(f));
  return {Plot{.title = "How far the tets are from the animation",
               .x_label = "frame",
               .y_label = "% of size",
               .lines = {fit, worst},
               .y_from_zero = true},
          Plot{.title = "How far the result departs from the animation",
               .x_label = "frame",
               .y_label = "% of size",
               .lines = {departure},
               .y_from_zero = true}};
}

}  // namespace supple::pipeline
