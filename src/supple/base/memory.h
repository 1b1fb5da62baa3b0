// How the process keeps memory that was freed, and how much there is.
#pragma once
#include <cstddef>

namespace supple {

// Steps allocate and free the same vectors again and again; handed back to the system in between, every page would be
// cleared and mapped anew each time. For programs to call once at their start.
void keep_freed_memory();

// Of the machine; a guess of 4 GiB where the system does not say.
size_t memory_bytes();

}  // namespace supple
