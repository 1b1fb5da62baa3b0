// Two error channels. A mistake in the user's input: InputError, which names the place, what is wrong and what to do.
// A bug of ours: OwnFault (expect.h). Numerical trouble during a run is counted in step reports; SimulationFailure ends
// a run that cannot go on, with the frame, the part and the likely cause.
#pragma once
#include <stdexcept>
#include <string>

namespace supple {

struct Location {
  std::string file;   // path as the user gave it, may be empty
  int line = 0;       // 1-based, 0: unknown
  int column = 0;     // 1-based, 0: unknown
  std::string place;  // "element 17", "key material.model", "byte 3021", ...
};

// "scene.toml:12:3 (key material.model)"
std::string to_string(const Location& where);

class InputError : public std::runtime_error {
 public:
  // what: the fault. advice: what to do about it, may be empty.
  InputError(Location where, const std::string& what, const std::string& advice = "");
  InputError(const InputError&) = default;
  InputError& operator=(const InputError&) = default;
  ~InputError() override;
  const Location& where() const { return where_; }
  const std::string& fault() const { return fault_; }
  const std::string& advice() const { return advice_; }

 private:
  Location where_;
  std::string fault_, advice_;
};

class SimulationFailure : public std::runtime_error {
 public:
  SimulationFailure(double time_s, const std::string& part, const std::string& cause);
  double time_s() const { return time_s_; }
  const std::string& part() const { return part_; }
  const std::string& cause() const { return cause_; }

 private:
  double time_s_;
  std::string part_, cause_;
};

// Thrown by a loop that was asked to stop (Ctrl-C); what was finished is kept.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("interrupted") {}
};

// The nearest of `known` to a misspelt word, or "" when none is near.
std::string nearest_word(const std::string& word, const std::string* known_begin, const std::string* known_end);

}  // namespace supple
