#include "supple/report/page_files.h"

#include <string>

#include "supple/report/embed.h"

SUPPLE_EMBED(three, SUPPLE_THREE_JS);
SUPPLE_EMBED(orbit, SUPPLE_THREE_ORBIT_JS);
SUPPLE_EMBED(licence, SUPPLE_PAGE_FOLDER "/three_licence.txt");
SUPPLE_EMBED(decode, SUPPLE_PAGE_FOLDER "/decode.js");
SUPPLE_EMBED(surface, SUPPLE_PAGE_FOLDER "/surface.js");
SUPPLE_EMBED(viewer, SUPPLE_PAGE_FOLDER "/viewer.js");
SUPPLE_EMBED(style, SUPPLE_PAGE_FOLDER "/viewer.css");

namespace supple {

std::string_view page_three_js() {
  static const std::string both = std::string(SUPPLE_EMBEDDED(three)) + "\n" + std::string(SUPPLE_EMBEDDED(orbit));
  return both;
}
std::string_view page_three_licence() { return SUPPLE_EMBEDDED(licence); }
std::string_view page_decode_js() { return SUPPLE_EMBEDDED(decode); }
std::string_view page_surface_js() { return SUPPLE_EMBEDDED(surface); }
std::string_view page_viewer_js() { return SUPPLE_EMBEDDED(viewer); }
std::string_view page_viewer_css() { return SUPPLE_EMBEDDED(style); }

}  // namespace supple
