#include "supple/linalg/elimination.h"

#include <algorithm>
#include <numeric>

#include "supple/base/index.h"

namespace supple {

namespace {

std::vector<int> inverse(std::span<const int> order) {
  std::vector<int> place(order.size());
  for (size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<int>(k);
  return place;
}

// Calls body(p) with the place of every neighbour of the k-th eliminated block.
template <typename Body>
void for_neighbours(const BlockGraph& graph, std::span<const int> order, std::span<const int> place, int k,
                    const Body& body) {
  const size_t i = at(order[at(k)]);
  for (int e = graph.start[i]; e < graph.start[i + 1]; ++e) body(place[at(graph.neighbour[at(e)])]);
}

// Lists of children as linked lists, ascending.
struct Children {
  std::vector<int> first, next, roots;
  explicit Children(std::span<const int> parent) : first(parent.size(), -1), next(parent.size(), -1) {
    for (int i = static_cast<int>(parent.size()) - 1; i >= 0; --i) {
      const int p = parent[at(i)];
      if (p < 0) {
        roots.push_back(i);
        continue;
      }
      next[at(i)] = first[at(p)];
      first[at(p)] = i;
    }
    std::reverse(roots.begin(), roots.end());
  }
};

}  // namespace

std::vector<int> elimination_tree(const BlockGraph& graph, std::span<const int> order) {
  const std::vector<int> place = inverse(order);
  std::vector<int> parent(order.size(), -1), ancestor(order.size(), -1);
  for (int k = 0; k < static_cast<int>(order.size()); ++k)
    for_neighbours(graph, order, place, k, [&](int p) {
      // Climb from p to the root of its tree so far, leaving short cuts to k behind.
      while (p != -1 && p < k) {
        const int up = ancestor[at(p)];
        ancestor[at(p)] = k;
        if (up == -1) parent[at(p)] = k;
        p = up;
      }
    });
  return parent;
}

std::vector<int> postorder(std::span<const int> parent) {
  Children children(parent);
  std::vector<int> order, path;
  order.reserve(parent.size());
  for (int root : children.roots) {
    path.push_back(root);
    while (!path.empty()) {
      int& child = children.first[at(path.back())];
      if (child == -1) {
        order.push_back(path.back());
        path.pop_back();
      } else {
        const int down = child;
        child = children.next[at(down)];
        path.push_back(down);
      }
    }
  }
  return order;
}

std::vector<int> column_counts(const BlockGraph& graph, std::span<const int> order, std::span<const int> parent) {
  const std::vector<int> place = inverse(order);
  std::vector<int> count(order.size(), 1), mark(order.size(), -1);
  for (int k = 0; k < static_cast<int>(order.size()); ++k) {
    mark[at(k)] = k;
    // Row k of the factor: the paths of the tree from its entries in the matrix up to k.
    for_neighbours(graph, order, place, k, [&](int p) {
      for (; p < k && mark[at(p)] != k; p = parent[at(p)]) {
        mark[at(p)] = k;
        ++count[at(p)];
      }
    });
  }
  return count;
}

double front_cost(double n_columns, double n_rows) {
  // Measured on one core with AVX-512: a front as such, floating-point operations, stored entries of the factor,
  // entries of the update (cleared, updated, added to the parent).
  constexpr double kFront = 500, kOperation = 0.018, kStored = 0.8, kUpdated = 0.7;
  const double n = 3 * n_columns, m = 3 * n_rows;
  return kFront + kOperation * n * (n * n / 3 + n * m + m * m) + kStored * n * (n / 2 + m) + kUpdated * m * m / 2;
}

std::vector<double> Fronts::subtree_costs() const {
  std::vector<double> cost(parent.size(), 0.0);
  for (int s = 0; s < size(); ++s) {
    cost[at(s)] += front_cost(n_columns(s), n_rows(s));
    if (parent[at(s)] >= 0) cost[at(parent[at(s)])] += cost[at(s)];
  }
  return cost;
}

namespace {

// Fronts while they are being joined: a front that was joined with its parent has no columns any more.
struct Joiner {
  std::vector<int> parent;
  std::vector<int> n_columns, n_rows;
  std::vector<std::vector<int>> children, parts;  // parts: the first fronts it was made of

  void join_children(int s) {
    // The child with most rows shares most with its parent. Children of a joined child get their chance in turn.
    std::vector<int> waiting = children[at(s)], kept;
    auto fewer_rows = [&](int a, int b) { return n_rows[at(a)] < n_rows[at(b)]; };
    std::stable_sort(waiting.begin(), waiting.end(), fewer_rows);
    while (!waiting.empty()) {
      const int c = waiting.back();
      waiting.pop_back();
      const double apart = front_cost(n_columns[at(c)], n_rows[at(c)]) + front_cost(n_columns[at(s)], n_rows[at(s)]);
      if (front_cost(n_columns[at(c)] + n_columns[at(s)], n_rows[at(s)]) > apart) {
        kept.push_back(c);
        continue;
      }
      n_columns[at(s)] += n_columns[at(c)];
      n_columns[at(c)] = 0;
      parts[at(s)].insert(parts[at(s)].end(), parts[at(c)].begin(), parts[at(c)].end());
      if (children[at(c)].empty()) continue;
      waiting.insert(waiting.end(), children[at(c)].begin(), children[at(c)].end());
      std::stable_sort(waiting.begin(), waiting.end(), fewer_rows);
    }
    for (int c : kept) parent[at(c)] = s;
    children[at(s)] = std::move(kept);
  }
};

// The rows of every front: those of its children and of its columns in the matrix, its own columns aside.
void find_rows(const BlockGraph& graph, Fronts& fronts) {
  const std::vector<int> place = inverse(fronts.order);
  const Children children(fronts.parent);
  std::vector<int> mark(fronts.order.size(), -1), found;
  fronts.row_start.assign(1, 0);
  for (int s = 0; s < fronts.size(); ++s) {
    const int begin = fronts.first_column[at(s)], end = fronts.first_column[at(s) + 1];
    found.clear();
    auto add = [&](int row) {
      if (row < end || mark[at(row)] == s) return;
      mark[at(row)] = s;
      found.push_back(row);
    };
    for (int k = begin; k < end; ++k) for_neighbours(graph, fronts.order, place, k, add);
    for (int c = children.first[at(s)]; c >= 0; c = children.next[at(c)])
      for (int row : fronts.rows_of(c)) add(row);
    std::sort(found.begin(), found.end());
    fronts.rows.insert(fronts.rows.end(), found.begin(), found.end());
    fronts.row_start.push_back(fronts.rows.size());
  }
}

}  // namespace

Fronts find_fronts(const BlockGraph& graph, std::vector<int> order) {
  const int n = static_cast<int>(order.size());
  std::vector<int> parent = elimination_tree(graph, order);
  {
    const std::vector<int> post = postorder(parent), place = inverse(post);
    std::vector<int> sorted_order(order.size()), sorted_parent(order.size());
    for (size_t k = 0; k < order.size(); ++k) {
      sorted_order[k] = order[at(post[k])];
      const int p = parent[at(post[k])];
      sorted_parent[k] = p < 0 ? -1 : place[at(p)];
    }
    order = std::move(sorted_order);
    parent = std::move(sorted_parent);
  }
  const std::vector<int> count = column_counts(graph, order, parent);

  // Columns of the same structure: one less row than the child, which comes right before.
  Joiner joiner;
  std::vector<int> first, front_of(order.size());
  for (int k = 0; k < n; ++k) {
    const bool joins = k > 0 && parent[at(k) - 1] == k && count[at(k) - 1] == count[at(k)] + 1;
    if (!joins) first.push_back(k);
    front_of[at(k)] = static_cast<int>(first.size()) - 1;
  }
  const size_t n_first = first.size();
  first.push_back(n);
  joiner.children.resize(n_first);
  for (size_t s = 0; s < n_first; ++s) {
    const int last = first[s + 1] - 1;
    const int up = parent[at(last)] < 0 ? -1 : front_of[at(parent[at(last)])];
    joiner.parent.push_back(up);
    joiner.n_columns.push_back(first[s + 1] - first[s]);
    joiner.n_rows.push_back(count[at(last)] - 1);
    joiner.parts.push_back({static_cast<int>(s)});
    if (up >= 0) joiner.children[at(up)].push_back(static_cast<int>(s));
  }
  for (size_t s = 0; s < n_first; ++s) joiner.join_children(static_cast<int>(s));

  // Number the fronts that are left, light subtrees first among siblings: what runs in one piece stays together.
  std::vector<int> left, number(n_first, -1);
  for (size_t s = 0; s < n_first; ++s)
    if (joiner.n_columns[s] > 0) left.push_back(static_cast<int>(s));
  std::vector<double> cost(n_first, 0.0);
  for (int s : left) {
    cost[at(s)] += front_cost(joiner.n_columns[at(s)], joiner.n_rows[at(s)]);
    if (joiner.parent[at(s)] >= 0) cost[at(joiner.parent[at(s)])] += cost[at(s)];
  }
  std::stable_sort(left.begin(), left.end(), [&](int a, int b) { return cost[at(a)] < cost[at(b)]; });
  for (size_t k = 0; k < left.size(); ++k) number[at(left[k])] = static_cast<int>(k);
  std::vector<int> tree(left.size());
  for (size_t k = 0; k < left.size(); ++k) {
    const int p = joiner.parent[at(left[k])];
    tree[k] = p < 0 ? -1 : number[at(p)];
  }
  const std::vector<int> post = postorder(tree), place = inverse(post);
  Fronts fronts;
  fronts.first_column.push_back(0);
  for (int k : post) {
    for (int part : joiner.parts[at(left[at(k)])])
      fronts.order.insert(fronts.order.end(), order.begin() + first[at(part)], order.begin() + first[at(part) + 1]);
    fronts.first_column.push_back(static_cast<int>(fronts.order.size()));
    fronts.parent.push_back(tree[at(k)] < 0 ? -1 : place[at(tree[at(k)])]);
  }
  find_rows(graph, fronts);
  return fronts;
}

}  // namespace supple
