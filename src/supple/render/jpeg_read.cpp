// JPEG as in its specification (ITU-T T.81): Huffman coded, 8 bits, sequential or progressive, with 1 or 3 components
// of any sampling.
//
// symbol | code       | meaning
// Ss, Se | from, to   | coefficients of a scan, in zigzag order
// Ah, Al | high, low  | bits of a coefficient that are known, and that remain after the scan
// EOBRUN | run_       | blocks to come that have nothing more in this scan
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "supple/render/picture.h"

namespace supple {

namespace {

constexpr int kLargest = 8192, kMostPixels = 1 << 25;
constexpr int kMostScans = 200;       // ten or so are usual
constexpr size_t kBlocksOfABit = 64;  // what is cut off is shown as far as it goes
constexpr std::array<uint8_t, 64> kZigzag = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                             12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                             35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                             58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

struct Damaged {};

struct Huffman {
  std::array<int, 17> least{}, most{}, first{};  // codes of a length and where their symbols begin; most < least: none
  std::vector<uint8_t> symbols;
};

struct Component {
  int id = 0, across = 1, down = 1, quantization = 0;  // across, down: samples, beside the other components
  int blocks_across = 0, blocks_down = 0;              // with those that fill the last unit
  int own_across = 0, own_down = 0;                    // without
  int dc = 0, ac = 0, last_dc = 0;
  std::vector<int16_t> coefficients;
  std::vector<uint8_t> samples;
};

// The bits of a scan: a 0 after each 255 is left out, and a marker ends them.
class Bits {
 public:
  Bits(std::string_view bytes, size_t at) : bytes_(bytes), at_(at) {}
  int bit() {
    if (left_ == 0) {
      current_ = at_ < bytes_.size() ? static_cast<uint8_t>(bytes_[at_]) : 0;
      const bool marker = current_ == 0xFF && (at_ + 1 >= bytes_.size() || bytes_[at_ + 1] != 0);
      if (at_ >= bytes_.size() || marker) {
        if (++beyond_ > 64) throw Damaged();
        current_ = 0;
      } else {
        at_ += current_ == 0xFF ? 2 : 1;
      }
      left_ = 8;
    }
    return current_ >> --left_ & 1;
  }
  int bits(int n) {
    int x = 0;
    while (n-- > 0) x = x << 1 | bit();
    return x;
  }
  // A number of n bits whose first bit tells the sign.
  int signed_bits(int n) {
    if (n == 0) return 0;
    const int x = bits(n);
    return x < 1 << (n - 1) ? x - (1 << n) + 1 : x;
  }
  int symbol(const Huffman& h) {
    int code = 0;
    if (h.symbols.empty()) throw Damaged();
    for (size_t n = 1; n <= 16; ++n) {
      code = code << 1 | bit();
      if (code <= h.most[n] && code >= h.least[n])
        return h.symbols[static_cast<size_t>(h.first[n] + code - h.least[n])];
    }
    throw Damaged();
  }
  // Past the next marker of a restart.
  void restart() {
    const auto byte = [&](size_t k) { return k < bytes_.size() ? static_cast<uint8_t>(bytes_[k]) : 0; };
    left_ = 0;
    while (at_ < bytes_.size() && byte(at_) != 0xFF) ++at_;
    while (at_ < bytes_.size() && byte(at_ + 1) == 0xFF) ++at_;  // fill bytes
    if ((byte(at_ + 1) & 0xF8) != 0xD0) throw Damaged();
    at_ += 2, beyond_ = 0;
  }
  size_t at() const { return at_; }

 private:
  std::string_view bytes_;
  size_t at_;
  int current_ = 0, left_ = 0, beyond_ = 0;
};

class JpegReader {
 public:
  explicit JpegReader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<Picture> read() {
    try {
      segments();
    } catch (const Damaged&) {
      if (!seen_) return std::nullopt;  // else what came until then
    }
    if (!seen_) return std::nullopt;
    return colored();
  }

 private:
  int u8(size_t at) const {
    if (at >= bytes_.size()) throw Damaged();
    return static_cast<uint8_t>(bytes_[at]);
  }
  int u16(size_t at) const { return u8(at) << 8 | u8(at + 1); }

  void segments() {
    for (size_t at = 2; at + 4 <= bytes_.size();) {
      if (u8(at) != 0xFF) {
        ++at;
        continue;
      }
      const int marker = u8(at + 1);
      if (marker == 0xFF) {
        ++at;
        continue;
      }
      if (marker == 0xD9) return;
      if (marker == 0 || marker == 1 || (marker >= 0xD0 && marker <= 0xD8)) {
        at += 2;
        continue;
      }
      const size_t begin = at + 4, end = at + 2 + static_cast<size_t>(u16(at + 2));
      if (marker == 0xC0 || marker == 0xC1 || marker == 0xC2) frame(begin, marker == 0xC2);
      if (marker == 0xC4) huffman(begin, end);
      if (marker == 0xDB) quantization(begin, end);
      if (marker == 0xDD) restart_every_ = u16(begin);
      if (marker == 0xEE && end >= begin + 12 && bytes_.substr(begin, 5) == "Adobe") adobe_ = u8(begin + 11);
      if (marker == 0xC3 || (marker > 0xC4 && marker < 0xD0 && marker != 0xC8 && marker != 0xCC)) throw Damaged();
      at = marker == 0xDA ? scan(begin, end) : end;
    }
  }

  void quantization(size_t at, size_t end) {
    while (at < end) {
      const int head = u8(at++);
      auto& table = quantization_[static_cast<size_t>(head & 3)];
      for (const uint8_t k : kZigzag) {
        table[k] = head >> 4 ? u16(at) : u8(at);
        at += head >> 4 ? 2 : 1;
      }
    }
  }

  void huffman(size_t at, size_t end) {
    while (at < end) {
      const int head = u8(at);
      Huffman h;
      int code = 0, n = 0;
      for (size_t length = 1; length <= 16; ++length) {
        const int count = u8(at + length);
        h.least[length] = code, h.most[length] = code + count - 1, h.first[length] = n;
        code = (code + count) << 1, n += count;
      }
      at += 17;
      for (int k = 0; k < n; ++k) h.symbols.push_back(static_cast<uint8_t>(u8(at++)));
      (head >> 4 ? ac_ : dc_)[static_cast<size_t>(head & 3)] = std::move(h);
    }
  }

  void frame(size_t at, bool progressive) {
    if (!components_.empty()) throw Damaged();
    progressive_ = progressive;
    height_ = u16(at + 1), width_ = u16(at + 3);
    const int n = u8(at + 5);
    if (u8(at) != 8 || width_ < 1 || height_ < 1 || width_ > kLargest || height_ > kLargest ||
        width_ * height_ > kMostPixels || (n != 1 && n != 3))
      throw Damaged();
    for (int k = 0; k < n; ++k) {
      const size_t of = at + 6 + 3 * static_cast<size_t>(k);
      Component c;
      c.id = u8(of), c.across = u8(of + 1) >> 4, c.down = u8(of + 1) & 15, c.quantization = u8(of + 2) & 3;
      if (c.across < 1 || c.across > 4 || c.down < 1 || c.down > 4) throw Damaged();
      most_across_ = std::max(most_across_, c.across), most_down_ = std::max(most_down_, c.down);
      components_.push_back(std::move(c));
    }
    units_across_ = (width_ + 8 * most_across_ - 1) / (8 * most_across_);
    units_down_ = (height_ + 8 * most_down_ - 1) / (8 * most_down_);
    // A block takes a bit at least: a file of so few bytes has not so many.
    if (8 * kBlocksOfABit * bytes_.size() < static_cast<size_t>(units_across_) * static_cast<size_t>(units_down_))
      throw Damaged();
    for (Component& c : components_) {
      c.blocks_across = units_across_ * c.across, c.blocks_down = units_down_ * c.down;
      c.own_across = ((width_ * c.across + most_across_ - 1) / most_across_ + 7) / 8;
      c.own_down = ((height_ * c.down + most_down_ - 1) / most_down_ + 7) / 8;
      c.coefficients.assign(64 * static_cast<size_t>(c.blocks_across) * static_cast<size_t>(c.blocks_down), 0);
    }
  }

  size_t scan(size_t at, size_t end) {
    if (++n_scans_ > kMostScans) throw Damaged();
    const int n = u8(at);
    std::vector<Component*> in;
    for (int k = 0; k < n; ++k) {
      const int id = u8(at + 1 + 2 * static_cast<size_t>(k)), tables = u8(at + 2 + 2 * static_cast<size_t>(k));
      for (Component& c : components_)
        if (c.id == id) c.dc = tables >> 4 & 3, c.ac = tables & 3, in.push_back(&c);
    }
    if (in.empty()) throw Damaged();
    const size_t rest = at + 1 + 2 * static_cast<size_t>(n);
    from_ = u8(rest), to_ = u8(rest + 1), high_ = u8(rest + 2) >> 4, low_ = u8(rest + 2) & 15;
    if (!progressive_) from_ = 0, to_ = 63, high_ = low_ = 0;
    if (from_ > to_ || to_ > 63 || low_ > 13) throw Damaged();
    Bits bits(bytes_, end);
    run_ = 0;
    for (Component& c : components_) c.last_dc = 0;
    const bool alone = in.size() == 1;
    const int across = alone ? in[0]->own_across : units_across_, down = alone ? in[0]->own_down : units_down_;
    seen_ = true;
    for (int unit = 0; unit < across * down; ++unit) {
      if (restart_every_ > 0 && unit > 0 && unit % restart_every_ == 0) {
        bits.restart();
        run_ = 0;
        for (Component& c : components_) c.last_dc = 0;
      }
      const int x = unit % across, y = unit / across;
      for (Component* c : in)
        for (int by = 0; by < (alone ? 1 : c->down); ++by)
          for (int bx = 0; bx < (alone ? 1 : c->across); ++bx) {
            const int column = alone ? x : x * c->across + bx, row = alone ? y : y * c->down + by;
            block(bits, *c,
                  &c->coefficients[64 * (static_cast<size_t>(row) * static_cast<size_t>(c->blocks_across) +
                                         static_cast<size_t>(column))]);
          }
    }
    return bits.at();
  }

  void block(Bits& bits, Component& c, int16_t* to) {
    if (from_ == 0) {
      if (high_ == 0) {
        const int length = bits.symbol(dc_[static_cast<size_t>(c.dc)]);
        if (length > 15) throw Damaged();
        c.last_dc = static_cast<int16_t>(c.last_dc + bits.signed_bits(length));
        to[0] = static_cast<int16_t>(c.last_dc * (1 << low_));
      } else if (bits.bit()) {
        to[0] = static_cast<int16_t>(to[0] | 1 << low_);
      }
    }
    if (to_ == 0) return;
    const Huffman& table = ac_[static_cast<size_t>(c.ac)];
    if (high_ == 0)
      first(bits, table, to);
    else
      refine(bits, table, to);
  }

  void first(Bits& bits, const Huffman& table, int16_t* to) {
    if (run_ > 0) {
      --run_;
      return;
    }
    for (int k = std::max(1, from_); k <= to_; ++k) {
      const int symbol = bits.symbol(table), zeros = symbol >> 4, length = symbol & 15;
      if (length == 0) {
        if (zeros < 15) {
          run_ = (1 << zeros) - 1 + bits.bits(zeros);
          return;
        }
        k += 15;
        continue;
      }
      k += zeros;
      if (k > 63) throw Damaged();
      to[kZigzag[static_cast<size_t>(k)]] = static_cast<int16_t>(bits.signed_bits(length) * (1 << low_));
    }
  }

  void refine(Bits& bits, const Huffman& table, int16_t* to) {
    const int one = 1 << low_;
    const auto mend = [&](int16_t& value) {
      if (bits.bit() && (value & one) == 0) value = static_cast<int16_t>(value + (value >= 0 ? one : -one));
    };
    int k = std::max(1, from_);
    if (run_ == 0) {
      for (; k <= to_; ++k) {
        const int symbol = bits.symbol(table), length = symbol & 15;
        int zeros = symbol >> 4, value = 0;
        if (length == 0 && zeros < 15) {
          run_ = (1 << zeros) + bits.bits(zeros);
          break;
        }
        if (length > 0) value = bits.bit() ? one : -one;
        // Past so many that are zero still; those that are not are mended on the way.
        for (; k <= to_; ++k) {
          int16_t& at = to[kZigzag[static_cast<size_t>(k)]];
          if (at != 0) {
            mend(at);
          } else if (zeros-- == 0) {
            if (value != 0) at = static_cast<int16_t>(value);
            break;
          }
        }
      }
    }
    if (run_ == 0) return;
    for (; k <= to_; ++k)
      if (int16_t& at = to[kZigzag[static_cast<size_t>(k)]]; at != 0) mend(at);
    --run_;
  }

  // The inverse cosine transform of all blocks, row by row and column by column.
  void transform(Component& c) const {
    std::array<std::array<double, 8>, 8> wave;  // [place][frequency]
    for (size_t x = 0; x < 8; ++x)
      for (size_t u = 0; u < 8; ++u)
        wave[x][u] = (u == 0 ? std::numbers::sqrt2 / 4 : 0.5) *
                     std::cos((2 * static_cast<double>(x) + 1) * static_cast<double>(u) * std::numbers::pi / 16);
    const auto& quantization = quantization_[static_cast<size_t>(c.quantization)];
    const auto stride = static_cast<size_t>(8 * c.blocks_across);
    c.samples.resize(stride * static_cast<size_t>(8 * c.blocks_down));
    for (size_t b = 0; b < c.coefficients.size() / 64; ++b) {
      std::array<double, 64> rows{};
      const int16_t* from = &c.coefficients[64 * b];
      for (size_t v = 0; v < 8; ++v)
        for (size_t u = 0; u < 8; ++u)
          if (const double value = from[8 * v + u] * quantization[8 * v + u]; value != 0)
            for (size_t x = 0; x < 8; ++x) rows[8 * v + x] += wave[x][u] * value;
      const size_t column = b % static_cast<size_t>(c.blocks_across), row = b / static_cast<size_t>(c.blocks_across);
      for (size_t y = 0; y < 8; ++y)
        for (size_t x = 0; x < 8; ++x) {
          double sum = 128;
          for (size_t v = 0; v < 8; ++v) sum += wave[y][v] * rows[8 * v + x];
          c.samples[(8 * row + y) * stride + 8 * column + x] =
              static_cast<uint8_t>(std::lround(std::clamp(sum, 0.0, 255.0)));
        }
    }
  }

  Picture colored() {
    for (Component& c : components_) transform(c);
    Picture out;
    out.width = width_, out.height = height_;
    out.rgba.resize(4 * static_cast<size_t>(width_) * static_cast<size_t>(height_));
    const bool rgb = components_.size() == 3 && adobe_ == 0;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        std::array<double, 3> s{};
        for (size_t k = 0; k < components_.size(); ++k) {
          const Component& c = components_[k];
          const int cx = x * c.across / most_across_, cy = y * c.down / most_down_;
          s[k] =
              c.samples[static_cast<size_t>(cy) * static_cast<size_t>(8 * c.blocks_across) + static_cast<size_t>(cx)];
        }
        std::array<double, 3> color = {s[0], s[0], s[0]};
        if (components_.size() == 3)
          color = rgb ? s
                      : std::array<double, 3>{s[0] + 1.402 * (s[2] - 128),
                                              s[0] - 0.344136 * (s[1] - 128) - 0.714136 * (s[2] - 128),
                                              s[0] + 1.772 * (s[1] - 128)};
        uint8_t* to = &out.rgba[4 * (static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x))];
        for (size_t k = 0; k < 3; ++k) to[k] = static_cast<uint8_t>(std::lround(std::clamp(color[k], 0.0, 255.0)));
        to[3] = 255;
      }
    return out;
  }

  std::string_view bytes_;
  std::array<std::array<int, 64>, 4> quantization_{};
  std::array<Huffman, 4> dc_, ac_;
  std::vector<Component> components_;
  int width_ = 0, height_ = 0, most_across_ = 1, most_down_ = 1, units_across_ = 0, units_down_ = 0;
  int restart_every_ = 0, adobe_ = -1, run_ = 0, n_scans_ = 0;
  int from_ = 0, to_ = 63, high_ = 0, low_ = 0;
  bool progressive_ = false, seen_ = false;
};

}  // namespace

std::optional<Picture> read_jpeg(std::string_view bytes) { return JpegReader(bytes).read(); }

}  // namespace supple
