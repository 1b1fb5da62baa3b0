#include "supple/pipeline/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/io/curve_files.h"
#include "supple/io/point_cache.h"
#include "supple/pipeline/pipeline.h"
#include "supple/pipeline/takes/take.h"
#include "supple/scene/read_scene.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr const char* kHashes = "hashes.";
constexpr const char* kSources = "made.sources.";

// A folder that goes when it is no longer needed.
class ScratchFolder {
 public:
  ScratchFolder() : path_(fs::temp_directory_path() / fmt::format("supple-verify-{}", getpid())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Texts of a report whose path begins so, by the rest of it.
std::map<std::string, std::string> texts_under(const TakeReport& report, const std::string& prefix) {
  std::map<std::string, std::string> out;
  for (auto it = report.texts.lower_bound(prefix); it != report.texts.end() && it->first.starts_with(prefix); ++it)
    out[it->first.substr(prefix.size())] = it->second;
  return out;
}

// Largest distance between two samples, as a share of the largest extent of the first; infinite where they do not fit.
double share_apart(const PointCache& a, const PointCache& b) {
  if (a.n_points != b.n_points || a.n_samples != b.n_samples) return std::numeric_limits<double>::infinity();
  double largest = 0, extent = 0;
  for (int s = 0; s < a.n_samples; ++s) {
    const float *x = a.sample(s), *y = b.sample(s);
    Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (size_t i = 0; i < static_cast<size_t>(a.n_points); ++i) {
      const Vec3 p(x[3 * i], x[3 * i + 1], x[3 * i + 2]), q(y[3 * i], y[3 * i + 1], y[3 * i + 2]);
      largest = std::max(largest, (p - q).norm());
      low = low.cwiseMin(p), high = high.cwiseMax(p);
    }
    if (a.n_points > 0) extent = std::max(extent, (high - low).maxCoeff());
  }
  return extent > 0 ? largest / extent : largest > 0 ? std::numeric_limits<double>::infinity() : 0;
}

// The same of curves: each against its own range.
double share_apart(const CurveTable& a, const CurveTable& b) {
  if (a.names != b.names || a.frames != b.frames) return std::numeric_limits<double>::infinity();
  double share = 0;
  for (Eigen::Index k = 0; k < a.values.cols(); ++k) {
    const double range = a.values.col(k).maxCoeff() - a.values.col(k).minCoeff();
    const double apart = (a.values.col(k) - b.values.col(k)).cwiseAbs().maxCoeff();
    if (apart > 0) share = std::max(share, apart / range);
  }
  return share;
}

// How far apart two files are; NaN: they hold nothing that is compared by numbers.
double share_apart(const fs::path& a, const fs::path& b) {
  const std::string kind = a.extension().string();
  if (kind == ".pc2" || kind == ".mdd") return share_apart(read_point_cache(a.string()), read_point_cache(b.string()));
  if (a.filename() == "curves.csv") return share_apart(read_curves(a.string()), read_curves(b.string()));
  return std::numeric_limits<double>::quiet_NaN();
}

class Verification {
 public:
  explicit Verification(const VerifyRequest& request) : request_(request), take_(request.take) {
    std::error_code error;
    if (!fs::is_directory(take_, error))
      throw InputError({.file = take_.string()}, "is no folder", "give that of a run");
    const std::string file = (take_ / "report.json").string();
    report_ = report_of_any(file);
    if (!report_.text("finish.from").empty())
      throw InputError({.file = take_.string()}, "is another finish of " + report_.text("finish.from"),
                       "verify that one; finishing simulates nothing");
    if (report_.text("status") != "done")
      throw InputError({.file = take_.string()}, "the run there did not finish", "finish it first, or run it again");
    if (report_.text("made.kernels").empty())
      throw InputError(
          {.file = file}, "does not say how the run was made",
          "an earlier version wrote it, or it is no take of simulate, run, enrich or curves: run it again");
    result_.then = {report_.text("made.cpu"), report_.text("made.kernels"), report_.text("made.compiler")};
    result_.now = this_machine();
    result_.program = report_.text("made.program");
    result_.same_kind = result_.then == result_.now && result_.program == version();
  }

  VerifyResult run(const Watch& watch) {
    of_run_ = report_.text("made.by") == "run";
    const std::string text = report_.text(of_run_ ? "made.scene" : "scene");
    SceneConfig scene = load_scene_text(text, (take_ / "scene.toml").string());
    scene.may_run = request_.allow_run;
    find_changed(scene);
    if (!result_.changed.empty()) return std::move(result_);
    const ScratchFolder scratch;
    const fs::path again = scratch.path() / "take";
    OutputFolder folder{.directory = again.string()};
    if (of_run_) {
      folder.product = Product::soft_character;
      folder.glb = (scratch.path() / "result.glb").string();
      folder.all_clips = report_.number("made.all_clips") == 1;
      folder.replace = report_.number("made.replace") == 1;
    }
    const Outcome made = run_scene(scene, folder, watch);
    if (made.status == RunStatus::interrupted) throw Cancelled();
    if (made.status == RunStatus::failed) {
      result_.message = made.message;
      return std::move(result_);
    }
    compare(again, folder.glb);
    return std::move(result_);
  }

 private:
  void find_changed(const SceneConfig& scene) {
    const auto then = texts_under(report_, kSources);
    std::map<std::string, std::string> now;
    for (const auto& [file, hash] : source_hashes(scene, take_.string())) now[file] = hash;
    for (const auto& [file, hash] : then)
      if (const auto it = now.find(file); it == now.end() || it->second != hash) result_.changed.push_back(file);
    for (const auto& [file, hash] : now)
      if (!then.contains(file)) result_.changed.push_back(file);
  }

  void compare(const fs::path& again, const std::string& glb) {
    compare_folder("", report_, again);
    for (const std::string& name : folders_of_clips()) {
      const std::string file = (take_ / name / "report.json").string();
      compare_folder(name, report_of_any(file), again / name);
    }
    if (of_run_) {
      VerifiedFile file{report_.text("output.file")};
      judge(file, report_.text("output.hash"), file.file, glb);
    }
    for (const VerifiedFile& f : result_.files) compared_ = compared_ || std::isfinite(f.distance);
    // What no numbers are compared of is as good as what it was made of.
    for (VerifiedFile& f : result_.files)
      if (f.verdict == FileVerdict::follows && !compared_) f.verdict = FileVerdict::different;
    result_.same = std::all_of(result_.files.begin(), result_.files.end(), [](const VerifiedFile& f) {
      return f.verdict == FileVerdict::same || f.verdict == FileVerdict::close || f.verdict == FileVerdict::follows;
    });
    result_.same = result_.same && !result_.files.empty();
  }

  // Of `run --clip all`, those that were delivered.
  std::vector<std::string> folders_of_clips() const {
    std::vector<std::string> names;
    std::error_code error;
    if (of_run_ && report_.number("made.all_clips") == 1 && report_.text("scene").empty())
      for (const auto& entry : fs::directory_iterator(take_, error))
        if (fs::exists(entry.path() / "report.json", error)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  void compare_folder(const std::string& name, const TakeReport& report, const fs::path& again) {
    const auto then = texts_under(report, kHashes);
    for (const auto& [file, hash] : then) {
      VerifiedFile one{(fs::path(name) / file).generic_string()};
      judge(one, hash, take_ / name / file, again / file);
    }
    for (const auto& [file, hash] : result_hashes(again.string()))
      if (!then.contains(file)) result_.files.push_back({(fs::path(name) / file).generic_string()});
  }

  // hash: of what the run wrote. there: the take's. made: what came out now.
  void judge(VerifiedFile& file, const std::string& hash, const fs::path& there, const fs::path& made) {
    const std::string now = hash_file(made.string()), is = hash_file(there.string());
    if (now.empty()) {
      file.verdict = FileVerdict::missing;
    } else if (now == hash) {
      // It was not even looked at whether the take still has it: what the run did is proven.
      file.verdict = is == hash ? FileVerdict::same : is.empty() ? FileVerdict::missing : FileVerdict::edited;
    } else if (is != hash) {
      file.verdict = is.empty() ? FileVerdict::missing : FileVerdict::edited;
    } else {
      file.distance = share_apart(there, made);
      const bool within = file.distance <= request_.tolerance;
      file.verdict = result_.same_kind || (!within && !std::isnan(file.distance)) ? FileVerdict::different
                     : within                                                     ? FileVerdict::close
                                                                                  : FileVerdict::follows;
    }
    result_.files.push_back(file);
  }

  const VerifyRequest request_;
  const fs::path take_;
  TakeReport report_;
  bool of_run_ = false, compared_ = false;
  VerifyResult result_;
};

Json json_of(const Machine& machine) {
  Json j;
  j["cpu"] = machine.cpu, j["kernels"] = machine.kernels, j["compiler"] = machine.compiler;
  return j;
}

}  // namespace

const char* word_of(FileVerdict verdict) {
  switch (verdict) {
    case FileVerdict::same:
      return "same";
    case FileVerdict::close:
      return "close";
    case FileVerdict::follows:
      return "follows";
    case FileVerdict::different:
      return "different";
    case FileVerdict::edited:
      return "edited";
    default:
      return "missing";
  }
}

Json VerifyResult::json() const {
  Json j = Json::object();
  j["same"] = same;
  j["compared_by"] = same_kind ? "hashes" : "positions";
  j["then"] = json_of(then), j["then"]["program"] = program;
  j["now"] = json_of(now), j["now"]["program"] = version();
  j["changed_inputs"] = changed.empty() ? Json(Json::Array{}) : Json::list(changed);
  if (!message.empty()) j["message"] = message;
  j["files"] = Json(Json::Array{});
  for (const VerifiedFile& f : files) {
    Json one;
    one["file"] = f.file, one["verdict"] = word_of(f.verdict), one["distance_share"] = f.distance;
    j["files"].push_back(std::move(one));
  }
  return j;
}

VerifyResult verify_take(const VerifyRequest& request, const Watch& watch) { return Verification(request).run(watch); }

}  // namespace supple::pipeline
