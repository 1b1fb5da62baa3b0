#include "supple/pipeline/takes/refinish.h"
#include "supple/pipeline/deliver/result_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/base/laps.h"
#include "supple/base/parallel.h"
#include "supple/base/reading_scope.h"
#include "supple/io/gltf/soft_glb.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/deliver/page_motion.h"
#include "supple/pipeline/deliver/portrait.h"
#include "supple/pipeline/deliver/soft_clip.h"
#include "supple/pipeline/enriched/report.h"
#include "supple/pipeline/run/report.h"
#include "supple/pipeline/run/response_card.h"
#include "supple/pipeline/takes/take.h"
#include "supple/report/timings.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

// A folder that is there under its name when all of it is, or not at all.
class NewFolder {
 public:
  // "": the next in `parent`.
  NewFolder(const std::string& path, const std::string& parent)
      : made_parent_(path.empty() && !fs::exists(parent)),
        is_reserved_(path.empty()),
        parent_(parent),
        path_(path.empty() ? reserved(parent) : path),
        part_(fmt::format("{}.{}.part", path_.string(), getpid())) {
    std::error_code error;
    if (fs::exists(path_, error) && !is_reserved_)
      throw InputError({.file = path}, "is there already", "takes are never replaced: choose another name");
    fs::remove_all(part_, error);
    fs::create_directories(part_, error);
    if (error || !fs::is_directory(part_))
      throw InputError({.file = path}, "cannot be made: " + error.message(), "choose a folder that can be written");
  }
  ~NewFolder() {
    std::error_code error;
    if (done_) return;
    fs::remove_all(part_, error);
    if (is_reserved_) fs::remove(path_, error);
    if (made_parent_ && fs::is_empty(parent_, error)) fs::remove(parent_, error);
    if (!beside_.empty()) fs::remove(beside_, error);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const fs::path& path() const { return path_; }
  const fs::path& part() const { return part_; }
  void goes_with(const std::string& file) { beside_ = file; }  // a new one outside of it
  void commit() {
    rename_for_good(part_.string(), path_.string());
    done_ = true;
  }

 private:
  static std::string reserved(const std::string& parent) {
    std::error_code error;
    fs::create_directories(parent, error);
    return make_next_folder(parent);
  }
  bool made_parent_, is_reserved_;  // by an empty folder of that name
  fs::path parent_, path_, part_, beside_;
  bool done_ = false;
};

DepartureSize over_all(const std::vector<DepartureSize>& frames) {
  DepartureSize s;
  for (const DepartureSize& f : frames) s.rms += f.rms * f.rms, s.largest = std::max(s.largest, f.largest);
  s.rms = frames.empty() ? 0 : std::sqrt(s.rms / static_cast<double>(frames.size()));
  return s;
}

Json to_json(const DepartureSize& s) {
  Json j;
  j["rms_m"] = s.rms, j["largest_m"] = s.largest;
  return j;
}

// The finishing keys that the scene sets.
PageTable key_table(const SceneConfig& scene, const std::string& directory) {
  PageTable table{.title = "Finishing", .note = "", .head = {"Key", "Value"}, .rows = {}};
  for (const KeyDifference& d : scene_differences("", to_toml(scene, directory)))
    if (needs_no_simulation(d.key) && d.key.rfind("solver", 0) != 0) table.rows.push_back({d.key, d.b});
  table.note = table.rows.empty() ? "None: what was simulated is shown as it is." : "Nothing was simulated for this.";
  return table;
}

std::vector<Plot> departure_plots(const DeliveredRun& run, double fps) {
  if (run.shown().empty()) return {};
  Plot rms{.title = "Departure, rms over the surface", .x_label = "time [s]", .y_label = "mm"};
  Plot largest{.title = "Largest departure", .x_label = "time [s]", .y_label = "mm"};
  rms.y_from_zero = largest.y_from_zero = true;
  const auto add = [&](const std::vector<DepartureSize>& frames, const char* label) {
    PlotLine a{.label = label, .x = {}, .y = {}}, b = a;
    for (size_t f = 0; f < frames.size(); ++f) {
      a.x.push_back(static_cast<double>(f) / fps), a.y.push_back(1e3 * frames[f].rms);
      b.x.push_back(static_cast<double>(f) / fps), b.y.push_back(1e3 * frames[f].largest);
    }
    rms.lines.push_back(std::move(a)), largest.lines.push_back(std::move(b));
  };
  add(run.simulated(), "simulated");
  add(run.shown(), "finished");
  return {rms, largest};
}

void copy_into(const fs::path& from, const fs::path& to, const char* name, std::vector<std::string>& files) {
  std::error_code error;
  if (!fs::exists(from / name, error)) return;
  reading_scope().require((from / name).string(), from.string(), {.file = (from / name).string()});
  fs::copy_file(from / name, to / name, error);
  if (error) throw InputError({.file = (to / name).string()}, "cannot be written: " + error.message(), "make room");
  files.push_back(name);
}

void check_glb(const std::string& glb, const std::string& input) {
  if (glb.empty()) return;
  std::error_code error;
  if (fs::exists(glb, error)) throw InputError({.file = glb}, "is there already", "choose another name with -o");
  const fs::path parent = fs::path(glb).parent_path();
  if (!parent.empty() && !fs::is_directory(parent, error))
    throw InputError({.file = parent.string()}, "is no folder", "make it first, or choose another");
  if (input.empty())
    throw InputError({.file = glb}, "only a run of a character has a .glb of its own", "name a folder");
}

// What takes the longest of a page.
struct Pictures {
  std::string poster_png, moving_png;
  decltype(ReportPage::motion) motion;
};

void write_page(const Take& take, const DeliveredRun& run, Pictures pictures, const std::string& directory,
                const FinishResult& result) {
  const Job& job = take.job;
  const std::string& poster = pictures.poster_png;
  write_text((fs::path(directory) / "poster.png").string(), poster);
  write_text((fs::path(directory) / "moving.png").string(), pictures.moving_png);
  ReportPage page{.title = job.subject->appearance().title(job.config),
                  .summary = fmt::format("{} frames at {:g} a second, finished from {}", job.shot.n_frames(),
                                         job.shot.fps, take.directory),
                  .poster_png = poster,
                  .poster_alt = "the surface at the first frame, at its largest departure and at the last frame",
                  .warnings = result.warnings};
  page.motion = std::move(pictures.motion);
  page.tables.push_back(key_table(job.config, directory));
  if (!run.shown().empty())
    page.tables.push_back(
        {.title = "Departure from the input",
         .note = "",
         .head = {"", "rms", "largest"},
         .rows = {{"simulated", length_text(result.simulated.rms), length_text(result.simulated.largest)},
                  {"finished", length_text(result.shown.rms), length_text(result.shown.largest)}}});
  page.card = asked_and_got(take.report);
  page.card_notes = {"Of the simulation, before finishing."};
  page.plots = departure_plots(run, job.shot.fps);
  page.facts = {{"version", version()}};
  page.data = result.report;
  write_text((fs::path(directory) / "report.html").string(), to_html(page));
}

}  // namespace

std::string folder_of_takes(const std::string& directory) {
  const fs::path dir = fs::path(directory).lexically_normal();
  const fs::path own = dir.has_filename() ? dir : dir.parent_path();
  const std::string name = own.filename().string();
  const bool numbered =
      name.size() == 3 && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!numbered) return "takes";
  return own.parent_path().empty() ? "." : own.parent_path().string();
}

FinishResult finish_run(const FinishRequest& request, const Watch& watch) {
  Laps spent;
  FinishResult result;
  Take take = open_take(request.directory, request.set);
  Job& job = take.job;
  result.warnings = job.notes.warnings;
  NewFolder folder(request.out, folder_of_takes(request.directory));
  result.directory = folder.path().string();
  // A run of `supple run` has its result in one file beside the take, unless the scene asks for others.
  const bool own_glb = job.subject->appearance().own_glb(), of_run = own_glb && take.of_supple_run;
  result.glb = !request.glb.empty() ? request.glb : of_run ? result.directory + ".glb" : "";
  check_glb(result.glb, own_glb ? job.config.surface.file.path : "");
  const std::string part = folder.part().string();

  const SceneConfig scene = job.config;
  write_text((folder.part() / "scene.toml").string(), to_toml(scene, part));
  result.files.push_back("scene.toml");
  if (of_run && !scene.is_set("output.formats")) job.config.output.formats.clear();
  job.config.file = (folder.part() / "scene.toml").string();
  spent.lap("reading");
  watch.note("finishing");
  const DeliveredRun run(job, take.tets, [&](int f) { return take.from(f); });
  DrawnFrames drawn = drawn_surface(job, run);
  result.changed = run.changes();
  result.simulated = over_all(run.simulated()), result.shown = over_all(run.shown());
  drawn.authored = take.authored;
  drawn.tets = take.tets;
  drawn.others = take.others;
  drawn.busiest = take.busiest;
  spent.lap("finishing");
  watch.note("writing");
  // With these the take can be finished again, as any other.
  for (const char* name :
       {"tets.pc2", "static.pc2", "tets.msh", "amplitude.csv", "softness.png", "bodies.pc2", "fit.pc2", "fit.csv"})
    copy_into(request.directory, folder.part(), name, result.files);

  Json& j = result.report = take.report.json;
  j["scene"] = to_toml(job.config, part);
  SubjectReport told = job.subject->report({job.shot.first_frame, drawn.frames, drawn.input});
  if (told.departure) j[told.key]["departure"] = std::move(*told.departure);
  j["made"] = Json(), j["hashes"] = Json();  // said of the run
  j["finish"]["from"] = request.directory;
  for (const auto& row : key_table(scene, part).rows) j["finish"]["keys"][row[0]] = row[1];
  j["finish"]["simulated"] = run.shown().empty() ? Json() : to_json(result.simulated);
  j["finish"]["evened_share"] = drawn.evened_share;
  j["finish"]["shown"] = run.shown().empty() ? Json() : to_json(result.shown);
  j["output"] = Json();
  if (take.report.numbers.contains("final_beside.rms_m")) j["final_beside"] = Json();  // said of the run
  // Side by side: none needs what another makes.
  SoftGlbReport glb;
  Pictures pictures;
  if (!result.glb.empty()) folder.goes_with(result.glb);
  std::vector<std::string> files;
  parallel_for(5, 1, [&](size_t begin, size_t) {
    if (begin == 0 && !result.glb.empty())
      glb = write_soft_glb(scene.surface.file.path, result.glb, {drawn.soft}, glb_options(scene.output));
    if (begin == 1) files = write_surface_files(job.output(), drawn, part, result.warnings);
    if (begin == 2 && scene.output.report) pictures.motion = run_motion(job, drawn, part);
    if (begin == 3 && scene.output.report) pictures.poster_png = poster_png(job.output(), drawn);
    if (begin == 4 && scene.output.report) pictures.moving_png = moving_png(job.output(), drawn);
  });
  result.files.insert(result.files.end(), files.begin(), files.end());
  if (!result.glb.empty()) {
    result.warnings.insert(result.warnings.end(), glb.warnings.begin(), glb.warnings.end());
    j["output"]["file"] = result.glb;
    j["output"]["hash"] = hash_file(result.glb);
    put_glb_report(glb, j["output"]);
  }
  j["directory"] = result.directory;
  j["warnings"] = result.warnings.empty() ? Json(Json::Array{}) : Json::list(result.warnings);
  if (scene.output.report) {
    write_page(take, run, std::move(pictures), part, result);
    for (const char* name : {"report.html", "poster.png", "moving.png"}) result.files.push_back(name);
  }
  spent.lap("output");
  j["timings_s"] = timings_json(spent);
  j["finish"]["seconds"] = spent.seconds();
  result.files.push_back("report.json");
  write_text((folder.part() / "report.json").string(), j.text() + "\n");
  folder.commit();
  return result;
}

}  // namespace supple::pipeline
