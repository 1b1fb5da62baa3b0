// Long pieces of work that have loops of their own, side by side.
#pragma once
#include <cstddef>
#include <functional>

namespace supple {

// body(i) for every i of [0, n), begun in this order, at most `at_once` at a time (0: as many as there are threads).
// Threads without a piece help in the loops of others; one that waits in a loop of its piece begins no other meanwhile.
// When a body throws, pieces that have not begun are left out, and the exception of the first piece that threw is
// rethrown when all are through.
void side_by_side(size_t n, size_t at_once, const std::function<void(size_t)>& body);

}  // namespace supple
