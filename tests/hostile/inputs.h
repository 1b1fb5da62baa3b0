// Files for the table of hostile calls: good ones by our own writers, and the same ones spoilt.
#pragma once
#include <filesystem>

namespace supple {

// Fills an empty folder. Some runs are made with the program, so that there are takes to open.
void make_hostile_inputs(const std::filesystem::path& folder);

}  // namespace supple
