// Many tables of points as one page.
#pragma once
#include <string>
#include <vector>

#include "measure.h"

namespace supple {

using namespace demos;

// Markdown: per scene the errors of each dial, what one dial does to the others, and every point that was missed.
std::string summary_of(const std::vector<PointRow>& rows);

}  // namespace supple
