# Third-party libraries, all from Debian (tools/packages.txt is the list that is installed).
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(draco REQUIRED)
find_package(meshoptimizer REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)

# Header-only or without a CMake package in Debian 12.
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
find_path(MUMPS_INCLUDE dmumps_c.h PATH_SUFFIXES mumps_seq REQUIRED)
find_library(MUMPS_LIBRARY NAMES dmumps_seq REQUIRED)
find_library(OPENBLAS_LIBRARY NAMES openblas REQUIRED)
find_path(METIS_INCLUDE metis.h REQUIRED)
find_library(METIS_LIBRARY NAMES metis REQUIRED)

add_library(supple_maths INTERFACE)
target_link_libraries(supple_maths INTERFACE Eigen3::Eigen)
target_compile_definitions(supple_maths INTERFACE EIGEN_MPL2_ONLY EIGEN_DONT_PARALLELIZE)
