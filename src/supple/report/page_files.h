// The scripts and styles of report.html, inside the program: a page needs nothing beside it. Inside the room only.
#pragma once
#include <string_view>

namespace supple {

std::string_view page_three_js();  // three.js and its orbit controls
std::string_view page_three_licence();
std::string_view page_decode_js();  // reads PackedMotion: page/decode.js
std::string_view page_surface_js();
std::string_view page_viewer_js();  // shows it
std::string_view page_viewer_css();

}  // namespace supple
