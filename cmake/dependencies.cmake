# Third-party libraries, all from Debian (tools/packages.txt is the list that is installed).
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
if(SUPPLE_PROGRAM)
  find_package(CLI11 REQUIRED)
endif()
find_package(draco REQUIRED)
find_package(meshoptimizer REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)

# Header-only or without a CMake package in Debian 12.
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
include(cmake/numeric.cmake)
# MUMPS, and with it a BLAS, is loaded when a scene asks for it (linalg/solver_mumps.cpp): what is needed here is its
# header and the name that it has where only the program is installed.
find_path(MUMPS_INCLUDE dmumps_c.h PATH_SUFFIXES mumps_seq REQUIRED)
find_library(MUMPS_LIBRARY NAMES dmumps_seq REQUIRED)
file(REAL_PATH ${MUMPS_LIBRARY} mumps_file)
get_filename_component(mumps_file ${mumps_file} NAME)

add_library(supple_maths INTERFACE)
target_link_libraries(supple_maths INTERFACE Eigen3::Eigen)
target_compile_features(supple_maths INTERFACE cxx_std_20)
# Small vectors are aligned as the library has them, whatever the flags of the program that uses it: with those of a
# newer processor Eigen would lay them out otherwise.
target_compile_definitions(supple_maths INTERFACE EIGEN_MPL2_ONLY EIGEN_DONT_PARALLELIZE
                                                  $<INSTALL_INTERFACE:EIGEN_MAX_ALIGN_BYTES=16>)
