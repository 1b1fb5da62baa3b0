#include "supple/pipeline/job/memory_need.h"

#include <fmt/format.h>

#include <cmath>

#include "supple/base/error.h"

namespace supple::pipeline {

namespace {

// Fitted to the peaks of runs of characters and bars, of 200 to 200,000 tets. [bytes]
constexpr double kProgram = 60e6;
constexpr double kATet = 9e3;
constexpr double kAFactor = 30;       // a tet to the power of 4/3: what elimination fills in
constexpr double kATetAndFrame = 12;  // positions of the vertices and of their equilibrium, a fifth as many as tets
constexpr double kADrawnVertex = 4e3;
constexpr double kADrawnAndFrame = 120;

}  // namespace

RunSize size_of(const Job& job) {
  return {.tets = job.model().mesh().n_tets(), .drawn = job.surface.mesh.n_vertices(), .frames = job.shot.n_frames()};
}

double memory_of_one(const RunSize& s) {
  const double tets = s.tets, drawn = s.drawn, frames = s.frames;
  return kATet * tets + kAFactor * std::pow(tets, 4.0 / 3) + kATetAndFrame * tets * frames +
         kADrawnAndFrame * drawn * frames;
}

double memory_need(const RunSize& s) { return kProgram + kADrawnVertex * s.drawn + s.side_by_side * memory_of_one(s); }

void require_memory(const RunSize& size, size_t limit) {
  const double need = memory_need(size);
  if (need <= static_cast<double>(limit)) return;
  const auto gigabytes = [](double bytes) { return fmt::format("{:.2g} GB", 1e-9 * bytes); };
  throw InputError(
      {},
      fmt::format("the run needs about {} of memory, this machine has {}", gigabytes(need),
                  gigabytes(static_cast<double>(limit))),
      fmt::format("It is of {} tets, {} drawn vertices and {} frames. Fewer tets: --set tets.preset=preview, a larger "
                  "tets.edge; fewer frames: --set timeline.range=[0,100].",
                  size.tets, size.drawn, size.frames));
}

}  // namespace supple::pipeline
