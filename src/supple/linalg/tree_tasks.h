// Work along a tree of tasks on all threads. What a task computes must not depend on when it runs.
// Inside the room only.
#pragma once
#include <functional>
#include <vector>

#include "supple/linalg/symbolic_factor.h"

namespace supple {

// body(t) for every task, after those of all its children. An exception of a body is rethrown here.
void run_upwards(const std::vector<TreeTask>& tasks, const std::function<void(int)>& body);
// body(t) for every task, after that of its parent.
void run_downwards(const std::vector<TreeTask>& tasks, const std::function<void(int)>& body);

// A loop inside a task: body(i) for i of [0, n), in any order. The thread takes up no other task while it waits.
struct SharedLoop {
  void operator()(int n, const std::function<void(int)>& body) const;
};
// The same loop for small tasks.
struct PlainLoop {
  template <typename Body>
  void operator()(int n, const Body& body) const {
    for (int i = 0; i < n; ++i) body(i);
  }
};

}  // namespace supple
