// How far a preview moves otherwise than the final take of the same scene and clip.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/pipeline/takes/delivered_surface.h"

namespace supple::pipeline {

// Of the departures from the animation, over all frames and all drawn vertices that depart in either take. The swing is
// that of the final take.
struct PreviewDifference {
  double rms_m = 0, percentile99_m = 0;              // of the difference, vertex by vertex
  double swing_rms_m = 0, swing_percentile99_m = 0;  // of the final's departure
  double rms_share() const { return swing_rms_m > 0 ? rms_m / swing_rms_m : 0; }
  double percentile99_share() const { return swing_percentile99_m > 0 ? percentile99_m / swing_percentile99_m : 0; }
};

bool is_preview(const TakeReport& take);
// Whether one is a preview and the other not, and nothing else in their scenes differs: same clip, same frames.
bool preview_and_final(const TakeReport& a, const TakeReport& b);

// Nothing: they do not draw the same vertices over the same frames, or nothing departs.
std::optional<PreviewDifference> preview_difference(const DeliveredSurface& preview, const DeliveredSurface& final);

std::string text_of(const PreviewDifference& d);  // "rms 7.1 %, 99th percentile 12 % of the swing of the final"
Json to_json(const PreviewDifference& d, const std::string& final);

// When a take is done: where finals of a preview, or previews of a final, lie beside it, or it was refined from one,
// the preview's report.json ("final_beside") and report.html say how far they differ. The newest final counts. Returns
// what there is to tell, a line a preview. Takes that cannot be opened any more are passed over.
std::vector<std::string> tell_previews(const std::string& take, const std::string& scene_file);

}  // namespace supple::pipeline
