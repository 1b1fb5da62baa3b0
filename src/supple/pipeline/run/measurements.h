// What is measured of a run: every step the parts of the body, a few points and the first mode; from all steps the
// numbers that are set against what was asked for.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supple/pipeline/deliver/history.h"
#include "supple/pipeline/job/job.h"
#include "supple/sim/analysis.h"
#include "supple/tune/tune.h"

namespace supple::pipeline {

// Numbers of a body or of a part of it. NaN: not measured, or not there to be measured.
struct MeasuredResponse {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double amplitude = kUnknown;        // A of Eq. 5 [m sqrt(s)]
  double amplitude_rms_m = kUnknown;  // A / sqrt(duration)
  double peak_m = kUnknown;           // largest dynamic displacement
  double frequency_hz = kUnknown;     // of the ringing where the run ends in a still stretch; damped
  double half_life_s = kUnknown;      // of the same
  double sag_m = kUnknown;            // static, driven points at rest
  double amount_m = kUnknown;         // how far it goes, as part_amounts.h measures it
  // Of ring-downs (ring_down.h): beside what the run itself shows, or in its place where it never stands still.
  double ring_hz = kUnknown, ring_half_life_s = kUnknown;
};

// What is known of a run from elsewhere, a search for instance: makes its card one of ratios.
struct KnownResponses {
  std::optional<DialRatios> asked;  // in place of the scene's dials; of parts likewise, or empty
  std::vector<DialRatios> asked_parts;
  MeasuredResponse baseline;                     // of the scene without dials
  std::vector<MeasuredResponse> baseline_parts;  // in the order of Job::parts, or empty
};

// One natural mode as something to follow: coordinate = sum of weights over the vertices' dynamic displacements.
struct FollowedMode {
  std::vector<int> vertices;
  VecX weights;              // M x shape, three a vertex
  std::vector<double> move;  // |shape| of every vertex
  double reach = 0;          // the largest of them: coordinate x reach is the displacement there [m]
  int vertex = -1;           // where
  double coordinate(const VecX& q) const;
};

struct RunNumbers {
  MeasuredResponse whole;
  std::vector<MeasuredResponse> parts;  // in the order of Job::parts; empty for a single one
  std::string ring_down_note;           // at which frames the ring-downs are
  std::string ring_note;                // why the body has no frequency or half-life, or what is doubtful about them
  size_t still_row = 0;                 // the first row after the driven points have come to rest; n rows: none
};

// What of a body is followed in a run of it, and how far it hangs. Runs of one body share it.
struct BodyModes {
  // Of the body or of a part.
  struct Columns {
    std::vector<FollowedMode> modes;  // none, one, or two of one frequency
    // Of a region that touches others: what rings at its own pole alone, from places and from speeds; else empty.
    std::vector<FollowedMode> filter;
    double omega = 0;  // of that pole [rad/s]
    int first = -1;    // column of rms among the extra ones; peak, modes and filter follow. Body: of mode 2
  };
  Columns whole;
  std::vector<Columns> parts;  // in the order of AdjustedBody::parts; empty for a single part
  std::vector<int> points;     // vertices followed
  Sag sag;                     // of the adjusted body
};
std::shared_ptr<const BodyModes> body_modes(const SceneConfig& config, const AdjustedBody& body);

class RunMeasure {
 public:
  // modes: of the job's body, made before; null: they are now.
  explicit RunMeasure(const Job& job, std::shared_ptr<const BodyModes> modes = nullptr);

  // Columns of the history after the fixed ones.
  std::vector<std::string> columns() const;
  // Fills mode1 and extra from the dynamic displacements.
  void measure(const VecX& q, HistoryRow& row) const;

  RunNumbers numbers(const std::vector<HistoryRow>& rows) const;

  // For plots. Points: vertices followed.
  const std::vector<int>& points() const { return modes_->points; }
  std::vector<double> point(const std::vector<HistoryRow>& rows, size_t i) const;
  // The first mode as a displacement of the vertex it moves most [m]; of a part, or of the body with part < 0.
  std::vector<double> swing(const std::vector<HistoryRow>& rows, int part) const;
  int swing_vertex(int part) const;  // -1: nothing vibrates
  // The same of a region that touches others without what it takes part in of theirs.
  std::vector<double> own_swing(const std::vector<HistoryRow>& rows, int part) const;
  std::vector<double> part_rms(const std::vector<HistoryRow>& rows, int part) const;

 private:
  using Columns = BodyModes::Columns;
  double column(const HistoryRow& row, const Columns& c, size_t mode) const;
  const Columns& of(int part) const { return part < 0 ? modes_->whole : modes_->parts[static_cast<size_t>(part)]; }
  void ring(const std::vector<HistoryRow>& rows, size_t from, int part, double expected_hz, MeasuredResponse& m,
            std::string& note) const;

  const Job& job_;
  std::shared_ptr<const BodyModes> modes_;
};

// The first row after the driven points have come to rest for good: what follows is the flesh's own ringing.
size_t first_still_row(const Job& job, const std::vector<HistoryRow>& rows);

}  // namespace supple::pipeline
