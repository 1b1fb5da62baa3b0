#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/io/output_file.h"
#include "supple/io/point_cache.h"

namespace supple {

namespace {

constexpr std::streamoff kHeader = 32, kSamplesAt = 28;

template <class T>
void put(std::fstream& out, T value) {
  value = in_order(value, std::endian::little);
  out.write(reinterpret_cast<const char*>(&value), sizeof(T));
}
template <class T>
T get(std::fstream& in) {
  T value{};
  in.read(reinterpret_cast<char*>(&value), sizeof(T));
  return in_order(value, std::endian::little);
}

}  // namespace

Pc2Writer::Pc2Writer(const std::string& path, int n_points, double start, double rate)
    : path_(path), n_points_(n_points) {
  out_.open(path + ".part", std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc);
  if (!out_) {
    throw InputError({path, 0, 0, ""}, "the file cannot be written", "Check that its directory exists and is yours.");
  }
  out_.write("POINTCACHE2\0", 12);
  put<int>(out_, 1);
  put<int>(out_, n_points);
  put(out_, static_cast<float>(start));
  put(out_, static_cast<float>(rate));
  put<int>(out_, 0);
}

Pc2Writer Pc2Writer::resume(const std::string& path, int n_points, int n_samples) {
  namespace fs = std::filesystem;
  const std::string part = path + ".part";
  std::error_code error;
  if (!fs::exists(part)) fs::copy_file(path, part, error);
  auto refuse = [&](const std::string& what) -> void {
    throw InputError({part, 0, 0, ""}, what, "Start the run again without resuming.");
  };
  if (error || !fs::exists(part)) refuse("there is nothing to resume");
  const auto size = fs::file_size(part, error);
  const auto wanted = static_cast<std::uintmax_t>(kHeader) +
                      static_cast<std::uintmax_t>(n_samples) * static_cast<std::uintmax_t>(n_points) * 12;
  if (error || size < wanted) refuse(fmt::format("the cache holds less than the {} samples to resume from", n_samples));
  fs::resize_file(part, wanted, error);
  if (error) refuse("the cache cannot be shortened: " + error.message());

  Pc2Writer w;
  w.path_ = path;
  w.n_points_ = n_points;
  w.n_samples_ = n_samples;
  w.out_.open(part, std::ios::binary | std::ios::in | std::ios::out);
  char mark[12] = {};
  w.out_.read(mark, sizeof(mark));
  const int version = get<int>(w.out_), points = get<int>(w.out_);
  if (!w.out_ || std::string_view(mark, 12) != std::string_view("POINTCACHE2\0", 12) || version != 1 ||
      points != n_points) {
    refuse(fmt::format("this is not a PC2 file of {} points", n_points));
  }
  w.out_.seekp(0, std::ios::end);
  return w;
}

void Pc2Writer::append(const VecX& positions) {
  const VecX* p = &positions;
  if (p->size() != 3 * static_cast<Eigen::Index>(n_points_)) {
    throw InputError({path_, 0, 0, fmt::format("sample {}", n_samples_)}, "the number of points has changed");
  }
  std::vector<float> xyz(p->data(), p->data() + p->size());
  append(xyz.data());
}

void Pc2Writer::append(const float* xyz) {
  for (int i = 0; i < 3 * n_points_; ++i) {
    if (!std::isfinite(xyz[i])) {
      throw InputError({path_, 0, 0, fmt::format("sample {}, point {}", n_samples_, i / 3)},
                       "the position is not finite");
    }
  }
  const auto n = static_cast<size_t>(3 * n_points_);
  if constexpr (std::endian::native == std::endian::little) {
    out_.write(reinterpret_cast<const char*>(xyz), static_cast<std::streamsize>(n * sizeof(float)));
  } else {
    for (size_t i = 0; i < n; ++i) put(out_, xyz[i]);
  }
  ++n_samples_;
}

void Pc2Writer::flush() {
  out_.seekp(kSamplesAt);
  put<int>(out_, n_samples_);
  out_.seekp(0, std::ios::end);
  out_.flush();
  if (!out_) throw InputError({path_, 0, 0, ""}, "the file could not be written", "Is the disk full?");
}

void Pc2Writer::finish() {
  flush();
  out_.close();
  rename_into_place(path_ + ".part", path_);
}

}  // namespace supple
