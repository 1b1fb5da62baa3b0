// Positions over time: PC2 and MDD point caches, whole or frame by frame.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/base/part_file.h"
#include "supple/base/types.h"

namespace supple {

struct PointCache {
  int n_points = 0, n_samples = 0;
  std::vector<float> xyz;    // sample by sample, point by point, x y z: 3 * n_points * n_samples
  double start = 0;          // PC2: frame of the first sample (stored as float32)
  double rate = 1;           // PC2: frames from one sample to the next (stored as float32)
  std::vector<float> times;  // MDD: seconds of each sample

  const float* sample(int s) const { return xyz.data() + 3 * static_cast<size_t>(n_points) * static_cast<size_t>(s); }
  Points points(int s) const;
  void add(const VecX& positions);  // one sample more; sets n_points when it is the first
};

// By extension, .pc2 or .mdd. Every value is finite and the file is exactly as long as its counts say, or InputError.
// allow_holes: a point with a value that is not finite is missing from that sample, and NaN in all three.
PointCache read_point_cache(const std::string& path, bool allow_holes = false);
void write_point_cache(const std::string& path, const PointCache& cache);

// PC2: little-endian "POINTCACHE2\0", int32 version 1, int32 points, float32 start, float32 rate, int32 samples,
// float32 xyz.
PointCache read_pc2(const std::string& path, bool allow_holes = false);
void write_pc2(const std::string& path, const PointCache& cache);
// MDD: big-endian int32 samples, int32 points, float32 times, float32 xyz.
PointCache read_mdd(const std::string& path, bool allow_holes = false);
void write_mdd(const std::string& path, const PointCache& cache);

// By its times, rounded to a whole number where one is near; nothing where it has none, or no use of them.
std::optional<double> samples_per_second(const PointCache& cache);

// A PC2 that grows by a sample at a time in PATH.part. flush() leaves a part that is a complete PC2 of what was
// appended; finish() gives it its name. Without finish() the part stays, for resume().
class Pc2Writer {
 public:
  Pc2Writer(const std::string& path, int n_points, double start = 0, double rate = 1);
  // Goes on after the first n_samples of PATH.part, or of PATH itself when there is no part; later ones are dropped.
  static Pc2Writer resume(const std::string& path, int n_points, int n_samples);

  void append(const VecX& positions);
  void append(const float* xyz);  // 3 * n_points
  int n_samples() const { return n_samples_; }
  uint64_t hash() const { return hash_; }  // of the samples: whether a part is that which was left
  void flush();
  void finish();

 private:
  Pc2Writer(const std::string& path, PartFile file, int n_points, int n_samples);
  std::string path_;
  PartFile file_;
  int n_points_ = 0, n_samples_ = 0;
  uint64_t hash_;
};

}  // namespace supple
