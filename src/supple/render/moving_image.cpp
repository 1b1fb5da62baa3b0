#include "supple/render/moving_image.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/render/png_chunks.h"

namespace supple {

namespace {

constexpr size_t kColors = 256;
constexpr int kBits = 6;  // of a channel, by which colours are told apart
constexpr size_t kCells = 1 << 3 * kBits;

size_t cell_of(const uint8_t* rgb) {
  constexpr int kDrop = 8 - kBits;
  return static_cast<size_t>(rgb[0] >> kDrop) << 2 * kBits | static_cast<size_t>(rgb[1] >> kDrop) << kBits |
         static_cast<size_t>(rgb[2] >> kDrop);
}

// Colours that are about the same, and how many pixels have them.
struct Tone {
  size_t cell = 0;
  double count = 0;
  std::array<double, 3> mean{};
};

struct Palette {
  std::vector<std::array<uint8_t, 3>> colors;
  std::vector<uint8_t> of_cell;
};

// Median cut: the box of tones that varies most is cut in two where half of it is on each side.
class MedianCut {
 public:
  explicit MedianCut(std::vector<Tone> tones) : tones_(std::move(tones)) {
    if (!tones_.empty()) add(0, tones_.size());
    while (boxes_.size() < kColors && cut()) {
    }
  }

  Palette palette() const {
    Palette out;
    out.of_cell.assign(kCells, 0);
    for (const Box& b : boxes_) {
      std::array<double, 3> sum{};
      for (size_t i = b.begin; i < b.end; ++i) {
        for (size_t c = 0; c < 3; ++c) sum[c] += tones_[i].count * tones_[i].mean[c];
        out.of_cell[tones_[i].cell] = static_cast<uint8_t>(out.colors.size());
      }
      std::array<uint8_t, 3> color{};
      for (size_t c = 0; c < 3; ++c) color[c] = static_cast<uint8_t>(std::lround(sum[c] / b.count));
      out.colors.push_back(color);
    }
    return out;
  }

 private:
  struct Box {
    size_t begin, end, axis;  // axis: along which it varies most
    double count, spread;     // spread: sum of squares along it
  };

  void add(size_t begin, size_t end) {
    Box b{begin, end, 0, 0, 0};
    for (size_t i = begin; i < end; ++i) b.count += tones_[i].count;
    for (size_t c = 0; c < 3; ++c) {
      double sum = 0, squares = 0;
      for (size_t i = begin; i < end; ++i) {
        const double x = tones_[i].mean[c];
        sum += tones_[i].count * x, squares += tones_[i].count * x * x;
      }
      if (const double spread = squares - sum * sum / b.count; spread > b.spread) b.spread = spread, b.axis = c;
    }
    if (end - begin < 2) b.spread = 0;
    boxes_.push_back(b);
  }

  bool cut() {
    const auto widest =
        std::max_element(boxes_.begin(), boxes_.end(), [](const Box& a, const Box& b) { return a.spread < b.spread; });
    if (widest == boxes_.end() || !(widest->spread > 0)) return false;
    const Box b = *widest;
    boxes_.erase(widest);
    std::sort(tones_.begin() + static_cast<long>(b.begin), tones_.begin() + static_cast<long>(b.end),
              [&](const Tone& x, const Tone& y) {
                return x.mean[b.axis] != y.mean[b.axis] ? x.mean[b.axis] < y.mean[b.axis] : x.cell < y.cell;
              });
    size_t at = b.begin + 1;
    for (double half = tones_[b.begin].count; at + 1 < b.end && half < 0.5 * b.count; ++at) half += tones_[at].count;
    add(b.begin, at), add(at, b.end);
    return true;
  }

  std::vector<Tone> tones_;
  std::vector<Box> boxes_;
};

Palette palette_of(const std::vector<Image>& frames) {
  std::vector<Tone> all(kCells);
  for (const Image& f : frames)
    for (size_t i = 0; i + 2 < f.rgb.size(); i += 3) {
      Tone& t = all[cell_of(&f.rgb[i])];
      ++t.count;
      for (size_t c = 0; c < 3; ++c) t.mean[c] += f.rgb[i + c];
    }
  std::vector<Tone> used;
  for (size_t cell = 0; cell < kCells; ++cell) {
    Tone& t = all[cell];
    if (t.count == 0) continue;
    t.cell = cell;
    for (double& m : t.mean) m /= t.count;
    used.push_back(t);
  }
  return MedianCut(std::move(used)).palette();
}

struct Patch {
  int x = 0, y = 0, width = 0, height = 0;
  std::vector<uint8_t> packed;
};

// The rectangle in which a frame is other than the one before it; the whole of the first. Nothing in it is see-through:
// not every viewer takes a palette that has such a colour.
Patch patch_of(const std::vector<uint8_t>& now, const std::vector<uint8_t>* before, int width, int height) {
  int x0 = width, y0 = height, x1 = 0, y1 = 0;
  const auto at = [width](int x, int y) {
    return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (!before || now[at(x, y)] != (*before)[at(x, y)])
        x0 = std::min(x0, x), x1 = std::max(x1, x + 1), y0 = std::min(y0, y), y1 = std::max(y1, y + 1);
  if (x1 == 0) x0 = y0 = 0, x1 = y1 = 1;  // a frame has at least a pixel
  Patch p{x0, y0, x1 - x0, y1 - y0, {}};
  std::vector<uint8_t> rows;
  for (int y = y0; y < y1; ++y) {
    rows.push_back(0);  // no filter: neighbouring numbers of colours say nothing of each other
    for (int x = x0; x < x1; ++x) rows.push_back(now[at(x, y)]);
  }
  p.packed = compressed(rows);
  return p;
}

}  // namespace

std::vector<uint8_t> encode_moving_png(const std::vector<Image>& frames, double seconds_a_frame) {
  expect(!frames.empty(), "a frame");
  const int width = frames[0].width, height = frames[0].height;
  const Palette palette = palette_of(frames);
  const size_t n = frames.size();
  std::vector<std::vector<uint8_t>> numbered(n);
  std::vector<Patch> patches(n);
  parallel_for(n, 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      expect(frames[f].width == width && frames[f].height == height, "frames of one size");
      for (size_t i = 0; i + 2 < frames[f].rgb.size(); i += 3)
        numbered[f].push_back(palette.of_cell[cell_of(&frames[f].rgb[i])]);
    }
  });
  parallel_for(n, 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f)
      patches[f] = patch_of(numbered[f], f > 0 ? &numbered[f - 1] : nullptr, width, height);
  });

  std::vector<uint8_t> out(std::begin(kPngBegins), std::end(kPngBegins)), chunk;
  put_u32(chunk, static_cast<uint32_t>(width)), put_u32(chunk, static_cast<uint32_t>(height));
  chunk.insert(chunk.end(), {8, 3, 0, 0, 0});  // 8 bits, with a palette
  put_chunk(out, "IHDR", chunk);
  chunk.clear();
  put_u32(chunk, static_cast<uint32_t>(n)), put_u32(chunk, 0);  // for ever
  put_chunk(out, "acTL", chunk);
  chunk.assign(3 * 256, 0);
  for (size_t k = 0; k < palette.colors.size(); ++k)
    std::copy(palette.colors[k].begin(), palette.colors[k].end(), chunk.begin() + 3 * static_cast<long>(k));
  put_chunk(out, "PLTE", chunk);
  uint32_t sequence = 0;
  for (size_t f = 0; f < n; ++f) {
    const Patch& p = patches[f];
    chunk.clear();
    put_u32(chunk, sequence++);
    for (const int size : {p.width, p.height, p.x, p.y}) put_u32(chunk, static_cast<uint32_t>(size));
    put_u16(chunk, static_cast<uint32_t>(std::lround(std::clamp(1e3 * seconds_a_frame, 1.0, 6e4))));
    put_u16(chunk, 1000);
    chunk.insert(chunk.end(), {0, 0});  // stays for the next, and takes the place of what was there
    put_chunk(out, "fcTL", chunk);
    if (f == 0) {
      put_chunk(out, "IDAT", p.packed);
      continue;
    }
    chunk.clear();
    put_u32(chunk, sequence++);
    chunk.insert(chunk.end(), p.packed.begin(), p.packed.end());
    put_chunk(out, "fdAT", chunk);
  }
  put_chunk(out, "IEND", {});
  return out;
}

}  // namespace supple
