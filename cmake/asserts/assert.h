// Stands before the system's <assert.h> (cmake/warnings.cmake): a library whose headers we compile (Eigen, toml++,
// JSON) throws where it would end the program, since an assertion of theirs that fails is one clip lost and not all of
// them. They stay checked whatever NDEBUG says: an index out of range is never read. No #pragma once: as that of the
// system it may be included again.
#ifdef __cplusplus

#ifndef SUPPLE_ASSERTS
#define SUPPLE_ASSERTS
namespace supple {
// NOLINTNEXTLINE(readability-redundant-declaration): that of supple/base/expect.h
[[noreturn, gnu::cold]] void own_fault(const char* what, const char* file, int line);
}  // namespace supple
#endif
#undef assert
#define assert(so) (static_cast<bool>(so) ? void(0) : ::supple::own_fault(#so, __FILE__, __LINE__))

#else
#include_next <assert.h>
#endif
