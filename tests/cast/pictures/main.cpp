// Pictures of the cast as the program delivers it: a strip a character of its liveliest clip (drawn, soft, how far they
// are apart), and one moving picture of three of them.
//
//   cast_pictures DIR              DIR/NAME.png
//   cast_pictures --moving DIR     DIR/000.png ... at 24 a second, for a program that makes one file of them
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/render/render.h"
#include "tests/cast/cast.h"
#include "tests/cast/performance.h"

namespace supple::cast {

namespace {

constexpr int kFrames = 6, kMovingFrames = 48;
constexpr double kMovingFps = 24;

// A character in a clip, and a camera that shows all of it.
class Picture {
 public:
  explicit Picture(Shot shot, int width, int height) : shot_(std::move(shot)), width_(width), height_(height) {
    Points all;
    for (const std::vector<Points>* frames : {&shot_.drawn, &shot_.soft})
      for (const Points& x : *frames) all.insert(all.end(), x.begin(), x.end());
    const Box box = bounding_box(all);
    size_ = box.size().norm();
    camera_ = fit_camera(box, Vec3(-0.55, -0.2, -0.8), static_cast<double>(width) / height, true, 0.03);
  }

  Image drawn(double s) const { return render_frame(shot_.drawn, s, nullptr); }
  Image soft(double s) const { return render_frame(shot_.soft, s, nullptr); }
  Image departure(double s) const { return render_frame(shot_.soft, s, &shot_.drawn); }
  double seconds() const { return (shot_.n_frames() - 1) * shot_.step; }

 private:
  // At a share s of the clip.
  Points at(const std::vector<Points>& frames, double s) const {
    const double place = s * (shot_.n_frames() - 1);
    const auto before = std::min(static_cast<size_t>(place), frames.size() - 1);
    const size_t after = std::min(before + 1, frames.size() - 1);
    Points x = frames[before];
    for (size_t v = 0; v < x.size(); ++v) x[v] += (place - static_cast<double>(before)) * (frames[after][v] - x[v]);
    return x;
  }

  Image render_frame(const std::vector<Points>& frames, double s, const std::vector<Points>* against) const {
    RenderMesh mesh;
    mesh.vertices = at(frames, s);
    mesh.triangles = shot_.faces;
    mesh.smooth = false;
    if (against) {
      const Points from = at(*against, s);
      for (size_t v = 0; v < from.size(); ++v) mesh.colors.push_back(color_of((mesh.vertices[v] - from[v]).norm()));
    }
    RenderOptions options{.width = width_, .height = height_};
    options.background_top = options.background_bottom = Vec3::Ones();
    return render({mesh}, camera_, options);
  }

  // Blue-grey follows, yellow departs by 2 % of the picture, red by 4 % or more.
  Vec3 color_of(double departure) const {
    const Vec3 still(0.16, 0.22, 0.3), some(0.8, 0.6, 0.1), far(0.75, 0.05, 0.02);
    const double x = std::min(departure / (0.02 * size_), 2.0);
    return x < 1 ? Vec3(still + x * (some - still)) : Vec3(some + (x - 1) * (far - some));
  }

  Shot shot_;
  int width_, height_;
  double size_ = 1;
  Camera camera_;
};

// Its liveliest clip, or the one named.
Shot liveliest(const Member& member) {
  const Performance p = perform(member.make(), {.tets = "final"});
  if (!p.failure.empty()) throw std::runtime_error(member.name + ": " + p.failure);
  size_t best = 0;
  for (size_t k = 1; k < p.clips.size(); ++k)
    if (p.clips[k].at("swing") > p.clips[best].at("swing")) best = k;
  return shot_of(p, best);
}

std::vector<Member> pictured() {
  std::vector<Member> list = members();
  list.push_back({.name = "walker", .make = [] { return make_walker(); }, .clips = {"walk"}});
  for (const unsigned dice : {7U, 8U})
    list.push_back({.name = "creature_" + std::to_string(dice),
                    .make = [dice] { return make_creature(dice); },
                    .clips = {"move"}});
  return list;
}

void strips(const std::filesystem::path& folder) {
  for (const Member& member : pictured()) {
    if (member.hard) continue;  // nothing of it moves
    const Picture picture(liveliest(member), 200, 170);
    std::vector<Image> images(size_t{3} * kFrames);
    for (size_t k = 0; k < kFrames; ++k) {
      const double s = static_cast<double>(k) / kFrames;
      images[k] = picture.drawn(s), images[kFrames + k] = picture.soft(s),
      images[2 * kFrames + k] = picture.departure(s);
    }
    write_png((folder / (member.name + ".png")).string(), film_strip(images, kFrames));
    std::cout << member.name << "\n";
  }
}

// Every clip goes through a whole number of times.
void moving(const std::filesystem::path& folder) {
  std::vector<Picture> pictures;
  for (const Member& member : pictured())
    if (member.name == "quadruped" || member.name == "blob" || member.name == "walker")
      pictures.emplace_back(liveliest(member), 240, 200);
  for (int f = 0; f < kMovingFrames; ++f) {
    std::vector<Image> images;
    for (int row = 0; row < 2; ++row)
      for (const Picture& p : pictures) {
        const double times = std::max(1.0, std::round(kMovingFrames / kMovingFps / p.seconds()));
        const double s = std::fmod(times * f / kMovingFrames, 1.0);
        images.push_back(row == 0 ? p.drawn(s) : p.soft(s));
      }
    std::string name = std::to_string(f);
    name.insert(0, 3 - name.size(), '0');
    write_png((folder / (name + ".png")).string(), film_strip(images, static_cast<int>(pictures.size())));
  }
}

}  // namespace

}  // namespace supple::cast

int main(int argc, char** argv) {
  const bool moves = argc == 3 && std::string(argv[1]) == "--moving";
  if (argc != 2 && !moves) {
    std::cerr << "cast_pictures [--moving] DIR\n";
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[argc - 1]);
    if (moves)
      supple::cast::moving(argv[argc - 1]);
    else
      supple::cast::strips(argv[argc - 1]);
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
