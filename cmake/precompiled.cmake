# The headers that nearly every source parses, compiled once for the rooms and once for the tests. Sources must also
# compile without (-DSUPPLE_PCH=OFF; tools/check_alone), so every file still includes what it uses.
option(SUPPLE_PCH "Precompile the headers that most sources include" ON)

set(common_headers
  <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits> <map> <memory> <numbers> <numeric>
  <optional> <random> <set> <sstream> <string> <utility> <vector> <fmt/format.h>
  <Eigen/Core> <Eigen/Geometry> <Eigen/LU>
  "${PROJECT_SOURCE_DIR}/src/supple/base/types.h")

# ccache takes precompiled headers only when told that macros defined on the command line do not change them.
if(SUPPLE_PCH AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                  ${CMAKE_CXX_COMPILER_LAUNCHER})
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
                      "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# Gives a target the precompiled headers of `owner`, a target compiled with the same flags.
function(use_precompiled target owner)
  if(SUPPLE_PCH)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# GCC then starts with a large heap, and its garbage collector took a tenth of the compile time. clang-tidy, which uses
# no precompiled headers, does not know the parameter.
if(SUPPLE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-heapsize=400000")
endif()
