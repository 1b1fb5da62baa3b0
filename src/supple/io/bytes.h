// Numbers as bytes of a stated order.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace supple {

// x with its bytes in the given order when it is next stored by memcpy; its own inverse.
template <class T>
T in_order(T x, std::endian order) {
  if (order == std::endian::native) return x;
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &x, sizeof(T));
  std::reverse(bytes, bytes + sizeof(T));
  std::memcpy(&x, bytes, sizeof(T));
  return x;
}

// The word of four bytes, the lowest first, that begins there.
inline uint32_t word_at(std::string_view bytes, size_t begin) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + begin, sizeof word);
  return in_order(word, std::endian::little);
}

// A list as it lies in memory.
template <class T>
std::string_view bytes_of(const std::vector<T>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
}

}  // namespace supple
