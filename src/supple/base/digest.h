// A digest of many inputs, fed one after the other: 128 bits that name what was made of them (not for security).
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "supple/base/hash.h"
#include "supple/base/types.h"

namespace supple {

class Digest {
 public:
  Digest& bytes(const void* data, size_t n) {
    const auto* at = static_cast<const unsigned char*>(data);
    mix(n);
    for (; n >= 8; n -= 8, at += 8) {
      uint64_t word;
      std::memcpy(&word, at, 8);
      mix(word);
    }
    uint64_t rest = 0;
    if (n > 0) std::memcpy(&rest, at, n), mix(rest);
    return *this;
  }
  // Numbers and enumerations, and plain arrays of them such as a tet. 0 and -0 are different, as are two NaN.
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) Digest& add(T x) {
    uint64_t word = 0;
    std::memcpy(&word, &x, sizeof x);
    mix(word);
    return *this;
  }
  Digest& add(const std::string& text) { return bytes(text.data(), text.size()); }
  Digest& add(const char* text) { return bytes(text, std::strlen(text)); }
  template <class T, size_t N>
  Digest& add(const std::array<T, N>& list) {
    for (const T& x : list) add(x);
    return *this;
  }
  template <class T>
  Digest& add(const std::vector<T>& list) {
    if constexpr (std::is_arithmetic_v<T>) return bytes(list.data(), list.size() * sizeof(T));
    mix(list.size());
    for (const T& x : list) add(x);
    return *this;
  }
  template <class Derived>
  Digest& add(const Eigen::PlainObjectBase<Derived>& x) {
    return bytes(x.data(), static_cast<size_t>(x.size()) * sizeof(typename Derived::Scalar));
  }
  template <class First, class Second>
  Digest& add(const std::pair<First, Second>& both) {
    add(both.first);
    return add(both.second);
  }

  uint64_t number() const { return finished(a_ ^ finished(b_)); }
  std::string text() const { return hash_text(finished(a_)) + hash_text(finished(b_)); }

 private:
  static uint64_t finished(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  void mix(uint64_t word) {
    a_ = (a_ ^ word) * 0x9fb21c651e98df25ull;
    a_ ^= a_ >> 32;
    b_ = ((b_ << 23) | (b_ >> 41)) + word * 0xd6e8feb86659fd93ull;
    b_ ^= b_ >> 29;
  }
  uint64_t a_ = 0x243f6a8885a308d3ull, b_ = 0x13198a2e03707344ull;
};

}  // namespace supple
