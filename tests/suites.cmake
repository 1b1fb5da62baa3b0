# Tests are known to ctest by suite, not one by one: the tests of a suite share what is made once for all of them, and a
# process. Slow ones stand by themselves, so that they can be left out.
#
# add_suites(program prefix): run after the program was linked, by the second half of this file.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(add_suites program prefix)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake)
    add_custom_command(TARGET ${program} POST_BUILD BYPRODUCTS ${list} VERBATIM
      COMMAND ${CMAKE_COMMAND} -D program=$<TARGET_FILE:${program}> -D prefix=${prefix} -D list=${list}
              -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
    file(WRITE ${list}.in "if(EXISTS [[${list}]])\n  include([[${list}]])\nelse()\n"
                          "  add_test(${prefix}_NOT_BUILT ${prefix}_NOT_BUILT)\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list}.in)
  endfunction()
  return()
endif()

execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE out COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" lines "${out}")
cmake_path(GET list PARENT_PATH state)
string(APPEND state /state)  # what the program remembers of its user: nothing of who runs the tests
set(suites)
# All were skipped and none failed: where one did, more follows.
set(skipped "\\[  PASSED  \\] 0 tests\\.\n\\[  SKIPPED \\][^\n]*\n(\\[  SKIPPED \\][^\n]*\n)+$")
set(text)
function(add name filter)
  set(text "${text}add_test([[${prefix}.${name}]] [[${program}]] [[--gtest_filter=${filter}]])\n"
           "set_tests_properties([[${prefix}.${name}]] PROPERTIES TIMEOUT 1500 "
           "ENVIRONMENT [[XDG_STATE_HOME=${state}]] ENVIRONMENT_MODIFICATION SUPPLE_SYNC=set:off "
           "SKIP_REGULAR_EXPRESSION [[${skipped}]])\n" PARENT_SCOPE)
endfunction()
foreach(line IN LISTS lines)
  string(REGEX REPLACE " *#.*" "" line "${line}")
  if(line MATCHES "^([^ ]+)\\.$")
    set(suite ${CMAKE_MATCH_1})
    set(seen FALSE)
  elseif(line MATCHES "^  ([^ ]+)$")
    set(test ${CMAKE_MATCH_1})
    if("${suite}.${test}" MATCHES "Slow")
      string(REPLACE "/" "_" name "${suite}.${test}")
      add(${name} "${suite}.${test}")
    elseif(NOT seen)
      string(REPLACE "/" "_" name ${suite})
      add(${name} "${suite}.*-*Slow*")
      set(seen TRUE)
    endif()
  endif()
endforeach()
string(REPLACE ";" "" text "${text}")
file(WRITE ${list} "${text}")
