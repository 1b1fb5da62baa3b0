# cmake --install: the program, the libraries, their headers and a package, so that find_package(supple) gives other
# projects supple::supple (docs/guide/cpp.md). Headers that are for inside their room only stay here.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/supple)
set_target_properties(supple_all PROPERTIES EXPORT_NAME supple)
foreach(target IN ITEMS supple_maths LISTS library_targets)
  string(REGEX REPLACE "^supple_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
endforeach()
target_include_directories(supple_maths INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS supple_all supple_maths ${library_targets} EXPORT supple-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT supple-targets NAMESPACE supple:: DESTINATION ${package_folder} COMPONENT library)

file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS src/supple/*.h)
foreach(header IN LISTS headers)
  file(READ ${PROJECT_SOURCE_DIR}/src/${header} text LIMIT 2000)
  string(REGEX REPLACE "#pragma once.*" "" text "${text}")
  string(REGEX REPLACE "[\n/ ]+" " " text "${text}")
  if(NOT text MATCHES "Inside the [a-z ]*only" AND NOT header MATCHES "^supple/demos/")
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT library)
  endif()
endforeach()

configure_package_config_file(cmake/supple-config.cmake.in ${PROJECT_BINARY_DIR}/supple-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/supple-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/supple-config.cmake ${PROJECT_BINARY_DIR}/supple-config-version.cmake
              cmake/numeric.cmake DESTINATION ${package_folder} COMPONENT library)

if(SUPPLE_PROGRAM)
  install(TARGETS supple RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
