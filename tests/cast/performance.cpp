#include "tests/cast/performance.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/pipeline/pipeline.h"
#include "supple/pipeline/run/run_character.h"

namespace supple::cast {

namespace {

namespace fs = std::filesystem;

// A folder that is gone with the object.
class Stage {
 public:
  Stage() {
    static int number = 0;
    folder_ = fs::temp_directory_path() / ("supple_cast_" + std::to_string(getpid()) + "_" + std::to_string(number++));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Stage() { fs::remove_all(folder_); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

// The tables [[flesh]] of a scene.
std::string flesh_of(const fs::path& scene) {
  std::ifstream in(scene);
  std::string line, text;
  for (bool inside = false; std::getline(in, line);) {
    if (!line.empty() && line[0] == '[') inside = line == "[[flesh]]";
    if (inside) text += line + "\n";
  }
  return text;
}

}  // namespace

Shot shot_of(const Performance& p, size_t k) {
  const std::string& name = p.before.clips[k].name;
  return read_shot(p.before, p.after, find_clip(p.after, name), find_clip(p.after, name + ".soft"));
}

Performance perform(const Character& character, const Staging& staging) {
  const Stage stage;
  Performance p;
  write_gltf(stage.path("in.glb"), character);
  p.before = read_gltf(stage.path("in.glb"));
  const Watch watch{.note = [&](std::string_view t) { p.told.emplace_back(t); },
                    .warn = [&](std::string_view t) { p.told.emplace_back(t); }};
  std::vector<std::string> set = {"tets.preset=" + staging.tets, "output.report=false"};
  set.insert(set.end(), staging.set.begin(), staging.set.end());
  const std::string out = stage.path("out.glb");
  const bool all = staging.clip == "all";
  nlohmann::json report;
  try {
    const SceneConfig scene =
        pipeline::character_scene({.file = stage.path("in.glb"), .clip = staging.clip, .set = set});
    const Outcome outcome = run_scene(
        scene, {.directory = stage.path("take"), .product = Product::soft_character, .glb = out, .all_clips = all},
        watch);
    if (outcome.status != RunStatus::done) p.failure = "not done: " + outcome.message;
    report = nlohmann::json::parse(outcome.report.text());
  } catch (const InputError& e) {
    p.failure = std::string("refused: ") + e.what();
  }
  if (!p.failure.empty()) return p;
  p.after = read_gltf(out);
  for (const auto& entry : fs::recursive_directory_iterator(stage.path("take")))
    if (entry.path().filename() == "scene.toml") p.flesh = flesh_of(entry.path());
  for (size_t k = 0; k < p.before.clips.size(); ++k) {
    if (!all && std::to_string(k) != staging.clip) continue;
    p.clips.push_back(measure(shot_of(p, k)));
    const nlohmann::json output = report.value("output", nlohmann::json::object());
    if (output.contains("max_error_share"))
      p.clips.back()["file_error"] = 100 * output["max_error_share"].get<double>();
  }
  return p;
}

}  // namespace supple::cast
