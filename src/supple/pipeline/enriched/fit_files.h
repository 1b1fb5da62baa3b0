// The fit of an enriched run in its directory: fit.pc2, positions of the tet vertices, and fit.csv, what became of
// every frame.
#pragma once
#include <string>
#include <vector>

namespace supple::pipeline {

struct EnrichSetup;

// Returns the names of the files.
std::vector<std::string> write_fit(const std::string& directory, const EnrichSetup& setup);
// Fills in setup.fit. InputError: files that are missing, damaged or of something else.
void read_fit(const std::string& directory, EnrichSetup& setup);

}  // namespace supple::pipeline
