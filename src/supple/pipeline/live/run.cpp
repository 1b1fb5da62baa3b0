#include "supple/pipeline/live/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "supple/base/hash.h"
#include "supple/base/laps.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/live_binary.h"
#include "supple/io/gltf/live_glb.h"
#include "supple/io/input_file.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/deliver/stage_journal.h"
#include "supple/pipeline/live/bones.h"
#include "supple/pipeline/setup/fingerprint.h"
#include "supple/report/cuts_json.h"
#include "supple/report/live_page.h"
#include "supple/report/timings.h"
#include "supple/scene/read_scene.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline::live {

namespace fs = std::filesystem;

namespace {

StageJournal journal_of(const SceneConfig& scene, const std::string& directory) {
  const std::string& in = scene.surface.file.path;
  return {directory, "live", fingerprint(scene, {{in, hash_file(in)}})};
}

bool delivers(const SceneConfig& scene, const char* what) {
  return std::find(scene.live.deliver.begin(), scene.live.deliver.end(), what) != scene.live.deliver.end();
}

Json part_json(const LivePart& part, const LiveMade& made) {
  Json p;
  p["name"] = part.name, p["bone"] = part.bone, p["region"] = made.region, p["size_m"] = part.size;
  const LivePartReport& r = made.report;
  p["tets"] = r.n_tets, p["nodes"] = r.n_nodes, p["free_nodes"] = r.n_free;
  p["modes"] = r.n_modes, p["corrections"] = r.n_corrections, p["candidates"] = r.n_candidates;
  p["share"] = r.share, p["frequency_scale"] = r.frequency_scale, p["force_scale"] = part.force_scale,
  p["thrown_m"] = Json::list(r.thrown_m);
  p["half_life_s"] = std::numbers::ln2 / part.modes[0].decay;
  double slowest = part.modes[0].frequency_hz;
  Json modes(Json::Array{});
  for (const LiveMode& m : part.modes) {
    Json one;
    one["name"] = m.name, one["frequency_hz"] = m.frequency_hz, one["half_life_s"] = std::numbers::ln2 / m.decay;
    one["share"] = m.share, one["reach_m"] = m.reach, one["correction"] = m.correction;
    if (!m.correction && m.frequency_hz < slowest) {
      slowest = m.frequency_hz;
      p["half_life_s"] = std::numbers::ln2 / m.decay;
    }
    modes.push_back(std::move(one));
  }
  p["frequency_hz"] = slowest;
  p["mode_list"] = std::move(modes);
  Json times;
  times["assemble"] = r.assemble_s, times["modes"] = r.modes_s, times["rank"] = r.rank_s;
  p["timings_s"] = std::move(times);
  return p;
}

std::string part_line(const LivePart& part, const LiveMade& made) {
  const auto slowest = std::min_element(part.modes.begin(), part.modes.end(), [](const LiveMode& a, const LiveMode& b) {
    return a.frequency_hz < b.frequency_hz;
  });
  return fmt::format("{} on {}: {} modes and {} corrections of {} tets, {:.2f} Hz, half-life {:.2f} s", part.name,
                     part.bone, made.report.n_modes, made.report.n_corrections, made.report.n_tets,
                     slowest->frequency_hz, std::numbers::ln2 / slowest->decay);
}

std::vector<BakedClip> bake(const LiveBuild& build) {
  std::vector<BakedClip> clips;
  for (size_t k = 0; k < build.clips.size(); ++k) {
    const ClipPlan& plan = build.clips[k];
    clips.push_back({plan.clip->name, plan.clip->sources, plan.times, baked_weights(build, k)});
  }
  return clips;
}

}  // namespace

SceneConfig live_scene(const std::string& file, const Overrides& set) {
  SurfaceConfig surface;
  surface.file = {file, file};
  if (!fs::exists(file)) throw InputError({.file = file}, "there is no such file", "check the name");
  const auto refuse = [&] {
    throw InputError({.file = file}, "a live pack is made from a character with bones",
                     "give a .glb or .gltf, or a scene (.toml) whose surface.file is one");
  };
  if (!surface.is_character() && fs::path(file).extension() != ".toml") refuse();
  SceneConfig scene = surface.is_character() ? load_character_scene(file, set) : load_scene(file, set);
  if (!scene.surface.is_character() || !scene.surface.cache.empty()) refuse();
  return scene;
}

bool live_is_done(const SceneConfig& scene, const std::string& directory) {
  return journal_of(scene, directory).has(kDelivered);
}

LiveResult make_live(const SceneConfig& scene, const LiveOptions& o, const Watch& watch) {
  Laps spent;
  LiveResult result;
  watch.plan({{"reading", 3}, {"finding modes", 6}, {"writing", 4}});
  watch.progress("reading", 0, 1);
  const fs::path dir = o.directory;
  const std::string name = fs::path(scene.surface.file.path).stem().string();
  const StageJournal journal = journal_of(scene, o.directory);
  if (fs::exists(dir / "report.json") && !o.overwrite && !(o.resume && journal.is_begun()))
    throw InputError({.file = o.directory}, "holds a result already", "choose another folder, or say --overwrite");
  const ResultFolder folder(o.directory);  // goes again where nothing comes of it
  // Dials act in the runtime: the pack is of the character without them.
  SceneConfig plain = scene;
  plain.contact = {}, plain.obstacles.clear(), plain.planes.clear(), plain.bodies.clear();
  plain.controls = {};
  // Without a clip the flesh is judged by a motion that every character can make.
  const Character as_read = read_gltf(plain.surface.file.path);
  if (as_read.clips.empty()) plain.timeline.test_motion = "hop";
  if (plain.timeline.test_motion.empty())
    for (const std::string& clip : scene.live.clips) find_clip(as_read, clip);  // told before anything is made
  for (RegionConfig& r : plain.regions)
    r.frequency.reset(), r.amplitude.reset(), r.sag.reset(), r.half_life.reset(), r.frequency_hz.reset(),
        r.sag_m.reset(), r.half_life_s.reset();
  const auto character = std::make_shared<const CharacterSubject>(plain);
  Job job = build_job(plain, false, character);
  job.config.controls = scene.controls, job.config.regions = scene.regions;
  spent.lap("setup");
  watch.progress("reading", 1, 1);
  const LiveBuild build = build_live(job, character->setup(), watch);
  spent.lap("modes");
  journal.begin();
  watch.progress("writing", 0, 1);
  const CharacterSetup& c = character->setup();
  std::vector<std::string>& warnings = result.warnings;
  warnings = job.notes.warnings;
  warnings.insert(warnings.end(), build.warnings.begin(), build.warnings.end());

  const std::string& in = scene.surface.file.path;
  const auto path = [&](const std::string& ending) {
    result.files.push_back(name + ending);
    return (dir / (name + ending)).string();
  };
  Json& report = result.report;
  report["character"] = scene.surface.file.text;
  if (delivers(scene, "live")) {
    const LiveGlbReport r = write_live_glb(in, path(".live.glb"), c.character, c.drawn, build.pack);
    warnings.insert(warnings.end(), r.warnings.begin(), r.warnings.end());
    write_live_json(path(".live.json"), r.block);
    write_live_binary(path(".live"), r.block);
    report["live"]["targets"] = r.targets, report["live"]["bytes"] = r.bytes,
    report["live"]["bytes_added"] = r.bytes_added;
    if (scene.output.report)
      write_text(path(".live.html"),
                 live_page(name, {{.name = name,
                                   .title = name,
                                   .bytes = read_whole_file((dir / (name + ".live.glb")).string(), ""),
                                   .note = fs::path(scene.surface.file.path).filename().string()}}));
  }
  if (delivers(scene, "baked") && build.clips.empty())
    warnings.push_back("nothing is baked: no clip moves the character");
  if (delivers(scene, "baked") && !build.clips.empty()) {
    const BakedGlbReport r = write_baked_glb(in, path(".baked.glb"), c.character, c.drawn, build.pack, bake(build));
    warnings.insert(warnings.end(), r.warnings.begin(), r.warnings.end());
    report["baked"]["targets"] = r.targets, report["baked"]["bytes"] = r.bytes;
    report["baked"]["clips"] = Json::list(r.clips);
  }
  if (delivers(scene, "bones")) report["bones"] = deliver_bones(job, c, build, path(".bones.glb"), warnings);
  if (delivers(scene, "springs")) report["springs"] = deliver_springs(job, c, build, path(".springs.glb"), warnings);

  Json clips(Json::Array{});
  for (const ClipPlan& plan : build.clips) {
    Json one;
    one["name"] = plan.clip->name, one["fps"] = plan.fps, one["loop"] = plan.loops, one["cuts"] = json_of(plan.cuts);
    clips.push_back(std::move(one));
  }
  report["clips"] = std::move(clips);
  report["over_cuts"] = scene.timeline.cuts;
  Json parts(Json::Array{});
  for (size_t k = 0; k < build.parts.size(); ++k) parts.push_back(part_json(build.pack.parts[k], build.parts[k]));
  report["parts"] = std::move(parts);
  for (size_t k = 0; k < build.parts.size(); ++k)
    result.lines.push_back(part_line(build.pack.parts[k], build.parts[k]));
  spent.lap("output");
  report["timings_s"] = timings_json(spent);
  report["warnings"] = Json::list(warnings);
  report["files"] = Json::list(result.files);
  write_text((dir / "scene.toml").string(), to_toml(scene, o.directory));
  write_text((dir / "report.json").string(), report.text() + "\n");
  journal.tell(kDelivered);
  watch.progress("writing", 1, 1);
  for (const std::string& w : warnings) watch.warn(w);
  return result;
}

}  // namespace supple::pipeline::live
