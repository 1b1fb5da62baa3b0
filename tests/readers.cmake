# What reads files of others is tested under the address sanitizer, whatever the build: its rooms are compiled once more
# for their tests, with checks; the rooms below are taken as they are. Builds with sanitizers of their own need none of it.
set(reader_folders)
if(SUPPLE_SANITIZE)
  return()
endif()
set(reader_folders io io/gltf io/tets)
set(read_with nlohmann_json::nlohmann_json draco::draco meshoptimizer::meshoptimizer)

# Checks called as functions, not written out: a quarter less to compile.
set(address_checks -fsanitize=address -fno-omit-frame-pointer -fno-sanitize-recover=all -g1
  $<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -asan-instrumentation-with-call-threshold=0>)
function(check_addresses target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0> ${address_checks})
  target_compile_definitions(${target} PRIVATE SUPPLE_SANITIZED)
endfunction()

precompile_for_tests(checked_precompiled)
if(TARGET checked_precompiled)
  check_addresses(checked_precompiled)
  target_link_options(checked_precompiled PRIVATE -fsanitize=address)
endif()

# Gives a program of tests the sources of a room, compiled with checks; what the program has itself it does not take from
# the library of all rooms.
function(check_reader test folder)
  set(rooms_read io ${folder})
  list(REMOVE_DUPLICATES rooms_read)
  if(folder STREQUAL "io")
    list(APPEND rooms_read io/tets)  # damage.cpp
  endif()
  foreach(room IN LISTS rooms_read)
    room_target(${room} plain)
    if(NOT TARGET ${plain}_checked)
      get_target_property(sources ${plain} SOURCES)
      list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/ REGEX "^src/")
      add_library(${plain}_checked OBJECT ${sources})
      target_link_libraries(${plain}_checked PRIVATE supple_tested supple_warnings ${read_with})
      check_addresses(${plain}_checked)
      set_target_properties(${plain}_checked PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${plain}_checked PRIVATE -fPIE)  # as of the program that it becomes a part of
      use_precompiled(${plain}_checked checked_precompiled)
    endif()
    target_sources(${test} PRIVATE $<TARGET_OBJECTS:${plain}_checked>)
  endforeach()
  check_addresses(${test})
  target_link_options(${test} PRIVATE -fsanitize=address)
  target_link_libraries(${test} PRIVATE ${read_with})
  use_precompiled(${test} checked_precompiled)
endfunction()
