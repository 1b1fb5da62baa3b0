#include "supple/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "supple/base/loop_order.h"

namespace supple {

namespace {
std::unique_ptr<tbb::global_control>& control() {
  static std::unique_ptr<tbb::global_control> c;
  return c;
}
int current = 0;

void for_chunks(size_t n, size_t grain, const std::function<void(size_t chunk, size_t, size_t)>& body) {
  grain = std::max<size_t>(grain, 1);
  const size_t chunks = (n + grain - 1) / grain;
  auto run = [&](size_t c) { body(c, c * grain, std::min(n, (c + 1) * grain)); };
  if (chunks <= 1 || thread_count() == 1) {
    for (size_t c = 0; c < chunks; ++c) run(c);
  } else {
    LoopOrder order;
    tbb::parallel_for(size_t{0}, chunks, [&](size_t c) {
      const LoopOrder::Turn turn(order);
      run(c);
    });
  }
}
}  // namespace

int set_thread_count(int n) {
  const int cores = std::max(1u, std::thread::hardware_concurrency());
  current = n > 0 ? n : cores;
  control().reset();
  control() =
      std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(current));
  return current;
}

int thread_count() { return current > 0 ? current : set_thread_count(0); }

void parallel_for(size_t n, size_t grain, const std::function<void(size_t, size_t)>& body) {
  for_chunks(n, grain, [&](size_t, size_t begin, size_t end) { body(begin, end); });
}

double parallel_sum(size_t n, size_t grain, const std::function<double(size_t, size_t)>& body) {
  grain = std::max<size_t>(grain, 1);
  std::vector<double> part((n + grain - 1) / grain, 0.0);
  for_chunks(n, grain, [&](size_t c, size_t begin, size_t end) { part[c] = body(begin, end); });
  double sum = 0;
  for (double p : part) sum += p;
  return sum;
}

double parallel_max(size_t n, size_t grain, const std::function<double(size_t, size_t)>& body) {
  grain = std::max<size_t>(grain, 1);
  std::vector<double> part((n + grain - 1) / grain, 0.0);
  for_chunks(n, grain, [&](size_t c, size_t begin, size_t end) { part[c] = body(begin, end); });
  double largest = 0;
  for (double p : part) largest = std::isnan(p) || std::isnan(largest) ? std::nan("") : std::max(largest, p);
  return largest;
}

}  // namespace supple
