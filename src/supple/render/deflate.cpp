#include "supple/render/deflate.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace supple {

namespace {
class BitWriter {
 public:
  explicit BitWriter(std::vector<uint8_t>& out) : out_(out) {}
  // Low bit first, as deflate packs everything but Huffman codes.
  void bits(uint32_t value, int n) {
    hold_ |= static_cast<uint64_t>(value) << n_;
    for (n_ += n; n_ >= 8; n_ -= 8, hold_ >>= 8) out_.push_back(static_cast<uint8_t>(hold_));
  }
  // Huffman codes come high bit first.
  void code(uint32_t value, int n) {
    uint32_t reversed = 0;
    for (int i = 0; i < n; ++i) reversed |= (value >> i & 1) << (n - 1 - i);
    bits(reversed, n);
  }
  void finish() {
    if (n_ > 0) bits(0, 8 - n_);
  }

 private:
  std::vector<uint8_t>& out_;
  uint64_t hold_ = 0;
  int n_ = 0;
};

// The fixed code of literals, lengths and the end mark (RFC 1951, 3.2.6).
void put_symbol(BitWriter& w, uint32_t s) {
  if (s < 144) {
    w.code(0x30 + s, 8);
  } else if (s < 256) {
    w.code(0x190 + s - 144, 9);
  } else if (s < 280) {
    w.code(s - 256, 7);
  } else {
    w.code(0xC0 + s - 280, 8);
  }
}

// Lengths 3..258 in classes of 1, 2, 4, ... values, four classes each (eight of one value at first); 258 has its own.
void put_length(BitWriter& w, uint32_t length) {
  if (length == 258) return put_symbol(w, 285);
  const uint32_t x = length - 3;
  int extra = 0;
  while (x >> extra >= 8) ++extra;
  put_symbol(w, 257 + 4 * static_cast<uint32_t>(extra) + (x >> extra));
  w.bits(x & ((1u << extra) - 1), extra);
}

// Distances 1..32768 likewise, two classes each.
void put_distance(BitWriter& w, uint32_t distance) {
  const uint32_t x = distance - 1;
  int extra = 0;
  while (x >> extra >= 4) ++extra;
  w.code(2 * static_cast<uint32_t>(extra) + (x >> extra), 5);
  w.bits(x & ((1u << extra) - 1), extra);
}

constexpr size_t kWindow = 32768, kMinMatch = 3, kMaxMatch = 258;
constexpr int kHashBits = 15, kMaxTries = 48;

size_t hash3(const uint8_t* p) {
  const uint32_t x = p[0] | static_cast<uint32_t>(p[1]) << 8 | static_cast<uint32_t>(p[2]) << 16;
  return x * 2654435761u >> (32 - kHashBits);
}

void deflate(const std::vector<uint8_t>& data, BitWriter& w) {
  constexpr size_t none = ~size_t{0};
  std::vector<size_t> head(size_t{1} << kHashBits, none), previous(kWindow, none);
  const size_t n = data.size();
  const auto enter = [&](size_t i) {
    if (i + kMinMatch > n) return;
    const size_t h = hash3(&data[i]);
    previous[i % kWindow] = head[h];
    head[h] = i;
  };
  for (size_t i = 0; i < n;) {
    size_t best = 0, distance = 0;
    if (i + kMinMatch <= n) {
      const size_t limit = std::min(kMaxMatch, n - i);
      size_t at = head[hash3(&data[i])];
      for (int tries = 0; at != none && i - at <= kWindow && tries < kMaxTries && best < limit; ++tries) {
        size_t length = 0;
        while (length < limit && data[at + length] == data[i + length]) ++length;
        if (length > best) best = length, distance = i - at;
        const size_t older = previous[at % kWindow];
        if (older == none || older >= at) break;
        at = older;
      }
    }
    if (best < kMinMatch) {
      put_symbol(w, data[i]);
      best = 1;
    } else {
      put_length(w, static_cast<uint32_t>(best));
      put_distance(w, static_cast<uint32_t>(distance));
    }
    for (size_t k = 0; k < best; ++k) enter(i + k);
    i += best;
  }
}
}  // namespace

uint32_t adler32(const uint8_t* data, size_t n) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < n; ++i) {
    a = (a + data[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

uint32_t crc32(const uint8_t* data, size_t n) {
  static const auto table = [] {
    std::array<uint32_t, 256> t{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
      t[i] = c;
    }
    return t;
  }();
  uint32_t c = ~0u;
  for (size_t i = 0; i < n; ++i) c = table[(c ^ data[i]) & 255] ^ c >> 8;
  return ~c;
}

std::vector<uint8_t> zlib_compress(const std::vector<uint8_t>& data) {
  std::vector<uint8_t> out{0x78, 0x9C};
  BitWriter w(out);
  w.bits(1, 1);  // the last block
  w.bits(1, 2);  // fixed codes
  deflate(data, w);
  put_symbol(w, 256);
  w.finish();
  const uint32_t check = adler32(data.data(), data.size());
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<uint8_t>(check >> shift));
  return out;
}

}  // namespace supple
