// Threads. Every loop is cut into the same chunks whatever the number of threads, and every sum adds its chunks in
// order, so results have the same bits for any thread count.
#pragma once
#include <cstddef>
#include <functional>

namespace supple {

// How many threads loops may use from now on; 0: all cores of the machine. Returns the number in force.
int set_thread_count(int n);
int thread_count();

// body(begin, end) on consecutive chunks of at most `grain` items of [0, n). Chunks run in any order.
// An exception of a body is rethrown here.
void parallel_for(size_t n, size_t grain, const std::function<void(size_t, size_t)>& body);

// Sum over the chunks of body(begin, end), added in the order of the chunks.
double parallel_sum(size_t n, size_t grain, const std::function<double(size_t, size_t)>& body);
// Likewise the largest; 0 when n is 0 and never below 0. NaN anywhere gives NaN.
double parallel_max(size_t n, size_t grain, const std::function<double(size_t, size_t)>& body);

}  // namespace supple
