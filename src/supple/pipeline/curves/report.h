// report.json and report.html of `supple curves`.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/curves/files.h"
#include "supple/report/json.h"

namespace supple::pipeline::curves {

std::vector<std::string> curves_warnings(const CurvesSetup& setup, const CurvesResult& result,
                                         const CurvesWritten& written);
Json curves_json(const CurvesSetup& setup, const CurvesResult& result, const CurvesWritten& written,
                 const std::string& directory);
// The page, and the picture beside it; returns the files.
std::vector<std::string> write_curves_page(const CurvesSetup& setup, const CurvesResult& result,
                                           const CurvesDrawn& drawn, const CurvesWritten& written, const Json& json,
                                           const std::string& directory);

}  // namespace supple::pipeline::curves
