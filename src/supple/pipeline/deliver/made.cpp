#include "supple/pipeline/deliver/made.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "supple/base/hash.h"
#include "supple/linalg/dense_kernels.h"
#include "supple/pipeline/deliver/result_folder.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

// What the system says of the first processor; "unknown" where it says nothing.
std::string cpu_kind() {
  std::ifstream in("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    const std::string key = line.substr(0, line.find_last_not_of(" \t:", colon) + 1), value = line.substr(colon + 2);
    for (const char* wanted : {"vendor_id", "cpu family", "model", "CPU implementer", "CPU part"})
      if (key == wanted) text += (text.empty() ? "" : ", ") + key + " " + value;
  }
  return text.empty() ? "unknown" : text;
}

// Of frames, or of the meshes of a character, in a folder of their own.
bool is_series_folder(const std::string& name) {
  return name.starts_with("surface_") || name == "tets_vtu" || (name.starts_with("body-") && name.ends_with("_obj"));
}

// What is told of a run: it holds seconds, and pictures are made of what is hashed.
bool is_told(const fs::path& file) {
  const std::string kind = file.extension().string();
  return kind == ".png" || kind == ".html" || file.filename() == "report.json";
}

}  // namespace

Machine this_machine() {
#ifdef __clang__
  std::string compiler = "Clang " __clang_version__;  // ends in a blank
  compiler.erase(compiler.find_last_not_of(' ') + 1);
#else
  const std::string compiler = "GCC " __VERSION__;
#endif
  return {cpu_kind(), dense_kernels<double>().name, compiler};
}

std::vector<std::pair<std::string, std::string>> source_hashes(const SceneConfig& scene, const std::string& directory) {
  std::vector<std::pair<std::string, std::string>> out;
  const fs::path from = fs::absolute(directory).lexically_normal();
  std::error_code error;
  for (const std::string& file : files_of(scene)) {
    if (file == scene.file || fs::is_directory(file, error)) continue;  // the report has the text of the scene
    const std::string name = fs::absolute(file).lexically_normal().lexically_relative(from).generic_string();
    if (fs::path(file).has_extension()) out.emplace_back(name, hash_file(file));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::pair<std::string, std::string>> result_hashes(const std::string& directory) {
  std::vector<std::pair<std::string, std::string>> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory(error) && is_series_folder(name)) {
      for (const auto& frame : fs::directory_iterator(entry.path(), error))
        out.emplace_back(name + "/" + frame.path().filename().string(), hash_file(frame.path().string()));
    } else if (is_result_name(name) && !is_told(name)) {
      out.emplace_back(name, hash_file(entry.path().string()));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

Json hashes_json(const std::vector<std::pair<std::string, std::string>>& hashes) {
  Json j = Json::object();
  for (const auto& [file, hash] : hashes) j[file] = hash;
  return j;
}

Json made_json(const SceneConfig& scene, const std::string& directory) {
  const Machine machine = this_machine();
  Json j;
  j["program"] = version();
  j["cpu"] = machine.cpu;
  j["kernels"] = machine.kernels;
  j["compiler"] = machine.compiler;
  j["sources"] = hashes_json(source_hashes(scene, directory));
  return j;
}

}  // namespace supple::pipeline
