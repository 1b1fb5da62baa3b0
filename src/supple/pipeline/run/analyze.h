// What a scene or a bare tet mesh will do, before it is run.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/job/job.h"
#include "supple/report/json.h"

namespace supple::pipeline {

struct AnalyzeOptions {
  int modes = 6;
  bool refine = true;            // compare f1 with the mesh refined once
  std::string shapes_directory;  // "": mode shapes are not written
};

struct AnalyzeResult {
  Json report;
  std::vector<std::string> lines;  // for a reader
  std::vector<std::string> warnings;
};

AnalyzeResult analyze(const Job& job, const AnalyzeOptions& options);

// A scene around a bare tet mesh: default material, its lowest tenth along the longest axis held.
SceneConfig scene_for_tets(const std::string& path);

}  // namespace supple::pipeline
