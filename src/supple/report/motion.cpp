#include "supple/report/motion.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/report/bit_pack.h"

namespace supple {

namespace {

// What one look at all frames tells.
struct Survey {
  bool finite = true;
  Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
  double farthest = 0, usual = 0;  // departures
  std::vector<uint64_t> path;      // per vertex: a hash of all its positions
};

// Departures by size, in classes 1.4 % wide: their number is too large to keep.
class Departures {
 public:
  explicit Departures(double size) : size_(size) {}
  void add(double d) {
    if (d <= 0) return;
    farthest_ = std::max(farthest_, d);
    const double c = kClasses * (1 + std::log2(d / size_) / 20);
    ++count_[static_cast<size_t>(std::clamp(c, 0.0, kClasses - 1.0))];
  }
  void add(const Departures& other) {
    farthest_ = std::max(farthest_, other.farthest_);
    for (size_t c = 0; c < count_.size(); ++c) count_[c] += other.count_[c];
  }
  double farthest() const { return farthest_; }
  double below(double share) const {
    size_t all = 0, seen = 0;
    for (const size_t n : count_) all += n;
    for (int c = 0; c < kClasses; ++c) {
      seen += count_[static_cast<size_t>(c)];
      if (static_cast<double>(seen) >= share * static_cast<double>(all) && seen > 0)
        return std::min(farthest_, size_ * std::exp2(20.0 * ((c + 1.0) / kClasses - 1)));
    }
    return 0;
  }

 private:
  static constexpr int kClasses = 1024;
  double size_, farthest_ = 0;
  std::array<size_t, kClasses> count_{};
};

uint64_t mixed(uint64_t hash, float value) {
  hash = (hash ^ std::bit_cast<uint32_t>(value)) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

// Some frames at a time, read side by side.
class FrameGroup {
 public:
  FrameGroup(const MotionSource& s, int every) : s_(s), every_(every), input_(kMost), result_(kMost) {}

  // The next ones; false: there are no more.
  bool read() {
    next_ += count_ * every_;
    count_ = std::min(kMost, (s_.n_frames - next_ + every_ - 1) / every_);
    if (count_ <= 0) return false;
    parallel_for(static_cast<size_t>(count_), 1, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) s_.frame(next_ + static_cast<int>(k) * every_, input_[k], result_[k]);
    });
    return true;
  }
  size_t count() const { return static_cast<size_t>(count_); }
  const std::vector<float>& input(size_t k) const { return input_[k]; }
  const std::vector<float>& result(size_t k) const { return result_[k]; }

  static constexpr int kMost = 16;

 private:
  const MotionSource& s_;
  int every_, next_ = 0, count_ = 0;
  std::vector<std::vector<float>> input_, result_;
};

// What some of the vertices tell.
struct SurveyPart {
  bool finite = true;
  Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
  Departures departures;

  // path: of the vertex whose coordinates these are.
  void look(const float* input, const float* result, uint64_t& path) {
    double d2 = 0;
    for (Eigen::Index a = 0; a < 3; ++a) {
      const float i = input[a], r = result[a];
      const double least = std::min(i, r), most = std::max(i, r), d = static_cast<double>(r) - i;
      low[a] = std::min(low[a], least);
      high[a] = std::max(high[a], most);
      path = mixed(mixed(path, i + 0.0f), r + 0.0f);
      d2 += d * d;
    }
    finite = finite && std::isfinite(d2);
    if (finite) departures.add(std::sqrt(d2));
  }
};

Survey look_at(const MotionSource& s) {
  constexpr size_t kVertices = 1024;
  Survey out;
  out.path.assign(static_cast<size_t>(s.n_vertices), 1);
  const Departures none(s.size_m / s.metres);
  std::vector<SurveyPart> parts((out.path.size() + kVertices - 1) / kVertices, SurveyPart{.departures = none});
  for (FrameGroup group(s, 1); out.finite && group.read();) {
    parallel_for(out.path.size(), kVertices, [&](size_t begin, size_t end) {
      SurveyPart& part = parts[begin / kVertices];
      for (size_t k = 0; k < group.count(); ++k)
        for (size_t v = begin; v < end; ++v)
          part.look(group.input(k).data() + 3 * v, group.result(k).data() + 3 * v, out.path[v]);
    });
    for (const SurveyPart& part : parts) out.finite = out.finite && part.finite;
  }
  Departures departures = none;
  for (const SurveyPart& part : parts) {
    departures.add(part.departures);
    out.low = out.low.cwiseMin(part.low), out.high = out.high.cwiseMax(part.high);
  }
  out.farthest = departures.farthest();
  out.usual = departures.below(0.995);
  return out;
}

// Vertices that are drawn: what has the same path, shade, colour and place in the picture is one.
struct Merged {
  std::vector<int> first;                // per point: a vertex of the source
  std::vector<int> point, shade;         // per drawn vertex
  std::vector<int> source;               // per drawn vertex: a vertex of the source
  std::vector<Tri> triangles, by_point;  // of drawn vertices, and of points
  int n_shades = 0;
};

Merged merge(const MotionSource& s, const std::vector<uint64_t>& path) {
  Merged m;
  const double same = std::cos(s.crease_deg * std::numbers::pi / 180);
  std::map<uint64_t, int> point_of_path;
  std::vector<std::vector<int>> of_point;  // drawn vertices
  std::vector<int> drawn(static_cast<size_t>(s.n_vertices), -1);
  const auto draw = [&](int v) {
    const auto [entry, fresh] =
        point_of_path.try_emplace(path[static_cast<size_t>(v)], static_cast<int>(m.first.size()));
    if (fresh) m.first.push_back(v), of_point.emplace_back();
    int shade = -1;
    for (const int other : of_point[static_cast<size_t>(entry->second)]) {
      const size_t a = static_cast<size_t>(v), b = static_cast<size_t>(m.source[static_cast<size_t>(other)]);
      if (s.normals[a].dot(s.normals[b]) < same) continue;
      shade = m.shade[static_cast<size_t>(other)];
      if ((s.colors.empty() || s.colors[a] == s.colors[b]) && (s.uvs.empty() || s.uvs[a] == s.uvs[b])) return other;
    }
    const int id = static_cast<int>(m.point.size());
    of_point[static_cast<size_t>(entry->second)].push_back(id);
    m.point.push_back(entry->second);
    m.shade.push_back(shade >= 0 ? shade : m.n_shades++);
    m.source.push_back(v);
    return id;
  };
  for (const Tri& t : s.triangles) {
    Tri d, p;
    for (size_t k = 0; k < 3; ++k) {
      int& known = drawn[static_cast<size_t>(t[k])];
      if (known < 0) known = draw(t[k]);
      d[k] = known;
      p[k] = m.point[static_cast<size_t>(known)];
    }
    m.triangles.push_back(d);
    m.by_point.push_back(p);
  }
  return m;
}

// Whole numbers of all points at a frame: for each axis where they are and how they depart from there.
using WholeFrame = std::array<std::vector<int>, 6>;

// Of what is not negative.
int rounded(double x) {
  const int whole = static_cast<int>(x);
  return whole + (x - whole >= 0.5 ? 1 : 0);
}

void put_whole(const std::vector<float>& input, const std::vector<float>& result, const std::vector<int>& vertices,
               const Vec3& low, double step, WholeFrame& frame) {
  for (size_t a = 0; a < 3; ++a) {
    const double from = low[static_cast<Eigen::Index>(a)];
    std::vector<int>&where = frame[2 * a], &departs = frame[2 * a + 1];
    for (size_t p = 0; p < vertices.size(); ++p) {
      const size_t at = 3 * static_cast<size_t>(vertices[p]) + a;
      where[p] = rounded((static_cast<double>(input[at]) - from) / step);
      departs[p] = rounded((static_cast<double>(result[at]) - from) / step) - where[p];
    }
  }
}

// One number of all points, by those of the two frames before. Each block of points is guessed in the way that fits it
// best: it stays (0), it goes on as before (1), or likewise but its guides tell by how much that is wrong (2, 3).
void pack_numbers(const std::vector<int>& guides, const std::vector<int>& before, const std::vector<int>& last,
                  const std::vector<int>& now, BitPacker& out) {
  for (size_t begin = 0; begin < now.size(); begin += kPackBlock) {
    const size_t n = std::min<size_t>(kPackBlock, now.size() - begin);
    std::array<std::array<uint32_t, kPackBlock>, 4> errors;
    std::array<uint64_t, 4> sums{};
    for (size_t k = 0; k < n; ++k) {
      const size_t i = begin + k;
      const int stays = now[i] - last[i], goes_on = stays - last[i] + before[i];
      int by_guide = stays, on_by_guide = goes_on;
      if (guides[i] >= 0) {
        const auto g = static_cast<size_t>(guides[i]);
        const int of_guide = now[g] - last[g];
        by_guide -= of_guide, on_by_guide -= of_guide - last[g] + before[g];
      }
      sums[0] += errors[0][k] = zigzag(stays), sums[1] += errors[1][k] = zigzag(goes_on);
      sums[2] += errors[2][k] = zigzag(by_guide), sums[3] += errors[3][k] = zigzag(on_by_guide);
    }
    const auto best = static_cast<size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
    out.bits(best, 2);
    out.block(std::span(errors[best]).first(n));
  }
}

// Every so many frames with so many bits; nothing when it takes more than `limit` bytes.
bool pack_frames(const MotionSource& s, const Merged& m, const Vec3& low, double step, size_t limit,
                 PackedMotion& out) {
  const std::vector<int> guides = motion_guides(static_cast<int>(m.first.size()), m.by_point);
  WholeFrame nowhere;
  nowhere.fill(std::vector<int>(m.first.size(), 0));
  // Two frames before those of the group.
  std::vector<WholeFrame> whole(2 + FrameGroup::kMost, nowhere);
  BitPacker bits;
  out.n_frames = 0;
  for (FrameGroup group(s, out.every); group.read();) {
    const size_t count = group.count();
    std::vector<BitPacker> packed(count);
    parallel_for(count, 1, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) put_whole(group.input(k), group.result(k), m.first, low, step, whole[2 + k]);
    });
    parallel_for(count, 1, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k)
        for (size_t i = 0; i < nowhere.size(); ++i)
          pack_numbers(guides, whole[k][i], whole[k + 1][i], whole[k + 2][i], packed[k]);
    });
    for (const BitPacker& frame : packed) bits.append(frame);
    if (bits.size() > limit) return false;
    std::swap(whole[0], whole[count]);
    std::swap(whole[1], whole[count + 1]);
    out.n_frames += static_cast<int>(count);
  }
  out.frames = bits.finish();
  return true;
}

std::string color_bytes(const MotionSource& s, const std::vector<int>& source) {
  std::string bytes;
  if (s.colors.empty()) return bytes;
  for (const int v : source)
    for (const double c : s.colors[static_cast<size_t>(v)])
      bytes.push_back(static_cast<char>(std::lround(255 * std::pow(std::clamp(c, 0.0, 1.0), 1 / 2.2))));
  return bytes;
}

std::string uv_bytes(const MotionSource& s, const std::vector<int>& source) {
  std::string bytes;
  if (s.uvs.empty()) return bytes;
  for (const int v : source)
    for (const double c : s.uvs[static_cast<size_t>(v)]) {
      const auto word = std::bit_cast<uint32_t>(static_cast<float>(c));
      for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(word >> shift & 255));
    }
  return bytes;
}

std::string softness_bytes(const MotionSource& s, const std::vector<int>& source) {
  std::string bytes;
  if (s.softness.empty()) return bytes;
  for (const int v : source) {
    const double x = s.softness[static_cast<size_t>(v)];
    bytes.push_back(static_cast<char>(std::isnan(x) ? 255 : std::lround(254 * std::clamp(x, 0.0, 1.0))));
  }
  return bytes;
}

// Of the regions that are drawn anywhere.
void pack_regions(const MotionSource& s, const std::vector<int>& source, PackedMotion& out) {
  std::vector<int> number(s.region_names.size(), 0), list;
  for (const int v : source) {
    const int region = s.region.empty() ? -1 : s.region[static_cast<size_t>(v)];
    if (region >= 0 && number[static_cast<size_t>(region)] == 0) {
      out.region_names.push_back(s.region_names[static_cast<size_t>(region)]);
      number[static_cast<size_t>(region)] = static_cast<int>(out.region_names.size());
    }
    list.push_back(region < 0 ? 0 : number[static_cast<size_t>(region)]);
  }
  if (!out.region_names.empty()) out.regions = pack_list(list);
}

}  // namespace

std::vector<int> motion_guides(int n_points, const std::vector<Tri>& triangles) {
  std::vector<int> guides(static_cast<size_t>(n_points), -1);
  for (const Tri& t : triangles)
    for (const int p : t)
      for (const int q : t)
        if (q < p) guides[static_cast<size_t>(p)] = std::max(guides[static_cast<size_t>(p)], q);
  for (int p = 1; p < n_points; ++p)
    if (guides[static_cast<size_t>(p)] < 0) guides[static_cast<size_t>(p)] = p - 1;
  return guides;
}

size_t PackedMotion::bytes() const {
  size_t sum = points.size() + shades.size() + triangles.size() + colors.size() + uvs.size() + softness.size() +
               regions.size() + frames.size();
  for (const MotionPicture& p : pictures) sum += p.bytes.size();
  return sum;
}

std::optional<PackedMotion> pack_motion(const MotionSource& s, size_t budget) {
  if (s.n_vertices == 0 || s.triangles.empty() || s.n_frames < 1) return std::nullopt;
  const Survey survey = look_at(s);
  if (!survey.finite) return std::nullopt;
  const Merged m = merge(s, survey.path);
  PackedMotion out;
  out.n_points = static_cast<int>(m.first.size()), out.n_vertices = static_cast<int>(m.point.size());
  out.n_shades = m.n_shades, out.n_triangles = static_cast<int>(m.triangles.size());
  out.metres = s.metres, out.size_m = s.size_m, out.up = s.up;
  out.heat_m = survey.usual * s.metres, out.farthest_m = survey.farthest * s.metres;
  out.low = survey.low;
  out.looks = s.looks, out.pictures = s.pictures;
  out.points = pack_list(m.point), out.shades = pack_list(m.shade);
  std::vector<int> corners;
  for (const Tri& t : m.triangles) corners.insert(corners.end(), t.begin(), t.end());
  out.triangles = pack_list(corners);
  out.colors = color_bytes(s, m.source), out.uvs = uv_bytes(s, m.source);
  out.softness = softness_bytes(s, m.source);
  pack_regions(s, m.source, out);
  const double longest = std::max((survey.high - survey.low).maxCoeff(), 1e-30);
  for (const auto& [bits, every] : std::initializer_list<std::pair<int, int>>{
           {16, 1}, {14, 1}, {14, 2}, {13, 2}, {13, 3}, {13, 4}, {13, 6}, {12, 8}, {12, 12}, {12, 24}}) {
    if (bits < 16 && out.bytes() >= budget) break;
    if (every > 1 && s.n_frames <= every) break;
    out.bits = bits, out.every = every, out.fps = s.fps / every;
    out.step = longest / ((1 << bits) - 1);
    if (out.bytes() < budget && pack_frames(s, m, out.low, out.step, budget - out.bytes(), out)) return out;
  }
  return std::nullopt;
}

}  // namespace supple
