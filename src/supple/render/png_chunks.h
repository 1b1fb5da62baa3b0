// What PNG files are made of. Inside the room only.
#pragma once
#include <cstdint>
#include <vector>

namespace supple {

void put_u16(std::vector<uint8_t>& out, uint32_t value);
void put_u32(std::vector<uint8_t>& out, uint32_t value);
void put_chunk(std::vector<uint8_t>& out, const char* type, const std::vector<uint8_t>& data);
// zlib, as small as it gets.
std::vector<uint8_t> compressed(const std::vector<uint8_t>& data);

inline constexpr uint8_t kPngBegins[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

}  // namespace supple
