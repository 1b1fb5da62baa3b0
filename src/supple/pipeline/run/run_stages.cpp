#include "supple/pipeline/run/run_stages.h"

#include <algorithm>
#include <cmath>

namespace supple::pipeline {

namespace {

// Measured over characters of 1,700 to 20,000 drawn vertices.
constexpr double kSecondsATetAndStep = 4e-6, kTetsOfThat = 3000, kGrowth = 0.3;
constexpr double kSecondsAVertexAndFrame = 1.4e-6, kSecondsOfPictures = 1;
constexpr double kPeriodsOfLoops = 2;  // until a loop closes, as a rule
constexpr double kHandedOut = 0.08;    // of the time of a period whose steps are remembered

}  // namespace

double seconds_of_steps(double tets, double steps) {
  return kSecondsATetAndStep * tets * steps * std::pow(std::max(tets, 1.0) / kTetsOfThat, kGrowth);
}

double seconds_of_writing(double drawn_vertices, double frames) {
  return kSecondsOfPictures + kSecondsAVertexAndFrame * drawn_vertices * frames;
}

std::vector<PlannedStage> stages_of_run(const Job& job) {
  const double frames = std::max(1, job.shot.n_frames() - 1), tets = job.model().mesh().n_tets();
  const auto stepping = [&](double n) { return seconds_of_steps(tets, n * job.body->substeps); };
  const bool loop = job.shot.start.loop;
  const bool remembered = loop && job.shot.drive.shape && !job.surroundings;
  return {{kWarmingUp, stepping(loop ? kPeriodsOfLoops * frames : job.config.timeline.pre_roll)},
          {kSimulating, stepping(frames) * (remembered ? kHandedOut : 1)},
          {kWriting, seconds_of_writing(job.surface.mesh.n_vertices(), frames)}};
}

// An animation that is enriched is fitted while it is read: that stage takes its share of what is left when it comes.
std::vector<PlannedStage> stages_to_come() { return {{kReading, 3}, {kWarmingUp, 2}, {kSimulating, 8}, {kWriting, 2}}; }

}  // namespace supple::pipeline
