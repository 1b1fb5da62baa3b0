#include "supple/base/hash.h"

#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "supple/base/read_file.h"

namespace supple {

uint64_t hash_bytes(const void* data, size_t n, uint64_t seed) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  uint64_t h = seed;
  for (size_t i = 0; i < n; ++i) h = (h ^ bytes[i]) * 1099511628211ull;
  return h;
}

std::string hash_text(uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string hash_file(const std::string& path) {
  if (!is_regular_file(path)) return "";
  std::ifstream in(path, std::ios::binary);
  if (!in) return "";
  std::vector<char> block(1 << 16);
  uint64_t h = hash_bytes(nullptr, 0);
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    h = hash_bytes(block.data(), static_cast<size_t>(in.gcount()), h);
  }
  return hash_text(h);
}

const char* version() { return SUPPLE_VERSION; }

}  // namespace supple
