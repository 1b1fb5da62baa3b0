// What is drawn of a character kept even: the skin in itself, and with what is near it.
#pragma once
#include <utility>
#include <vector>

#include "supple/attach/riding.h"
#include "supple/mesh/even_field.h"
#include "supple/pipeline/character/character.h"
#include "supple/pipeline/setup/drawing.h"

namespace supple::pipeline {

class EvenDrawing {
 public:
  // Both must outlive this.
  EvenDrawing(const CharacterSetup& setup, const Riding& riding);
  // input: the drawn vertices as the clip poses them; skin: the departure of the skin. All that is drawn departs so,
  // riders with it.
  Departure apply(const Points& input, const VecX& skin) const;

 private:
  struct Reach {  // a field over the skin and more
    EvenField field;
    size_t n_points = 0;
    std::vector<std::pair<int, int>> beyond;  // drawn vertices that are not of the skin, and their points
  };
  Reach reach(bool riders) const;
  void even(const Reach& reach, const Points& input, Points& offsets) const;

  const CharacterSetup& c_;
  const Riding& riding_;
  std::vector<std::vector<int>> moved_as_one_;  // drawn vertices, by hard rider that leads; empty: it does not
  bool rides_ = false;
  Reach skin_, all_;
};

}  // namespace supple::pipeline
