// The picture of what is soft: three views of how soft, three of which flesh, and the names beside their colours.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/base/markup.h"
#include "supple/base/parallel.h"
#include "supple/pipeline/character/report.h"
#include "supple/pipeline/files/soft_places.h"
#include "supple/render/render.h"

namespace supple::pipeline {

namespace {

const Vec3 kFollows(0.22, 0.29, 0.38), kOther(0.75, 0.75, 0.72);

// Linear RGB, apart from each other however many there are: hues by the golden angle, in two strengths.
Vec3 color_of(size_t k) {
  const double hue = std::fmod(0.08 + 0.61803398875 * static_cast<double>(k), 1.0);
  const double bright = k % 2 ? 0.45 : 0.8;
  const auto wave = [&](double shift) {
    const double x = std::fmod(hue + shift, 1.0) * 6;
    return std::clamp(std::abs(x - 3) - 1, 0.0, 1.0);
  };
  return bright * Vec3(0.08 + 0.92 * wave(0), 0.08 + 0.92 * wave(2.0 / 3), 0.08 + 0.92 * wave(1.0 / 3));
}

std::string html_color(const Vec3& linear) {
  return fmt::format("#{:02x}{:02x}{:02x}", srgb_byte(linear[0]), srgb_byte(linear[1]), srgb_byte(linear[2]));
}

Image colored(const CharacterSetup& c, const Points& of_skin) {
  RenderMesh m;
  m.vertices = c.drawn.vertices.rest;
  m.triangles = c.drawn.triangles;
  m.colors.assign(m.vertices.size(), kOther);
  for (size_t v = 0; v < m.colors.size(); ++v)
    if (c.skin_of[v] >= 0) m.colors[v] = of_skin[static_cast<size_t>(c.skin_of[v])];
  const std::array<Vec3, 3> directions{Vec3(0.1, -0.1, -1), Vec3(-1, -0.1, 0.1), Vec3(0.2, -0.15, 1)};
  std::vector<Image> views(directions.size());
  parallel_for(views.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k)
      views[k] = render({m}, fit_camera(bounding_box(m.vertices), directions[k], 0.9), {.width = 360, .height = 400});
  });
  return film_strip(views);
}

std::string embedded(const Image& image, int y) {
  const std::vector<uint8_t> png = encode_png(image);
  return fmt::format("<image x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\" href=\"data:image/png;base64,{}\"/>\n", y,
                     image.width, image.height, base64(std::string(png.begin(), png.end())));
}

}  // namespace

std::string soft_places_svg(const SoftPlaces& places) {
  const CharacterSetup& c = *places.character;
  // Flesh and regions are apart from each other; pairs and words lie over them.
  std::vector<const SoftPlace*> shown;
  for (const SoftPlace& p : places.list)
    if (p.kind == "flesh" || p.kind == "region") shown.push_back(&p);
  Points colors(c.skin.vertices.size(), kFollows);
  for (size_t k = 0; k < shown.size(); ++k)
    for (size_t i = 0; i < colors.size(); ++i)
      if (shown[k]->on_skin[i])
        colors[i] += std::sqrt(std::clamp(c.flesh.skin_softness[i], 0.0, 1.0)) * (color_of(k) - kFollows);
  const Image soft = softness_picture(c), parts = colored(c, colors);
  constexpr int kTitle = 28, kLine = 20, kColumn = 360;
  const int columns = 3, rows = (static_cast<int>(shown.size()) + columns) / columns;
  const int legend = 2 * kTitle + soft.height + parts.height + 12, height = legend + kLine * (rows + 1) + 12;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      soft.width, height);
  svg += fmt::format("<text x=\"8\" y=\"19\">How soft: blue-grey follows exactly, red is free</text>\n");
  svg += embedded(soft, kTitle);
  svg += fmt::format("<text x=\"8\" y=\"{}\">Flesh and regions, as far as they are free</text>\n",
                     kTitle + soft.height + 19);
  svg += embedded(parts, 2 * kTitle + soft.height);
  const auto entry = [&](size_t k, const Vec3& color, const std::string& text) {
    const int x = 8 + kColumn * static_cast<int>(k % columns), y = legend + kLine * static_cast<int>(k / columns);
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"14\" fill=\"{}\"/>", x, y, html_color(color));
    svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x + 20, y + 12, escape_markup(text));
  };
  entry(0, kFollows, "follows exactly");
  for (size_t k = 0; k < shown.size(); ++k) entry(k + 1, color_of(k), shown[k]->name);
  return svg + "</svg>\n";
}

}  // namespace supple::pipeline
