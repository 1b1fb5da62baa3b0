#include "supple/pipeline/setup/stage_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "supple/base/pack.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr char kMagic[8] = {'S', 'U', 'P', 'P', 'L', 'S', 'T', '1'};
constexpr const char* kEntry = ".stage";
constexpr const char* kPart = ".part";
constexpr auto kAbandoned = std::chrono::hours(24);  // a part that nobody is writing any more

std::string head_of(const std::string& key, const std::string& bytes) {
  return std::string(kMagic, sizeof kMagic) + key + Digest().bytes(bytes.data(), bytes.size()).text();
}

}  // namespace

void StageCache::open(const std::string& folder, uint64_t most_bytes) {
  folder_ = folder;
  most_bytes_ = most_bytes;
}

std::string StageCache::path_of(const std::string& stage, const std::string& key) const {
  return (fs::path(folder_) / (stage + "-" + key + kEntry)).string();
}

std::string StageCache::find(const std::string& stage, const std::string& key) const {
  if (!is_open()) return "";
  const std::string path = path_of(stage, key);
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return "";
  const auto size = static_cast<std::streamoff>(in.tellg());
  std::string head(head_of(key, "").size(), 0);
  if (size < static_cast<std::streamoff>(head.size())) return "";
  std::string bytes(static_cast<size_t>(size) - head.size(), 0);
  in.seekg(0);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!in || head != head_of(key, bytes)) return "";
  std::error_code error;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // those in use are not the oldest
  return bytes;
}

void StageCache::keep(const std::string& stage, const std::string& key, const std::string& bytes) const {
  if (!is_open() || bytes.size() > most_bytes_) return;
  static std::atomic<int> count = 0;
  std::error_code error;
  fs::create_directories(folder_, error);
  const std::string path = path_of(stage, key), part = fmt::format("{}.{}.{}{}", path, getpid(), ++count, kPart);
  {
    std::ofstream out(part, std::ios::binary);
    out << head_of(key, bytes) << bytes;
    out.flush();
    if (!out) {
      out.close();
      fs::remove(part, error);
      return;
    }
  }
  fs::rename(part, path, error);
  if (error) fs::remove(part, error);
  make_room();
}

void StageCache::make_room() const {
  struct File {
    fs::path path;
    fs::file_time_type time;
    uint64_t size;
  };
  std::vector<File> files;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const std::string extension = it->path().extension().string();
    if (extension != kEntry && extension != kPart) continue;
    const File f{it->path(), it->last_write_time(gone), it->file_size(gone)};
    if (gone) continue;
    if (extension == kPart) {
      if (fs::file_time_type::clock::now() - f.time > kAbandoned) fs::remove(f.path, gone);
      continue;
    }
    total += f.size;
    files.push_back(f);
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.time < b.time; });
  for (size_t i = 0; i < files.size() && total > most_bytes_; ++i) {
    fs::remove(files[i].path, error);
    total -= files[i].size;
  }
}

StageCache& stage_cache() {
  static StageCache cache;
  return cache;
}

std::string usual_cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string own = variable("SUPPLE_CACHE");
  if (own == "off") return "";
  if (!own.empty()) return own;
  if (const std::string all = variable("XDG_CACHE_HOME"); !all.empty()) return (fs::path(all) / "supple").string();
  const std::string home = variable("HOME");
  return home.empty() ? "" : (fs::path(home) / ".cache" / "supple").string();
}

VecX found_vector(const std::string& stage, const std::string& key, Eigen::Index size) {
  VecX x;
  const std::string bytes = stage_cache().find(stage, key);
  Unpacker unpack(bytes);
  unpack(x);
  return unpack.whole() && x.size() == size ? x : VecX();
}

void keep_vector(const std::string& stage, const std::string& key, const VecX& x) {
  Packer pack;
  pack(x);
  stage_cache().keep(stage, key, pack.take());
}

std::shared_ptr<KnotLibrary> cached_knots() {
  auto library = std::make_shared<KnotLibrary>();
  if (stage_cache().is_open())
    library->fetch = [](const std::string& key) { return stage_cache().find("track", stage_digest().add(key).text()); };
  return library;
}

void keep_knots(const std::string& key, const KnotStore& knots) {
  if (stage_cache().is_open() && !key.empty())
    stage_cache().keep("track", stage_digest().add(key).text(), knots.packed());
}

Digest stage_digest() {
  Digest d;
  d.add(version());
  // Another build may come to other results under the same version.
  struct stat program {};
  if (stat("/proc/self/exe", &program) == 0)
    d.add(program.st_size).add(program.st_mtim.tv_sec).add(program.st_mtim.tv_nsec);
  return d;
}

}  // namespace supple::pipeline
