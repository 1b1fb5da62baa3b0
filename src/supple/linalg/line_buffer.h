// Memory for the lines of FactorLayout: aligned, uninitialised, on large pages where the system has them.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace supple {

template <typename T>
class LineBuffer {
 public:
  static constexpr size_t kLine = 64;

  // Keeps the memory when it is large enough.
  void reserve(size_t lines) {
    if (lines <= lines_) return;
    constexpr size_t kLargePage = size_t{1} << 21;
    size_t bytes = lines * kLine;
    const size_t alignment = bytes >= kLargePage ? kLargePage : kLine;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(alignment, bytes)));
    lines_ = data_ ? lines : 0;
    if (!data_) throw std::bad_alloc();
#ifdef __linux__
    if (alignment == kLargePage) madvise(data_.get(), bytes, MADV_HUGEPAGE);
#endif
  }
  T* line(size_t i) { return data_.get() + i * (kLine / sizeof(T)); }
  const T* line(size_t i) const { return data_.get() + i * (kLine / sizeof(T)); }
  size_t bytes() const { return lines_ * kLine; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
  size_t lines_ = 0;
};

}  // namespace supple
