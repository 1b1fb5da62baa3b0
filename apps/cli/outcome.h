// What came of a scene, told: text or JSON, and the exit status.
#pragma once
#include "console.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/pipeline.h"

namespace supple {

using pipeline::ResultFolder;

// Runs the scene with the threads that the command line asks for, else the scene.
Outcome run_on(const Console& console, const SceneConfig& scene, const OutputFolder& folder);

// Where results go: the directory that was named by an option, or the next take. What is begun there can be gone on
// with. InputError: nobody else may write there, ... or --resume does not say which.
ResultFolder folder_of_results(const std::string& named, bool resume, const char* option = "-o", bool from = false);

// The lines of an outcome and its files.
std::string listed(const Outcome& outcome, const std::string& directory);

// text: told of what is done. strict: best-effort frames count as failure.
int tell(const Outcome& outcome, const Console& console, const std::string& text, bool strict = false);

}  // namespace supple
