// Curves from JSON, with the line of every fault. Inside the room only.
#pragma once
#include "supple/io/curve_files.h"

namespace supple {

CurveTable read_curve_json(const std::string& path);

}  // namespace supple
