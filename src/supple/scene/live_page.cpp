#include "supple/scene/live_page.h"

#include "supple/io/output_file.h"

namespace supple {
void write_live_page(const std::string& path, const std::vector<LivePageModel>&) { write_text(path, ""); }
}  // namespace supple
