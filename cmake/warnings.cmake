# One place for the flags every target of ours is compiled with.
add_library(supple_warnings INTERFACE)
target_compile_options(supple_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror
  -Wno-missing-field-initializers)  # designated initialisers name the fields that matter
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 inside Eigen's and the standard library's inlined code.
  target_compile_options(supple_warnings INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
                                                   -Wno-restrict -Wno-dangling-pointer -Wno-use-after-free)
endif()
# Assertions of libraries that are headers stay, whatever the flags of the build, and throw (cmake/asserts/assert.h). With
# sanitizers, or for a debugger, they end the program where it stands.
target_compile_options(supple_warnings INTERFACE -UNDEBUG)
if(NOT SUPPLE_SANITIZE)
  target_include_directories(supple_warnings BEFORE INTERFACE $<$<NOT:$<CONFIG:Debug>>:${PROJECT_SOURCE_DIR}/cmake/asserts>)
endif()
if(SUPPLE_SANITIZE)
  add_compile_options(-fsanitize=${SUPPLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SUPPLE_SANITIZE})
  add_compile_definitions(SUPPLE_SANITIZED)
endif()
# The same bits on every machine of one instruction set: no contraction chosen behind our back.
add_compile_options(-ffp-contract=off)
