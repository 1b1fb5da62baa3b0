#include "supple/pipeline/job/memory_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"

namespace supple::pipeline {

namespace {

// Fitted to the peaks (VmHWM) of 15 runs on two threads, of 800 to 40,000 tets, 8 to 13,000 drawn vertices and 4 to 96
// frames: six characters, boxes and the bar. The need is 0.7 to 1.4 times what they took. [bytes]
constexpr double kProgram = 15e6;
constexpr double kATet = 2.5e3;
constexpr double kAFactor = 170;      // a tet to the power of 4/3: what elimination fills in
constexpr double kATetAndFrame = 12;  // positions of the vertices and of their equilibrium
constexpr double kADrawnVertex = 4e3;
constexpr double kADrawnAndFrame = 24;
// Of a page: what it is packed of, and the frames of its moving picture, which are the more with materials of a file.
constexpr double kPage = 30e6, kPictured = 0.6e6, kPicturedCharacter = 2.2e6, kMostPictured = 48;
constexpr double kCharacter = 75e6;  // its file, with its pictures

}  // namespace

RunSize size_of(const Job& job) {
  return {.tets = job.model().mesh().n_tets(),
          .drawn = job.surface.mesh.n_vertices(),
          .frames = job.shot.n_frames(),
          .character = job.config.surface.is_character(),
          .page = job.config.output.report};
}

double memory_of_one(const RunSize& s) {
  const double tets = s.tets, drawn = s.drawn, frames = s.frames;
  const double pictures = (s.character ? kPicturedCharacter : kPictured) * std::min(frames, kMostPictured);
  return kATet * tets + kAFactor * std::pow(tets, 4.0 / 3) + kATetAndFrame * tets * frames +
         kADrawnAndFrame * drawn * frames + (s.page ? kPage + pictures : 0);
}

double memory_need(const RunSize& s) {
  return kProgram + (s.character ? kCharacter : 0) + kADrawnVertex * s.drawn + s.side_by_side * memory_of_one(s);
}

void require_memory(const RunSize& size, size_t limit) {
  const double need = memory_need(size);
  if (need <= static_cast<double>(limit)) return;
  const auto gigabytes = [](double bytes) { return fmt::format("{:.{}f} GB", 1e-9 * bytes, bytes < 1e10 ? 2 : 0); };
  throw InputError(
      {},
      fmt::format("the run needs about {} of memory, this machine has {}", gigabytes(need),
                  gigabytes(static_cast<double>(limit))),
      fmt::format("It is of {} tets, {} drawn vertices and {} frames. Fewer tets: --set tets.preset=preview, a larger "
                  "tets.edge; fewer frames: --set timeline.range=[0,100].",
                  size.tets, size.drawn, size.frames));
}

}  // namespace supple::pipeline
