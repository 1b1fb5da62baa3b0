#include "supple/pipeline/takes/take.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/base/read_file.h"
#include "supple/base/reading_scope.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/deliver/finish.h"
#include "supple/pipeline/deliver/surface_files.h"
#include "supple/pipeline/job/subjects.h"
#include "supple/pipeline/run/response_card.h"
#include "supple/pipeline/setup/surroundings.h"
#include "supple/scene/read_scene.h"
#include "supple/scene/schema.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr const char* kAgain = "simulate the scene again, with: supple simulate";

Json to_json(const nlohmann::ordered_json& j) {
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j.is_string()) return j.get<std::string>();
  if (j.is_array()) {
    Json out(Json::Array{});
    for (const auto& x : j) out.push_back(to_json(x));
    return out;
  }
  if (!j.is_object()) return {};
  Json out = Json::object();
  for (const auto& [key, value] : j.items()) out[key] = to_json(value);
  return out;
}

void flatten_json(const nlohmann::ordered_json& j, const std::string& path, TakeReport& out) {
  if (j.is_object())
    for (const auto& [key, value] : j.items()) flatten_json(value, path.empty() ? key : path + "." + key, out);
  if (j.is_boolean()) out.numbers[path] = j.get<bool>();
  if (j.is_number()) out.numbers[path] = j.get<double>();
  if (j.is_string()) out.texts[path] = j.get<std::string>();
}

// A file of the take, not what a link there leads to elsewhere.
std::string own_file(const fs::path& dir, const char* name) {
  std::string file = (dir / name).string();
  reading_scope().require(file, dir.string(), {.file = file});
  return file;
}

TakeReport report_of(const fs::path& dir) {
  const fs::path file = own_file(dir, "report.json");
  std::error_code error;
  if (!fs::is_directory(dir, error)) throw InputError({.file = dir.string()}, "is no folder", "give that of a run");
  const bool there = is_regular_file(file.string());
  const auto j = there ? nlohmann::ordered_json::parse(read_regular_file(file.string()), nullptr, false)
                       : nlohmann::ordered_json();
  // Of several clips each has a run of its own inside.
  if (!there || (j.is_object() && j.contains("clips") && !j.contains("model"))) {
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(dir))
      if (fs::exists(entry.path() / "report.json", error)) inside.push_back(entry.path().generic_string());
    std::sort(inside.begin(), inside.end());
    throw InputError({.file = dir.string()}, "holds no finished run of its own",
                     inside.empty() ? "give the folder of a run, as takes/001"
                                    : fmt::format("it holds several; choose of: {}", fmt::join(inside, ", ")));
  }
  if (j.is_discarded() || !j.is_object() || !j.contains("model") || !j.contains("timeline"))
    throw InputError({.file = file.string()}, "is not the report of a run", kAgain);
  TakeReport out;
  out.json = to_json(j);
  flatten_json(j, "", out);
  if (j.contains("inputs") && j["inputs"].is_object())
    for (const auto& [name, hash] : j["inputs"].items())
      if (hash.is_string()) out.inputs[name] = hash.get<std::string>();
  if (out.text("status") != "done")
    throw InputError({.file = dir.string()}, "the run there did not finish",
                     "finish it first: supple simulate ... --resume");
  return out;
}

// Whether the key says where a region is that the run did not have: a new one only for finishing.
bool says_where(const std::string& key, const std::vector<KeyDifference>& differences) {
  if (key.rfind("region.", 0) != 0) return false;
  const std::string region = key.substr(0, key.rfind('.')), own = key.substr(key.rfind('.') + 1);
  const bool fresh = std::any_of(differences.begin(), differences.end(),
                                 [&](const KeyDifference& d) { return d.key == region + ".name" && d.a.empty(); });
  const std::vector<std::string> where = {"name", "bones", "map", "material", "mesh", "mirror", "place"};
  return fresh && std::find(where.begin(), where.end(), own) != where.end();
}

void refuse_curves(const SceneConfig& scene, const fs::path& dir) {
  if (scene.curves.present)
    throw InputError({.file = dir.string()}, "holds curves of a rig, not flesh",
                     "edit them as keys: surface.glb, curves.csv");
}

// The run's own. What scene.toml says by now is noted as far as it can be read.
SceneConfig scene_as_run(const fs::path& dir, const TakeReport& report, Take& take) {
  const std::string text = report.text("scene"), file = (dir / "scene.toml").string();
  if (text.empty()) throw InputError({.file = (dir / "report.json").string()}, "does not say what was run", kAgain);
  SceneConfig scene = load_scene_text(text, file);
  refuse_curves(scene, dir);
  std::vector<InputError> problems;
  std::error_code error;
  if (!fs::exists(file, error)) return scene;
  const SceneConfig now = load_scene(file, {}, problems);
  if (!problems.empty()) take.edited.emplace_back("which cannot be read any more");
  for (const KeyDifference& d :
       problems.empty() ? scene_differences(text, to_toml(now, dir.string())) : std::vector<KeyDifference>())
    if (d.key != "output.formats") take.edited.push_back(d.key);
  return scene;
}

// What of a changed scene shows in the drawn result only.
SceneConfig read_scene(const fs::path& dir, const TakeReport& report, const Overrides& overrides, Take& take) {
  for (const Override& o : overrides) {
    std::string key = o.key();
    if (key.rfind("region.", 0) == 0 && key.find('.', 7) != std::string::npos)
      key = "region" + key.substr(key.rfind('.'));
    const bool known = find_key(key.substr(0, key.find('.')), key.substr(std::min(key.find('.') + 1, key.size())));
    if (known && !needs_no_simulation(key))
      throw InputError({.place = "--set " + o.text}, key + " needs a simulation",
                       fmt::format("supple simulate {} --set {}{}", (dir / "scene.toml").generic_string(), o.text,
                                   reading_scope().options()));
  }
  const std::string before = report.text("scene"), file = (dir / "scene.toml").string();
  std::error_code error;
  SceneConfig scene = before.empty() || fs::exists(file, error) ? load_scene(file, overrides)
                                                                : load_scene_text(before, file, overrides);
  refuse_curves(scene, dir);
  const auto differences =
      before.empty() ? std::vector<KeyDifference>() : scene_differences(before, to_toml(scene, dir.string()));
  std::string changed;
  for (const KeyDifference& d : differences) {
    if (!needs_no_simulation(d.key) && !says_where(d.key, differences))
      changed += (changed.empty() ? "" : ", ") + d.key;
    // `supple run` writes none unless the scene asks for them.
    if (d.key != "output.formats") take.edited.push_back(d.key);
    if (d.key == "output.formats" && d.a == "[]" && !scene.is_set(d.key)) take.of_supple_run = true;
  }
  if (!changed.empty())
    throw InputError({.file = scene.file}, "has changed since the run: " + changed,
                     fmt::format("{} {}, or change it back", kAgain, scene.file));
  return scene;
}

void require_unchanged(const TakeReport& report, const std::string& file, const std::string& hash) {
  if (hash.empty())
    throw InputError({.file = file}, "cannot be read, and the run was made of it", "put it back where it was");
  const bool known =
      std::any_of(report.inputs.begin(), report.inputs.end(), [&](const auto& x) { return x.second == hash; });
  if (!known) throw InputError({.file = file}, "has changed since the run", kAgain);
}

bool same_tets(const Body& body, const TetMesh& rest, const TakeReport& report) {
  return body.spec.mesh.vertices.size() == rest.vertices.size() && body.spec.mesh.tets == rest.tets &&
         static_cast<double>(body.spec.driven.size()) == report.number("model.driven_vertices");
}

// As far as delivery needs it: no analysis, no motion of the driven points.
Job job_of(const SceneConfig& scene, const TakeReport& report, const TetMesh& rest, const fs::path& dir, int n_frames) {
  Job job;
  job.config = scene;
  // Before it is read: what follows would fail in other words.
  if (!scene.surface.file.empty())
    require_unchanged(report, scene.surface.file.text, hash_file(scene.surface.file.path));
  job.subject = subject_of_run(scene, dir.string());
  Body body = job.subject->held_body(scene, job.notes);
  const auto require_inputs = [&] {
    for (const auto& [file, hash] : job.notes.inputs) require_unchanged(report, file, hash);
  };
  require_inputs();
  if (!same_tets(body, rest, report))
    throw InputError({.file = (dir / "tets.msh").string()}, "has other tets than the scene makes now",
                     std::string("another version of the program made them; ") + kAgain);
  body.spec.mesh.vertices = rest.vertices;
  AdjustedBody adjusted;
  adjusted.base = body.spec;
  adjusted.model = std::make_shared<const Model>(std::move(body.spec));
  job.body = std::make_shared<const AdjustedBody>(std::move(adjusted));
  Shot& shot = job.shot;
  shot.fps = job.subject->fps();
  shot.first_frame = scene.timeline.range ? (*scene.timeline.range)[0] : 0;
  shot.last_frame = shot.first_frame + n_frames - 1;
  shot.start.loop = report.number("timeline.loop") == 1;
  const double period = report.number("timeline.period");
  shot.start.period = std::isfinite(period) ? static_cast<int>(period) : n_frames - 1;
  job.surroundings = load_surroundings(scene, shot.fps, job.notes);
  require_inputs();
  job.surface = job.subject->surface(scene, job.model().mesh(), job.notes);
  return job;
}

PointCache read_cache(const fs::path& dir, const char* name, int n_points, int n_frames) {
  const fs::path file = own_file(dir, name);
  std::error_code error;
  if (!fs::exists(file, error)) throw InputError({.file = file.string()}, "is missing from the run", kAgain);
  PointCache cache = read_pc2(file.string());
  if (cache.n_points != n_points || cache.n_samples != n_frames)
    throw InputError({.file = file.string()},
                     fmt::format("has {} points over {} frames, the run {} over {}", cache.n_points, cache.n_samples,
                                 n_points, n_frames),
                     kAgain);
  return cache;
}

// "key = value" of every line under its table.
std::vector<std::pair<std::string, std::string>> keys_of_text(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> keys;
  std::istringstream in(text);
  std::string line, table;
  std::map<std::string, int> seen;
  while (std::getline(in, line)) {
    if (line.rfind("[[", 0) == 0) {
      const std::string list = line.substr(2, line.find(']') - 2);
      table = fmt::format("{}.{}", list, seen[list]++);
    } else if (line.rfind('[', 0) == 0) {
      table = line.substr(1, line.find(']') - 1);
    } else if (const size_t equals = line.find(" = "); equals != std::string::npos && line[0] != '#') {
      keys.emplace_back(table + "." + line.substr(0, equals), line.substr(equals + 3));
    }
  }
  return keys;
}

}  // namespace

double TakeReport::number(const std::string& path) const {
  const auto it = numbers.find(path);
  return it == numbers.end() ? std::numeric_limits<double>::quiet_NaN() : it->second;
}

std::string TakeReport::text(const std::string& path) const {
  const auto it = texts.find(path);
  return it == texts.end() ? "" : it->second;
}

bool needs_no_simulation(const std::string& key) {
  std::string plain = key;
  if (key.rfind("region.", 0) == 0) plain = "region" + key.substr(key.rfind('.'));
  const std::vector<std::string>& ours = finish_keys();
  const std::vector<std::string> files = {"output.formats",   "output.report", "output.every",
                                          "output.subframes", "output.limit",  "solver.threads"};
  return std::find(ours.begin(), ours.end(), plain) != ours.end() ||
         std::find(files.begin(), files.end(), plain) != files.end();
}

std::vector<KeyDifference> scene_differences(const std::string& a, const std::string& b) {
  const auto in_a = keys_of_text(a), in_b = keys_of_text(b);
  const auto value = [](const auto& list, const std::string& key) {
    const auto it = std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.first == key; });
    return it == list.end() ? std::string() : it->second;
  };
  std::vector<KeyDifference> out;
  for (const auto& [key, of_a] : in_a)
    if (const std::string of_b = value(in_b, key); of_a != of_b) out.push_back({key, of_a, of_b});
  for (const auto& [key, of_b] : in_b)
    if (value(in_a, key).empty()) out.push_back({key, "", of_b});
  return out;
}

TakeReport read_report(const std::string& directory) { return report_of(directory); }

TakeReport report_of_any(const std::string& file) {
  const auto j = is_regular_file(file) ? nlohmann::ordered_json::parse(read_regular_file(file), nullptr, false)
                                       : nlohmann::ordered_json();
  if (!j.is_object()) throw InputError({.file = file}, "is no report", kAgain);
  TakeReport out;
  out.json = to_json(j);
  flatten_json(j, "", out);
  return out;
}

SceneConfig scene_of_run(const std::string& directory, const Overrides& overrides) {
  const fs::path dir = directory;
  const TakeReport report = report_of(dir);
  if (report.text("scene").empty()) return load_scene((dir / "scene.toml").string(), overrides);
  return load_scene_text(report.text("scene"), (dir / "scene.toml").string(), overrides);
}

Take open_take(const std::string& directory, const Overrides& overrides, SceneOf which) {
  Take take;
  take.directory = directory;
  const fs::path dir = directory;
  take.report = report_of(dir);
  std::error_code error;
  if (!fs::exists(dir / "tets.msh", error))
    throw InputError({.file = (dir / "tets.msh").string()}, "is missing from the run", kAgain);
  const SceneConfig scene =
      which == SceneOf::run ? scene_as_run(dir, take.report, take) : read_scene(dir, take.report, overrides, take);
  if (!take.report.text("output.file").empty()) take.of_supple_run = true;
  const TetMesh rest = read_tet_mesh(own_file(dir, "tets.msh"));
  const double frames = take.report.number("timeline.frames");
  if (!(frames >= 1 && frames < 1e9))
    throw InputError({.file = (dir / "report.json").string()}, "does not say how many frames there are", kAgain);
  const int n_frames = static_cast<int>(frames);
  take.tets = read_cache(dir, "tets.pc2", rest.n_vertices(), n_frames);
  take.statics = read_cache(dir, "static.pc2", rest.n_vertices(), n_frames);
  if (fs::exists(dir / kAuthoredFile, error))
    take.authored = read_cache(dir, kAuthoredFile, rest.n_vertices(), n_frames);
  take.job = job_of(scene, take.report, rest, dir, n_frames);
  if (take.job.surroundings) {
    int n_points = 0;
    for (const OtherBody& b : take.job.surroundings->bodies) n_points += b.tets.n_vertices();
    const PointCache bodies = n_points > 0 ? read_cache(dir, "bodies.pc2", n_points, n_frames) : PointCache();
    take.others = companions(take.job, bodies);
    const double busiest = take.report.number("contact.busiest_frame");
    if (busiest >= 0 && busiest < n_frames) take.busiest = static_cast<int>(busiest);
  }
  return take;
}

std::vector<AskedGot> asked_and_got(const TakeReport& r) {
  const double fps = r.number("timeline.fps");
  const auto with_ratio = [&](const std::string& ratio, const std::string& text) {
    const double x = r.number(ratio);
    if (!std::isfinite(x)) return text;
    return fmt::format("\u00d7{:.3g}{}{}", x, text.empty() ? "" : ", ", text);
  };
  const auto length = [&](const std::string& path, const char* after) {
    const std::string text = length_text(r.number(path));
    return text.empty() ? text : text + after;
  };
  return {{.what = "Speed (frequency)",
           .asked = with_ratio("controls.frequency", speed_text(r.number("adjusted.frequency_hz"), fps)),
           .got = with_ratio("measured_ratio.frequency", speed_text(r.number("measured.frequency_hz"), fps))},
          {.what = "Amount (amplitude)",
           .asked = with_ratio("controls.amplitude", ""),
           .got = with_ratio("measured_ratio.amplitude", length("measured.amplitude_rms_m", " rms"))},
          {.what = "Peak", .got = length("measured.peak_m", "")},
          {.what = "Sag",
           .asked = with_ratio("controls.sag", length("adjusted.sag_m", "")),
           .got = length("measured.sag_m", "")},
          {.what = "Settle (half-life)",
           .asked = with_ratio("controls.half_life", settle_text(r.number("adjusted.half_life_s"), fps)),
           .got = with_ratio("measured_ratio.half_life", settle_text(r.number("measured.half_life_s"), fps))}};
}

}  // namespace supple::pipeline
