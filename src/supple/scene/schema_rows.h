// How the table of scene keys is written down.
#pragma once
#include <utility>

#include "supple/scene/schema.h"

namespace supple {

template <auto Section, auto Member>
Slot slot(SceneConfig& config, size_t) {
  return &(config.*Section.*Member);
}
template <auto List, auto Member>
Slot list_slot(SceneConfig& config, size_t element) {
  return &((config.*List)[element].*Member);
}

// Reads as a row: key, where it lives, what it means, then what it may be.
class Row : public KeySpec {
 public:
  Row(const char* table_name, const char* key_name, Slot (*place)(SceneConfig&, size_t), const char* meaning) {
    table = table_name, key = key_name, slot = place, doc = meaning;
  }
  Row& in(const char* name) { return unit = name, *this; }
  Row& or_bool() { return takes_bool = true, *this; }
  Row& one_of(std::vector<std::string> words) { return choices = std::move(words), *this; }
  Row& above(double limit) { return low = limit, low_open = true, *this; }
  Row& at_least(double limit) { return low = limit, *this; }
  Row& below(double limit) { return high = limit, high_open = true, *this; }
  Row& at_most(double limit) { return high = limit, *this; }
  Row& or_word(const char* text, double value = 0) { return word = text, word_value = value, *this; }
  Row& without(const char* text) { return unset = text, *this; }
  Row& needed() { return required = true, *this; }
};

std::vector<KeySpec> part_keys();
std::vector<KeySpec> region_keys();
std::vector<KeySpec> flesh_keys();
std::vector<KeySpec> tuned_keys();
std::vector<KeySpec> live_keys();  // [live] and [[live.part]]
std::vector<KeySpec> enrich_keys();
std::vector<KeySpec> curves_keys();   // [curves] and the lists below it
std::vector<KeySpec> contact_keys();  // [contact], its obstacles and planes, and [[body]]

}  // namespace supple
