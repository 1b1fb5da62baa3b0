#include "supple/pipeline/run/run_character.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>

#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/character/flesh_plan.h"
#include "supple/pipeline/character/report.h"
#include "supple/pipeline/character/stages.h"
#include "supple/pipeline/run/swing_correction.h"
#include "supple/pipeline/setup/stage_cache.h"
#include "supple/scene/read_scene.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr int kAttempts = 3;           // to the end of the clip
constexpr double kWorse = 1.2;         // times as far as the attempt before, although it was to be less
constexpr int kThrownOutAttempts = 4;  // given up on the way
constexpr double kThrownOut = 0.5;     // of the size: no flesh is thrown so far, the run is given up
constexpr double kCalmer = 0.3;        // times the swing after that

void refuse_existing(const RunCharacterOptions& o, const std::string& in) {
  std::error_code error;
  if (fs::equivalent(in, o.out, error) && !error)
    throw InputError({.file = o.out}, "is the input itself", "choose another name for the result");
  if (fs::path(o.out).extension() != ".glb")
    throw InputError({.file = o.out}, "the result is a .glb", "choose a name that ends in .glb");
  if (fs::exists(o.out) && !o.overwrite)
    throw InputError({.file = o.out}, "is there already", "choose another name, or say --overwrite to replace it");
  const fs::path parent = fs::path(o.out).parent_path();
  if (!parent.empty() && !fs::is_directory(parent))
    throw InputError({.file = parent.string()}, "is no folder", "make it first, or choose another");
}

std::string folder_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-' && c != '_') c = '_';
  return name.empty() || name[0] == '.' ? "clip" + name : name;
}

}  // namespace

SceneConfig character_scene(const RunCharacterRequest& request) {
  SurfaceConfig surface;
  surface.file = {request.file, request.file};
  if (!surface.is_character())
    throw InputError({.file = request.file}, "is no .glb or .gltf file",
                     "export the character with its animation as glTF; scenes of other files go to: supple simulate");
  if (!fs::exists(request.file)) throw InputError({.file = request.file}, "there is no such file", "check the name");
  SceneConfig scene = load_character_scene(request.file, request.set);
  if (!request.clip.empty() && request.clip != "all") scene.surface.clip = request.clip;
  return scene;
}

std::vector<ClipLine> clips_of(const std::string& file) {
  std::vector<ClipLine> lines;
  for (const Clip& c : read_gltf(file).clips) lines.push_back({c.name, c.end - c.start, frame_rate(c)});
  return lines;
}

RunCharacterResult run_character(const SceneConfig& scene, const std::string& clip, const RunCharacterOptions& o,
                                 const Watch& watch) {
  refuse_existing(o, scene.surface.file.path);
  RunCharacterResult result;
  {
    const Character character = read_gltf(scene.surface.file.path);
    if (character.clips.empty())
      throw InputError({.file = scene.surface.file.text}, "has no animation, so there is nothing to follow",
                       "export a clip with it, or try the flesh with: supple simulate SCENE.toml --set "
                       "timeline.test_motion=hop");
    if (clip == "all") {
      for (const Clip& c : character.clips) result.clips.push_back(c.name);
    } else {
      result.clips = {find_clip(character, scene.surface.clip).name};
      if (character.clips.size() > 1 && scene.surface.clip.empty())
        watch.note(fmt::format("the file has {} clips; this is '{}', the first (--clip NAME, --clip all)",
                               character.clips.size(), result.clips[0]));
    }
  }
  const auto setup = set_up_character(scene, result.clips.front());
  watch.note(character_text(*setup));

  fs::create_directories(o.directory);
  std::vector<SoftClip> soft;
  // Attempts differ in inertia alone, which equilibria know nothing of.
  const auto knots = cached_knots();
  for (const std::string& name : result.clips) {
    SceneConfig one = scene;
    one.surface.clip = name;
    result.folders.push_back(result.clips.size() == 1 ? "" : folder_name(name));
    const std::string directory =
        result.clips.size() == 1 ? o.directory : (fs::path(o.directory) / result.folders.back()).string();
    fs::create_directories(directory);
    RunOptions run{.directory = directory, .overwrite = true};
    Watch in_clip = watch;
    in_clip.progress = [&](std::string_view stage, int done, int of) {
      watch.progress(fmt::format("{} {}", stage, name), done, of);
    };
    run.knots = knots;
    RunResult r;
    SwingCorrector corrector(one.controls.amplitude);
    const auto subject = std::make_shared<const CharacterSubject>(one, setup);
    if (one.flesh.empty()) {
      const FleshPlan plan = subject->plan(one);
      one.flesh = plan.flesh;
      if (plan.found) run.reused.push_back("plan");
    }
    int thrown_out = 0;
    // The last attempt that stayed in proportion: less is not always calmer, where an equilibrium snaps.
    std::optional<std::vector<FleshConfig>> steady;
    double steady_swing = 0;
    bool last = false, back = false;
    // What the flesh is to be like is found without anything that it touches; then comes the run that counts.
    const bool touching = has_contact(one);
    run.contact = false;
    int attempt = 1;
    std::map<std::string, double> more;
    // Nothing is made of attempts but the last.
    run.keep_result = [&](const MotionCheck& check) {
      if (last) return true;
      back = steady && check.swing99 > kWorse * steady_swing;
      if (back) return false;
      more.clear();
      if (one.material.inertia || !scene.flesh.empty() || attempt == kAttempts) return !touching;
      more = corrector.after(check);
      return more.empty() && !touching;
    };
    const bool last_clip = &name == &result.clips.back();
    std::exception_ptr not_written;  // told when the take is complete
    if (last_clip)
      run.while_writing = [&](SoftClip& made) {
        try {
          soft.push_back(std::move(made));
          result.glb = write_soft_glb(scene.surface.file.path, o.out, soft, {.replace = o.replace});
        } catch (...) {
          not_written = std::current_exception();
        }
      };
    if (touching && (one.material.inertia || !scene.flesh.empty())) last = true;
    for (;; ++attempt) {
      // For further work with it: what run chose, as a scene.
      write_text((fs::path(directory) / "scene.toml").string(), to_toml(one, directory));
      one.file = (fs::path(directory) / "scene.toml").string();
      SceneConfig quiet = one;
      if (!scene.is_set("output.formats")) quiet.output.formats.clear();
      const Job job = build_job(quiet, true, subject);
      if (name == result.clips.front() && attempt == 1 && thrown_out == 0)
        for (const std::string& w : job.notes.warnings) watch.warn(w);
      watch.note(fmt::format("'{}': {} frames at {:g} a second, {} steps each; {}", name, job.shot.n_frames(),
                             job.shot.fps, job.body->substeps, job.shot.start.text()));
      run.give_up_beyond = !last && (thrown_out < kThrownOutAttempts || steady) ? kThrownOut * setup->size() : 0;
      run.contact = last;
      r = run_job(job, run, in_clip);
      if (last) break;
      if (back || (steady && r.given_up)) {
        watch.note("that threw it further: back to the attempt before");
        one.flesh = *steady;
        last = true;
        continue;
      }
      if (r.given_up) {
        watch.note("the flesh is thrown out of all proportion: once more with less");
        ++thrown_out, --attempt;
        for (FleshConfig& f : one.flesh) f.swing = f.swing.value_or(scene.material.swing) * kCalmer;
        continue;
      }
      if (r.kept) break;
      if (r.status == RunStatus::done && more.empty()) {
        watch.note("now with what it touches");
        last = true;
        continue;
      }
      watch.note(
          fmt::format("the flesh was thrown by {:.0f} % of its thickness, {:.2g} % of the size: once more with {}",
                      100 * r.check.swing99, 100 * r.check.rms_share, more.begin()->second < 1 ? "less" : "more"));
      if (more.begin()->second < 1) steady = one.flesh, steady_swing = r.check.swing99;
      for (FleshConfig& f : one.flesh)
        if (const auto it = more.find(f.bone); it != more.end())
          f.swing = f.swing.value_or(scene.material.swing) * it->second;
    }
    if (r.status != RunStatus::done) {
      result.status = r.status;
      result.message = result.clips.size() > 1 ? fmt::format("'{}': {}", name, r.message) : r.message;
      result.report = r.report;
      return result;
    }
    result.best_effort = result.best_effort || r.best_effort;
    if (not_written) std::rethrow_exception(not_written);
    if (!last_clip) soft.push_back(std::move(r.soft));
    result.runs.push_back(std::move(r));
  }

  Json& j = result.report;
  if (result.runs.size() == 1) j = result.runs[0].report;
  j["output"]["file"] = o.out;
  j["output"]["bytes"] = result.glb.bytes;
  j["output"]["targets"] = result.glb.targets;
  j["output"]["max_error_share"] = result.glb.max_error_share;
  j["output"]["clips"] = Json::list(result.glb.clips);
  j["output"]["warnings"] = result.glb.warnings.empty() ? Json(Json::Array{}) : Json::list(result.glb.warnings);
  j["directory"] = o.directory;
  if (result.runs.size() == 1) write_text((fs::path(o.directory) / "report.json").string(), j.text() + "\n");
  if (result.runs.size() > 1)
    for (size_t k = 0; k < result.runs.size(); ++k) j["runs"][result.clips[k]] = result.runs[k].report;
  return result;
}

}  // namespace supple::pipeline
