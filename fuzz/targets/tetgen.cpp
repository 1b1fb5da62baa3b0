// TetGen's two files: the .node ends where a line "# ele" begins the other.
#include "fuzz/target.h"
#include "supple/io/tets/tet_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace supple;
  const std::string_view all = fuzz::text_of(data, size), mark = "# ele\n";
  const size_t at = all.find(mark);
  const std::string file = fuzz::folder().put("in.node", all.substr(0, at));
  fuzz::folder().put("in.ele", at == all.npos ? "" : all.substr(at + mark.size()));
  fuzz::attempt([&] { read_tet_mesh(file); });
  return 0;
}
