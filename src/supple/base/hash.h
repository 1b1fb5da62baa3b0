// A content hash that names inputs in reports and caches (64-bit FNV-1a; not for security).
#pragma once
#include <cstdint>
#include <string>

namespace supple {

uint64_t hash_bytes(const void* data, size_t n, uint64_t seed = 14695981039346656037ull);
std::string hash_text(uint64_t hash);            // 16 hex digits
std::string hash_file(const std::string& path);  // of the content; "" when it cannot be read
const char* version();                           // of the program, "0.1.0"

}  // namespace supple
