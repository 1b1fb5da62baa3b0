#include "supple/linalg/symbolic_factor.h"

#include <algorithm>
#include <numeric>

#include "supple/base/index.h"
#include "supple/linalg/elimination.h"

namespace supple {

std::shared_ptr<const SymbolicFactor> SymbolicFactor::analyse(const BlockPattern& pattern) {
  auto result = std::make_shared<SymbolicFactor>();
  SymbolicFactor& f = *result;
  f.n_blocks = pattern.size();
  {
    Fronts fronts = find_fronts(block_graph(pattern), nested_dissection(pattern));
    const std::vector<double> cost = fronts.subtree_costs();
    f.order = std::move(fronts.order);
    f.first_column = std::move(fronts.first_column);
    f.parent = std::move(fronts.parent);
    f.row_start = std::move(fronts.row_start);
    f.row = std::move(fronts.rows);
    f.place_rows();
    f.place_entries(pattern);
    f.cut_into_tasks(cost);
  }
  for (int s = 0; s < f.n_fronts(); ++s) {
    const double n = f.columns(s), m = f.rows(s);
    f.flops += n * (n * n / 3 + n * m + m * m);
  }
  f.by_8.width = 8;
  f.by_16.width = 16;
  f.lay_out(f.by_8);
  f.lay_out(f.by_16);
  return result;
}

void SymbolicFactor::place_rows() {
  child_start.assign(parent.size() + 1, 0);
  for (int p : parent)
    if (p >= 0) ++child_start[at(p) + 1];
  for (size_t s = 1; s < child_start.size(); ++s) child_start[s] += child_start[s - 1];
  child.resize(at(child_start.back()));
  std::vector<int> next(child_start.begin(), child_start.end() - 1);
  place_in_parent.resize(row.size());
  for (int s = 0; s < n_fronts(); ++s) {
    const int p = parent[at(s)];
    if (p < 0) continue;
    child[at(next[at(p)]++)] = s;
    const int begin = first_column[at(p)], end = first_column[at(p) + 1];
    size_t in_parent = row_start[at(p)];
    for (size_t k = row_start[at(s)]; k < row_start[at(s) + 1]; ++k) {
      if (row[k] < end) {
        place_in_parent[k] = row[k] - begin;
      } else {
        while (row[in_parent] != row[k]) ++in_parent;
        place_in_parent[k] = end - begin + static_cast<int>(in_parent - row_start[at(p)]);
      }
    }
  }
}

void SymbolicFactor::place_entries(const BlockPattern& pattern) {
  std::vector<int> place(order.size()), front_of(order.size());
  for (size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<int>(k);
  for (int s = 0; s < n_fronts(); ++s)
    std::fill(front_of.begin() + first_column[at(s)], front_of.begin() + first_column[at(s) + 1], s);
  // Counting sort of the blocks by the column that eliminates them.
  std::vector<size_t> start(order.size() + 1, 0);
  auto for_blocks = [&](const auto& body) {
    for (int i = 0; i < pattern.n; ++i)
      for (int k = pattern.row_start[at(i)]; k < pattern.row_start[at(i) + 1]; ++k) {
        const int a = place[at(i)], b = place[at(pattern.col[at(k)])];
        body(std::max(a, b), std::min(a, b), a >= b ? k : ~k);
      }
  };
  for_blocks([&](int, int column, int) { ++start[at(column) + 1]; });
  for (size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
  entry_start.assign(1, 0);
  for (int s = 0; s < n_fronts(); ++s) entry_start.push_back(start[at(first_column[at(s) + 1])]);
  entry.resize(start.back());
  for_blocks([&](int r, int column, int block) {
    const int s = front_of[at(column)], begin = first_column[at(s)], end = first_column[at(s) + 1];
    int local = r - begin;
    if (r >= end) {
      const auto from = row.begin() + static_cast<std::ptrdiff_t>(row_start[at(s)]);
      const auto to = row.begin() + static_cast<std::ptrdiff_t>(row_start[at(s) + 1]);
      local = end - begin + static_cast<int>(std::lower_bound(from, to, r) - from);
    }
    entry[start[at(column)]++] = {block, local, column - begin};
  });
}

void SymbolicFactor::cut_into_tasks(const std::vector<double>& subtree_cost) {
  double total = 0;
  for (size_t s = 0; s < parent.size(); ++s)
    if (parent[s] < 0) total += subtree_cost[s];
  // Small enough to balance the load of some dozen threads, large enough to be worth a task. [ns]
  const double largest = std::max(total / 32, 2e5);
  std::vector<int> task_of(parent.size(), -1), first(parent.size());
  double cost = 0;  // of the open run
  for (int s = 0; s < n_fronts(); ++s) {
    const bool leaf = child_start[at(s)] == child_start[at(s) + 1];
    first[at(s)] = leaf ? s : first[at(child[at(child_start[at(s)])])];
    const int p = parent[at(s)];
    if (subtree_cost[at(s)] > largest) {  // a task of its own
      task_of[at(s)] = static_cast<int>(tasks.size());
      tasks.push_back({s, s + 1, -1, 0, true});
      for (int c = child_start[at(s)]; c < child_start[at(s) + 1]; ++c) {
        TreeTask& below = tasks[at(task_of[at(child[at(c)])])];
        if (below.parent < 0) ++tasks.back().n_children;
        below.parent = task_of[at(s)];
      }
    } else if (p < 0 || subtree_cost[at(p)] > largest) {  // a whole subtree: joins the run before it if that is light
      const bool joins = !tasks.empty() && !tasks.back().wide && tasks.back().last == first[at(s)] &&
                         parent[at(tasks.back().last) - 1] == p && cost + subtree_cost[at(s)] <= largest;
      if (!joins) {
        tasks.push_back({first[at(s)], s + 1, -1, 0, false});
        cost = 0;
      }
      tasks.back().last = s + 1;
      cost += subtree_cost[at(s)];
      task_of[at(s)] = static_cast<int>(tasks.size()) - 1;
    }
  }
  in_arena.assign(parent.size(), 0);
  for (const TreeTask& t : tasks)
    for (int s = t.first; s < t.last; ++s) in_arena[at(s)] = parent[at(s)] >= 0 && parent[at(s)] < t.last;
}

namespace {

struct Interval {
  size_t begin, end;
};

// The lowest place for `size` lines that hits none of the taken intervals, which are sorted.
size_t lowest_gap(const std::vector<Interval>& taken, size_t size) {
  size_t begin = 0;
  for (const Interval& t : taken) {
    if (begin + size <= t.begin) return begin;
    begin = std::max(begin, t.end);
  }
  return begin;
}

}  // namespace

void SymbolicFactor::lay_out(FactorLayout& layout) const {
  const size_t n_s = parent.size();
  std::vector<size_t> update_lines(n_s);
  layout.factor.resize(n_s);
  layout.update.assign(n_s, 0);
  for (int s = 0; s < n_fronts(); ++s) {
    layout.factor[at(s)] = layout.factor_lines;
    layout.factor_lines += layout.triangle_lines(columns(s)) + at(layout.panels(rows(s))) * at(columns(s));
    update_lines[at(s)] = layout.triangle_lines(rows(s));
  }

  // Within a run of fronts the updates live on two stacks, by the parity of their depth: a front reads those of its
  // children from the top of one stack and puts its own on the other.
  std::vector<int> parity(n_s, 0);
  for (size_t s = n_s; s-- > 0;)
    if (in_arena[s]) parity[s] = 1 - parity[at(parent[s])];
  size_t highest[2] = {0, 0};
  for (const TreeTask& t : tasks) {
    size_t top[2] = {0, 0};
    for (int s = t.first; s < t.last && !t.wide; ++s) {
      const int own = parity[at(s)];
      if (in_arena[at(s)]) {
        layout.update[at(s)] = top[own];
        top[own] += update_lines[at(s)];
        highest[own] = std::max(highest[own], top[own]);
      }
      if (child_start[at(s)] < child_start[at(s) + 1]) top[1 - own] = layout.update[at(child[at(child_start[at(s)])])];
    }
  }
  for (size_t s = 0; s < n_s; ++s)
    if (in_arena[s] && parity[s]) layout.update[s] += highest[0];
  layout.arena_lines = highest[0] + highest[1];

  // Updates that pass from task to task get a place of their own in a store. The regions of two subtrees are apart;
  // a front may use all of the regions below it but the updates it reads.
  std::vector<size_t> size(tasks.size(), 0), offset(tasks.size(), 0);
  std::vector<std::vector<Interval>> taken(tasks.size());  // by the children, in the region of the task
  for (size_t t = 0; t < tasks.size(); ++t) {
    std::vector<Interval> own;
    for (int s = tasks[t].first; s < tasks[t].last; ++s) {
      if (in_arena[at(s)]) continue;
      const size_t begin = tasks[t].wide ? lowest_gap(taken[t], update_lines[at(s)]) : size[t];
      layout.update[at(s)] = begin;
      own.push_back({begin, begin + update_lines[at(s)]});
      size[t] = std::max(size[t], own.back().end);
    }
    const int p = tasks[t].parent;
    size_t& end = p < 0 ? layout.store_lines : size[at(p)];
    offset[t] = end;
    end += size[t];
    if (p < 0) continue;
    for (const Interval& i : own)
      if (i.end > i.begin) taken[at(p)].push_back({i.begin + offset[t], i.end + offset[t]});
  }
  for (size_t t = tasks.size(); t-- > 0;) {
    if (tasks[t].parent >= 0) offset[t] += offset[at(tasks[t].parent)];
    for (int s = tasks[t].first; s < tasks[t].last; ++s)
      if (!in_arena[at(s)]) layout.update[at(s)] += offset[t];
  }
}

}  // namespace supple
