// The report.json of a run.
#include "fuzz/target.h"
#include "supple/pipeline/takes/take.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return supple::fuzz::read_as("report.json", data, size,
                               [](const std::string& file) { supple::pipeline::report_of_any(file); });
}
