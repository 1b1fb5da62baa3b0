// report.json and report.html of a run.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "supple/pipeline/deliver/history.h"
#include "supple/pipeline/deliver/surface_files.h"
#include "supple/pipeline/run/run.h"
#include "supple/report/motion.h"

namespace supple::pipeline {

// Sums over the whole run, kept across a resume.
struct RunTotals {
  int steps = 0;          // of the frames delivered
  int steps_total = 0;    // all that were solved: warm-up, failed attempts and what was stepped again too
  int steps_warm_up = 0;  // before the first frame
  int newton_iterations = 0, factorizations = 0, projected = 0, retries = 0;
  int untangling = 0;        // steps with springs against tets inside out
  int cuts = 0;              // teleports of the drive
  int inverted_max = 0;      // most tets inside out at the end of a frame
  double tie_residual = 0;   // largest distance of a tied point from its target [m]
  int krylov = 0;            // inner iterations for what the symmetric matrix leaves out
  int irregular_frames = 0;  // most vertices at once whose frame took its neighbours' motion
  double largest_spin = 0;   // of sqrt(epsilon) times the body's rate of turning [1/s]
  double static_s = 0, dynamic_s = 0, adjusted_s = 0, contact_s = 0, output_s = 0, total_s = 0;
  double wall_s = 0;  // of the commands before the one that goes on with it

  void add(const StepReport& r);
  void put(std::map<std::string, double>& numbers) const;
  void get(const std::map<std::string, double>& numbers);
};

// What takes longest of a page.
struct RunPictures {
  std::string poster_png, moving_png, softness_png;  // softness: of a character
  std::optional<PackedMotion> motion;
};
// Of the whole file: whoever needs it first makes it.
struct SharedPicture {
  std::once_flag made;
  std::string png;
};
// softness: null: it is made for this run.
RunPictures run_pictures(const Job& job, const DrawnFrames& surface, const std::string& directory,
                         SharedPicture* softness = nullptr);

struct RunRecord {
  const Job& job;
  RunStatus status;
  std::string message;
  int frames_done = 0;
  RunTotals totals;
  const StaticTrack& track;
  const StartResult& beginning;
  const RunMeasure& measure;
  const KnownResponses& known;
  const PointCache &shown, &still;  // all frames of the tets and of their equilibrium, if it came to its end
  const FleshPlan* plan = nullptr;  // of a character, with what was forecast
  const std::vector<HistoryRow>& rows;
  std::vector<std::string> notes;  // what contact and the writers of surface files had to say
  Json contact;                    // null: there was nothing to touch
  const DrawnFrames& surface;      // empty unless the run is done
  RunPictures pictures;            // likewise, and unless the scene asks for a page
  std::string solver;
  std::vector<std::string> reused;  // what was not made again
  RunTotals earlier;                // of the run that this one goes on with
  Laps spent;
};

// Writes both files (html only when the scene asks for it and the run is done) and fills the result's numbers.
void write_run_report(RunRecord record, const std::string& directory, RunResult& result);

}  // namespace supple::pipeline
