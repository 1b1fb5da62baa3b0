#include "supple/report/bit_pack.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace supple {

void BitPacker::bits(uint32_t value, int n) {
  hold_ |= static_cast<uint64_t>(value) << n_;
  for (n_ += n; n_ >= 8; n_ -= 8, hold_ >>= 8) bytes_.push_back(static_cast<char>(hold_ & 255));
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
    bits((1u << high) - 1, static_cast<int>(high) + 1);
    bits(v & ((1u << k) - 1), k);
  }
}

std::string BitPacker::finish() {
  if (n_ > 0) bits(0, 8 - n_);
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
