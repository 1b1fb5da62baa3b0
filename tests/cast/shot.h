// One clip as a viewer draws it, without and with softness, at even frames.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/character.h"

namespace supple::cast {

struct Shot {
  double step = 1.0 / 24;           // [s] from frame to frame
  std::vector<Points> drawn, soft;  // by frame, in the file's units, y up
  Points bind;                      // nothing plays
  std::vector<Tri> faces;
  std::vector<char> body;  // per vertex: skinned; all where nothing is

  int n_frames() const { return static_cast<int>(drawn.size()); }
  int n_vertices() const { return static_cast<int>(bind.size()); }
};

// before: the character; after: the file made of it, which has `soft` beside the clip `drawn` of both.
Shot read_shot(const Character& before, const Character& after, const Clip& drawn, const Clip& soft);

inline constexpr double kPictureHigh = 400;  // pixels

// What is measured once of a shot for all numbers.
struct Seen {
  explicit Seen(const Shot& shot);

  const Shot& shot;
  double size = 1, height = 1;         // the median over the frames of the diagonal and the height of the body's box
  double pixels = 1;                   // a unit where the character fills a picture of 400 x 711
  std::vector<Points> d;               // soft - drawn, by frame; 0 where soft is no number
  std::vector<std::vector<double>> m;  // its length
  std::vector<int> moved;              // vertices that ever depart
  std::vector<int> weld, piece;        // per vertex: the place it has when nothing plays; the connected piece

  double percent(double length) const { return 100 * length / size; }
  bool loops() const;  // the first and last drawn pose are the same
};

// Linear between the two nearest, as of a sorted list; p in 0..100. 0 of nothing.
double percentile(std::vector<double> values, double p);

}  // namespace supple::cast
