// Ctrl-C, SIGTERM and SIGHUP: the first asks loops to stop, the second ends the program at once.
#pragma once
#include <atomic>

namespace supple {

void install_interrupt_handler();
// Set by the first; loops poll it and throw Cancelled.
const std::atomic<bool>& interrupted();
int interrupted_status();  // of the program: 128 and the signal, as shells have it

}  // namespace supple
