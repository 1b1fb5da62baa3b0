// Numbers as bytes of a stated order.
#pragma once
#include <algorithm>
#include <bit>
#include <cstring>

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

}  // namespace supple
