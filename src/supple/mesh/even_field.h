// A limit on how fast a field of displacements changes from place to place on posed surfaces, so that what is drawn
// with it neither smears nor folds over, and surfaces that touch go together (docs/theory/characters.md, "What is
// drawn").
#pragma once
#include <array>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// Bounds on displacements d for places x.
struct EvenRules {
  double slope = 0.25;      // |d_i - d_j| along an edge, beside its length
  double altitude = 0.5;    // of a corner against the longest side of its triangle, beside its height over it
  double sliding = 0;       // between surfaces that touch [m]...
  double parting = 0.5;     // ...and so much more of their distance, growing without bound...
  double near = 0;          // ...up to so far apart [m]; 0: surfaces know nothing of each other
  double swelling = 0.04;   // change of the volume of a solid part, beside it
  double tolerance = 0.01;  // of a bound: as near as this is within it
  int sweeps = 500;         // at most
};

struct EvenSurface {
  Points rest;  // what parts are solid is told by
  std::vector<Tri> triangles;
  std::vector<char> fixed;               // per point: its d is left as it is, 0
  std::vector<double> steep;             // per point: times the slope that edges there may have; empty: 1
  std::vector<int> part;                 // per point: points of one part do not keep together by being near
  std::vector<std::vector<int>> bodies;  // points that have one rigid motion; it stays none where it is none
};

// Connected parts of a surface: what is at one place at rest is one.
std::vector<int> connected_parts(const Points& rest, const std::vector<Tri>& triangles);

struct EvenReport {
  int sweeps = 0;
  double worst = 0;  // of what is left beyond a bound, beside the bound
};

class EvenField {
 public:
  EvenField() = default;
  EvenField(EvenSurface surface, EvenRules rules);

  // One entry a point each. d that is within all bounds stays as it is, to the bit; 0 always is. Else it is projected
  // on them, on all at once and again and again, so that order has no say. All but volumes and bodies are convex sets,
  // and projections on those bring any two fields nearer to each other, so d stays continuous in time.
  EvenReport apply(const Points& x, Points& d) const;

 private:
  struct Link;
  class Links;
  class Sweeps;
  struct Solid {  // a part with a volume
    std::vector<Tri> triangles;
    std::vector<int> points;
  };
  void find_solids();
  double slope_of(int a, int b) const;
  void bring_near(const Points& x, Points& d) const;
  void add_slopes(const Points& x, Links& links) const;
  void add_contacts(const Points& x, double most, Links& links) const;

  EvenSurface on_;
  EvenRules rules_;
  std::vector<std::array<int, 2>> edges_;         // with a free point
  std::vector<Tri> triangles_, fixed_triangles_;  // with one, without
  std::vector<int> first_, beside_;               // per point, its neighbours along edges_
  std::vector<int> body_;                         // per point: of bodies, or -1
  std::vector<Solid> solids_;
  bool several_ = false;  // parts
};

}  // namespace supple
