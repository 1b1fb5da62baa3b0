#include "supple/pipeline/run/run_character.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "supple/anim/test_motion.h"
#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/hash.h"
#include "supple/base/laps.h"
#include "supple/base/memory.h"
#include "supple/base/parallel.h"
#include "supple/base/part_file.h"
#include "supple/base/side_by_side.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/character/flesh_plan.h"
#include "supple/pipeline/character/report.h"
#include "supple/pipeline/deliver/made.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/deliver/soft_clip.h"
#include "supple/pipeline/deliver/stage_journal.h"
#include "supple/pipeline/job/memory_need.h"
#include "supple/pipeline/run/report.h"
#include "supple/pipeline/run/run_stages.h"
#include "supple/pipeline/run/runs_watch.h"
#include "supple/pipeline/setup/fingerprint.h"
#include "supple/report/timings.h"
#include "supple/scene/read_scene.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr double kShareOfMemory = 0.5;  // that all clips at once may take

StageJournal journal_of(const SceneConfig& scene, const std::string& clip, const RunCharacterOptions& o) {
  std::error_code error;
  const std::string& in = scene.surface.file.path;
  return {o.directory, "character",
          fingerprint(scene, {{in, hash_file(in)},
                              {fs::weakly_canonical(o.out, error).string(), o.replace ? "replace" : ""},
                              {"clip", clip}})};
}

void refuse_existing(const RunCharacterOptions& o, const std::string& in, bool goes_on) {
  std::error_code error;
  if (fs::equivalent(in, o.out, error) && !error)
    throw InputError({.file = o.out}, "is the input itself", "choose another name for the result");
  if (fs::path(o.out).extension() != ".glb")
    throw InputError({.file = o.out}, "the result is a .glb", "choose a name that ends in .glb");
  if (fs::exists(o.out) && !o.overwrite && !goes_on)
    throw InputError({.file = o.out}, "is there already", "choose another name, or say --overwrite to replace it");
  const fs::path parent = fs::path(o.out).parent_path();
  if (!parent.empty() && !fs::is_directory(parent))
    throw InputError({.file = parent.string()}, "is no folder", "make it first, or choose another");
  require_can_be_made(o.out);
  require_free_names(o.directory, o.overwrite || goes_on);
}

std::string folder_name(std::string name, std::set<std::string>& used) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-' && c != '_') c = '_';
  if (name.empty() || name[0] == '.') name = "clip" + name;
  // Some file systems take capital letters for small ones.
  const auto key = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  const std::string stem = name;
  for (int k = 2; !used.insert(key(name)).second; ++k) name = fmt::format("{}_{}", stem, k);
  return name;
}

// The names of those that are asked for. A file that has none plays a test motion.
std::vector<std::string> asked_clips(const SceneConfig& scene, const std::string& clip, const Watch& watch) {
  const Character character = read_gltf(scene.surface.file.path);
  if (character.clips.empty()) {
    const std::vector<std::string>& tests = test_motion_names();
    const std::string& wanted = scene.surface.clip;
    const std::string test = wanted.empty() ? tests.front() : wanted;
    if (std::find(tests.begin(), tests.end(), test) == tests.end())
      throw InputError({.place = "--clip"},
                       fmt::format("there is no clip '{}': {} has no animation", wanted, scene.surface.file.text),
                       fmt::format("test motions that it can play: {}", fmt::join(tests, ", ")));
    watch.note(
        fmt::format("the file has no clip: it plays the test motion '{}' (--clip {})", test, fmt::join(tests, ", ")));
    return {test};
  }
  std::vector<std::string> names;
  if (clip == "all")
    for (const Clip& c : character.clips) names.push_back(c.name);
  else
    names = {find_clip(character, scene.surface.clip).name};
  if (clip != "all" && character.clips.size() > 1 && scene.surface.clip.empty())
    watch.note(fmt::format("the file has {} clips; this is '{}', the first (--clip NAME, --clip all)",
                           character.clips.size(), names[0]));
  return names;
}

SceneConfig with_clip(SceneConfig scene, const std::string& clip) {
  scene.surface.clip = clip;
  return scene;
}

class CharacterRun {
 public:
  CharacterRun(const SceneConfig& scene, const std::vector<std::string>& names, const RunCharacterOptions& options,
               const Watch& watch, const Laps& spent)
      : scene_(scene),
        options_(options),
        watch_(watch),
        laps_(spent),
        setup_(set_up_character(with_clip(scene, names.front()), names.front())),
        soft_(names.size()),
        taken_(names.size(), 0),
        failed_(names.size()),
        left_(static_cast<int>(names.size())) {
    laps_.lap("reading");
    watch.progress(kReading, 1, 1);
    for (const std::string& line : character_lines(*setup_)) watch.note(line);
    std::set<std::string> used;
    for (const std::string& name : names)
      result_.clips.push_back({.name = name, .folder = names.size() == 1 ? "" : folder_name(name, used), .result = {}});
    watch.progress(kPlanning, 0, 2);
    find_flesh();
    laps_.lap("planning");
    watch.progress(kPlanning, 1, 2);
    make_bodies();
    laps_.lap("set_up");
    watch.progress(kPlanning, 2, 2);
  }

  RunCharacterResult run() {
    const size_t n = result_.clips.size();
    std::vector<int> frames;
    for (const ClipRun& c : result_.clips) frames.push_back(frames_of_run(c.name));
    size_ = {.tets = setup_->cage.mesh.n_tets(),
             .drawn = setup_->drawn.n_vertices(),
             .frames = *std::max_element(frames.begin(), frames.end()),
             .character = true,
             .page = scene_.output.report};
    require_memory(size_);
    size_.side_by_side = static_cast<int>(std::min({n, clips_at_once(), static_cast<size_t>(thread_count())}));
    if (several() && !options_.resume) clear_results(options_.directory);
    // The longest first, so that all end at about the same time.
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return frames[a] > frames[b]; });
    if (several()) watch_.plan({{kSimulating, 1}});
    RunsWatch told(watch_, frames);
    side_by_side(n, clips_at_once(), [&](size_t k) { one(order[k], told); });
    if (several()) laps_.lap("clips");
    if (not_written_) std::rethrow_exception(not_written_);
    judge();
    if (result_.status == RunStatus::done) told.finish();
    report();
    return std::move(result_);
  }

 private:
  bool several() const { return result_.clips.size() > 1; }
  SceneConfig scene_of(const std::string& clip) const {
    SceneConfig one = scene_;
    one.surface.clip = clip;
    if (plan_) one.flesh = plan_->flesh;
    return one;
  }
  std::string directory_of(const ClipRun& c) const {
    return c.folder.empty() ? options_.directory : (fs::path(options_.directory) / c.folder).string();
  }

  // What it is like is the same for all clips. Neither the dials nor what it touches have a part in it.
  void find_flesh() {
    if (!scene_.flesh.empty()) return;
    SceneConfig alone = scene_;
    alone.contact = {}, alone.obstacles.clear(), alone.planes.clear(), alone.bodies.clear();
    alone.surface.clip.clear();
    plan_ = std::make_shared<const FleshPlan>(CharacterSubject(alone, setup_).plan(alone));
  }

  // One for each frame rate, as the first clip of the file that has it makes it.
  void make_bodies() {
    for (const ClipRun& c : result_.clips) {
      const double fps = rate_of(scene_, find_clip(setup_->character, c.name));
      if (bodies_.count(fps) > 0) continue;
      for (const Clip& clip : setup_->character.clips) {
        if (rate_of(scene_, clip) != fps) continue;
        const SceneConfig one = scene_of(clip.name);
        const auto ready = ready_body(one, CharacterSubject(one, setup_));
        bodies_[fps] = {ready, body_modes(one, *ready->adjusted)};
        break;
      }
    }
  }

  int frames_of_run(const std::string& name) const {
    const TimelineConfig& t = scene_.timeline;
    if (t.range) return std::max(1, (*t.range)[1] - (*t.range)[0]);
    const Clip& clip = find_clip(setup_->character, name);
    return std::max(1, t.frames.value_or(1 + static_cast<int>((clip.end - clip.start) * rate_of(scene_, clip))) - 1);
  }

  // As many as memory is likely to hold: matrices and their factor for each, and what is drawn of it.
  size_t clips_at_once() const {
    const double most = kShareOfMemory * static_cast<double>(memory_bytes());
    return static_cast<size_t>(std::max(1.0, most / memory_of_one(size_)));
  }

  void one(size_t k, RunsWatch& told) {
    ClipRun& c = result_.clips[k];
    const Watch watch = told.of(k, several() ? c.name : "");
    const auto ended = [&](RunStatus status, const std::string& message) {
      c.result.status = status, c.result.message = message;
    };
    try {
      if (watch.cancelled()) throw Cancelled();
      c.result = simulate(k, watch);
    } catch (const InputError& e) {
      failed_[k] = std::current_exception();
      ended(RunStatus::failed, e.what());
    } catch (const SimulationFailure& e) {
      ended(RunStatus::failed, e.what());
    } catch (const OwnFault& e) {
      ended(RunStatus::failed, e.what());
    } catch (const std::bad_alloc&) {
      ended(RunStatus::failed, "out of memory");
    } catch (const Cancelled& e) {
      ended(RunStatus::interrupted, e.what());
    }
    if (c.result.status == RunStatus::failed && several()) watch.warn("it is left out: " + c.result.message);
    if (c.result.status == RunStatus::interrupted) stopped_ = true;
    // Without a soft clip of its own it may still be the last that the file waits for.
    SoftClip none;
    if (!taken_[k]) take(k, none);
    told.done(k);
  }

  RunResult simulate(size_t k, const Watch& watch) {
    const Laps spent = several() ? Laps() : laps_;
    const ClipRun& c = result_.clips[k];
    const std::string directory = directory_of(c);
    fs::create_directories(directory);
    SceneConfig scene = scene_of(c.name);
    // For further work with it: what run chose, as a scene.
    const std::string file = (fs::path(directory) / "scene.toml").string();
    const std::string text = to_toml(scene, directory);
    if (!options_.from) write_text(file, text);
    scene.file = file;
    if (!scene_.is_set("output.formats")) scene.output.formats.clear();
    const auto subject = std::make_shared<const CharacterSubject>(scene, setup_);
    const auto& [ready, modes] = bodies_.at(subject->fps());
    const Job job = build_job(scene, true, subject, ready);
    if (k == 0)
      for (const std::string& w : job.notes.warnings) watch.warn(w);
    watch.note(fmt::format("{} frames at {:g} a second, {} steps each; {}", job.shot.n_frames(), job.shot.fps,
                           job.body->substeps, job.shot.start.text()));
    RunResult result = run_job(job,
                               {.directory = directory,
                                .overwrite = true,
                                .resume = options_.resume,
                                .from = options_.from,
                                .modes = modes,
                                .plan = plan_,
                                .softness = softness_,
                                .while_writing = [&](SoftClip& made) { take(k, made); },
                                .spent = spent},
                               watch);
    if (options_.from) write_text(file, text);  // until then it is that of what is there
    return result;
  }

  // Keeps a soft clip. With the last one the file is written, beside what else is made of that clip.
  void take(size_t k, SoftClip& made) {
    soft_[k] = std::move(made), taken_[k] = 1;
    if (--left_ > 0 || stopped_) return;
    try {
      write_glb();
    } catch (...) {
      not_written_ = std::current_exception();  // told when the take is complete
    }
  }

  void write_glb() {
    std::vector<SoftClip> clips;
    for (SoftClip& s : soft_)
      if (!s.name.empty()) clips.push_back(std::move(s));
    if (clips.empty()) return;
    SoftGlbOptions how = glb_options(scene_.output);
    how.replace = options_.replace;
    result_.glb = write_soft_glb(scene_.surface.file.path, options_.out, clips, how);
  }

  // What became of the whole.
  void judge() {
    std::string failures;
    const ClipRun* stopped = nullptr;
    for (const ClipRun& c : result_.clips) {
      result_.best_effort = result_.best_effort || c.result.best_effort;
      // Of those that were stopped, one that has frames tells how to go on.
      if (c.result.status == RunStatus::interrupted &&
          (!stopped || (stopped->result.frames == 0 && c.result.frames > 0)))
        stopped = &c;
      if (c.result.status == RunStatus::failed) failures += fmt::format("\n  '{}': {}", c.name, c.result.message);
    }
    const int n = static_cast<int>(result_.clips.size()), failed = result_.n_failed();
    if (stopped) {
      result_.status = RunStatus::interrupted;
      result_.message =
          several() ? fmt::format("'{}': {}", stopped->name, stopped->result.message) : stopped->result.message;
    } else if (failed == n) {
      if (failed_[0]) std::rethrow_exception(failed_[0]);
      result_.status = RunStatus::failed;
      result_.message = several() ? "all clips failed:" + failures : result_.clips[0].result.message;
    } else if (failed > 0) {
      result_.message = fmt::format("{} of {} clips failed and are left out:{}", failed, n, failures);
    }
  }

  void report() {
    Json& j = result_.report;
    if (!several()) j = result_.clips[0].result.report;
    if (several()) {
      j = Json::object();
      j["version"] = version();
      j["status"] = word_of(result_.status);
      if (!result_.message.empty()) j["message"] = result_.message;
      j["failed"] = result_.n_failed();
      for (const ClipRun& c : result_.clips) j["clips"].push_back(line_of(c));
    }
    if (result_.status == RunStatus::done) {
      Json& out = j["output"];
      out["file"] = options_.out;
      out["hash"] = hash_file(options_.out);
      out["bytes"] = result_.glb.bytes;
      out["targets"] = result_.glb.targets;
      out["max_error_share"] = result_.glb.max_error_share;
      out["clips"] = Json::list(result_.glb.clips);
      out["warnings"] = result_.glb.warnings.empty() ? Json(Json::Array{}) : Json::list(result_.glb.warnings);
    }
    j["made"] = made_json(scene_, options_.directory);
    j["made"]["by"] = "run";
    j["made"]["scene"] = to_toml(scene_, options_.directory);
    j["made"]["all_clips"] = options_.all_clips;
    j["made"]["replace"] = options_.replace;
    j["memory"]["estimated_bytes"] = std::round(memory_need(size_));
    j["memory"]["peak_bytes"] = peak_memory_bytes();
    j["directory"] = options_.directory;
    const Laps& own = result_.clips[0].result.spent;
    const bool began = !own.parts().empty();  // a single clip that failed early has none
    j["timings_s"] = timings_json(several() || !began ? laps_ : own);
    write_text((fs::path(options_.directory) / "report.json").string(), j.text() + "\n");
    for (const ClipRun& c : result_.clips)
      if (several()) j["runs"][c.name] = c.result.report;
  }

  // A clip in the report of several.
  static Json line_of(const ClipRun& c) {
    const RunResult& r = c.result;
    Json j;
    j["name"] = c.name;
    j["folder"] = c.folder;
    j["status"] = word_of(r.status);
    if (!r.message.empty()) j["message"] = r.message;
    j["frames"] = r.frames;
    j["steps"] = r.steps, j["steps_total"] = r.steps_total;
    j["seconds"] = r.seconds;
    return j;
  }

  const SceneConfig& scene_;
  const RunCharacterOptions& options_;
  const Watch& watch_;
  Laps laps_;
  const std::shared_ptr<const CharacterSetup> setup_;
  std::shared_ptr<const FleshPlan> plan_;  // null: the scene says what it is like
  struct Ready {
    std::shared_ptr<const ReadyBody> body;
    std::shared_ptr<const BodyModes> modes;
  };
  std::map<double, Ready> bodies_;  // by frame rate
  RunSize size_;                    // of the largest, as many as run at once
  const std::shared_ptr<SharedPicture> softness_ = std::make_shared<SharedPicture>();
  RunCharacterResult result_;
  // By clip; each is touched by its own run alone until all are through.
  std::vector<SoftClip> soft_;
  std::vector<char> taken_;
  std::vector<std::exception_ptr> failed_;  // by what was wrong with the input
  std::atomic<int> left_;                   // whose soft clip is not there yet
  std::atomic<bool> stopped_ = false;
  std::exception_ptr not_written_;
};

}  // namespace

int RunCharacterResult::n_failed() const {
  return static_cast<int>(
      std::count_if(clips.begin(), clips.end(), [](const ClipRun& c) { return c.result.status == RunStatus::failed; }));
}

RunCharacterResult run_character(const SceneConfig& scene, const std::string& clip, const RunCharacterOptions& options,
                                 const Watch& watch) {
  const StageJournal journal = journal_of(scene, clip, options);
  const bool goes_on = (options.resume && journal.is_begun()) || options.from;
  if (options.from && clip == "all") throw InputError({.place = "--from"}, "goes with one clip", "name it with --clip");
  if (options.resume && !options.from && journal.is_of_other())
    throw InputError({.file = options.directory}, "the run there is of another call, scene or version",
                     "say what was said then, or --overwrite to begin anew");
  refuse_existing(options, scene.surface.file.path, goes_on);
  const ResultFolder folder(options.directory);
  const Laps spent;
  std::vector<PlannedStage> ahead = stages_to_come();
  ahead.insert(ahead.begin() + 1, {kPlanning, 5});
  watch.plan(ahead);
  watch.progress(kReading, 0, 1);
  CharacterRun run(scene, asked_clips(scene, clip, watch), options, watch, spent);
  if (!options.from) journal.begin();  // what is made anew from a frame on is another's until then
  RunCharacterResult result = run.run();
  if (result.status == RunStatus::done && result.n_failed() == 0) journal.tell(kDelivered);
  return result;
}

bool is_done(const SceneConfig& scene, const std::string& clip, const RunCharacterOptions& options) {
  return fs::exists(options.out) && journal_of(scene, clip, options).has(kDelivered);
}

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

}  // namespace supple::pipeline
