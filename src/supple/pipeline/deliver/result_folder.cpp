#include "supple/pipeline/deliver/result_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/pipeline/setup/fingerprint.h"
#include "supple/scene/schema.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr const char* kResults[] = {
    "surface.glb",  "surface.pc2",   "surface.mdd", "surface.usda", "surface.obj",  "tets.pc2",
    "tets.msh",     "tets.pvd",      "static.pc2",  "bodies.pc2",   "fit.pc2",      "tets.authored.pc2",
    "fit.csv",      "amplitude.csv", "curves.csv",  "curves.json",  "curves.bvh",   "modes.json",
    "material.png", "report.json",   "report.html", "poster.png",   "softness.png", "moving.png",
};

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

bool enclosed(std::string_view text, std::string_view begin, std::string_view end) {
  return text.size() > begin.size() + end.size() && text.starts_with(begin) && text.ends_with(end);
}

// Of frames, or of the meshes of a character.
bool is_series(const std::string& name) {
  return name == "surface_obj" || name == "surface_pc2" || name == "surface_mdd" || name == "tets_vtu" ||
         enclosed(name, "body-", "_obj");
}

bool is_of_series(const std::string& series, const fs::path& file) {
  const std::string kind = file.extension().string();
  if (series == "surface_pc2" || series == "surface_mdd") return kind == "." + series.substr(8);
  return all_digits(file.stem().string()) && kind == (series == "tets_vtu" ? ".vtu" : ".obj");
}

// Whether a path lies right in a directory, by name or by what it is.
bool lies_in(const fs::path& file, const fs::path& directory) {
  std::error_code error;
  const fs::path parent = fs::absolute(file, error).lexically_normal().parent_path();
  if (fs::equivalent(parent, directory, error)) return true;
  const fs::path real = fs::weakly_canonical(file, error);
  return !error && fs::equivalent(real.parent_path(), directory, error);
}

}  // namespace

bool is_result_name(const std::string& name) {
  for (const char* result : kResults)
    if (name == result) return true;
  if (enclosed(name, "tets-", ".msh")) return all_digits(std::string_view(name).substr(5, name.size() - 9));
  for (const char* kind : {".glb", ".pc2", ".mdd", ".usda", ".obj"})
    if (enclosed(name, "body-", kind)) return true;
  return false;
}

std::vector<std::string> files_of(const SceneConfig& config) {
  SceneConfig scene = config;  // the table gives places to write to
  std::vector<std::string> files;
  const auto add = [&](const FilePath& file) {
    if (!file.empty() && !file.path.empty()) files.push_back(file.path);
  };
  if (!config.file.empty()) files.push_back(config.file);
  for (const KeySpec& spec : scene_keys()) {
    for (size_t element = 0; element < table_count(scene, spec.table); ++element) {
      const Slot slot = spec.slot(scene, element);
      if (const auto* file = std::get_if<FilePath*>(&slot)) add(**file);
      if (const auto* list = std::get_if<VertexList*>(&slot)) add((*list)->file);
      if (const auto* keys = std::get_if<DialKeys*>(&slot)) add((*keys)->file);
      if (const auto* number = std::get_if<NumberOrFile*>(&slot)) add((*number)->file);
      if (const auto* rest = std::get_if<RestChoice*>(&slot)) add((*rest)->file);
      if (const auto* many = std::get_if<std::vector<FilePath>*>(&slot))
        for (const FilePath& file : **many) add(file);
    }
  }
  return files;
}

std::string fingerprint_with_files(const SceneConfig& config,
                                   const std::vector<std::pair<std::string, std::string>>& more) {
  std::vector<std::pair<std::string, std::string>> inputs;
  for (const std::string& file : files_of(config))  // their names are in the scene
    if (fs::is_regular_file(file)) inputs.emplace_back("", hash_file(file));
  inputs.insert(inputs.end(), more.begin(), more.end());
  return fingerprint(config, inputs);
}

void require_free_names(const std::string& directory, bool replace) {
  std::error_code error;
  if (replace || !fs::is_directory(directory, error)) return;
  if (fs::exists(fs::path(directory) / "report.json", error))
    throw InputError({.file = directory}, "holds a run already",
                     "choose another directory, or say --overwrite to replace it");
  if (fs::exists(fs::path(directory) / "checkpoint/state.bin", error) ||
      fs::exists(fs::path(directory) / "checkpoint/before.bin", error))
    throw InputError({.file = directory}, "holds a run that was stopped",
                     "go on with it, --resume, or say --overwrite to begin anew");
  for (const auto& entry : fs::directory_iterator(directory, error))
    if (is_result_name(entry.path().filename().string()))
      throw InputError({.file = entry.path().string()}, "is there already, and results are called that",
                       "choose another directory, or say --overwrite to replace it");
}

void require_inputs_apart(const SceneConfig& config, const std::string& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) return;
  for (const std::string& file : files_of(config)) {
    const fs::path path = file;
    const fs::path folder = path.parent_path();
    const std::string name = path.filename().string();
    // A map may be a name in another file.
    const bool ours = (is_result_name(name) || is_series(name)) && fs::exists(path, error) && lies_in(path, directory);
    const bool in_series = is_series(folder.filename().string()) && lies_in(folder, directory);
    if (ours || in_series)
      throw InputError({.file = file}, "the scene reads it, and results would take its place",
                       "choose another directory for the results");
  }
}

void clear_results(const std::string& directory) {
  std::error_code error;
  if (!fs::exists(fs::path(directory) / "report.json", error)) return;
  std::vector<fs::path> old, folders;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory(error) && !entry.is_symlink(error)) {
      if (!is_series(name)) continue;
      folders.push_back(entry.path());
      for (const auto& frame : fs::directory_iterator(entry.path(), error))
        if (is_of_series(name, frame.path()) && !frame.is_directory(error)) old.push_back(frame.path());
    } else if (is_result_name(name) || (name.ends_with(".part") && is_result_name(name.substr(0, name.size() - 5)))) {
      old.push_back(entry.path());
    }
  }
  for (const fs::path& file : old) fs::remove(file, error);
  for (const fs::path& folder : folders)
    if (fs::is_empty(folder, error)) fs::remove(folder, error);
}

ResultFolder::ResultFolder(const std::string& directory) : path_(directory) {
  make(directory);
  claim();
}

void ResultFolder::make(const std::string& directory) {
  const fs::path dir = fs::path(directory).lexically_normal();
  const auto fail = [&](const std::string& why) {
    undo();
    throw InputError({.file = directory}, why, "choose a directory that can be written");
  };
  std::error_code error;
  fs::path step;
  for (const fs::path& part : dir) {
    step /= part;
    if (part.empty() || fs::exists(step, error)) continue;
    if (fs::create_directory(step, error)) made_.push_back(step.string());
    if (error) fail("cannot be made: " + error.message());
  }
  if (!fs::is_directory(dir.empty() ? fs::path(".") : dir, error)) fail("is not a directory");
}

void ResultFolder::claim() {
  try {
    claim_.emplace(path_);
  } catch (...) {
    undo();
    throw;
  }
}

ResultFolder ResultFolder::next(const std::string& parent) {
  ResultFolder folder;
  folder.make(parent);
  try {
    folder.path_ = make_next_folder(parent);
  } catch (...) {
    folder.undo();
    throw;
  }
  folder.made_.push_back(folder.path_);
  folder.claim();
  return folder;
}

ResultFolder::ResultFolder(ResultFolder&& other) noexcept
    : path_(std::move(other.path_)), made_(std::exchange(other.made_, {})), claim_(std::exchange(other.claim_, {})) {}

ResultFolder::~ResultFolder() { undo(); }

void ResultFolder::undo() {
  claim_.reset();  // what it keeps there would be in the way
  std::error_code error;
  for (auto it = made_.rbegin(); it != made_.rend(); ++it)
    if (!fs::is_empty(*it, error) || !fs::remove(*it, error)) break;
  made_.clear();
}

std::string make_next_folder(const std::string& parent) {
  for (int i = 1;; ++i) {
    const std::string folder = (fs::path(parent) / fmt::format("{:03}", i)).string();
    if (mkdir(folder.c_str(), 0777) == 0) return folder;
    if (errno != EEXIST)
      throw InputError({.file = parent}, std::string("no take can be made there: ") + std::strerror(errno),
                       "choose a directory with -o");
  }
}

ResultFolder folder_or_next(const std::string& asked) {
  if (asked.empty()) return ResultFolder::next();
  return ResultFolder(asked);
}

}  // namespace supple::pipeline
