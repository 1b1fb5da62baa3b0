// How the process keeps memory that was freed.
#pragma once

namespace supple {

// Steps allocate and free the same vectors again and again; handed back to the system in between, every page would be
// cleared and mapped anew each time. For programs to call once at their start.
void keep_freed_memory();

}  // namespace supple
