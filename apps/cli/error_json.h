// Errors as the objects that scripts read.
#pragma once
#include "supple/base/error.h"
#include "supple/report/json.h"

namespace supple {

// {kind, message}, and for input errors {file, line, column, place, fault, advice}.
Json error_json(const char* kind, const std::string& message);
Json error_json(const InputError& e);

}  // namespace supple
