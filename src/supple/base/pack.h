// Plain data as bytes and back, for files that only this program on this machine reads. Reading never trusts a count.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "supple/base/types.h"

namespace supple {

template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Packer {
 public:
  template <class T>
  requires is_plain<T>
  void operator()(T x) { out_.append(reinterpret_cast<const char*>(&x), sizeof x); }
  void operator()(const std::string& text) { run(text.data(), text.size()); }
  template <class T, size_t N>
  void operator()(const std::array<T, N>& list) {
    for (const T& x : list) (*this)(x);
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    if constexpr (is_plain<T>) {
      run(list.data(), list.size());
    } else {
      (*this)(static_cast<uint64_t>(list.size()));
      for (const T& x : list) (*this)(x);
    }
  }
  template <class T>
  void operator()(const std::map<std::string, T>& list) {
    (*this)(static_cast<uint64_t>(list.size()));
    for (const auto& [name, x] : list) (*this)(name), (*this)(x);
  }
  void operator()(const Vec3& x) {
    for (int c = 0; c < 3; ++c) (*this)(x[c]);
  }
  void operator()(const VecX& x) { run(x.data(), static_cast<size_t>(x.size())); }

  std::string take() { return std::move(out_); }

 private:
  template <class T>
  void run(const T* data, size_t n) {
    (*this)(static_cast<uint64_t>(n));
    out_.append(reinterpret_cast<const char*>(data), n * sizeof(T));
  }
  std::string out_;
};

// What was packed, in the same order. Where the bytes end early all that follows is empty, and whole() is false.
class Unpacker {
 public:
  explicit Unpacker(std::string_view data) : data_(data) {}

  template <class T>
  requires is_plain<T>
  void operator()(T& x) {
    if (fits(sizeof x)) std::memcpy(&x, take(sizeof x), sizeof x);
  }
  void operator()(std::string& text) {
    const size_t n = count(1);
    text.assign(take(n), n);
  }
  template <class T, size_t N>
  void operator()(std::array<T, N>& list) {
    for (T& x : list) (*this)(x);
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    if constexpr (is_plain<T>) {
      list.resize(count(sizeof(T)));
      if (!list.empty()) std::memcpy(list.data(), take(list.size() * sizeof(T)), list.size() * sizeof(T));
    } else {
      list.resize(count(kLeast));
      for (T& x : list)
        if (good_) (*this)(x);
    }
  }
  template <class T>
  void operator()(std::map<std::string, T>& list) {
    for (size_t n = count(1); n > 0 && good_; --n) {
      std::string name;
      (*this)(name);
      (*this)(list[name]);
    }
  }
  void operator()(Vec3& x) {
    for (int c = 0; c < 3; ++c) (*this)(x[c]);
  }
  void operator()(VecX& x) {
    x.resize(static_cast<Eigen::Index>(count(sizeof(double))));
    const size_t n = static_cast<size_t>(x.size()) * sizeof(double);
    if (n > 0) std::memcpy(x.data(), take(n), n);
  }

  bool good() const { return good_; }
  bool whole() const { return good_ && at_ == data_.size(); }  // and nothing is left

 private:
  static constexpr size_t kLeast = 8;  // bytes of anything with a count, or of a tet
  bool fits(size_t n) {
    good_ = good_ && n <= data_.size() - at_;
    return good_;
  }
  const char* take(size_t n) {
    at_ += n;
    return data_.data() + at_ - n;
  }
  size_t count(size_t each) {
    uint64_t n = 0;
    (*this)(n);
    good_ = good_ && n <= (data_.size() - at_) / each;
    return good_ ? static_cast<size_t>(n) : 0;
  }
  std::string_view data_;
  size_t at_ = 0;
  bool good_ = true;
};

// A list whose elements are packed, or unpacked, by a function of their own.
template <class Io, class T, class Fields>
void pack_list(Io& io, std::vector<T>& list, const Fields& fields) {
  uint64_t n = list.size();
  io(n);
  if constexpr (std::is_same_v<Io, Unpacker>) list.clear();
  for (uint64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<Io, Unpacker>) {
      if (!io.good()) return;
      list.emplace_back();
    }
    fields(list[i]);
  }
}

}  // namespace supple
