#include "supple/io/point_cache.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/io/formats.h"
#include "supple/io/input_file.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

void require_consistent(const std::string& path, const PointCache& c) {
  if (c.xyz.size() != 3 * static_cast<size_t>(c.n_points) * static_cast<size_t>(c.n_samples)) {
    throw InputError({path, 0, 0, ""}, "not written: the cache does not have as many values as its counts say");
  }
  for (size_t i = 0; i < c.xyz.size(); ++i) {
    if (std::isfinite(c.xyz[i])) continue;
    const size_t per_sample = 3 * static_cast<size_t>(c.n_points);
    throw InputError({path, 0, 0, fmt::format("sample {}, point {}", i / per_sample, i % per_sample / 3)},
                     "not written: the position is not finite in single precision");
  }
}

// Counts, then exactly what they say.
void read_xyz(InputFile& in, PointCache& c, size_t bytes_before, bool allow_holes) {
  if (c.n_points < 1 || c.n_samples < 1)
    in.fail(fmt::format("{} points and {} samples: nothing there", c.n_points, c.n_samples));
  const size_t samples = static_cast<size_t>(c.n_samples);
  // In steps that cannot overflow: the file is at most as long as memory.
  const size_t left = in.remaining() < bytes_before * samples ? 0 : in.remaining() - bytes_before * samples;
  if (left / 12 / samples < static_cast<size_t>(c.n_points)) {
    in.fail(fmt::format("{} points and {} samples need more than the {} bytes that are there", c.n_points, c.n_samples,
                        left),
            "The file may be truncated.");
  }
  c.times.resize(bytes_before / 4 * samples);
  for (float& t : c.times) t = static_cast<float>(in.raw_number<float>("a sample time"));
  c.xyz.resize(3 * static_cast<size_t>(c.n_points) * samples);
  for (size_t i = 0; i < c.xyz.size(); i += 3) {
    bool hole = false;
    for (size_t k = i; k < i + 3; ++k) {
      c.xyz[k] = in.raw<float>("a position");
      if (std::isfinite(c.xyz[k])) continue;
      if (!allow_holes) in.fail("a position is not a finite number");
      hole = true;
    }
    if (hole) std::fill_n(c.xyz.begin() + static_cast<std::ptrdiff_t>(i), 3, std::numeric_limits<float>::quiet_NaN());
  }
  if (in.remaining() > 0) {
    in.fail(fmt::format("{} bytes are left after the last sample", in.remaining()),
            "The header and the data disagree.");
  }
}

}  // namespace

Points PointCache::points(int s) const {
  Points p(static_cast<size_t>(n_points));
  const float* x = sample(s);
  for (size_t i = 0; i < p.size(); ++i) p[i] = Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
  return p;
}

void PointCache::add(const VecX& positions) {
  if (n_samples == 0) n_points = static_cast<int>(positions.size() / 3);
  if (positions.size() != 3 * static_cast<Eigen::Index>(n_points))
    throw InputError({}, "the samples of a cache differ in size");
  const size_t before = xyz.size();
  xyz.resize(before + static_cast<size_t>(positions.size()));
  std::transform(positions.begin(), positions.end(), xyz.begin() + static_cast<std::ptrdiff_t>(before),
                 [](double x) { return static_cast<float>(x); });
  ++n_samples;
}

PointCache read_point_cache(const std::string& path, bool allow_holes) {
  const std::string ext = extension(path);
  if (ext == ".pc2") return read_pc2(path, allow_holes);
  if (ext == ".mdd") return read_mdd(path, allow_holes);
  throw InputError({path, 0, 0, ""}, fmt::format("no point cache can be read from \"{}\" files", ext),
                   "Use .pc2 or .mdd.");
}

void write_point_cache(const std::string& path, const PointCache& cache) {
  const std::string ext = extension(path);
  if (ext == ".pc2") return write_pc2(path, cache);
  if (ext == ".mdd") return write_mdd(path, cache);
  throw InputError({path, 0, 0, ""}, fmt::format("no point cache can be written to \"{}\" files", ext),
                   "Use .pc2 or .mdd.");
}

PointCache read_pc2(const std::string& path, bool allow_holes) {
  InputFile in(path);
  PointCache c;
  for (char expected : std::string_view("POINTCACHE2\0", 12)) {
    if (in.raw<char>("the mark POINTCACHE2") != expected)
      in.fail("this is not a PC2 file: it does not begin with POINTCACHE2");
  }
  const int version = in.raw<int>("the version");
  if (version != 1) in.fail(fmt::format("version {} of the PC2 format is not known", version));
  c.n_points = in.raw<int>("the number of points");
  c.start = in.raw_number<float>("the start");
  c.rate = in.raw_number<float>("the rate");
  c.n_samples = in.raw<int>("the number of samples");
  read_xyz(in, c, 0, allow_holes);
  return c;
}

void write_pc2(const std::string& path, const PointCache& c) {
  require_consistent(path, c);
  OutputFile out(path);
  out.write(std::string_view("POINTCACHE2\0", 12));
  out.raw<int>(1);
  out.raw<int>(c.n_points);
  out.raw(static_cast<float>(c.start));
  out.raw(static_cast<float>(c.rate));
  out.raw<int>(c.n_samples);
  out.raw_list(std::span(c.xyz));
  out.commit();
}

PointCache read_mdd(const std::string& path, bool allow_holes) {
  InputFile in(path);
  in.set_order(std::endian::big);
  PointCache c;
  c.n_samples = in.raw<int>("the number of samples");
  c.n_points = in.raw<int>("the number of points");
  read_xyz(in, c, sizeof(float), allow_holes);
  return c;
}

void write_mdd(const std::string& path, const PointCache& c) {
  require_consistent(path, c);
  if (c.times.size() != static_cast<size_t>(c.n_samples)) {
    throw InputError({path, 0, 0, ""}, "not written: an MDD file needs the time of each sample");
  }
  OutputFile out(path);
  out.raw<int>(c.n_samples, std::endian::big);
  out.raw<int>(c.n_points, std::endian::big);
  for (float t : c.times) out.raw(t, std::endian::big);
  for (float x : c.xyz) out.raw(x, std::endian::big);
  out.commit();
}

std::optional<double> samples_per_second(const PointCache& cache) {
  if (cache.times.size() < 2) return {};
  const double step = (cache.times.back() - cache.times.front()) / static_cast<double>(cache.times.size() - 1);
  if (!(step > 0) || !std::isfinite(1 / step)) return {};
  const double rounded = std::round(1 / step);
  return rounded > 0 && std::abs(1 / step - rounded) < 0.01 * rounded ? rounded : 1 / step;
}

}  // namespace supple
