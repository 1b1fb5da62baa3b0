// How the process keeps memory that was freed, and how much there is.
#pragma once
#include <cstddef>
#include <string>

namespace supple {

// Steps allocate and free the same vectors again and again; handed back to the system in between, every page would be
// cleared and mapped anew each time. For programs to call once at their start.
void keep_freed_memory();

// What this process may have at most: that of the machine, or less where its group of processes (a container, a
// service) or its address space (ulimit -v) has a limit. A guess of 4 GiB where the system does not say.
size_t memory_bytes();

// The least limit of a group of processes and of those that it is in; 0: there is none. list: as /proc/self/cgroup
// names them. root: where the system shows them, both kinds: memory.max, memory/.../memory.limit_in_bytes.
size_t group_memory_limit(const std::string& list, const std::string& root);

// The most that this process has had at once, until now; 0 where the system does not say.
size_t peak_memory_bytes();

}  // namespace supple
