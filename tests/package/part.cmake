# A project of ten lines that has the library in its own tree: it configures, makes the libraries only, and its source
# compiles.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(folder ${BUILD}/part)
file(REMOVE_RECURSE ${folder})
file(WRITE ${folder}/main.cpp "#include \"supple/sim/stepper.h\"
int main() { return supple::make_box(1, 1, 1, supple::Vec3(1, 1, 1)).n_tets() == 6 ? 0 : 1; }
")
file(WRITE ${folder}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
add_subdirectory(${SOURCE} supple)
add_executable(outside main.cpp)
target_link_libraries(outside PRIVATE supple::supple)
add_executable(less main.cpp)
target_link_libraries(less PRIVATE supple::sim)
")
run(_ ${CMAKE_COMMAND} -S ${folder} -B ${folder}/build ${compiling})
run(targets ${CMAKE_COMMAND} --build ${folder}/build --target help)
if(NOT targets MATCHES "libsupple_sim.a" OR targets MATCHES "test_base|bench_speed|CLI11|apps/cli")
  message(FATAL_ERROR "not the libraries alone:\n${targets}")
endif()
run(_ ${CMAKE_COMMAND} --build ${folder}/build --target CMakeFiles/outside.dir/main.cpp.o)
run(_ ${CMAKE_COMMAND} --build ${folder}/build --target CMakeFiles/less.dir/main.cpp.o)
