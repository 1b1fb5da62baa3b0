// The motion of a finished run for report.html.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "supple/pipeline/deliver/surface_files.h"
#include "supple/report/motion.h"

namespace supple::pipeline {

// Where a surface without an animation of its own would be at a frame.
using BaseFrames = std::function<Points(int frame)>;
// At rest at each instant: of static.pc2 in the run's directory.
BaseFrames resting_frames(const Job& job, const std::string& directory);

// The drawn surface, and as its input that of `drawn`, or else those frames.
std::optional<PackedMotion> run_motion(const Job& job, const DrawnFrames& drawn, const std::string& directory);
// The same before it is packed; out and drawn must outlive it.
MotionSource motion_source(const OutputRequest& out, const DrawnFrames& drawn, const BaseFrames& base);

}  // namespace supple::pipeline
