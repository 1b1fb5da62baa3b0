#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/io/bytes.h"
#include "supple/io/point_cache.h"

namespace supple {

namespace {

constexpr uint64_t kHeader = 32, kSamplesAt = 28;
constexpr std::string_view kMark("POINTCACHE2\0", 12);

template <class T>
void put(std::string& out, T value) {
  value = in_order(value, std::endian::little);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::string header(int n_points, double start, double rate) {
  std::string out(kMark);
  put<int>(out, 1);
  put<int>(out, n_points);
  put(out, static_cast<float>(start));
  put(out, static_cast<float>(rate));
  put<int>(out, 0);
  return out;
}

uint64_t end_of(int n_points, int n_samples) {
  return kHeader + 12 * static_cast<uint64_t>(n_samples) * static_cast<uint64_t>(n_points);
}

}  // namespace

Pc2Writer::Pc2Writer(const std::string& path, PartFile file, int n_points, int n_samples)
    : path_(path), file_(std::move(file)), n_points_(n_points), n_samples_(n_samples), hash_(hash_bytes(nullptr, 0)) {}

Pc2Writer::Pc2Writer(const std::string& path, int n_points, double start, double rate)
    : Pc2Writer(path, PartFile(path), n_points, 0) {
  file_.write(header(n_points, start, rate));
}

Pc2Writer Pc2Writer::resume(const std::string& path, int n_points, int n_samples) {
  const uint64_t end = end_of(n_points, n_samples);
  Pc2Writer w(path, PartFile::found(path), n_points, n_samples);
  std::string head;
  w.file_.read(0, std::min(kHeader, w.file_.size()), [&](std::string_view bytes) { head += bytes; });
  if (head.size() < kHeader || !head.starts_with(kMark) || word_at(head, 12) != 1 ||
      word_at(head, 16) != static_cast<uint32_t>(n_points))
    throw InputError({.file = w.file_.part()}, fmt::format("this is not a PC2 file of {} points", n_points),
                     "Start the run again without resuming.");
  w.file_.cut(end);
  w.file_.read(kHeader, end,
               [&](std::string_view bytes) { w.hash_ = hash_bytes(bytes.data(), bytes.size(), w.hash_); });
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
  std::string bytes(reinterpret_cast<const char*>(xyz), static_cast<size_t>(3 * n_points_) * sizeof(float));
  if constexpr (std::endian::native != std::endian::little) {
    bytes.clear();
    for (int i = 0; i < 3 * n_points_; ++i) put(bytes, xyz[i]);
  }
  file_.write(bytes);
  hash_ = hash_bytes(bytes.data(), bytes.size(), hash_);
  ++n_samples_;
}

void Pc2Writer::flush() {
  std::string count;
  put(count, n_samples_);
  file_.write_at(kSamplesAt, count);
  file_.sync();
}

void Pc2Writer::finish() {
  flush();
  file_.put_in_place();
}

}  // namespace supple
