// Whole numbers as few bits, for what a page carries. page/decode.js reads them back. Inside the room only.
//
// Small numbers first: zigzag (0, -1, 1, -2, ... are 0, 1, 2, 3, ...), then blocks of up to 32 in Rice codes (R. F.
// Rice, "Some practical universal noiseless coding techniques", JPL 1979): 4 bits say how many low bits k a block's
// numbers have (15: all are zero); the rest of each is that many ones and a zero, or kEscape ones and 32 plain bits.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace supple {

inline constexpr int kPackBlock = 32;  // numbers that share a k
inline constexpr int kPackEscape = 20;
inline constexpr uint32_t kPackZeros = 15;

inline uint32_t zigzag(int32_t v) { return static_cast<uint32_t>(v) << 1 ^ static_cast<uint32_t>(v >> 31); }

class BitPacker {
 public:
  void bits(uint64_t value, int n);               // at most 48, low bit first
  void block(std::span<const uint32_t> numbers);  // at most kPackBlock, not negative: zigzag them first
  void append(const BitPacker& other);            // all that it was given
  size_t size() const { return size_; }
  std::string finish();  // the bytes, the last one filled with zeros

 private:
  std::string bytes_;  // size_ of them, and room for more
  size_t size_ = 0;
  uint64_t hold_ = 0;  // bits beyond those
  int n_ = 0;          // how many, fewer than 8
};

// A list as differences from one to the next.
std::string pack_list(std::span<const int> numbers);

}  // namespace supple
