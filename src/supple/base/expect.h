// What holds whatever the input: where it does not, the fault is ours. It is told as an exception, in every build, so
// that what runs beside it goes on and what was finished is kept. Builds with sanitizers end at once instead, with the
// state as it is for whoever looks.
#pragma once
#include <stdexcept>
#include <string>

namespace supple {

// No mistake of the user's: "a fault of supple itself: ... ; please report it".
class OwnFault : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// what: did not hold. file: as the compiler has it. Declared where asserts are as well (cmake/asserts).
// NOLINTNEXTLINE(readability-redundant-declaration)
[[noreturn, gnu::cold]] void own_fault(const char* what, const char* file, int line);

// words: what is expected, "one density for each tet".
inline void expect(bool so, const char* words, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!so) [[unlikely]]
    own_fault(words, file, line);
}

}  // namespace supple
