// A run's state on disk, bit for bit: named vectors and numbers in one small binary file, written under a temporary
// name and renamed, with a hash over its content.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "supple/sim/stepper.h"

namespace supple {

struct Checkpoint {
  std::string fingerprint;  // of the scene it belongs to: a run resumes only its own
  std::map<std::string, VecX> vectors;
  std::map<std::string, double> numbers;
};

void write_checkpoint(const std::string& path, const Checkpoint& c);
// InputError when the file is missing, truncated, damaged or of another version.
Checkpoint read_checkpoint(const std::string& path);

// A number of 64 bits, which a double does not hold.
void put_bits(Checkpoint& c, const std::string& name, uint64_t bits);
uint64_t get_bits(const Checkpoint& c, const std::string& name);  // 0: there is none

void put(Checkpoint& c, const State& s);
State get_state(const Checkpoint& c);

}  // namespace supple
