#include "supple/report/motion_html.h"

#include <fmt/format.h>

#include "supple/base/markup.h"
#include "supple/report/json.h"
#include "supple/report/page_files.h"

namespace supple {

namespace {

constexpr const char* kViewer = R"html(<section id="viewer" hidden="">
<div id="stage"><div id="legend" class="legend" hidden=""><b>Distance from the input</b><i></i>
<div class="ends"><span>0</span><span id="heat-end"></span></div><span id="farthest"></span></div>
<div id="legend-soft" class="legend" hidden=""><b>Softness</b><i></i>
<div class="ends"><span>as animated</span><span>free</span></div></div>
<div id="legend-regions" class="legend" hidden=""><b>Regions</b><ul></ul></div></div>
<div class="bar"><button type="button" id="play">Play</button>
<input type="range" id="frame" min="0" value="0" aria-label="Frame"/><output id="count"></output></div>
<div class="bar"><span class="speeds">Speed <button type="button" data-speed="1" aria-pressed="true">1×</button>
<button type="button" data-speed="0.5" aria-pressed="false">0.5×</button>
<button type="button" data-speed="0.25" aria-pressed="false">0.25×</button></span>
<label><input type="checkbox" id="wire"/>Input as wireframe</label>
<label><input type="checkbox" id="heat"/>Show how far it moved</label>
<label id="has-soft" hidden=""><input type="checkbox" id="soft"/>Show softness</label>
<label id="has-regions" hidden=""><input type="checkbox" id="regions"/>Show regions</label>
<label><input type="checkbox" id="follow"/>Camera follows</label>
<button type="button" id="reset">Reset view</button></div>
)html";

Json about(const PackedMotion& m) {
  Json j;
  j["points"] = m.n_points, j["vertices"] = m.n_vertices, j["shades"] = m.n_shades, j["triangles"] = m.n_triangles;
  j["frames"] = m.n_frames, j["every"] = m.every, j["fps"] = m.fps, j["bits"] = m.bits;
  j["low"] = Json::list(m.low), j["step"] = m.step, j["up"] = std::string(1, m.up);
  j["metres"] = m.metres, j["size_m"] = m.size_m, j["heat_m"] = m.heat_m, j["farthest_m"] = m.farthest_m;
  Json looks(Json::Array{});
  for (const MotionLook& look : m.looks) {
    Json one;
    one["name"] = look.name, one["triangles"] = look.n_triangles;
    one["color"] = Json::list(look.color), one["opacity"] = look.opacity, one["cut_out"] = look.cut_out;
    one["picture"] = look.picture;
    looks.push_back(one);
  }
  j["looks"] = looks;
  Json pictures(Json::Array{});
  for (const MotionPicture& p : m.pictures) pictures.push_back("data:" + p.type + ";base64," + base64(p.bytes));
  j["pictures"] = pictures;
  j["regions"] = m.region_names.empty() ? Json(Json::Array{}) : Json::list(m.region_names);
  return j;
}

std::string data(const char* id, const char* type, const std::string& text) {
  return fmt::format("<script type=\"{}\" id=\"{}\">{}</script>\n", type, id, text);
}
std::string script(std::string_view text) { return fmt::format("<script>\n{}\n</script>\n", text); }

}  // namespace

std::string viewer_html(const PackedMotion& m) {
  std::string html = kViewer;
  html +=
      "<p class=\"note\">Drag to turn, drag with the right button to move, click and use the wheel to zoom. The "
      "space bar plays and pauses, wherever you are on the page. <span id=\"squares\"></span>";
  if (m.every > 1)
    html += fmt::format(" To keep the page small it shows every {}{} frame, {:.3g} a second.", m.every,
                        m.every == 2   ? "nd"
                        : m.every == 3 ? "rd"
                                       : "th",
                        m.fps);
  return html + "</p>\n</section>\n";
}

std::string viewer_scripts(const PackedMotion& m) {
  std::string html = data("motion", "application/json", script_safe(about(m).text(-1)));
  for (const auto& [name, bytes] : {std::pair{"motion-points", &m.points}, std::pair{"motion-shades", &m.shades},
                                    std::pair{"motion-triangles", &m.triangles}, std::pair{"motion-colors", &m.colors},
                                    std::pair{"motion-uvs", &m.uvs}, std::pair{"motion-softness", &m.softness},
                                    std::pair{"motion-regions", &m.regions}, std::pair{"motion-frames", &m.frames}})
    html += data(name, "text/plain", base64(*bytes));
  html += fmt::format("<script>\n/* {} */\n{}\n</script>\n", page_three_licence(), page_three_js());
  return html + script(page_decode_js()) + script(page_surface_js()) + script(page_viewer_js());
}

}  // namespace supple
