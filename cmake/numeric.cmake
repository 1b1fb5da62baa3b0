# A numerical library that has no CMake package in Debian 12. Found in the same way by the build and by those who use the
# installed package, where this file lies beside its configuration.
function(supple_find_numeric name header library suffix)
  if(TARGET supple::${name})
    return()
  endif()
  string(TOUPPER ${name} upper)
  find_library(SUPPLE_${upper}_LIBRARY NAMES ${library} REQUIRED)
  mark_as_advanced(SUPPLE_${upper}_LIBRARY)
  add_library(supple::${name} UNKNOWN IMPORTED)
  set_target_properties(supple::${name} PROPERTIES IMPORTED_LOCATION ${SUPPLE_${upper}_LIBRARY})
  if(header)
    find_path(SUPPLE_${upper}_INCLUDE ${header} PATH_SUFFIXES ${suffix} REQUIRED)
    mark_as_advanced(SUPPLE_${upper}_INCLUDE)
    set_target_properties(supple::${name} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${SUPPLE_${upper}_INCLUDE})
  endif()
endfunction()

supple_find_numeric(metis metis.h metis "")
