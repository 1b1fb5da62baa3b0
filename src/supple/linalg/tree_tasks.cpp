#include "supple/linalg/tree_tasks.h"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <memory>

#include "supple/base/parallel.h"

namespace supple {

void run_upwards(const std::vector<TreeTask>& tasks, const std::function<void(int)>& body) {
  const int n = static_cast<int>(tasks.size());
  if (thread_count() == 1 || n < 2) {
    for (int t = 0; t < n; ++t) body(t);
    return;
  }
  const auto waiting = std::make_unique<std::atomic<int>[]>(tasks.size());
  for (size_t t = 0; t < tasks.size(); ++t) waiting[t] = tasks[t].n_children;
  tbb::task_group group;
  // The thread that finishes the last child goes on with the parent.
  auto climb = [&](int t) {
    for (;;) {
      body(t);
      t = tasks[static_cast<size_t>(t)].parent;
      if (t < 0 || waiting[static_cast<size_t>(t)].fetch_sub(1) != 1) return;
    }
  };
  for (int t = 0; t < n; ++t)
    if (tasks[static_cast<size_t>(t)].n_children == 0) group.run([&climb, t] { climb(t); });
  group.wait();
}

void run_downwards(const std::vector<TreeTask>& tasks, const std::function<void(int)>& body) {
  const int n = static_cast<int>(tasks.size());
  if (thread_count() == 1 || n < 2) {
    for (int t = n - 1; t >= 0; --t) body(t);
    return;
  }
  std::vector<std::vector<int>> children(tasks.size());
  for (int t = 0; t < n; ++t)
    if (tasks[static_cast<size_t>(t)].parent >= 0)
      children[static_cast<size_t>(tasks[static_cast<size_t>(t)].parent)].push_back(t);
  tbb::task_group group;
  std::function<void(int)> descend = [&](int t) {
    body(t);
    for (int c : children[static_cast<size_t>(t)]) group.run([&descend, c] { descend(c); });
  };
  for (int t = n - 1; t >= 0; --t)
    if (tasks[static_cast<size_t>(t)].parent < 0) group.run([&descend, t] { descend(t); });
  group.wait();
}

void SharedLoop::operator()(int n, const std::function<void(int)>& body) const {
  if (n < 2 || thread_count() == 1) return PlainLoop()(n, body);
  tbb::this_task_arena::isolate([&] {
    parallel_for(static_cast<size_t>(n), 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) body(static_cast<int>(i));
    });
  });
}

}  // namespace supple
