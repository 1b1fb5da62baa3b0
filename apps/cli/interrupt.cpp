#include "interrupt.h"

#include <csignal>

namespace supple {

namespace {

std::atomic<bool> stop_asked{false};
std::atomic<int> asked_by{SIGINT};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may touch nothing else");

extern "C" void on_interrupt(int signal) {
  asked_by = signal;
  stop_asked = true;
  std::signal(signal, SIG_DFL);  // who asks twice does not want to wait
}

}  // namespace

void install_interrupt_handler() {
  // What whoever started us has it ignore (nohup) stays ignored.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);  // nobody reads on: that is no reason to lose the work
}

const std::atomic<bool>& interrupted() { return stop_asked; }

int interrupted_status() { return 128 + asked_by; }

}  // namespace supple
