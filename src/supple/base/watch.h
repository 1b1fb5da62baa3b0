// What a caller hears of a long piece of work, and how it stops it. Each call is made from the thread that does the
// work, between its steps.
#pragma once
#include <concepts>
#include <functional>
#include <string_view>
#include <utility>

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

struct Watch {
  Hook<void(std::string_view text)> note, warn;
  // A stage begins with done = 0, or with the first that is heard of it, and is over when done = of. One that begins
  // anew counts from its start again.
  Hook<void(std::string_view stage, int done, int of)> progress;
  // Asked often. True: the work stops with Cancelled, or as the function called says.
  Hook<bool()> cancelled;
};

}  // namespace supple
