#include "supple/report/page_files.h"

#include <string>

// The assembler copies the files in: a list of numbers would take the compiler half a minute.
#define SUPPLE_EMBED(name, path)                                                                  \
  asm(".section .rodata\n.global supple_page_" #name "\nsupple_page_" #name ":\n.incbin \"" path  \
      "\"\n.global supple_page_" #name "_end\nsupple_page_" #name "_end:\n.byte 0\n.previous\n"); \
  extern "C" const char supple_page_##name[], supple_page_##name##_end[]

SUPPLE_EMBED(three, SUPPLE_THREE_JS);
SUPPLE_EMBED(orbit, SUPPLE_THREE_ORBIT_JS);
SUPPLE_EMBED(licence, SUPPLE_PAGE_FOLDER "/three_licence.txt");
SUPPLE_EMBED(decode, SUPPLE_PAGE_FOLDER "/decode.js");
SUPPLE_EMBED(surface, SUPPLE_PAGE_FOLDER "/surface.js");
SUPPLE_EMBED(viewer, SUPPLE_PAGE_FOLDER "/viewer.js");
SUPPLE_EMBED(style, SUPPLE_PAGE_FOLDER "/viewer.css");

namespace supple {

std::string_view page_three_js() {
  static const std::string both = std::string(supple_page_three, supple_page_three_end) + "\n" +
                                  std::string(supple_page_orbit, supple_page_orbit_end);
  return both;
}
std::string_view page_three_licence() { return {supple_page_licence, supple_page_licence_end}; }
std::string_view page_decode_js() { return {supple_page_decode, supple_page_decode_end}; }
std::string_view page_surface_js() { return {supple_page_surface, supple_page_surface_end}; }
std::string_view page_viewer_js() { return {supple_page_viewer, supple_page_viewer_end}; }
std::string_view page_viewer_css() { return {supple_page_style, supple_page_style_end}; }

}  // namespace supple
