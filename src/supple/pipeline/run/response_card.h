// The response card: what was asked of the flesh against what the run shows, of the whole body and region by region.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/run/measurements.h"
#include "supple/report/html.h"

namespace supple::pipeline {

struct ResponseCard {
  std::vector<AskedGot> rows;
  std::vector<std::string> notes;
  std::vector<PageTable> regions;  // one table, or none where the body is one piece with the same dials throughout
};

ResponseCard response_card(const Job& job, const RunNumbers& numbers, const KnownResponses& known);

// baseline, adjusted, controls, adjustment, measured, measured_ratio and regions of a report. Unknown numbers are null.
void put_responses(Json& report, const Job& job, const RunNumbers& numbers, const KnownResponses& known);

// "2.31 Hz, 10.4 frames a bounce"; "" for what is no frequency.
std::string speed_text(double frequency_hz, double fps);
// "0.2 s, 5 % left after 20.7 frames"; "never settles"; "" when unknown.
std::string settle_text(double half_life_s, double fps);
// "3.1 mm", "1.2 m"; "" when unknown.
std::string length_text(double metres);

}  // namespace supple::pipeline
