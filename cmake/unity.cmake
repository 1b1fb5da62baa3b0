# The sources of a room, or of a test, compiled several at a time: what they share (templates of Eigen and of the standard
# library) is then instantiated once for all of them, which halves the work of the compiler. Names in the anonymous
# namespaces of one room therefore have to differ, as those of functions with the same parameters and of tests do;
# tools/check_names says where they do not. Builds without precompiled headers compile each source by itself.
option(SUPPLE_UNITY "Compile the sources of a room several at a time" ${SUPPLE_PCH})
set(CMAKE_UNITY_BUILD ${SUPPLE_UNITY})
# Sixteen at a time below; eight in the pipeline, where one line is changed oftenest and its batch compiled again.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
if(SUPPLE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12: two about vectors and strings in functions inlined this far, one about classes defined in a
  # source, which it takes for a header once another source includes it.
  add_compile_options(-Wno-free-nonheap-object -Wno-stringop-overread -Wno-subobject-linkage)
endif()
