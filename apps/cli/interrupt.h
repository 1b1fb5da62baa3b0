// Ctrl-C: the first asks loops to stop, the second ends the program at once.
#pragma once
#include <atomic>

namespace supple {

void install_interrupt_handler();
// Set by the first Ctrl-C; loops poll it and throw Cancelled.
const std::atomic<bool>& interrupted();

}  // namespace supple
