// A plan of a character's flesh as bytes, to be kept in the cache of stages.
#pragma once
#include <string>

#include "supple/pipeline/character/flesh_plan.h"

namespace supple::pipeline {

std::string pack_plan(FleshPlan plan);
// False: the bytes are something else.
bool unpack_plan(const std::string& bytes, FleshPlan& plan);

}  // namespace supple::pipeline
