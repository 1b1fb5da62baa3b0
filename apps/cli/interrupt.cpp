#include "interrupt.h"

#include <csignal>

namespace supple {

namespace {

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

extern "C" void on_interrupt(int signal) {
  stop_asked = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void install_interrupt_handler() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

const std::atomic<bool>& interrupted() { return stop_asked; }

}  // namespace supple
