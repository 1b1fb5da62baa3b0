// A small deflate (RFC 1951) in a zlib wrapper (RFC 1950), for PNG only. Inside the render room only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace supple {

// One block of fixed Huffman codes with matches found by hash chains: about a third larger than a full zlib.
std::vector<uint8_t> zlib_compress(const std::vector<uint8_t>& data);
uint32_t adler32(const uint8_t* data, size_t n);
uint32_t crc32(const uint8_t* data, size_t n);

}  // namespace supple
