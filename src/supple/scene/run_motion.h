// The motion of a finished run for report.html.
#pragma once
#include <optional>
#include <string>

#include "supple/report/motion.h"
#include "supple/scene/surface_files.h"

namespace supple {

// The drawn surface, and as its input: of a character the artist's pose; else where the flesh would be at rest at each
// instant (static.pc2 in the run's directory).
std::optional<PackedMotion> run_motion(const Job& job, const DrawnFrames& drawn, const std::string& directory);
// The same before it is packed; job and drawn must outlive it.
MotionSource motion_source(const Job& job, const DrawnFrames& drawn, const std::string& directory);

}  // namespace supple
