// Indices of ours are int; those of the standard containers are size_t.
#pragma once
#include <cstddef>

namespace supple {

// Where an index that is not negative lies in a container: list[at(i)].
constexpr size_t at(int i) { return static_cast<size_t>(i); }

}  // namespace supple
