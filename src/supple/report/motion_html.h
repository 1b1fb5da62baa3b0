// The part of report.html that shows a motion. Inside the room only.
#pragma once
#include <string>

#include "supple/report/motion.h"

namespace supple {

// What stands in the page, above the poster; the poster is an element with the id "poster".
std::string viewer_html(const PackedMotion& motion);
// The data and the scripts, for the end of the page.
std::string viewer_scripts(const PackedMotion& motion);

}  // namespace supple
