// Dials and what they do as the objects that reports hold.
#pragma once
#include "supple/report/json.h"
#include "supple/tune/dials.h"

namespace supple {

Json json_of(const Response& r);
Json json_of(const Ratios& r);
Json json_of(const Scalings& s);

}  // namespace supple
