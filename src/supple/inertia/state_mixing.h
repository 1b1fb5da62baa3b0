// From some periods of a motion that repeats, each from another start, to the start that one period brings back.
//
// A period maps a start x to its end g(x), and r = g(x) - x is to be nothing. Near the answer r changes in proportion
// to x, so where starts are taken together the r are taken together too [Anderson's mixing]. Besides,
//   - every place has weights of its own, from what happens around it: flesh swings in many places at once, each at its
//     own rate, and hardly feels the others; weights for the whole body would have to undo all of them in turn,
//   - with every difference of states goes its rate of change, which obeys the same map: the same swing a quarter of a
//     cycle later, so that a swing, which has two unknowns, takes one period less to undo.
#pragma once
#include <vector>

#include "supple/sim/model.h"
#include "supple/sim/state.h"

namespace supple {

// A period: its start, and its end carried back to where it began.
struct Turn {
  State start, end;
};

class StateMixing {
 public:
  // The model must outlive this.
  explicit StateMixing(const Model& model);
  // The start to try next: of one period its end, of more what comes closest to closing. carries: how far a velocity
  // carries [s].
  State next(const std::vector<Turn>& turns, double carries) const;

 private:
  MatX averaged_around(MatX per_vertex) const;
  MatX weights(const std::vector<Turn>& turns, double carries) const;

  const Model& model_;
  int sweeps_ = 1;                      // of averaging over neighbours
  std::vector<std::vector<int>> near_;  // per own vertex: those it shares a tet with
};

}  // namespace supple
