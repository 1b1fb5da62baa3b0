// What a caller hears of a long piece of work, and how it stops it. Each call is made from the thread that does the
// work, between its steps.
#pragma once
#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supple {

// A function that may be missing: calling it does nothing then, and returns what R() is.
template <class Signature>
class Hook;
template <class R, class... Args>
class Hook<R(Args...)> {
 public:
  Hook() = default;
  template <class F>
  requires(!std::same_as<F, Hook> && std::constructible_from<std::function<R(Args...)>, F>) Hook(F f)
      : function_(std::move(f)) {}

  R operator()(Args... args) const { return function_ ? function_(args...) : R(); }

 private:
  std::function<R(Args...)> function_;
};

// A stage that is to come, and how long it takes beside the others, in any unit.
struct PlannedStage {
  std::string name;
  double weight = 1;
};

struct Watch {
  Hook<void(std::string_view text)> note, warn;
  // What lies ahead, in the order in which it comes: whoever shows a share of the whole goes by it (staged_work.h).
  // Said again it takes the place of all that is still to come.
  Hook<void(const std::vector<PlannedStage>& ahead)> plan;
  // A stage begins with done = 0, or with the first that is heard of it, and is over when done = of. One that begins
  // anew counts from its start again. After a comma its name says more, which may change: "simulating, 1 of 3 clips".
  Hook<void(std::string_view stage, int done, int of)> progress;
  // Asked often. True: the work stops with Cancelled, or as the function called says.
  Hook<bool()> cancelled;
};

}  // namespace supple
