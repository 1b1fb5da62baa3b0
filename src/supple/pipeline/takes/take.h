// The directory of a finished run, opened again without simulating anything.
#pragma once
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "supple/io/point_cache.h"
#include "supple/pipeline/deliver/delivered_run.h"
#include "supple/pipeline/deliver/other_meshes.h"
#include "supple/report/html.h"
#include "supple/scene/overrides.h"

namespace supple::pipeline {

// report.json.
struct TakeReport {
  Json json;                              // all of it
  std::map<std::string, double> numbers;  // by path: "measured.peak_m"; true is 1
  std::map<std::string, std::string> texts;
  std::map<std::string, std::string> inputs;  // file, hash

  double number(const std::string& path) const;  // NaN: there is none
  std::string text(const std::string& path) const;
};

struct Take {
  std::string directory;
  TakeReport report;
  Job job;  // as far as delivery needs it: no analysis, no motion of the driven points
  PointCache tets, statics;
  PointCache authored;              // empty: statics
  std::vector<Companion> others;    // what is drawn besides
  int busiest = -1;                 // the frame in which most touches
  bool of_supple_run = false;       // its result is a .glb outside of the directory
  std::vector<std::string> edited;  // keys that are others in scene.toml than in the run
  VecX from(int frame) const { return sample_of(authored.n_samples > 0 ? authored : statics, frame); }
};

// Whose scene a take is opened with: the run's own, as its report has it, or what its scene.toml says now.
enum class SceneOf { run, file };

// overrides: of keys that need no simulation. InputError: there is no finished run, its files are damaged or do not fit
// one another, or what it was made of has changed since.
Take open_take(const std::string& directory, const Overrides& overrides = {}, SceneOf which = SceneOf::file);

// The report alone; InputError likewise.
TakeReport read_report(const std::string& directory);
// Any report.json, of several clips as well. InputError: it is none.
TakeReport report_of_any(const std::string& file);
// What a take ran with, whatever its scene.toml says by now. InputError likewise.
SceneConfig scene_of_run(const std::string& directory, const Overrides& overrides = {});

// Whether the key ("output.mix", "region.2.mix") can change without a simulation.
bool needs_no_simulation(const std::string& key);

struct KeyDifference {
  std::string key, a, b;  // values as in a scene file; empty: not set
};
// Of two scene files; tables of lists by number: "region.0.mix".
std::vector<KeyDifference> scene_differences(const std::string& a, const std::string& b);

// What was asked of the simulation and what it showed.
std::vector<AskedGot> asked_and_got(const TakeReport& report);

}  // namespace supple::pipeline
