#include "supple/base/expect.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace supple {

namespace {

// Without the folder of whoever compiled it: "linalg/block_matrix.cpp", "eigen3/Eigen/src/Core/Block.h".
std::string_view short_name(std::string_view file) {
  for (const std::string_view folder : {"src/supple/", "/include/"})
    if (const size_t at = file.rfind(folder); at != std::string_view::npos) return file.substr(at + folder.size());
  return file;
}

}  // namespace

void own_fault(const char* what, const char* file, int line) {
  const std::string text =
      fmt::format("a fault of supple itself: expected {} ({}:{}). Please report it, with the file and the command",
                  what, short_name(file), line);
#ifdef SUPPLE_SANITIZED
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
#else
  throw OwnFault(text);
#endif
}

}  // namespace supple
