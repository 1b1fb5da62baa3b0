#include "supple/report/bit_pack.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace supple {

namespace {

// Itself on a machine that stores the low byte first.
template <class T>
T in_little_order(T x) {
  if constexpr (std::endian::native == std::endian::little) return x;
  T turned = 0;
  for (size_t i = 0; i < sizeof x; ++i) turned = static_cast<T>(turned << 8 | (x >> 8 * i & 255));
  return turned;
}

}  // namespace

void BitPacker::bits(uint64_t value, int n) {
  hold_ |= value << n_;
  n_ += n;
  if (bytes_.size() < size_ + sizeof hold_) bytes_.resize(2 * bytes_.size() + 4096);
  const uint64_t stored = in_little_order(hold_);
  std::memcpy(bytes_.data() + size_, &stored, sizeof stored);
  size_ += static_cast<size_t>(n_ / 8);
  hold_ >>= n_ / 8 * 8;
  n_ %= 8;
}

void BitPacker::append(const BitPacker& other) {
  constexpr size_t kStep = 4;
  size_t at = 0;
  for (; at + kStep <= other.size_; at += kStep) {
    uint32_t word;
    std::memcpy(&word, other.bytes_.data() + at, kStep);
    bits(in_little_order(word), 8 * kStep);
  }
  for (; at < other.size_; ++at) bits(static_cast<unsigned char>(other.bytes_[at]), 8);
  bits(other.hold_, other.n_);
}

void BitPacker::block(std::span<const uint32_t> numbers) {
  const uint64_t sum = std::accumulate(numbers.begin(), numbers.end(), uint64_t{0});
  if (sum == 0) return bits(kPackZeros, 4);
  // The best k is close to the logarithm of the mean.
  const int guess = static_cast<int>(std::bit_width(sum / numbers.size()));
  uint64_t least = ~uint64_t{0};
  int k = 0;
  for (int candidate = std::max(0, guess - 2); candidate <= std::min(14, guess + 1); ++candidate) {
    uint64_t cost = 0;
    for (const uint32_t v : numbers) {
      const uint32_t high = v >> candidate;
      cost += high < kPackEscape ? high + 1 + static_cast<uint32_t>(candidate) : kPackEscape + 32;
    }
    if (cost < least) least = cost, k = candidate;
  }
  if (guess - 2 > 14) k = 14;
  bits(static_cast<uint32_t>(k), 4);
  for (const uint32_t v : numbers) {
    const uint32_t high = v >> k;
    if (high >= kPackEscape) {
      bits((1u << kPackEscape) - 1, kPackEscape);
      bits(v, 32);
      continue;
    }
    const uint64_t low = v & ((1u << k) - 1);
    bits(((uint64_t{1} << high) - 1) | low << (high + 1), static_cast<int>(high) + 1 + k);
  }
}

std::string BitPacker::finish() {
  if (n_ > 0) bits(0, 8 - n_);
  bytes_.resize(size_);
  return std::move(bytes_);
}

std::string pack_list(std::span<const int> numbers) {
  BitPacker out;
  std::vector<uint32_t> block;
  int last = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    block.push_back(zigzag(numbers[i] - last));
    last = numbers[i];
    if (block.size() == kPackBlock || i + 1 == numbers.size()) out.block(block), block.clear();
  }
  return out.finish();
}

}  // namespace supple
